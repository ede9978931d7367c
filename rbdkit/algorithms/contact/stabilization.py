"""Stabilisation of position errors for constraints on velocities and accelerations (Sueda, section 1.12)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.solvers.quadratic_program import quadratic_program


def velocity_target(g: ArrayLike, gamma: float) -> NDArray:
    """Return the target of G qd, -gamma g in place of zero (Eq 1.82, first line).

    For unilateral constraints it is a lower bound of N qd: points with a gap phi > 0 may then approach with gamma phi,
    and with gamma = 1 / h they just touch at the end of a step. Penetration is pushed out, which creates energy.

    Parameters
    ----------
    g : array_like (k,)
        Position errors, or gaps phi, m and rad.
    gamma : float
        Gain, 1/s; 10 and 1 / h are common.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import velocity_target
    >>> velocity_target([0.002, -0.001], 10.0)
    array([-0.02,  0.01])
    """
    return -gamma * np.asarray(g, dtype=float)


def acceleration_target(g: ArrayLike, g_rate: ArrayLike, G_rate_qd: ArrayLike, stabilization: Baumgarte) -> NDArray:
    """Return the target of G qdd: -G-dot qd - 2 alpha G qd - beta^2 g (Eq 1.82, second line).

    Parameters
    ----------
    g, g_rate : array_like (k,)
        Position errors and velocity errors.
    G_rate_qd : array_like (k,)
        Bias acceleration G-dot qd.
    stabilization : Baumgarte
        Gains alpha and beta.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import acceleration_target
    >>> from rbdkit.formulations import Baumgarte
    >>> acceleration_target([0.5], [0.25], [2.0], Baumgarte(alpha=2.0, beta=4.0))
    array([-11.])
    """
    return -np.asarray(G_rate_qd, dtype=float) - stabilization.correction(np.asarray(g), np.asarray(g_rate))


def post_stabilization(
    H: ArrayLike,
    *,
    G: ArrayLike | None = None,
    g: ArrayLike | None = None,
    N: ArrayLike | None = None,
    phi: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> NDArray:
    """Return the least displacement in the norm of H that removes position errors to first order (Cline and Pai 2003).

    It is applied after a step, and velocities do not change; G and N belong to the end of the step. Two or three
    repetitions, with G and g at the new position, leave only round-off.

    Parameters
    ----------
    H : array_like (n, n)
        Inertia matrix.
    G, g : array_like (k, n), (k,), optional
        Jacobian of the equality constraints and their errors.
    N, phi : array_like (m, n), (m,), optional
        Jacobian of the contacts and their gaps; open contacts stay open.
    names : sequence of str, optional
        Names of the contacts, for errors.

    Returns
    -------
    ndarray (n,)
        Displacement along the velocity variables.

    Raises
    ------
    InfeasibleError, StateError
        As in `quadratic_program`.

    Examples
    --------
    A ball that sits 1 mm deep in the floor:

    >>> import numpy as np
    >>> from rbdkit.algorithms.contact import post_stabilization
    >>> post_stabilization(2.0 * np.eye(2), N=[[0.0, 1.0]], phi=[-0.001])
    array([0.   , 0.001])
    """
    H = np.asarray(H, dtype=float)
    back = [None if part is None else -np.asarray(part, dtype=float) for part in (g, phi)]
    return quadratic_program(H, np.zeros(len(H)), C=N, c=back[1], G=G, g=back[0], names=names).x
