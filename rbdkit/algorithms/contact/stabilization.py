"""What takes errors of position back where constraints are held at the level of velocities (Sueda, section 1.12)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.solvers.quadratic_program import quadratic_program


def velocity_target(g: ArrayLike, gamma: float) -> NDArray:
    """What G qd is to be in place of zero: -gamma g (Eq 1.82, first line).

    Of bounds it is what N qd must not fall below: points that are apart by phi > 0 may then approach with gamma phi,
    and with gamma = 1 / h they just arrive at the end of a step; what penetrates is pushed out, which makes energy.

    Parameters
    ----------
    g : array_like (k,)
        Errors of position, or distances phi, m and rad.
    gamma : float
        1/s; 10 and 1 / h are common.

    Examples
    --------
    >>> from rbdkit.algorithms.contact import velocity_target
    >>> velocity_target([0.002, -0.001], 10.0)
    array([-0.02,  0.01])
    """
    return -gamma * np.asarray(g, dtype=float)


def acceleration_target(g: ArrayLike, g_rate: ArrayLike, G_rate_qd: ArrayLike, stabilization: Baumgarte) -> NDArray:
    """What G qdd is to be: -G-dot qd - 2 alpha G qd - beta^2 g (Eq 1.82, second line).

    Parameters
    ----------
    g, g_rate : array_like (k,)
        Errors of position and of velocity.
    G_rate_qd : array_like (k,)
        G-dot qd.
    stabilization : Baumgarte
        alpha and beta.

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
    """The least displacement, in the norm of H, that takes errors away to first order (Cline and Pai 2003).

    To be made after a step, velocities left alone; G and N are those of the end of the step. Twice or three times, each
    with G and g of the new place, leaves round-off.

    Parameters
    ----------
    H : array_like (n, n)
        Inertia matrix.
    G, g : array_like (k, n), (k,), optional
        Rows of equations and their errors.
    N, phi : array_like (m, n), (m,), optional
        Rows of contacts and their distances; those that are apart stay apart.
    names : sequence of str, optional
        Of the contacts, for errors.

    Returns
    -------
    ndarray (n,)
        Displacement along the velocity variables.

    Raises
    ------
    InfeasibleError, StateError
        As `quadratic_program` does.

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
