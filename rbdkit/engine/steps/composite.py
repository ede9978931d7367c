"""Rigid-body inertia in its ten numbers, so that composites can be summed (Featherstone 2008, section 2.13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, cross, dot
from rbdkit.trace import Scalar


@dataclass(frozen=True)
class Composite:
    """Mass m, first moment h = m c, and rotational inertia I about the origin."""

    m: Scalar
    h: Vector
    I: Symmetric

    size: ClassVar[int] = 10

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Composite:
        """From m, h and I in a row."""
        return cls(flat[0], Vector(flat[1:4]), Symmetric(flat[4:]))

    def flat(self) -> list[Scalar]:
        """m, h and I in a row."""
        return [self.m, *self.h, *self.I]

    def plus(self, other: Composite) -> Composite:
        """Both bodies as one."""
        return Composite(self.m + other.m, self.h + other.h, self.I + other.I)

    def moved(self, R: Matrix, p: Vector) -> Composite:
        """In the coordinates of a frame in which this one has rotation R and position p (Eq 2.66)."""
        h_R = R @ self.h
        h = h_R + self.m * p
        trace = dot(p, h_R + h)
        I = [x - p[i] * h[j] - h_R[i] * p[j] for x, (i, j) in zip(self.I.rotated(R), TRIANGLE, strict=True)]
        return Composite(
            self.m, h, Symmetric(x + trace if i == j else x for x, (i, j) in zip(I, TRIANGLE, strict=True))
        )

    def force(self, S: Sequence[Scalar]) -> list[Scalar]:
        """I S: moment and force that give the body the spatial acceleration S."""
        n, f = self.times((Vector(S[:3]), Vector(S[3:])))
        return [*n, *f]

    def times(self, motion: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        """I m of a motion given by its angular and linear part."""
        alpha, a = motion
        return self.I @ alpha + cross(self.h, a), self.m * a + cross(alpha, self.h)


TRIANGLE = [(i, j) for i in range(3) for j in range(i, 3)]
