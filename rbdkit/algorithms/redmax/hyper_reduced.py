"""Hyper-reduced coordinates: joint velocities as linear functions of fewer velocities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.jacobian_rate import redmax_jacobian_and_rate
from rbdkit.algorithms.redmax.reduced_equation import ReducedEquation


def hyper_reduced_equation(
    bodies: Bodies, J_rR: NDArray, J_rR_dot: NDArray | None = None, qd_R: NDArray | None = None
) -> ReducedEquation:
    """Return the equation of motion for ``qd = J_rR qd_R`` (Sueda, Eqs 2.80-2.83).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state, with joint velocities ``J_rR qd_R``.
    J_rR : ndarray (nv, m)
        From the hyper-reduced velocities to those of the joints.
    J_rR_dot : ndarray (nv, m), optional
        Rate of J_rR; zero if not given.
    qd_R : ndarray (m,), optional
        The hyper-reduced velocities, which the rate needs.

    Returns
    -------
    ReducedEquation
        Equation in the m hyper-reduced velocities; its `J` is J_mR.

    Examples
    --------
    A chain whose joints all turn alike has one freedom:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, hyper_reduced_equation
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.full(2, 0.3), np.zeros(2))
    >>> hyper_reduced_equation(arm, np.ones((2, 1))).accelerations().shape
    (1,)
    """
    J_mr, _ = redmax_jacobian_and_rate(bodies)
    J_mR = J_mr @ J_rR  # Eq 2.82
    drift = bodies.stacked(bodies.drift)  # J_mr-dot q-dot
    own = np.zeros(bodies.nv)
    if J_rR_dot is not None and qd_R is not None:
        own = J_rR_dot @ qd_R
        drift = drift + J_mr @ own  # J_mR-dot qd_R
    M_J = np.concatenate([bodies.M[i] @ J_mR[bodies.block(i)] for i in range(1, bodies.n + 1)])
    M_R = J_mR.T @ M_J + J_rR.T @ (bodies.rotors[:, None] * J_rR)
    f_R = J_rR.T @ (bodies.f_r - bodies.rotors * own) + J_mR.T @ bodies.stacked(bodies.f_m) - M_J.T @ drift  # Eq 2.83
    return ReducedEquation(M_R, f_R, J_mR)
