"""I^a, an articulated-body inertia that does not resist turning about z: row and column 3 are zero (section A.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from rbdkit.spatial.compact.inertias import abi
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.numbers import numbers, symmetric, vector
from rbdkit.spatial.compact.refusal import kind, refuse
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector, dot


@dataclass(frozen=True, slots=True, init=False)
class abi_z:
    """Articulated-body inertia I^a that remains once a joint about or along z is freed, in 15 numbers.

    Parameters
    ----------
    M : array_like
        Lower triangle, kg.
    H : sequence of array_like
        The first two rows, kg m.
    I : array_like
        xx, xy, yy, kg m^2. The third row of H, and the third row and column of I, are zero and not stored.
    """

    size: ClassVar[int] = 15
    __array_ufunc__: ClassVar[None] = None

    M: Symmetric
    H: tuple[Vector, Vector]
    I: tuple[Scalar, Scalar, Scalar]

    def __init__(self, M: ArrayLike, H: Sequence[ArrayLike], I: ArrayLike) -> None:
        object.__setattr__(self, "M", symmetric(M, "M"))
        if len(H) != 2:
            raise TypeError(f"H of an abi_z has 2 rows of 3 scalars, got {H!r}.")
        object.__setattr__(self, "H", tuple(vector(row, "a row of H") for row in H))
        object.__setattr__(self, "I", tuple(numbers(I, 3, "I of an abi_z")))

    @classmethod
    def of(cls, flat: ArrayLike) -> abi_z:
        """Make it from lt(M), two rows of H, and xx, xy, yy of I."""
        x = numbers(flat, 15, "an abi_z")
        return cls(Symmetric(x[:6]), (Vector(x[6:9]), Vector(x[9:12])), (x[12], x[13], x[14]))

    def flat(self) -> list[Scalar]:
        """The 15 scalars."""
        return [*self.M, *self.H[0], *self.H[1], *self.I]

    def full(self) -> abi:
        """Return it as an `abi` of 21 numbers, with its zeros."""
        xx, xy, yy = self.I
        return abi(self.M, Matrix((*self.H, Vector((0.0, 0.0, 0.0)))), Symmetric((xx, xy, 0.0, yy, 0.0, 0.0)))

    def rows(self) -> list[list[Scalar]]:
        """The 6x6 matrix."""
        return self.full().rows()

    def __matmul__(self, v: mv) -> fv:
        """I^a v: 25m + 20a."""
        if not isinstance(v, mv):
            refuse(f"abi_z @ {kind(v)}", "an inertia maps an mv to an fv")
        x, y, _ = v.omega
        (Hx, Hy), (xx, xy, yy) = self.H, self.I
        n = Vector((xx * x + xy * y + dot(Hx, v.v), xy * x + yy * y + dot(Hy, v.v), 0.0))
        return fv(n, self.M @ v.v + (Vector(a * x + b * y for a, b in zip(Hx, Hy, strict=True))))
