"""Shares of forces between points of which there are more than needed, independent of their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REDUNDANT = 1e-10
"""Part of the largest eigenvalue of W from which on a smaller one is round-off: an impulse that moves nothing."""
PROJECTIONS = 2000
"""Of one share onto what moves bodies as it does, and onto the cones in turns."""
CLOSE = 1e-9
"""Part of the largest force by which shares may lie outside of their cones."""


def redundant(W: NDArray) -> bool:
    """Whether some impulses at the points do nothing together, so that shares are not determined."""
    values = np.linalg.eigvalsh(W)
    return bool(len(values)) and bool(values[0] <= REDUNDANT * values[-1])


@dataclass(frozen=True, eq=False)
class Shares:
    """The smallest forces that move bodies as given ones do.

    lam : (m, 3) along normal and tangents, N. free : (m, 3, k) an orthonormal basis of forces that move nothing
    together, under which sliding friction stays at its limit; k = 0 where all forces are determined.
    """

    lam: NDArray
    free: NDArray

    @property
    def indeterminate(self) -> NDArray:
        """Which points have a force that the motion does not determine, (m,)."""
        return np.abs(self.free).max(axis=(1, 2), initial=0.0) > 1e-6


def least_shares(W: NDArray, lam: NDArray, mu: NDArray, way: NDArray) -> Shares:
    """Take from forces what moves nothing, as far as no point then pulls or leaves its friction cone.

    Rank is decided with every unknown scaled by what it moves alone, so masses have no part in it.

    Parameters
    ----------
    W : (3 m, 3 m) how velocities answer. lam : (m, 3). mu : (m,). way : (m, 2) unit directions against which friction
        is at its limit; zero of what sticks.
    """
    m = len(mu)
    columns: list[NDArray] = []
    for i in range(m):
        own = np.zeros((3 * m, 3))
        own[3 * i : 3 * i + 3] = np.eye(3)
        if mu[i] == 0.0:
            own = own[:, :1]
        elif way[i].any():
            own = own @ (np.array([1.0, *(-mu[i] * way[i])]) / np.hypot(1.0, mu[i]))[:, None]
        columns.append(own)
    P, first = np.hstack(columns), np.cumsum([0, *(own.shape[1] for own in columns)])
    M = P.T @ W @ P
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    dead = size <= 1e-7 * size.max(
        initial=0.0
    )  # round-off of what can move nothing, as across a plane: it has no share
    live = np.flatnonzero(~dead)
    values, vectors = np.linalg.eigh(M[np.ix_(live, live)] / np.outer(size[live], size[live]))
    null = vectors[:, values <= REDUNDANT * values[-1]] / size[live, None] if len(live) else np.zeros((0, 0))
    if not null.shape[1]:
        return Shares(lam, np.zeros((m, 3, 0)))
    N = np.zeros((len(size), null.shape[1]))
    N[live] = np.linalg.qr(null / np.linalg.norm(null, axis=0))[0]
    x = np.where(dead, 0.0, P.T @ lam.ravel())
    least = x - N @ (N.T @ x)

    def inside(y: NDArray) -> NDArray:
        """The nearest forces that push and lie in their cones."""
        z = y.copy()
        for i in range(m):
            own = slice(first[i], first[i + 1])
            z[own] = _in_cone(y[own], float(mu[i])) if columns[i].shape[1] == 3 else np.maximum(y[own], 0.0)
        return z

    found, excess = least, np.zeros(len(x))  # Dykstra 1983: the smallest that is both
    for _ in range(PROJECTIONS):
        pushed, before = inside(found + excess), found
        excess = found + excess - pushed
        found = least + N @ (N.T @ pushed)
        moved = max(np.abs(found - pushed).max(), np.abs(found - before).max())
        if moved <= CLOSE * np.abs(x).max(initial=1e-300):
            lam = (P @ found).reshape(m, 3)
            break
    return Shares(lam, (P @ N).reshape(m, 3, -1))


def _in_cone(y: NDArray, mu: float) -> NDArray:
    """The nearest force (3,) with friction of at most mu times its push."""
    n, t = float(y[0]), float(np.hypot(y[1], y[2]))
    if t <= mu * n:
        return y
    if n <= -mu * t:
        return np.zeros(3)
    push = (n + mu * t) / (1.0 + mu * mu)
    return np.array([push, *(mu * push / t * y[1:])])
