"""The joint-space inertia matrix, one column at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.inverse_dynamics_delta import inverse_dynamics_delta
from rbdkit.model import Model


def inertia_matrix_columns(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """Return H column by column: the forces for a unit acceleration of each variable (Featherstone 2008, section 6.1).

    With loop joints H belongs to the spanning tree, whose variables are then not independent. This costs nv times one
    inverse dynamics, whatever the branches; `crba` is faster.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    (nv, nv) H; zeros due to branches are computed too, not skipped.
    """
    H = np.zeros((model.nv, model.nv))
    for alpha, delta in enumerate(np.eye(model.nv)):
        H[:, alpha] = inverse_dynamics_delta(model, q, delta, t=t)
    return H
