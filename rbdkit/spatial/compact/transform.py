"""Plücker transforms in twelve numbers, plx, and how they act on everything else (Featherstone 2008, Table A.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, overload

from numpy.typing import ArrayLike

from rbdkit.errors import StateError
from rbdkit.spatial import plucker, so3
from rbdkit.spatial.compact.crosses import cross_cross, cross_symmetric, crossed
from rbdkit.spatial.compact.free_about_z import abi_z
from rbdkit.spatial.compact.inertias import abi, rbi
from rbdkit.spatial.compact.joint_space import Forces, Subspace
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.numbers import matrix, numbers, vector
from rbdkit.spatial.compact.refusal import kind, refuse
from rbdkit.spatial.compact.rotation import has_zeros, product, turned, turned_symmetric
from rbdkit.spatial.vector3 import Matrix, Scalar, Vector, cross

APPLICABLE = "a transform applies to mv, fv, rbi and abi, and multiplies another transform by @"


@dataclass(frozen=True, slots=True, init=False)
class plx:
    """Plücker transform B_X_A = [E, 0; -E r x, E] of motion vectors from A to B coordinates (Table A.3, Eq 2.24).

    Parameters
    ----------
    E : array_like
        Three rows, rotation of coordinates from A to B.
    r : array_like
        3 scalars, position of B's origin in A coordinates, m.

    Raises
    ------
    TypeError
        If a part has another number of scalars; in an operation that there is not, see the package.

    Notes
    -----
    That E is a rotation is not checked, as it may consist of symbols; `from_matrix` checks.
    """

    size: ClassVar[int] = 12
    __array_ufunc__: ClassVar[None] = None

    E: Matrix
    r: Vector

    def __init__(self, E: ArrayLike, r: ArrayLike) -> None:
        object.__setattr__(self, "E", matrix(E, "E"))
        object.__setattr__(self, "r", vector(r, "r"))

    @classmethod
    def of(cls, flat: ArrayLike) -> plx:
        """From the rows of E, then r."""
        x = numbers(flat, 12, "a Plücker transform")
        return cls(Matrix.of(x[:9]), Vector(x[9:]))

    @classmethod
    def from_matrix(cls, X: ArrayLike) -> plx:
        """From a 6x6 matrix of numbers.

        Raises
        ------
        StateError
            If it is not the matrix of a Plücker transform of motion vectors.
        """
        E, r = plucker.split(X)
        so3.check(E)
        if abs(plucker.plucker(E, r) - X).max() > 1e-9 * (1.0 + abs(r).max()):
            raise StateError("the matrix is not of the form [E, 0; -E r x, E]; a force transform X* has that of X^-T.")
        return cls(E, r)

    def flat(self) -> list[Scalar]:
        """The twelve scalars."""
        return [*self.E.flat(), *self.r]

    def rows(self) -> list[list[Scalar]]:
        """The 6x6 matrix X, which acts on motion vectors."""
        B = [-cross(row, self.r) for row in self.E]  # row of -E r x = -(row x r)
        return [[*row, 0.0, 0.0, 0.0] for row in self.E] + [[*b, *row] for b, row in zip(B, self.E, strict=True)]

    def inverse(self) -> plx:
        """X^-1: 9m + 6a."""
        return plx(self.E.T, -(self.E @ self.r))

    @property
    def T(self) -> Transposed:
        """X^T, which takes forces from B to A coordinates."""
        return Transposed(self)

    @property
    def back(self) -> Back:
        """X^-1 for motion vectors, at no cost."""
        return Back(self)

    @property
    def star(self) -> Star:
        """X*, which transforms force vectors."""
        return Star(self)

    @overload
    def __matmul__(self, other: plx) -> plx: ...
    @overload
    def __matmul__(self, other: mv) -> mv: ...
    @overload
    def __matmul__(self, other: Subspace) -> Subspace: ...
    def __matmul__(self, other: Any) -> Any:
        """X1 X2: 33m + 24a; X v; X S."""
        match other:
            case plx():
                turn = self.E @ other.E if has_zeros(self.E) or has_zeros(other.E) else product(self.E, other.E)
                return plx(turn, other.r + other.E.T @ self.r)
            case mv():
                return self.apply(other)
            case Subspace():
                return Subspace(self.apply(axis) for axis in other)
            case fv():
                refuse("plx @ fv", "X is for motions, and a force wants X*: use X.apply(f) or X.star @ f")
        refuse(f"plx @ {kind(other)}", "X multiplies a plx or an mv; X.apply(...) finds the rule for an inertia")

    @overload
    def apply(self, x: mv) -> mv: ...
    @overload
    def apply(self, x: fv) -> fv: ...
    @overload
    def apply(self, x: rbi) -> rbi: ...
    @overload
    def apply(self, x: abi | abi_z) -> abi: ...
    def apply(self, x: Any) -> Any:
        """x in B coordinates: X v, X* f, X* I X^-1 or X* I^A X^-1."""
        E, r = self.E, self.r
        match x:
            case mv():
                return mv(E @ x.omega, E @ (x.v - cross(r, x.omega)))
            case fv():
                return fv(E @ (x.n - cross(r, x.f)), E @ x.f)
            case rbi():
                y = x.h - x.m * r
                Z = x.I + cross_cross(r, x.h) + cross_cross(y, r)
                return rbi(x.m, E @ y, turned_symmetric(E, Z))
            case abi():
                Y = x.H - cross_symmetric(r, x.M)
                Z = x.I + crossed(r, x.H, Y)  # I - r x H^T + Y r x
                return abi(turned_symmetric(E, x.M), turned(E, Y), turned_symmetric(E, Z))
            case abi_z():
                return self.apply(x.full())
        refuse(f"plx.apply({kind(x)})", APPLICABLE)

    @overload
    def inv_apply(self, x: mv) -> mv: ...
    @overload
    def inv_apply(self, x: fv) -> fv: ...
    @overload
    def inv_apply(self, x: rbi) -> rbi: ...
    @overload
    def inv_apply(self, x: abi | abi_z) -> abi: ...
    def inv_apply(self, x: Any) -> Any:
        """x given in B coordinates, in A coordinates: X^-1 v, X^T f, X^T I X or X^T I^A X."""
        Et, r = self.E.T, self.r
        match x:
            case mv():
                omega = Et @ x.omega
                return mv(omega, Et @ x.v + cross(r, omega))
            case fv():
                f = Et @ x.f
                return fv(Et @ x.n + cross(r, f), f)
            case rbi():
                h = Et @ x.h
                y = h + x.m * r
                return rbi(x.m, y, turned_symmetric(Et, x.I) - cross_cross(r, h) - cross_cross(y, r))
            case abi():
                M, H = turned_symmetric(Et, x.M), turned(Et, x.H)
                Y = H + cross_symmetric(r, M)
                return abi(M, Y, turned_symmetric(Et, x.I) - crossed(r, H, Y))  # + r x H^T - Y r x
            case abi_z():
                return self.inv_apply(x.full())
        refuse(f"plx.inv_apply({kind(x)})", APPLICABLE)


@dataclass(frozen=True, slots=True)
class Star:
    """X* = X^-T, the force transform that goes with X."""

    X: plx

    def __matmul__(self, f: fv) -> fv:
        """X* f: 24m + 18a."""
        if not isinstance(f, fv):
            refuse(f"X* @ {kind(f)}", "X* is for forces; a motion wants X: use X.apply(v) or X @ v")
        return self.X.apply(f)


@dataclass(frozen=True, slots=True)
class Back:
    """X^-1, the transform of motion vectors the way back."""

    X: plx

    def __matmul__(self, v: Any) -> Any:
        """X^-1 v: 24m + 18a; X^-1 S."""
        if isinstance(v, Subspace):
            return Subspace(self.X.inv_apply(axis) for axis in v)
        if not isinstance(v, mv):
            refuse(f"X^-1 @ {kind(v)}", "the inverse of X is for motions; a force wants X.T @ f")
        return self.X.inv_apply(v)


@dataclass(frozen=True, slots=True)
class Transposed:
    """X^T, the force transform the way back."""

    X: plx

    @overload
    def __matmul__(self, x: fv) -> fv: ...
    @overload
    def __matmul__(self, x: rbi | abi) -> Halfway: ...
    def __matmul__(self, x: Any) -> Any:
        """X^T f: 24m + 18a; X^T I, which goes on with X."""
        if isinstance(x, rbi | abi):
            return Halfway(self.X, x)
        if isinstance(x, Forces):
            return Forces(self.X.inv_apply(force) for force in x)
        if not isinstance(x, fv):
            refuse(f"X.T @ {kind(x)}", "X.T is for forces, and for an inertia in X.T @ I @ X")
        return self.X.inv_apply(x)


@dataclass(frozen=True, slots=True)
class Halfway:
    """X^T I."""

    X: plx
    I: rbi | abi

    def __matmul__(self, X: plx) -> Any:
        """X^T I X: 52m + 56a of an rbi, 128m + 137a of an abi."""
        if not all(map(_same, X.flat(), self.X.flat())):
            refuse("X.T @ I @ Y", "an inertia is transformed by X.T @ I @ X")
        return X.inv_apply(self.I)


def _same(x: Scalar, y: Scalar) -> bool:
    """Whether two scalars are known to be equal: numbers, or symbols for the same operation."""
    return x is y or getattr(x, "position", x) == getattr(y, "position", y)
