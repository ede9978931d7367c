"""Products with J_mr, its rate and its transpose in linear time, without forming J_mr."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies


def jacobian_product(bodies: Bodies, x: NDArray) -> tuple[NDArray, NDArray]:
    """Return y = J x and z = J-dot x, without J (Sueda, Algorithm 5, Eqs 2.108, 2.109).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.
    x : ndarray (nv,) or (nv, m)
        One or several vectors along the velocities.

    Returns
    -------
    y, z : ndarray (6 n,) or (6 n, m)

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, jacobian_product
    >>> rod = bodies_at(rbd.library.pendulum(), np.zeros(1), np.ones(1))
    >>> twist, _ = jacobian_product(rod, rod.qd)
    >>> bool(np.allclose(twist, rod.phi[1]))
    True
    """
    y, z = np.zeros((2, len(bodies.parent), 6, *np.shape(x)[1:]))
    for i in bodies.order:  # forward traversal
        p, own = bodies.parent[i], bodies.own[i]
        y[i] = bodies.Ad_J[i] @ (bodies.S[i] @ x[own])  # line 2
        z[i] = bodies.Ad_J[i] @ (bodies.S_dot[i] @ x[own])  # line 3
        if p != 0:
            y[i] += bodies.Ad_p[i] @ y[p]  # line 5
            z[i] += bodies.Ad_p[i] @ z[p] + bodies.Ad_p_dot[i] @ y[p]  # line 6
    shape = (6 * bodies.n, *np.shape(x)[1:])
    return y[1:].reshape(shape), z[1:].reshape(shape)


def transposed_product(bodies: Bodies, y: NDArray) -> NDArray:
    """Return x = J^T y, without J (Sueda, Algorithm 6, Eqs 2.110-2.112).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.
    y : ndarray (6 n,) or (6 n, m)
        Wrenches on all bodies, each in the body's frame; or several such columns.

    Returns
    -------
    ndarray (nv,) or (nv, m)

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, redmax_jacobian, transposed_product
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.array([0.3, 0.4]), np.zeros(2))
    >>> wrenches = np.arange(12.0)
    >>> bool(np.allclose(transposed_product(arm, wrenches), redmax_jacobian(arm).T @ wrenches))
    True
    """
    more = np.shape(y)[1:]
    felt = np.zeros((len(bodies.parent), 6, *more))
    felt[1:] = np.reshape(y, (bodies.n, 6, *more))  # y_i, to which the children add
    x = np.zeros((bodies.nv, *more))
    for i in reversed(bodies.order):  # backward traversal
        x[bodies.own[i]] += bodies.S[i].T @ (bodies.Ad_J[i].T @ felt[i])  # line 7
        felt[bodies.parent[i]] += bodies.Ad_p[i].T @ felt[i]  # lines 4 and 6: alpha_i
    return x
