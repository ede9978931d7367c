"""Axis permutation: the layout of a link's numbers in the work space, for which cyclic reordering of axes is free.

A link whose joint turns about an axis of its parent starts from a frame that is the parent's with x, y and z in cyclic
order, but for a turn about that axis. Seen from there its joint is a turn in a plane, whose rotation matrix has four
elements that are neither 0 nor 1. Numbers that depend on axes are stored in threes, one for each axis, so that vectors
and inertias of the parent are read and written in the axes of that frame by index alone, without arithmetic.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rbdkit.spatial.compact import abi, fv, mv
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector

SYMMETRIC = ((0, 0), (1, 0), (1, 2), (0, 1), (1, 1), (0, 2))
"""Three and axis of xx, xy, xz, yy, yz, zz: the second three is xy, yz, zx."""
BOTH = tuple(((c - r) % 3, r) for r in range(3) for c in range(3))
"""The same for a matrix that maps link axes to link axes: the diagonal, then xy, yz, zx, then xz, yx, zy."""
COLUMNS = tuple((r, c) for r in range(3) for c in range(3))
"""The same for a matrix that maps link axes to world axes, which are not permuted."""


@cache
def threes(kind: Any) -> tuple[tuple[int, int], ...] | None:
    """Return for each number of a value of this kind its three and its axis; None if it is not permuted."""
    if kind is Vector:
        return tuple((0, r) for r in range(3))
    if kind is Matrix:
        return COLUMNS
    if kind is Symmetric:
        return SYMMETRIC
    if kind in (mv, fv):
        return tuple((half, r) for half in range(2) for r in range(3))
    if kind is abi:
        return (*SYMMETRIC, *((2 + three, r) for three, r in BOTH), *((5 + three, r) for three, r in SYMMETRIC))
    return None
