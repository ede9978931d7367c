"""Checks of scalars on input: their number, and the vector or matrix that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr
from typing import Any

from rbdkit.spatial.vector3 import Matrix, Scalar, Symmetric, Vector


def numbers(flat: Any, count: int, what: str) -> list[Scalar]:
    """The scalars of a sequence or array as a list; those of NumPy as Python's floats.

    Raises
    ------
    TypeError
        If it is not a flat sequence of that many scalars.
    """
    plain = flat.tolist() if hasattr(flat, "tolist") else flat
    if not isinstance(plain, Sequence) or isinstance(plain, str) or len(plain) != count:
        raise TypeError(f"{what} is made of {count} scalars, got {repr(flat)}.")
    if any(isinstance(x, (Sequence, str)) for x in plain):
        raise TypeError(f"{what} is made of {count} scalars in one row, got {repr(flat)}.")
    return list(plain)


def vector(x: Any, what: str) -> Vector:
    """x as three scalars."""
    return x if isinstance(x, Vector) and len(x) == 3 else Vector(numbers(x, 3, what))


def matrix(x: Any, what: str) -> Matrix:
    """x as three rows of three scalars."""
    if isinstance(x, Matrix):
        return x
    if not hasattr(x, "__len__") or len(x) != 3:
        raise TypeError(f"{what} has 3 rows of 3 scalars, got {repr(x)}.")
    return Matrix(vector(row, f"a row of {what}") for row in x)


def symmetric(x: Any, what: str) -> Symmetric:
    """x as the six scalars of a lower triangle, column by column; of three rows the lower triangle is read."""
    if isinstance(x, Symmetric):
        return x
    if not hasattr(x, "__len__") or len(x) != 3:
        return Symmetric(numbers(x, 6, f"{what}, a lower triangle,"))
    return Symmetric.upper(matrix(x, what).T)
