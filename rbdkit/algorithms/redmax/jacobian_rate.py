"""The Jacobian J_mr and its rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies


def redmax_jacobian_and_rate(bodies: Bodies) -> tuple[NDArray, NDArray]:
    """Return J_mr and J_mr-dot, (6 n, nv) each (Sueda, Algorithm 2, Eqs 2.15-2.17).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, redmax_jacobian_and_rate
    >>> rod = bodies_at(rbd.library.pendulum(), np.zeros(1), np.ones(1))
    >>> J, J_dot = redmax_jacobian_and_rate(rod)
    >>> bool(np.allclose(J_dot, 0.0))
    True
    """
    J, J_dot = np.zeros((2, 6 * bodies.n, bodies.nv))
    block: dict[tuple[int, int], tuple[NDArray, NDArray]] = {}
    for i in bodies.order:  # forward traversal
        p, Ad_p, Ad_p_dot = bodies.parent[i], bodies.Ad_p[i], bodies.Ad_p_dot[i]
        block[i, i] = bodies.Ad_J[i] @ bodies.S[i], bodies.Ad_J[i] @ bodies.S_dot[i]  # lines 2, 3
        ancestor = p
        while ancestor != 0:
            J_pa, J_pa_dot = block[p, ancestor]
            block[i, ancestor] = Ad_p @ J_pa, Ad_p @ J_pa_dot + Ad_p_dot @ J_pa  # lines 6, 7; the dot is lost in print
            ancestor = bodies.parent[ancestor]
    for (i, a), (entry, rate) in block.items():
        J[bodies.block(i), bodies.own[a]] += entry
        J_dot[bodies.block(i), bodies.own[a]] += rate
    return J, J_dot
