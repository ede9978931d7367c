"""Inertias that a body can have: positive definite pseudo-inertias (Wensing, Kim, Slotine 2018).

The second moments of a body's mass, ``J = [[S, h], [h^T, m]]`` with ``S = tr(I) / 2 - I``, are positive definite for
every distribution of positive mass. The products L L^T of triangular matrices are all of these and nothing else, so
that a fit of L needs no constraints (Rucker and Wensing 2022 do so with exponentials on the diagonal).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.optimize import least_squares

LOWER = np.tril_indices(4)
TRUST = (1e-6, 1e-4, 1e-2, 1.0)
"""Weights of the measurements in turn: the valley of exact ones is too narrow to be entered from afar."""
MOST = 300
"""Most steps of each fit; some ten are usual."""
TOLERANCES = {"xtol": 1e-12, "ftol": 1e-10, "gtol": 1e-10}
THIN = 1e-6
"""Smallest eigenvalue of a pseudo-inertia to begin with, relative to the largest: a thin rod has one that is zero."""


def pseudo_inertia(parameters: NDArray) -> NDArray:
    """Return the second moments (..., 4, 4) of ten parameters (..., 10)."""
    m, h, I = parameters[..., 0], parameters[..., 1:4], _matrix(parameters[..., 4:])
    J = np.zeros((*parameters.shape[:-1], 4, 4))
    J[..., :3, :3] = 0.5 * np.trace(I, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - I
    J[..., :3, 3], J[..., 3, :3], J[..., 3, 3] = h, h, m
    return J


def ten_parameters(J: NDArray) -> NDArray:
    """Return the ten parameters (..., 10) of second moments (..., 4, 4)."""
    S = J[..., :3, :3]
    I = np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S
    six = I[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return np.concatenate([J[..., 3:, 3], J[..., :3, 3], six], axis=-1)


def _matrix(six: NDArray) -> NDArray:
    return six[..., [[0, 1, 2], [1, 3, 4], [2, 4, 5]]]


def _factors(J: NDArray) -> NDArray:
    """Return Cholesky factors (n, 10) of second moments (n, 4, 4), made positive definite first."""
    values, vectors = np.linalg.eigh(J)
    values = np.maximum(values, THIN * np.maximum(values.max(axis=-1, keepdims=True), 1e-12))
    L = np.linalg.cholesky(vectors @ (values[..., None] * np.swapaxes(vectors, -1, -2)))
    return np.asarray(L[..., LOWER[0], LOWER[1]])


def _moments(factors: NDArray) -> NDArray:
    x = factors.reshape(-1, 10)
    L = np.zeros((len(x), 4, 4))
    L[:, LOWER[0], LOWER[1]] = x
    return L @ np.swapaxes(L, 1, 2)


def _slopes(factors: NDArray) -> NDArray:
    """Return the derivatives (n, 10, 10) of ten parameters by the numbers of the factor."""
    x = factors.reshape(-1, 10)
    L = np.zeros((len(x), 4, 4))
    L[:, LOWER[0], LOWER[1]] = x
    slopes = np.zeros((len(x), 10, 10))
    for k, (row, column) in enumerate(zip(*LOWER, strict=True)):
        dJ = np.zeros_like(L)
        dJ[:, row] = L[:, :, column]  # dL L^T
        slopes[:, :, k] = ten_parameters(dJ + np.swapaxes(dJ, 1, 2))
    return slopes


def nearest_consistent(rows: NDArray, right: NDArray, given: NDArray, weight: float) -> tuple[NDArray, NDArray]:
    """Fit ``rows @ (parameters, losses) = right`` by parameters that bodies can have and losses that are not negative.

    Parameters
    ----------
    rows : ndarray (m, 10 n + k)
        In units in which each equation has the error 1.
    right : ndarray (m,)
        The right sides.
    given : ndarray (n, 10)
        Where rows say nothing, the parameters stay as near to these as they can.
    weight : float
        Of the distance from the given ones, relative to each body's own numbers.

    Returns
    -------
    ndarray (n, 10), ndarray (k,)
        Parameters and losses.
    """
    start = _factors(pseudo_inertia(given))
    near = ten_parameters(_moments(start))
    # of a body's own size: mass, mass times length, mass times length squared
    trace = np.maximum(near[:, [4, 7, 9]].sum(axis=1), 1e-12)
    mass = np.maximum(near[:, 0], 1e-12)
    scale = np.stack([mass, *[np.sqrt(mass * trace)] * 3, *[trace] * 6], axis=1)
    n = start.size

    def residual(x: NDArray, trust: float, lossy: NDArray, power: int) -> NDArray:
        found = ten_parameters(_moments(x[:n]))
        wrong = rows[:, :n] @ found.ravel() + lossy @ x[n:] ** power - right
        return np.concatenate([trust * wrong, weight * ((found - near) / scale).ravel()])

    def jacobian(x: NDArray, trust: float, lossy: NDArray, power: int) -> NDArray:
        slopes = block_diag(*_slopes(x[:n]))
        by_losses = power * lossy * x[n:] ** (power - 1)
        below = np.concatenate([weight / scale.ravel()[:, None] * slopes, np.zeros((n, len(x) - n))], axis=1)
        return np.concatenate([trust * np.concatenate([rows[:, :n] @ slopes, by_losses], axis=1), below])

    def fitted(x: NDArray, trust: float, lossy: NDArray, power: int) -> NDArray:
        options = {"method": "lm", "x_scale": "jac", "args": (trust, lossy, power), "max_nfev": MOST, **TOLERANCES}
        with np.errstate(all="ignore"):  # it takes back steps that overflow
            return np.asarray(least_squares(residual, x, jacobian, **options).x)

    losses = np.linalg.lstsq(rows, right, rcond=1e-12)[0][n:]
    # squares would not move from zero itself
    x = np.concatenate([start.ravel(), np.sqrt(np.maximum(losses, 1e-6))])
    for trust in TRUST:
        x = fitted(x, trust, rows[:, n:], 2)
    # squares hardly come to zero either: from here losses are numbers, and those that would give energy are left out
    losses, acting = x[n:] ** 2, np.arange(len(losses))
    while True:
        x = fitted(np.concatenate([x[:n], losses[acting]]), TRUST[-1], rows[:, n + acting], 1)
        losses = np.zeros_like(losses)
        losses[acting] = np.maximum(x[n:], 0.0)
        if (x[n:] >= 0.0).all():
            return ten_parameters(_moments(x[:n])), losses
        acting = acting[x[n:] >= 0.0]
