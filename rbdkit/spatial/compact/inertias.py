"""Inertias: of a rigid body in ten numbers, rbi, of an articulated body in 21, abi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from numpy.typing import ArrayLike

from rbdkit.spatial.compact.joint_space import Felt, Forces, Subspace
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.numbers import matrix, numbers, symmetric, vector
from rbdkit.spatial.compact.refusal import kind, refuse
from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector, cross, dot, skew


@dataclass(frozen=True, slots=True, init=False)
class rbi:
    """Rigid-body inertia [I, h x; -h x, m 1] (Table A.3).

    Parameters
    ----------
    m : Scalar
        Mass, kg.
    h : array_like
        3 scalars, m c, kg m.
    I : array_like
        Lower triangle of the rotational inertia about the origin, kg m^2: six scalars, column by column, or three
        rows.

    Raises
    ------
    TypeError
        If a part has another number of scalars; in an operation that there is not, see the package.
    """

    size: ClassVar[int] = 10
    __array_ufunc__: ClassVar[None] = None

    m: Scalar
    h: Vector
    I: Symmetric

    def __init__(self, m: Scalar, h: ArrayLike, I: ArrayLike) -> None:
        object.__setattr__(self, "m", m)
        object.__setattr__(self, "h", vector(h, "h"))
        object.__setattr__(self, "I", symmetric(I, "I"))

    @classmethod
    def of(cls, flat: ArrayLike | Sequence[Scalar]) -> rbi:
        """From m, h and lt(I): the `ten_parameters` of an `rbdkit.Inertia`, in their order."""
        x = numbers(flat, 10, "a rigid-body inertia")
        return cls(x[0], Vector(x[1:4]), Symmetric(x[4:]))

    def flat(self) -> list[Scalar]:
        """The ten scalars."""
        return [self.m, *self.h, *self.I]

    def rows(self) -> list[list[Scalar]]:
        """The 6x6 matrix."""
        return self.articulated().rows()

    def articulated(self) -> abi:
        """Return it as an articulated-body inertia."""
        m = self.m
        return abi(Symmetric((m, 0.0, 0.0, m, 0.0, m)), skew(self.h), self.I)

    def __rmul__(self, alpha: Scalar) -> rbi:
        """alpha I: 10m."""
        return rbi(alpha * self.m, alpha * self.h, alpha * self.I)

    @overload
    def __add__(self, other: rbi) -> rbi: ...
    @overload
    def __add__(self, other: abi) -> abi: ...
    def __add__(self, other: Any) -> Any:
        """I1 + I2, of two bodies welded together: 10a. With an abi: 15a."""
        match other:
            case rbi():
                return rbi(self.m + other.m, self.h + other.h, self.I + other.I)
            case abi():
                return other + self
        refuse(f"rbi + {kind(other)}", "an rbi adds to an rbi or to an abi")

    def __matmul__(self, v: Any) -> Any:
        """I v: 24m + 18a; I S: as much for each freedom."""
        if isinstance(v, Subspace):
            return Forces(self @ axis for axis in v)
        if not isinstance(v, mv):
            refuse(f"rbi @ {kind(v)}", "an inertia maps an mv to an fv")
        return fv(self.I @ v.omega + cross(self.h, v.v), self.m * v.v - cross(self.h, v.omega))

    def kinetic_energy(self, v: mv) -> Scalar:
        """1/2 v . I v (Eq 2.67): 26m + 17a, where v.dot(I @ v) costs 30m + 23a."""
        w, u = v.halves
        return 0.5 * (dot(w, self.I @ w) + self.m * dot(u, u)) + dot(u, cross(w, self.h))

    def force(self, a: mv, v: mv) -> fv:
        """I a + v x* I v: 54m + 48a, by the acceleration of the origin in the sense of Newton (Eq 2.48)."""
        w, alpha = v.omega, a.omega
        a_0 = a.v + cross(w, v.v)
        x, y, z = w
        spin = Symmetric((-(y * y + z * z), x * y, x * z, -(x * x + z * z), y * z, -(x * x + y * y))).full + skew(alpha)
        return fv(self.I @ alpha + cross(w, self.I @ w) + cross(self.h, a_0), self.m * a_0 + spin @ self.h)


@dataclass(frozen=True, slots=True, init=False)
class abi:
    """Articulated-body inertia [I, H; H^T, M] (Table A.3): any symmetric 6x6 matrix.

    Parameters
    ----------
    M : array_like
        Lower triangle, kg: six scalars, column by column, or three rows.
    H : array_like
        Three rows, kg m.
    I : array_like
        Lower triangle, kg m^2.

    Raises
    ------
    TypeError
        If a part has another number of scalars; in an operation that there is not, see the package.
    """

    size: ClassVar[int] = 21
    __array_ufunc__: ClassVar[None] = None

    M: Symmetric
    H: Matrix
    I: Symmetric

    def __init__(self, M: ArrayLike, H: ArrayLike, I: ArrayLike) -> None:
        object.__setattr__(self, "M", symmetric(M, "M"))
        object.__setattr__(self, "H", matrix(H, "H"))
        object.__setattr__(self, "I", symmetric(I, "I"))

    @classmethod
    def of(cls, flat: ArrayLike | Sequence[Scalar]) -> abi:
        """From lt(M), the rows of H, and lt(I)."""
        x = numbers(flat, 21, "an articulated-body inertia")
        return cls(Symmetric(x[:6]), Matrix.of(x[6:15]), Symmetric(x[15:]))

    @classmethod
    def of_rows(cls, A: Any) -> abi:
        """From a symmetric 6x6 matrix, of which the blocks I and M are read below the diagonal and H above."""
        rows = [numbers(row, 6, "a row of an inertia") for row in A]
        I, M = ([[row[k + j] for j in range(3)] for row in rows[k : k + 3]] for k in (0, 3))
        return cls(symmetric(M, "M"), matrix([row[3:] for row in rows[:3]], "H"), symmetric(I, "I"))

    def flat(self) -> list[Scalar]:
        """The 21 scalars."""
        return [*self.M, *self.H.flat(), *self.I]

    def rows(self) -> list[list[Scalar]]:
        """The 6x6 matrix."""
        upper = [[*I, *H] for I, H in zip(self.I.full, self.H, strict=True)]
        return upper + [[*Ht, *M] for Ht, M in zip(self.H.T, self.M.full, strict=True)]

    def __rmul__(self, alpha: Scalar) -> abi:
        """alpha I^A: 21m."""
        return abi(alpha * self.M, alpha * self.H, alpha * self.I)

    def __add__(self, other: abi | rbi) -> abi:
        """I1^A + I2^A: 21a; I^A + I: 15a."""
        match other:
            case abi():
                return abi(self.M + other.M, self.H + other.H, self.I + other.I)
            case rbi():
                m, (x, y, z) = other.m, other.h
                Mxx, Mxy, Mxz, Myy, Myz, Mzz = self.M
                (Hxx, Hxy, Hxz), (Hyx, Hyy, Hyz), (Hzx, Hzy, Hzz) = self.H
                H = ((Hxx, Hxy - z, Hxz + y), (Hyx + z, Hyy, Hyz - x), (Hzx - y, Hzy + x, Hzz))
                return abi(Symmetric((Mxx + m, Mxy, Mxz, Myy + m, Myz, Mzz + m)), matrix(H, "H"), self.I + other.I)
        refuse(f"abi + {kind(other)}", "an abi adds to an abi or to an rbi")

    def __sub__(self, other: Felt) -> abi:
        """I^A - U D^-1 U^T."""
        if not isinstance(other, Felt):
            refuse(f"abi - {kind(other)}", "what is taken from an abi is U D^-1 U^T")
        return abi.of_rows(other.taken_from(self.rows()))

    def __matmul__(self, v: Any) -> Any:
        """I^A v: 36m + 30a; I^A S: as much for each freedom."""
        if isinstance(v, Subspace):
            return Forces(self @ axis for axis in v)
        if not isinstance(v, mv):
            refuse(f"abi @ {kind(v)}", "an inertia maps an mv to an fv")
        return fv(self.I @ v.omega + self.H @ v.v, self.M @ v.v + self.H.T @ v.omega)
