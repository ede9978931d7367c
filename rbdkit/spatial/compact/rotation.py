"""Products of rotation matrices and rotated matrices at less than their usual cost (Featherstone 2008, section A.5)."""

from __future__ import annotations

from typing import Any

from rbdkit.spatial.compact.axial import AxialRotation
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector, cross, dot


def product(*factors: Matrix) -> Matrix:
    """F1 F2 ... Fn G of rotation matrices: (18m + 12a) n + 6m + 3a.

    Only two columns are carried along; the third is their vector product.
    """
    *others, G = factors
    x, y, z = G.T
    for F in reversed(others):
        x, y = F @ x, F @ y
    return Matrix((x, y, cross(x, y) if others else z)).T


def rotate(E: Matrix, A: Matrix, by_trace: bool = True) -> Matrix:
    """E A E^T of a general matrix A, with A = L + D + v x: 40m + 39a.

    Parameters
    ----------
    by_trace : bool, optional
        Whether one element of E L E^T is found from the trace, which a rotation does not change; if not, 42m + 37a.
    """
    (A11, A12, A13), (A21, A22, A23), (A31, A32, A33) = A
    L11, L22, L31, L32 = A11 - A33, A22 - A33, A31 + A13, A32 + A23
    left = [(row[0], row[1]) for row in E]  # the third column of L is zero
    Y = [(dot(row, (L11, A21, L31)), dot(row, (A12, L22, L32))) for row in E]
    Z12, Z13 = dot(Y[0], left[1]), dot(Y[0], left[2])
    (Z21, Z22, Z23), (Z31, Z32, Z33) = ([dot(row, column) for column in left] for row in Y[1:])
    Z11 = L11 + L22 - Z22 - Z33 if by_trace else dot(Y[0], left[0])
    v = (-A23, A13)  # and 0
    a, b, c = (dot(row, v) for row in left)  # E v; D is the same in all frames
    return Matrix(
        (
            Vector((Z11 + A33, Z12 - c, Z13 + b)),
            Vector((Z21 + c, Z22 + A33, Z23 - a)),
            Vector((Z31 - b, Z32 + a, Z33 + A33)),
        )
    )


def rotate_symmetric(E: Matrix, A: Symmetric) -> Symmetric:
    """E A E^T of a symmetric matrix A: 28m + 29a."""
    A11, A21, A31, A22, A32, A33 = A
    L11, L22, L31, L32 = A11 - A33, A22 - A33, A31 + A31, A32 + A32
    left = [(row[0], row[1]) for row in E]
    Y2, Y3 = ((dot(row, (L11, A21, L31)), dot(row, (A21, L22, L32))) for row in E[1:])
    Z21, Z22 = dot(Y2, left[0]), dot(Y2, left[1])
    Z31, Z32, Z33 = (dot(Y3, column) for column in left)
    Z11 = L11 + L22 - Z22 - Z33
    v = (-A32, A31)  # and 0
    a, b, c = (dot(row, v) for row in left)  # E v
    return Symmetric((Z11 + A33, Z21 + c, Z31 - b, Z22 + A33, Z32 + a, Z33 + A33))


def has_zeros(A: Matrix) -> bool:
    """Whether as many elements are known to be zero as in a turn about an axis: there plain products cost least, where
    the formulas of section A.5 share what is zero.
    """
    return sum(isinstance(x, float) and x == 0.0 for row in A for x in row) >= 4


def turned(E: Matrix, A: Matrix) -> Matrix:
    """E A E^T of a general matrix, by the formula that costs least."""
    if isinstance(E, TurnAboutZ):
        return E.axial.general(A)
    return E @ A @ E.T if has_zeros(E) else rotate(E, A, by_trace=False)


def turned_symmetric(E: Matrix, A: Symmetric) -> Symmetric:
    """E A E^T of a symmetric matrix, by the formula that costs least."""
    if isinstance(E, TurnAboutZ):
        return E.axial.symmetric(A)
    return A.rotated(E) if has_zeros(E) else rotate_symmetric(E, A)


class TurnAboutZ(Matrix):
    """A rotation matrix about z: products with others about z, and of matrices with it, at their least cost."""

    __slots__ = ()

    @classmethod
    def by(cls, c: Scalar, s: Scalar) -> TurnAboutZ:
        """E = rz(angle), from cosine and sine."""
        return cls((Vector((c, s, 0.0)), Vector((-s, c, 0.0)), Vector((0.0, 0.0, 1.0))))

    @property
    def c_s(self) -> tuple[Scalar, Scalar]:
        """Cosine and sine."""
        return self[0][0], self[0][1]

    @property
    def axial(self) -> AxialRotation:
        """With the constants that its products share."""
        return AxialRotation.of("z", *self.c_s)

    @property
    def T(self) -> TurnAboutZ:
        """The turn back."""
        c, s = self.c_s
        return TurnAboutZ.by(c, -s)

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, TurnAboutZ):
            return super().__matmul__(other)
        (c, s), (c_o, s_o) = self.c_s, other.c_s
        return TurnAboutZ.by(c * c_o - s * s_o, s * c_o + c * s_o)
