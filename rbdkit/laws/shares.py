"""Share forces evenly between redundant contact points, whatever their order.

A table on four legs: rigid bodies determine the sum of the forces and their moments, not each of them. Contact forces
with the same effect on the motion differ by the null space N of the Delassus matrix W. `least_shares` finds the
smallest of them that push and lie in their friction cones, since these do not depend on how points are numbered and
are symmetric where the problem is.

1. Unknowns: three components at a sticking point, one at a smooth or sliding point, where friction is at its limit.
2. Rank decision: each unknown is scaled by the velocity that it gives its own point; eigenvalues of the scaled W below
   `REDUNDANT` times the largest span N.
3. The least forces are the projection of zero onto the intersection of an affine space (same effect) and convex cones,
   by Dykstra's alternating projections (1983). Plain alternating projections would end at some point of the
   intersection; Dykstra's end at the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REDUNDANT = 1e-10
"""Relative threshold of the rank decision: eigenvalues of W below this part of the largest count as zero."""
PROJECTIONS = 2000
"""Largest number of alternating projections."""
CLOSE = 1e-9
"""Tolerance of the projections, as a part of the largest force."""


def redundant(W: NDArray) -> bool:
    """Whether W (symmetric) is singular: some impulses together move nothing, so that shares are not determined."""
    values = np.linalg.eigvalsh(W)
    return bool(len(values)) and bool(values[0] <= REDUNDANT * values[-1])


@dataclass(frozen=True, eq=False)
class Shares:
    """The smallest forces with the same effect as given ones, and the null space.

    lam : (m, 3) forces along normal and tangents, N. free : (m, 3, k) basis of forces that together move nothing
    and keep kinetic friction at its limit; k = 0 if all forces are determined.
    """

    lam: NDArray
    free: NDArray

    @property
    def indeterminate(self) -> NDArray:
        """Whether the force of each point is indeterminate, (m,) of bool."""
        return np.abs(self.free).max(axis=(1, 2), initial=0.0) > 1e-6


def least_shares(W: NDArray, lam: NDArray, mu: NDArray, way: NDArray) -> Shares:
    """Return the smallest forces with the same effect as lam that neither pull nor leave their friction cones.

    The rank decision scales every unknown by the velocity that it gives its own point, so it does not depend on masses.
    If the projections do not converge, lam is returned.

    Parameters
    ----------
    W : (3 m, 3 m) Delassus matrix, 1/kg. lam : (m, 3) forces, N. mu : (m,) friction coefficients.
    way : (m, 2) unit directions of sliding, against which friction is at its limit; zero of points that stick.
    """
    m = len(mu)
    columns: list[NDArray] = []
    for i in range(m):
        own = np.zeros((3 * m, 3))
        own[3 * i : 3 * i + 3] = np.eye(3)
        if mu[i] == 0.0:
            own = own[:, :1]
        elif way[i].any():
            # of unit length, so that P has orthonormal columns and the least unknowns are the least forces
            own = own @ (np.array([1.0, *(-mu[i] * way[i])]) / np.hypot(1.0, mu[i]))[:, None]
        columns.append(own)
    P, first = np.hstack(columns), np.cumsum([0, *(own.shape[1] for own in columns)])
    M = P.T @ W @ P
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    # what can move nothing, as across a plane, has no share; its size is the root of round-off
    dead = size <= 1e-7 * size.max(initial=0.0)
    live = np.flatnonzero(~dead)
    values, vectors = np.linalg.eigh(M[np.ix_(live, live)] / np.outer(size[live], size[live]))
    # back from scaled unknowns; `qr` below makes the basis orthonormal, as projections need it
    null = vectors[:, values <= REDUNDANT * values[-1]] / size[live, None] if len(live) else np.zeros((0, 0))
    if not null.shape[1]:
        return Shares(lam, np.zeros((m, 3, 0)))
    N = np.zeros((len(size), null.shape[1]))
    N[live] = np.linalg.qr(null / np.linalg.norm(null, axis=0))[0]
    x = np.where(dead, 0.0, P.T @ lam.ravel())
    # the affine space is x + N z, and this is its point nearest to zero
    least = x - N @ (N.T @ x)

    def inside(y: NDArray) -> NDArray:
        """Project forces onto the friction cones, or onto those that push."""
        z = y.copy()
        for i in range(m):
            own = slice(first[i], first[i + 1])
            z[own] = _in_cone(y[own], float(mu[i])) if columns[i].shape[1] == 3 else np.maximum(y[own], 0.0)
        return z

    found, excess = least, np.zeros(len(x))  # Dykstra 1983: the smallest that is both
    for _ in range(PROJECTIONS):
        pushed, before = inside(found + excess), found
        # the correction of Dykstra is needed for the cones alone; onto an affine space plain projection is enough
        excess = found + excess - pushed
        found = least + N @ (N.T @ pushed)
        moved = max(np.abs(found - pushed).max(), np.abs(found - before).max())
        if moved <= CLOSE * np.abs(x).max(initial=1e-300):
            lam = (P @ found).reshape(m, 3)
            break
    return Shares(lam, (P @ N).reshape(m, 3, -1))


def _in_cone(y: NDArray, mu: float) -> NDArray:
    """Project a force (3,) onto the friction cone."""
    n, t = float(y[0]), float(np.hypot(y[1], y[2]))
    if t <= mu * n:
        return y
    if n <= -mu * t:
        return np.zeros(3)
    push = (n + mu * t) / (1.0 + mu * mu)
    return np.array([push, *(mu * push / t * y[1:])])
