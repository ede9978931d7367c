"""Products of spatial vectors with the motion subspace S of a joint (Featherstone 2008, section 3.5).

They work on scalars, as all of this package; with NumPy, S is a matrix (6, nv) and the same formulas hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.refusal import kind, refuse
from rbdkit.spatial.vector3 import Scalar, dot


class JointVector(tuple[Scalar, ...]):
    """A number for each freedom of a joint; ``x * y`` is element by element, ``x @ y`` its sum, as NumPy has it."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None

    def __add__(self, other: Sequence[Scalar]) -> JointVector:
        return JointVector(a + b for a, b in zip(self, other, strict=True))

    __radd__ = __add__

    def __sub__(self, other: Sequence[Scalar]) -> JointVector:
        return JointVector(a - b for a, b in zip(self, other, strict=True))

    def __rsub__(self, other: Sequence[Scalar]) -> JointVector:
        return JointVector(b - a for a, b in zip(self, other, strict=True))

    def __mul__(self, other: Sequence[Scalar]) -> JointVector:  # type: ignore[override]
        return JointVector(a * b for a, b in zip(self, other, strict=True))

    def __matmul__(self, other: Sequence[Scalar]) -> Scalar:
        return dot(self, other)


class Subspace(tuple[mv, ...]):
    """S of a joint: a motion for each freedom."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None

    @property
    def T(self) -> Transposed:
        """S^T, which takes forces to what they do along the freedoms."""
        return Transposed(self)

    def __add__(self, other: Subspace) -> Subspace:  # type: ignore[override]
        return Subspace(a + b for a, b in zip(self, other, strict=True))

    def __matmul__(self, rates: Sequence[Scalar]) -> mv:
        """S qd: 6m + 6a a freedom, less where S has zeros and ones."""
        return mv.of(_combined(self, rates))


class Forces(tuple[fv, ...]):
    """A force for each freedom of a joint, such as U = I^A S."""

    __slots__ = ()
    __array_ufunc__: ClassVar[None] = None

    @property
    def T(self) -> Transposed:
        """U^T, which takes motions to numbers along the freedoms."""
        return Transposed(self)

    def __matmul__(self, other: Any) -> Any:
        """U x of a `JointVector`; U (D^-1 U^T) of what `JointMatrix.solve` gives."""
        return Felt(*other) if isinstance(other, Solved) else fv.of(_combined(self, other))


def _combined(columns: Sequence[mv] | Sequence[fv], factors: Sequence[Scalar]) -> list[Scalar]:
    flat = [column.flat() for column in columns]
    return [sum((column[k] * x for column, x in zip(flat, factors, strict=True)), 0.0) for k in range(6)]


class Transposed(NamedTuple):
    """S^T or U^T."""

    columns: Subspace | Forces

    def __matmul__(self, other: Any) -> Any:
        """S^T f, U^T a: a `JointVector`; S^T U: a `JointMatrix`."""
        match self.columns, other:
            case (Subspace(), fv()) | (Forces(), mv()):
                return JointVector(column.dot(other) for column in self.columns)
            case (Subspace(), Forces()):
                rows = [[column.dot(force) for force in other] for column in self.columns]
                return JointMatrix(rows, [_unit(column) for column in self.columns])
            case (Forces(), Subspace()):
                return JointBlock([force.dot(column) for column in other] for force in self.columns)
        refuse(f"{kind(self.columns)}.T @ {kind(other)}", "S.T takes a force or forces, U.T a motion")


class Diagonal(JointVector):
    """A diagonal matrix of a joint, by its elements."""

    __slots__ = ()


class JointBlock:
    """The block of a matrix in the rows of one joint and the columns of another, row by row."""

    __array_ufunc__: ClassVar[None] = None

    def __init__(self, rows: Iterable[Sequence[Scalar]]) -> None:
        self.rows = [list(row) for row in rows]

    @property
    def T(self) -> JointBlock:
        """The transpose."""
        return JointBlock(map(list, zip(*self.rows, strict=True)))

    def __add__(self, other: JointBlock | JointMatrix) -> JointBlock:
        if not any(self.rows):  # a joint without freedoms shares nothing
            return self
        return JointBlock(
            [a + b for a, b in zip(x, y, strict=True)] for x, y in zip(self.rows, other.rows, strict=True)
        )


class JointMatrix:
    """A symmetric, positive matrix of a joint, such as D = S^T U, by its factors L D L^T.

    L has ones on its diagonal. Solving with these factors is the same as freeing a body along one axis after the other.

    Parameters
    ----------
    rows : the matrix, row by row, of which the lower triangle counts.
    units : for each freedom the place of the one in its axis, if that is a unit vector along which nothing else is
        felt than the body itself.
    """

    __array_ufunc__: ClassVar[None] = None

    def __init__(self, rows: Iterable[Sequence[Scalar]], units: Sequence[int | None] = ()) -> None:
        self.rows = [list(row) for row in rows]
        self.units: tuple[Any, ...] = tuple(units)

    @cached_property
    def factors(self) -> tuple[list[list[Scalar]], list[Scalar]]:
        """L without its diagonal, row by row, and D^-1."""
        lower: list[list[Scalar]] = []
        inverse: list[Scalar] = []
        for j, row in enumerate(self.rows):
            scaled: list[Scalar] = []  # L times the diagonal, so far
            for k in range(j):
                scaled.append(row[k] - dot(scaled, lower[k][:k]) if k else row[k])
            lower.append([x * d for x, d in zip(scaled, inverse, strict=True)])
            inverse.append(1.0 / (row[j] - dot(scaled, lower[j]) if j else row[j]))
        return lower, inverse

    @property
    def lower(self) -> list[list[Scalar]]:
        """L without its diagonal, row by row."""
        return self.factors[0]

    @property
    def inverse(self) -> list[Scalar]:
        """D^-1."""
        return self.factors[1]

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> JointMatrix:
        """From its factors, as `flat` gives them."""
        made, x = cls([]), list(flat)
        lower: list[list[Scalar]] = []
        inverse: list[Scalar] = []
        while x:
            j = len(lower)
            lower.append(x[:j])
            inverse.append(x[j])
            x = x[j + 1 :]
        made.factors = lower, inverse
        return made

    def flat(self) -> list[Scalar]:
        """The lower triangle of L row by row, each with its element of D^-1 after it."""
        return [x for row, d in zip(self.lower, self.inverse, strict=True) for x in (*row, d)]

    def __add__(self, other: Diagonal) -> JointMatrix:
        """Return the matrix plus a diagonal one, such as the inertias of rotors."""
        rows = [[*row[:j], row[j] + other[j], *row[j + 1 :]] for j, row in enumerate(self.rows)]
        units = [unit if _is_zero(x) else None for unit, x in zip(self.units, other, strict=True)]
        return JointMatrix(rows, units)

    def solve(self, other: Any) -> Any:
        """Return x with D x = other, a `JointVector`; for U^T a `Solved`, to be multiplied by U."""
        if isinstance(other, Transposed):
            return Solved(self, other.columns)
        x = list(other)
        for j, row in enumerate(self.lower):
            for k, l in enumerate(row):
                x[j] = x[j] - l * x[k]
        x = [d * y for d, y in zip(self.inverse, x, strict=True)]
        for j in reversed(range(len(x))):
            for k, l in enumerate(self.lower[j]):
                x[k] = x[k] - l * x[j]
        return JointVector(x)

    def one_by_one(self, U: Forces) -> list[list[Scalar]]:
        """Return L^-1 U^T: the force along each axis when the axes before it are free."""
        found: list[list[Scalar]] = []
        for row, force in zip(self.lower, U, strict=True):
            w = force.flat()
            for l, other in zip(row, found, strict=True):
                w = [x - l * y for x, y in zip(w, other, strict=True)]
            found.append(w)
        return found


class Solved(NamedTuple):
    """D^-1 U^T."""

    D: JointMatrix
    U: Any


class Felt(NamedTuple):
    """U D^-1 U^T: the part of an articulated-body inertia that is lost when the joint is freed."""

    D: JointMatrix
    U: Forces

    def taken_from(self, A: list[list[Scalar]]) -> list[list[Scalar]]:
        """Return I^A - U D^-1 U^T (Eq 7.47), row by row as I^A is.

        The elements of free unit axes are set to exactly zero, in place of round-off, as nothing resists motion there.
        """
        for w, d in zip(self.D.one_by_one(self.U), self.D.inverse, strict=True):
            G = [x * d for x in w]
            A = [[A[i][j] - G[i] * w[j] if j <= i else 0.0 for j in range(6)] for i in range(6)]
        for k in filter(lambda unit: unit is not None, self.D.units):
            for j in range(6):
                A[max(j, k)][min(j, k)] = 0.0
        return [[A[max(i, j)][min(i, j)] for j in range(6)] for i in range(6)]


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0


def _unit(S: mv) -> int | None:
    """k if a motion is the k-th unit vector."""
    flat = S.flat()
    ones = [k for k, x in enumerate(flat) if not _is_zero(x)]
    return ones[0] if len(ones) == 1 and isinstance(flat[ones[0]], float) and flat[ones[0]] == 1.0 else None
