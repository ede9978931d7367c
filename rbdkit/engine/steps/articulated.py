"""Articulated-body inertia in blocks, 21 numbers (Featherstone 2008, section 7.1 and Table A.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, dot, skew
from rbdkit.trace import Scalar


class Articulated(tuple):
    """``[n; f] = [[I, H], [H.T, M]] [alpha; a]``, I and M symmetric; moment n and acceleration a at the same point."""

    __slots__ = ()
    size: ClassVar[int] = 21

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Articulated:
        """From the elements of I, H and M."""
        return cls((Symmetric.of(flat[0:6]), Matrix.of(flat[6:15]), Symmetric.of(flat[15:21])))

    @classmethod
    def rigid(cls, m: Scalar, h: Vector, I: Symmetric) -> Articulated:
        """Of a single body with mass m, first moment h = m c and inertia I about the origin (Eq 2.63)."""
        return cls((I, skew(h), Symmetric((m, 0.0, 0.0, m, 0.0, m))))

    def flat(self) -> list[Scalar]:
        """The elements of I, H and M."""
        return [x for block in self for x in block.flat()]

    def __add__(self, other: Articulated) -> Articulated:  # type: ignore[override]
        return Articulated(a + b for a, b in zip(self, other, strict=True))

    def rows(self) -> list[list[Scalar]]:
        """The 6 x 6 matrix."""
        I, H, M = self
        upper = [[*I_row, *H_row] for I_row, H_row in zip(I.full, H, strict=True)]
        lower = [[*Ht_row, *M_row] for Ht_row, M_row in zip(H.T, M.full, strict=True)]
        return upper + lower

    @classmethod
    def of_rows(cls, A: Sequence[Sequence[Scalar]]) -> Articulated:
        """From the 6 x 6 matrix, of which the upper triangle is used."""
        I = Symmetric(A[i][j] for i in range(3) for j in range(i, 3))
        H = Matrix(Vector(A[i][3:]) for i in range(3))
        M = Symmetric(A[i][j] for i in range(3, 6) for j in range(i, 6))
        return cls((I, H, M))

    def __matmul__(self, motion: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        I, H, M = self
        alpha, a = motion
        return I @ alpha + H @ a, H.T @ alpha + M @ a

    def moved(self, R: Matrix, p: Vector) -> Articulated:
        """In the coordinates of a frame in which this one has rotation R and position p (Eq 2.66)."""
        I, H, M = self
        P = skew(p)
        I_R, H_R, M_R = I.rotated(R), R @ H @ R.T, M.rotated(R)
        H_moved = H_R + P @ M_R.full
        A, B = (H_R @ P).T, H_moved @ P
        return Articulated((Symmetric.upper(I_R.full - A - B), H_moved, M_R))


def unit_index(S: Sequence[Scalar]) -> int | None:
    """k if the six numbers are the k-th unit vector."""
    k = next((k for k, s in enumerate(S) if isinstance(s, float) and s == 1.0), None)
    return k if k is not None and all(isinstance(s, float) and s == 0.0 for i, s in enumerate(S) if i != k) else None


def eliminate(
    A: list[list[Scalar]], p: list[Scalar], S: Sequence[Scalar], tau: Scalar, rotor: Scalar
) -> tuple[list[list[Scalar]], list[Scalar], list[Scalar], Scalar, Scalar]:
    """Free a body along one joint axis S: its inertia A and bias p as they are felt through the joint.

    Parameters
    ----------
    A, p : 6 x 6 articulated inertia and bias force of the body. S : joint axis. tau : joint force. rotor : inertia on
        the axis.

    Returns
    -------
    A - U D^-1 U.T (Eq 7.47), p + U D^-1 u (Eq 7.48 without velocity products), U (Eq 7.43), D^-1 (Eq 7.44), u (Eq
    7.45).
    """
    U = [dot(row, S) for row in A]
    D_inv = 1.0 / (dot(S, U) + rotor)
    u = tau - dot(S, p)
    G = [x * D_inv for x in U]
    Aa = [[A[i][j] - G[i] * U[j] if j >= i else 0.0 for j in range(6)] for i in range(6)]
    pa = [p[i] + U[i] * (u * D_inv) for i in range(6)]
    k = unit_index(S)
    if k is not None and isinstance(rotor, float) and rotor == 0.0:
        # nothing resists motion along a free axis: these entries are exactly zero, and the force there is tau
        for j in range(6):
            Aa[min(j, k)][max(j, k)] = 0.0
        pa[k] = tau
    return [[Aa[min(i, j)][max(i, j)] for j in range(6)] for i in range(6)], pa, U, D_inv, u
