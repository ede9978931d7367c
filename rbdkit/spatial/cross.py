"""Spatial cross products: what motion does to motion vectors, v x m, and to force vectors, v x* f.

Featherstone section 2.9.  In body coordinates that move with velocity v, a vector that is constant in the body changes
at the rate v x m (Eq 2.29) or v x* f (Eq 2.30).  The vector forms are the cheap ones for inner loops.  All take stacks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial.compact.motion_force import mv
from rbdkit.spatial.components import join, split


def crm(v: ArrayLike) -> NDArray:
    """v x as a matrix [w x, 0; v_O x, w x] (Eq 2.31).

    Parameters
    ----------
    v : array_like (..., 6)
        Motion vector, angular first.

    Returns
    -------
    ndarray (..., 6, 6)

    Examples
    --------
    No motion changes itself:

    >>> from rbdkit.spatial import crm
    >>> v = [1, 2, 3, 4, 5, 6]
    >>> (crm(v) @ v).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    a, b, c, x, y, z = split(v, 6)
    M = np.zeros(np.shape(a) + (6, 6))
    M[..., 0, 1] = M[..., 3, 4] = -c
    M[..., 0, 2] = M[..., 3, 5] = b
    M[..., 1, 2] = M[..., 4, 5] = -a
    M[..., 1, 0] = M[..., 4, 3] = c
    M[..., 2, 0] = M[..., 5, 3] = -b
    M[..., 2, 1] = M[..., 5, 4] = a
    M[..., 3, 1], M[..., 3, 2], M[..., 4, 2] = -z, y, -x
    M[..., 4, 0], M[..., 5, 0], M[..., 5, 1] = z, -y, x
    return M


def crf(v: ArrayLike) -> NDArray:
    """v x* as a matrix [w x, v_O x; 0, w x] = -(v x)^T (Eq 2.32).

    Parameters
    ----------
    v : array_like (..., 6)
        Motion vector, angular first.

    Returns
    -------
    ndarray (..., 6, 6)

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.spatial import crf, crm
    >>> v = [1, 2, 3, 4, 5, 6]
    >>> np.array_equal(crf(v), -crm(v).T)
    True
    """
    return -np.swapaxes(crm(v), -1, -2)


def cross_motion(v: ArrayLike, m: ArrayLike) -> NDArray:
    """v x m = [w x m; w x m_O + v_O x m] (Eq 2.33) of two motion vectors.

    Parameters
    ----------
    v, m : array_like (..., 6)
        Angular first.

    Returns
    -------
    ndarray (..., 6)

    Examples
    --------
    An axis along x that is carried along by a turn about z changes towards y:

    >>> from rbdkit.spatial import cross_motion
    >>> cross_motion([0, 0, 2, 0, 0, 0], [1, 0, 0, 0, 0, 0]).tolist()
    [0.0, 2.0, 0.0, 0.0, 0.0, 0.0]
    """
    if isinstance(v, mv):
        return v.cross(m)
    a, b, c, x, y, z = split(v, 6)
    p, q, r, s, t, u = split(m, 6)
    return join(
        [
            b * r - c * q,
            c * p - a * r,
            a * q - b * p,
            b * u - c * t + y * r - z * q,
            c * s - a * u + z * p - x * r,
            a * t - b * s + x * q - y * p,
        ]
    )


def cross_force(v: ArrayLike, f: ArrayLike) -> NDArray:
    """v x* f = [w x f_O + v_O x f; w x f] (Eq 2.34) of a motion and a force vector.

    Parameters
    ----------
    v : array_like (..., 6)
        Motion vector, angular first.
    f : array_like (..., 6)
        Force vector, moment first.

    Returns
    -------
    ndarray (..., 6)

    Examples
    --------
    A force along x that is carried along by a turn about z changes towards y:

    >>> from rbdkit.spatial import cross_force
    >>> cross_force([0, 0, 2, 0, 0, 0], [0, 0, 0, 1, 0, 0]).tolist()
    [0.0, 0.0, 0.0, 0.0, 2.0, 0.0]
    """
    if isinstance(v, mv):
        return v.cross(f)
    a, b, c, x, y, z = split(v, 6)
    p, q, r, s, t, u = split(f, 6)
    return join(
        [
            b * r - c * q + y * u - z * t,
            c * p - a * r + z * s - x * u,
            a * q - b * p + x * t - y * s,
            b * u - c * t,
            c * s - a * u,
            a * t - b * s,
        ]
    )
