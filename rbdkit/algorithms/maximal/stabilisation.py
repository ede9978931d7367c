"""Stabilisation of joint drift: Baumgarte's terms at both levels, and post-stabilisation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.maximal.joint_rows import JointRows, MaximalBodies, joint_rows
from rbdkit.errors import ConvergenceError
from rbdkit.spatial import se3

MOST = 20
"""Largest number of corrections of post-stabilisation."""


def velocity_target(joints: JointRows, gamma: float) -> NDArray:
    """Return the target -gamma g of G Phi, (m,): errors shrink by gamma h in a step (Sueda, Eq 1.82, first line).

    Parameters
    ----------
    joints : JointRows
        Constraints at one state.
    gamma : float
        Gain, 1/s. The notes have 10, after Baumgarte, or 1 / h, which closes joints in one step to first order.

    Returns
    -------
    ndarray (m,)

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import joint_rows, maximal_bodies, velocity_target
    >>> bodies = maximal_bodies(rbd.library.pendulum())
    >>> rows = joint_rows(bodies, bodies.frames[1:], np.zeros((1, 6)))
    >>> bool(np.allclose(velocity_target(rows, 10.0), 0.0))
    True
    """
    return joints.target - gamma * joints.g


def acceleration_target(joints: JointRows, phi: NDArray, baumgarte: Baumgarte) -> NDArray:
    """G Phi-dot = -G-dot Phi - 2 alpha G Phi - beta^2 g (Sueda, Eq 1.82, second line).

    Parameters
    ----------
    joints : JointRows
        Constraints at one state.
    phi : ndarray (n, 6)
        Twists there.
    baumgarte : Baumgarte
        alpha and beta, 1/s.

    Returns
    -------
    ndarray (m,)

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import acceleration_target, joint_rows, maximal_bodies
    >>> bodies, phi = maximal_bodies(rbd.library.pendulum()), np.zeros((1, 6))
    >>> rows = joint_rows(bodies, bodies.frames[1:], phi)
    >>> from rbdkit.formulations import Baumgarte
    >>> bool(np.allclose(acceleration_target(rows, phi, Baumgarte(10.0)), 0.0))
    True
    """
    return joints.drift - baumgarte.correction(joints.g, joints.G @ phi.ravel() - joints.target)


def post_stabilised(bodies: MaximalBodies, E: NDArray, *, t: float = 0.0, tol: float = 1e-13) -> NDArray:
    """Poses (n, 4, 4) nearest to given ones, in the kinetic-energy metric, with all joints intact (section 1.12).

    After the step the bodies are moved by Newton's method, ``G u = -g`` with the least of ``u^T M u``; velocities are
    left alone.

    Parameters
    ----------
    bodies : MaximalBodies
        Bodies and joints.
    E : ndarray (n, 4, 4)
        World poses.
    t : float, optional
        Time in s, for prescribed joints.
    tol : float, optional
        What may be missing, rad and m.

    Raises
    ------
    ConvergenceError
        If the joints are too far apart for it.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import maximal_bodies, post_stabilised
    >>> bodies = maximal_bodies(rbd.library.pendulum())
    >>> torn = bodies.frames[1:] @ rbd.pose(position=[0.1, 0.0, 0.0])
    >>> bool(np.abs(post_stabilised(bodies, torn) - torn).max() > 0.01)
    True
    """
    still = np.zeros((bodies.n, 6))
    M_inverse = np.linalg.inv(bodies.M)
    for _ in range(MOST):
        joints = joint_rows(bodies, E, still, t=t)
        if np.abs(joints.g).max(initial=0.0) <= tol:
            return E
        blocks = joints.G.reshape(-1, bodies.n, 6)
        G_M = np.einsum("mia,iab->mib", blocks, M_inverse).reshape(joints.G.shape)
        u = G_M.T @ np.linalg.lstsq(joints.G @ G_M.T, -joints.g, rcond=None)[0]
        E = E @ se3.exp(u.reshape(bodies.n, 6))
    raise ConvergenceError(
        f"joints could not be closed: after {MOST} corrections {np.abs(joints.g).max():.3g} (rad, m) is left; "
        "stabilise more often, or take a shorter step"
    )
