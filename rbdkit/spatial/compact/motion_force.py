"""Motion and force vectors, mv and fv: six numbers each, and only those operations between them that have a meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn, Self, overload

from numpy.typing import ArrayLike

from rbdkit.spatial.compact.numbers import numbers, vector
from rbdkit.spatial.compact.refusal import kind, refuse
from rbdkit.spatial.vector3 import Scalar, Vector, cross, dot


class _Pair:
    """Two 3-vectors, with what can be done within one kind."""

    __slots__ = ()
    size: ClassVar[int] = 6
    __array_ufunc__: ClassVar[None] = None  # keeps NumPy's scalars from taking the vector apart
    DUAL: ClassVar[str]

    def __init__(self, first: ArrayLike, second: ArrayLike) -> None:
        raise NotImplementedError

    @property
    def halves(self) -> tuple[Vector, Vector]:
        """Both parts, the angular one or the moment first."""
        raise NotImplementedError

    @classmethod
    def of(cls, flat: ArrayLike | Sequence[Scalar]) -> Self:
        """From six scalars, angular part or moment first."""
        if isinstance(flat, _Pair) and not isinstance(flat, cls):
            refuse(f"{cls.__name__} = {kind(flat)}", f"{kind(flat)} and {cls.__name__} are dual; {cls.DUAL}")
        x = numbers(flat, 6, f"an {cls.__name__}")
        return cls(Vector(x[:3]), Vector(x[3:]))

    def flat(self) -> list[Scalar]:
        """The six scalars."""
        return [x for half in self.halves for x in half]

    def __rmul__(self, alpha: Scalar) -> Self:
        """alpha v: 6m."""
        a, b = self.halves
        return type(self)(alpha * a, alpha * b)

    def __add__(self, other: Self) -> Self:
        """v1 + v2: 6a."""
        (a, b), (c, d) = self.halves, self._same(other, "+")
        return type(self)(a + c, b + d)

    def __sub__(self, other: Self) -> Self:
        """v1 - v2: 6a."""
        (a, b), (c, d) = self.halves, self._same(other, "-")
        return type(self)(a - c, b - d)

    def __neg__(self) -> Self:
        a, b = self.halves
        return type(self)(-a, -b)

    def _same(self, other: Any, sign: str) -> tuple[Vector, Vector]:
        if type(other) is not type(self):
            refuse(
                f"{kind(self)} {sign} {kind(other)}",
                f"an {kind(self)} adds to an {kind(self)}, or is subtracted from one",
            )
        return other.halves


@dataclass(frozen=True, slots=True, init=False)
class mv(_Pair):
    """Motion vector [omega; v]: velocity, acceleration, joint axis (Table A.3).

    Parameters
    ----------
    omega : array_like
        3 scalars, angular part, rad/s.
    v : array_like
        3 scalars, linear part at the origin, m/s.

    Raises
    ------
    TypeError
        If a part does not consist of three scalars; in an operation that there is not, see the package.
    """

    DUAL: ClassVar[str] = "a force becomes a motion by an inverse inertia only"

    omega: Vector
    v: Vector

    def __init__(self, omega: ArrayLike, v: ArrayLike) -> None:
        object.__setattr__(self, "omega", vector(omega, "omega"))
        object.__setattr__(self, "v", vector(v, "v"))

    @property
    def halves(self) -> tuple[Vector, Vector]:
        """omega and v."""
        return self.omega, self.v

    def dot(self, force: fv) -> Scalar:
        """v . f, the power: 6m + 5a."""
        if not isinstance(force, fv):
            refuse(f"mv . {kind(force)}", "the scalar product pairs an mv with an fv; kinetic energy is v.dot(I @ v)/2")
        return dot(self.omega, force.n) + dot(self.v, force.f)

    @overload
    def cross(self, other: mv) -> mv: ...
    @overload
    def cross(self, other: fv) -> fv: ...
    def cross(self, other: Any) -> Any:
        """v x m or v x* f, by the kind of the other: 18m + 12a."""
        match other:
            case mv():
                return mv(cross(self.omega, other.omega), cross(self.omega, other.v) + cross(self.v, other.omega))
            case fv():
                return fv(cross(self.omega, other.n) + cross(self.v, other.f), cross(self.omega, other.f))
        refuse(f"mv x {kind(other)}", "motion acts on an mv (x) or on an fv (x*)")

    def __matmul__(self, other: Any) -> NoReturn:
        refuse(f"mv @ {kind(other)}", "an mv stands right of an inertia or a transform; v.dot(f) is a scalar product")


@dataclass(frozen=True, slots=True, init=False)
class fv(_Pair):
    """Force vector [n; f]: force, momentum, impulse (Table A.3).

    Parameters
    ----------
    n : array_like
        3 scalars, moment about the origin, N m.
    f : array_like
        3 scalars, N.

    Raises
    ------
    TypeError
        If a part does not consist of three scalars; in an operation that there is not, see the package.
    """

    DUAL: ClassVar[str] = "a motion becomes a force by an inertia, I @ v"

    n: Vector
    f: Vector

    def __init__(self, n: ArrayLike, f: ArrayLike) -> None:
        object.__setattr__(self, "n", vector(n, "n"))
        object.__setattr__(self, "f", vector(f, "f"))

    @property
    def halves(self) -> tuple[Vector, Vector]:
        """n and f."""
        return self.n, self.f

    def dot(self, motion: mv) -> Scalar:
        """f . v, the power: 6m + 5a."""
        if not isinstance(motion, mv):
            refuse(f"fv . {kind(motion)}", "the scalar product pairs an fv with an mv")
        return motion.dot(self)

    def cross(self, other: Any) -> NoReturn:
        """Raise `TypeError`: the cross product is not defined."""
        refuse(f"fv x {kind(other)}", "what stands left of x or x* is a motion, an mv")

    def __matmul__(self, other: Any) -> NoReturn:
        refuse(f"fv @ {kind(other)}", "f.dot(v) is a scalar product; a force is transformed by X.apply(f)")
