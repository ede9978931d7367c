"""The Jacobian J_mr, from joint velocities to the twists of all bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies


def redmax_jacobian(bodies: Bodies) -> NDArray:
    """Return J_mr (6 n, nv) with (twists of all bodies) = J_mr q-dot, for trees (Sueda, Algorithm 1, Eq 2.14).

    Mimic joints add to the columns of their master joints: their coordinates are hyper-reduced (Eq 2.81).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, redmax_jacobian
    >>> rod = bodies_at(rbd.library.pendulum(), np.zeros(1), np.zeros(1))
    >>> redmax_jacobian(rod).shape
    (6, 1)
    """
    J = np.zeros((6 * bodies.n, bodies.nv))
    block: dict[tuple[int, int], NDArray] = {}
    for i in bodies.order:
        p = bodies.parent[i]
        block[i, i] = bodies.Ad_J[i] @ bodies.S[i]  # line 1
        ancestor = p
        while ancestor != 0:
            block[i, ancestor] = bodies.Ad_p[i] @ block[p, ancestor]  # line 4
            ancestor = bodies.parent[ancestor]
    for (i, a), entry in block.items():
        J[bodies.block(i), bodies.own[a]] += entry
    return J
