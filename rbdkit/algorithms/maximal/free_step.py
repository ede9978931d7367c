"""Steps of unconstrained bodies on SE(3): Euler's method at velocity level."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial import se3


def momentum_after(E: NDArray, phi: NDArray, M: NDArray, gravity: ArrayLike, h: float) -> NDArray:
    """f~ = M phi + h (ad(phi)^T M phi + f_body), the right-hand side of Eq 1.28, (..., 6).

    Parameters
    ----------
    E : ndarray (..., 4, 4)
        World poses of the body frames, which sit in the centres of mass.
    phi : ndarray (..., 6)
        Twists in body coordinates.
    M : ndarray (..., 6, 6)
        Inertias.
    gravity : array_like (3,)
        Acceleration of free fall, m/s2.
    h : float
        Step in s.
    """
    weight = np.zeros(np.shape(phi))
    weight[..., 3:] = np.asarray(gravity, dtype=float) @ E[..., :3, :3]  # R^T g of Eq 1.22, times the mass below
    momentum = (M @ phi[..., None])[..., 0]
    coriolis = (np.swapaxes(se3.ad(phi), -1, -2) @ momentum[..., None])[..., 0]  # Eq 1.21
    return np.asarray(momentum + h * (coriolis + (M @ weight[..., None])[..., 0]))


def maximal_euler_step(E: NDArray, phi: NDArray, M: NDArray, gravity: ArrayLike, h: float) -> tuple[NDArray, NDArray]:
    """Poses and twists of free bodies after a step of h s (Sueda, Eqs 1.27-1.29).

    Parameters
    ----------
    E : ndarray (..., 4, 4)
        World poses of the body frames, which sit in the centres of mass.
    phi : ndarray (..., 6)
        Twists in body coordinates.
    M : ndarray (..., 6, 6)
        Inertias.
    gravity : array_like (3,)
        Acceleration of free fall, m/s2.
    h : float
        Step in s.

    Returns
    -------
    E, phi : as given

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.maximal import maximal_euler_step
    >>> E, phi = maximal_euler_step(np.eye(4), np.zeros(6), np.eye(6), [0.0, 0.0, -10.0], 0.1)
    >>> phi[5].item(), round(E[2, 3].item(), 12)
    (-1.0, -0.1)
    """
    phi_new = np.linalg.solve(M, momentum_after(E, phi, M, gravity, h)[..., None])[..., 0]  # Eq 1.28
    return E @ se3.exp(h * phi_new), phi_new  # Eq 1.29


def viscous_euler_step(
    E: NDArray, phi: NDArray, M: NDArray, gravity: ArrayLike, h: float, D: ArrayLike
) -> tuple[NDArray, NDArray]:
    """Make the step in a viscous medium, implicit in the drag: ``(M + h D) phi_new = f~`` (Sueda, Eq 1.30).

    The drag -D phi_new belongs to the new twist, so it is not among the explicit forces.

    Parameters
    ----------
    E, phi, M, gravity, h
        As in `maximal_euler_step`.
    D : array_like
        Damping, a number (N s/m and N m s/rad alike) or a matrix (6, 6).

    Returns
    -------
    E, phi : as given

    Examples
    --------
    The stiffest of media only stops the body:

    >>> import numpy as np
    >>> from rbdkit.algorithms.maximal import viscous_euler_step
    >>> E, phi = viscous_euler_step(np.eye(4), np.ones(6), np.eye(6), [0.0, 0.0, 0.0], 0.1, 1e9)
    >>> bool(np.abs(phi).max() < 1e-7)
    True
    """
    D = np.asarray(D, dtype=float)
    implicit = M + h * (D * np.eye(6) if D.ndim == 0 else D)
    phi_new = np.linalg.solve(implicit, momentum_after(E, phi, M, gravity, h)[..., None])[..., 0]
    return E @ se3.exp(h * phi_new), phi_new
