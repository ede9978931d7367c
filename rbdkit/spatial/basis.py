"""Plücker bases, dual bases, the multiplication tables of the cross products, and the other coordinate order."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crf, crm

MOTION_BASIS = ("d_Ox", "d_Oy", "d_Oz", "d_x", "d_y", "d_z")  # rotations about the axes, then translations (Eq 2.2)
FORCE_BASIS = ("e_x", "e_y", "e_z", "e_Ox", "e_Oy", "e_Oz")  # couples, then forces along the axes (Eq 2.7)


def dual_basis(D: ArrayLike) -> NDArray:
    """Reciprocal basis D^-T: its columns e_j satisfy d_i . e_j = 1 for i = j and 0 otherwise (Eq 2.11).

    Parameters
    ----------
    D : array (n, n)
        Basis vectors as columns.

    Raises
    ------
    StateError
        If the columns are not linearly independent.
    """
    D = np.asarray(D, dtype=float)
    if D.ndim != 2 or D.shape[0] != D.shape[1] or np.linalg.matrix_rank(D) < len(D):
        raise StateError(f"a basis needs as many linearly independent columns as rows; got shape {D.shape}, singular.")
    return np.linalg.inv(D).T


def dual_coordinates(D: ArrayLike, vector: ArrayLike) -> NDArray:
    """Coordinates of `vector` in the basis D (columns): its scalar products with the reciprocal basis."""
    return dual_basis(D).T @ np.asarray(vector, dtype=float)


def motion_basis(point: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray:
    """Plücker basis D_P of motion vectors at `point` (3,), as columns in coordinates at O (Example 2.2)."""
    return plucker.inverse(plucker.xlt(point))


def force_basis(point: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray:
    """Plücker basis E_P of force vectors at `point` (3,), as columns in coordinates at O: the dual of D_P."""
    return plucker.force(motion_basis(point))


def cross_table(kind: Literal["motion", "force"] = "motion") -> list[list[str]]:
    """The multiplication table of Fig 2.5: row u, column b holds the name of u x b (or u x* b), such as "-d_z"."""
    names = MOTION_BASIS if kind == "motion" else FORCE_BASIS
    operator = crm if kind == "motion" else crf
    return [[_name(column, names) for column in operator(u).T] for u in np.eye(6)]


def linear_first(v: ArrayLike) -> NDArray:
    """Vectors (..., 6) or square matrices (6, 6) in the order of other authors: linear part first."""
    return _swap(v)


def angular_first(v: ArrayLike) -> NDArray:
    """Vectors (..., 6) or square matrices (6, 6) given linear part first, in the order used here."""
    return _swap(v)


def _swap(v: ArrayLike) -> NDArray:
    v = np.asarray(v, dtype=float)
    order = [3, 4, 5, 0, 1, 2]
    return v[np.ix_(order, order)] if v.shape == (6, 6) else v[..., order]


def _name(vector: NDArray, names: tuple[str, ...]) -> str:
    (k,) = np.nonzero(vector)[0] if vector.any() else (None,)
    return "0" if k is None else ("-" if vector[k] < 0 else "") + names[k]
