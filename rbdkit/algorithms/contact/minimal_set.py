"""Minimal sets of contact points for lines and surfaces of contact (Featherstone 2008, section 11.6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError


def is_positively_dependent(v: NDArray, others: NDArray, tol: float = 1e-9) -> bool:
    """Return whether v (k,) is a sum of columns of others (k, n) with factors >= 0, up to tol of its length."""
    from scipy.optimize import nnls  # slow to load

    size = float(np.linalg.norm(v))
    return others.shape[1] > 0 and bool(nnls(others, v)[1] <= tol * size)


def minimal_contacts(N: ArrayLike, tol: float = 1e-9) -> list[int]:
    """Return the indices of a minimal set of columns of N that impose the same constraints as all (Fig 11.7).

    Normals that are positively dependent on the remaining ones are removed in turn; of normals that can replace each
    other the later ones stay.

    Parameters
    ----------
    N : array_like (k, n_c)
        Normals as columns, spatial ones (k = 6) or in joint space.
    tol : float, optional
        Fraction of a normal's length that counts as zero.

    Raises
    ------
    StateError
        If a number is not finite or N is no matrix.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import minimal_contacts

    Three points of an edge on a plane; the one in the middle says nothing new:

    >>> minimal_contacts([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    [0, 2]
    """
    normals = np.asarray(N, dtype=float)
    if normals.ndim != 2 or not np.isfinite(normals).all():
        raise StateError(f"normals {normals.shape} must be finite numbers, one normal in each column")
    kept = list(range(normals.shape[1]))
    for i in list(kept):
        others = [j for j in kept if j != i]
        if is_positively_dependent(normals[:, i], normals[:, others], tol):
            kept = others
    return kept
