"""The Coriolis matrix of rigid bodies in its twelve independent numbers, so that those of composites can be summed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rbdkit.spatial.compact.inertias import rbi
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Scalar, Vector, cross, dot


@dataclass(frozen=True)
class Coriolis:
    """B(I, v) = (v x* I - I v x + (I v) bar) / 2, which maps (alpha, a) to (N alpha, alpha x p).

    For a point mass m at r with velocity u it is the force m alpha x u through r: terms in a, and in the moment about
    r, cancel. So p is the linear momentum, and N the sum of m (r.u 1 - u r.T).
    """

    N: Matrix
    p: Vector

    size: ClassVar[int] = 12

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Coriolis:
        """Build it from N, row by row, and p."""
        return cls(Matrix.of(flat[:9]), Vector(flat[9:]))

    def flat(self) -> list[Scalar]:
        """Return N, row by row, and p."""
        return [*self.N.flat(), *self.p]

    @classmethod
    def of_body(cls, I: rbi, v: mv) -> Coriolis:
        """Return the matrix of a body with velocity v."""
        w, u = v.halves
        xx, xy, xz, yy, yz, zz = I.I
        half = 0.5 * (xx + yy + zz)
        second = Matrix.of([half - xx, -xy, -xz, -xy, half - yy, -yz, -xz, -yz, half - zz])  # sum of m r r.T
        turning = Matrix(cross(w, row) for row in second).T  # [w]x (sum of m r r.T)
        K = Matrix(u[k] * I.h + turning[k] for k in range(3))  # sum of m (u + w x r) r.T; turning has no trace
        trace = dot(u, I.h)
        N = Matrix(Vector((trace if j == k else 0.0) - K[k][j] for j in range(3)) for k in range(3))
        return cls(N, I.m * u + cross(w, I.h))

    def __add__(self, other: Coriolis) -> Coriolis:
        """Return the matrix of both bodies together."""
        return Coriolis(self.N + other.N, self.p + other.p)

    @property
    def T(self) -> Transposed:
        """B^T, whose products with motions are moments."""
        return Transposed(self)

    def __matmul__(self, motion: mv) -> fv:
        """B (alpha, a): 15m + 9a, whatever a is."""
        alpha = motion.omega
        return fv(self.N @ alpha, cross(alpha, self.p))


class Transposed(NamedTuple):
    """B^T."""

    B: Coriolis

    def __matmul__(self, motion: mv) -> fv:
        """B^T (w, u): 15m + 12a."""
        w, u = motion.halves
        return fv(self.B.N.T @ w + cross(self.B.p, u), ZERO)
