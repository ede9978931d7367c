"""Rotation about a coordinate axis, with the constants that make rotating a matrix cheap (Featherstone, section A.5).

The two axes that turn are called i and j, so that one formula serves x, y and z: (i, j) = (y, z), (z, x), (x, y).
"""

from __future__ import annotations

from dataclasses import dataclass

from rbdkit.errors import ModelError
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector

OTHERS = {"x": (1, 2, 0), "y": (2, 0, 1), "z": (0, 1, 2)}
"""Places i, j of the axes that turn, and k of the axis itself."""

PLACE = ((0, 1, 2), (1, 3, 4), (2, 4, 5))
"""Where the element of row i and column j stands among the six of a symmetric matrix."""


@dataclass(frozen=True, slots=True)
class AxialRotation:
    """E = rx(theta), ry(theta) or rz(theta), coordinate transform to a frame turned by theta about its own axis.

    Attributes
    ----------
    axis : str
        'x', 'y' or 'z'.
    c, s : Scalar
        Cosine and sine.
    cs, ss, cs2, cc_ss : Scalar
        c s, s^2, 2 c s and 1 - 2 s^2.
    """

    axis: str
    c: Scalar
    s: Scalar
    cs: Scalar
    ss: Scalar
    cs2: Scalar
    cc_ss: Scalar

    @classmethod
    def of(cls, axis: str, c: Scalar, s: Scalar) -> AxialRotation:
        """From cosine and sine; the constants cost 2m + 3a, once.

        Raises
        ------
        ModelError
            If the axis is not 'x', 'y' or 'z'.
        """
        if axis not in OTHERS:
            raise ModelError(f"an axial rotation is about 'x', 'y' or 'z', not about {axis!r}.")
        cs, ss = c * s, s * s
        return cls(axis, c, s, cs, ss, cs + cs, 1.0 - (ss + ss))

    @property
    def inverse(self) -> AxialRotation:
        """E^T: only signs change."""
        return AxialRotation(self.axis, self.c, -self.s, -self.cs, self.ss, -self.cs2, self.cc_ss)

    @property
    def matrix(self) -> Matrix:
        """E, three rows."""
        i, j, k = OTHERS[self.axis]
        E = [[0.0] * 3 for _ in range(3)]
        E[i][i], E[i][j], E[j][i], E[j][j], E[k][k] = self.c, self.s, -self.s, self.c, 1.0
        return Matrix(Vector(row) for row in E)

    def vector(self, v: Vector) -> Vector:
        """E v: 4m + 2a."""
        i, j, k = OTHERS[self.axis]
        c, s = self.c, self.s
        out = [v[k]] * 3
        out[i], out[j] = c * v[i] + s * v[j], c * v[j] - s * v[i]
        return Vector(out)

    def general(self, A: Matrix) -> Matrix:
        """E A E^T of a general matrix: 12m + 12a."""
        i, j, k = OTHERS[self.axis]
        c, s = self.c, self.s
        total, difference = A[i][j] + A[j][i], A[j][j] - A[i][i]
        alpha, beta = self.cs * total + self.ss * difference, self.cs * difference - self.ss * total
        B = [list(row) for row in A]
        B[i][i], B[i][j], B[i][k] = A[i][i] + alpha, A[i][j] + beta, c * A[i][k] + s * A[j][k]
        B[j][i], B[j][j], B[j][k] = A[j][i] + beta, A[j][j] - alpha, c * A[j][k] - s * A[i][k]
        B[k][i], B[k][j] = c * A[k][i] + s * A[k][j], c * A[k][j] - s * A[k][i]
        return Matrix(Vector(row) for row in B)

    def symmetric(self, A: Symmetric) -> Symmetric:
        """E A E^T of a symmetric matrix: 8m + 7a."""
        ii, ij, ik, jj, jk, _ = places(self.axis)
        c, s = self.c, self.s
        difference = A[jj] - A[ii]
        alpha, beta = self.cs2 * A[ij] + self.ss * difference, self.cs * difference + self.cc_ss * A[ij]
        B = list(A)
        B[ii], B[ij], B[jj] = A[ii] + alpha, beta, A[jj] - alpha
        B[ik], B[jk] = c * A[ik] + s * A[jk], c * A[jk] - s * A[ik]
        return Symmetric(B)


def places(axis: str) -> tuple[int, int, int, int, int, int]:
    """Return the indices of ii, ij, ik, jj, jk and kk among the six elements of a symmetric matrix.

    k is the given axis, i and j are the other two.
    """
    i, j, k = OTHERS[axis]
    return PLACE[i][i], PLACE[i][j], PLACE[i][k], PLACE[j][j], PLACE[j][k], PLACE[k][k]


def rx(theta: Scalar) -> AxialRotation:
    """Rotation about x by theta, rad."""
    return _turned("x", theta)


def ry(theta: Scalar) -> AxialRotation:
    """Rotation about y by theta, rad."""
    return _turned("y", theta)


def rz(theta: Scalar) -> AxialRotation:
    """Rotation about z by theta, rad."""
    return _turned("z", theta)


def _turned(axis: str, theta: Scalar) -> AxialRotation:
    from rbdkit.trace import cos, sin  # the tracer, which a first model does without

    return AxialRotation.of(axis, cos(theta), sin(theta))
