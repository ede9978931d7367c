"""The joint-space inertia matrix, one column at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.inverse_dynamics_delta import inverse_dynamics_delta
from rbdkit.model import Model


def inertia_matrix_columns(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray:
    """H column by column: what a unit acceleration of each variable takes (Featherstone 2008, section 6.1).

    Where joints close loops it is that of the spanning tree, whose variables are not independent then.

    Simple, and n times the work of one inverse dynamics whatever the branches; `crba` is the quick way.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    (nv, nv) H, with all its zeros computed.
    """
    H = np.zeros((model.nv, model.nv))
    for alpha, delta in enumerate(np.eye(model.nv)):
        H[:, alpha] = inverse_dynamics_delta(model, q, delta, t=t)
    return H
