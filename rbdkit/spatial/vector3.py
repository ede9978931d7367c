"""Vectors and matrices of three dimensions on any scalar: floats to compute, symbols to trace or count.

Arrays of floats compute a stack of values at once: each element is an array (structure of arrays). Nothing here adds a
zero or multiplies by one on the side: what a formula costs on paper, it costs here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, overload

Scalar = Any
"""A float, or whatever has ``+``, ``-``, ``*`` and ``/``: an array of floats, or a symbol of the engine, say."""


class Vector(tuple[Scalar, ...]):
    """Three scalars."""

    __slots__ = ()
    __array_priority__: ClassVar[float] = 1.0  # so that NumPy leaves ``array * vector`` to the vector
    size: ClassVar[int] = 3

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Vector:
        """From its elements."""
        return cls(flat)

    def flat(self) -> list[Scalar]:
        """Its elements."""
        return list(self)

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]
        return Vector(a + b for a, b in zip(self, other, strict=True))

    def __sub__(self, other: Vector) -> Vector:
        return Vector(a - b for a, b in zip(self, other, strict=True))

    def __neg__(self) -> Vector:
        return Vector(-a for a in self)

    def __rmul__(self, factor: Scalar) -> Vector:
        return Vector(factor * a for a in self)

    def __truediv__(self, divisor: Scalar) -> Vector:
        return Vector(a / divisor for a in self)

    def __matmul__(self, other: Vector) -> Scalar:
        return dot(self, other)


ZERO = Vector((0.0, 0.0, 0.0))


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Scalar product of two vectors of any length; n multiplications and n - 1 additions."""
    total = None
    for x, y in zip(a, b, strict=True):
        total = x * y if total is None else total + x * y
    return 0.0 if total is None else total


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return Vector((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


class Matrix(tuple[Vector, ...]):
    """Three rows."""

    __slots__ = ()
    __array_priority__: ClassVar[float] = 1.0
    size: ClassVar[int] = 9

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Matrix:
        """From its elements, row by row."""
        return cls((Vector(flat[0:3]), Vector(flat[3:6]), Vector(flat[6:9])))

    def flat(self) -> list[Scalar]:
        """Its elements, row by row."""
        return [x for row in self for x in row]

    @property
    def T(self) -> Matrix:
        """The transpose."""
        return Matrix(Vector(column) for column in zip(*self, strict=True))

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...

    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vector):
            return Vector(dot(row, other) for row in self)
        columns = other.T
        return Matrix(Vector(dot(row, column) for column in columns) for row in self)

    def __add__(self, other: Matrix) -> Matrix:  # type: ignore[override]
        return Matrix(a + b for a, b in zip(self, other, strict=True))

    def __sub__(self, other: Matrix) -> Matrix:
        return Matrix(a - b for a, b in zip(self, other, strict=True))

    def __neg__(self) -> Matrix:
        return Matrix(-row for row in self)

    def __rmul__(self, factor: Scalar) -> Matrix:
        return Matrix(factor * row for row in self)


IDENTITY = Matrix.of([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])


def skew(a: Vector) -> Matrix:
    """[a]x, the matrix of the cross product: ``skew(a) @ b = cross(a, b)``."""
    return Matrix.of([0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0])


class Symmetric(tuple[Scalar, ...]):
    """A symmetric matrix by its six elements xx, xy, xz, yy, yz, zz: its lower triangle, column by column."""

    __slots__ = ()
    __array_priority__: ClassVar[float] = 1.0
    size: ClassVar[int] = 6

    @classmethod
    def of(cls, flat: Sequence[Scalar]) -> Symmetric:
        """From xx, xy, xz, yy, yz, zz."""
        return cls(flat)

    @classmethod
    def upper(cls, matrix: Matrix) -> Symmetric:
        """From the upper triangle of a matrix."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
        return cls((xx, xy, xz, yy, yz, zz))

    def flat(self) -> list[Scalar]:
        """xx, xy, xz, yy, yz, zz."""
        return list(self)

    @property
    def full(self) -> Matrix:
        """All nine elements."""
        xx, xy, xz, yy, yz, zz = self
        return Matrix.of([xx, xy, xz, xy, yy, yz, xz, yz, zz])

    def __add__(self, other: Symmetric) -> Symmetric:  # type: ignore[override]
        return Symmetric(a + b for a, b in zip(self, other, strict=True))

    def __sub__(self, other: Symmetric) -> Symmetric:
        return Symmetric(a - b for a, b in zip(self, other, strict=True))

    def __rmul__(self, factor: Scalar) -> Symmetric:
        return Symmetric(factor * a for a in self)

    def __matmul__(self, other: Vector) -> Vector:
        return self.full @ other

    def rotated(self, R: Matrix) -> Symmetric:
        """R A R.T; only one triangle is computed."""
        B = R @ self.full
        return Symmetric(dot(B[i], R[j]) for i in range(3) for j in range(i, 3))
