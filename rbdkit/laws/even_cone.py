"""Contact and friction by sweeps over all points at once, which share evenly what is not determined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.even_shares import ENOUGH, FLAT, POOR
from rbdkit.laws.cone import Momentum, cone, own_inverse
from rbdkit.laws.problem import Impulses, Problem, in_disc
from rbdkit.laws.scene import Inverse

MANY = 3
"""Points of two bodies, from which on there may be more than needed; the compiled loop knows no ranks and counts."""
DEPENDENT = 1e-8
"""Part of the largest singular value up to which a smaller one of unit forces is round-off."""


def more_than_needed(wrenches: NDArray, couples: NDArray) -> bool:
    """Whether two bodies touch at more points than there are independent forces along their normals.

    Parameters
    ----------
    wrenches : (m, 6) unit forces along normals. couples : (m,) numbers of the two bodies at each point.
    """
    for couple in np.unique(couples):
        own = wrenches[couples == couple].copy()
        arms = own[:, :3] - np.cross(_mean_point(own), own[:, 3:])
        reach = float(np.linalg.norm(arms, axis=1).max())
        own[:, :3] = arms / reach if reach > 0.0 else 0.0
        if len(own) >= MANY and np.linalg.matrix_rank(own, DEPENDENT * np.linalg.norm(own)) < len(own):
            return True
    return False


def _mean_point(wrenches: NDArray) -> NDArray:
    """The mean of the points of the lines of unit forces (k, 6) that are next to the origin, (3,)."""
    return np.cross(wrenches[:, 3:], wrenches[:, :3]).mean(axis=0)


def parts_of_mass(J: NDArray, inverse: Inverse) -> NDArray:
    """In how many parts the masses are split that points move, (m,): one for each point that moves them.

    J : (3 m, nv) rows of the points.
    """
    from scipy.sparse.csgraph import connected_components  # slow to load

    tied = inverse.H != 0.0
    if inverse.G is not None:  # what loops let move together, but for round-off of the basis
        Q = np.linalg.qr(inverse.G)[0]
        tied |= np.abs(Q @ Q.T) > 1e-12
    count, tree = connected_components(tied, directed=False)
    moves = (J != 0.0).reshape(-1, 3, J.shape[1]).any(axis=1) @ np.eye(count, dtype=bool)[tree]
    return np.maximum((moves * moves.sum(axis=0)).max(axis=1, initial=1), 1)


def even_cone(problem: Problem, parts: NDArray, *, tol: float, most: int, flat: float = FLAT) -> Impulses:
    """Solve a friction problem so that redundant points share evenly: from no impulses on, all points at once.

    Sweeps from point to point leave most of a share to the point that comes first, and with other shares what slides
    and turns goes another way. Here every point sees the same velocities, and its part alone of the masses that it
    moves (Tonge, Benevolenski and Voroshilov 2012, "Mass splitting for jitter-free parallel rigid body simulation"),
    so order has no part in it, and what is symmetric remains so. Impulses that together move nothing are not made, so
    shares are the smallest, each in the measure of the velocity that it gives its own point.
    `rbdkit.engine.contact.even_shares` is the same in the compiled loop.

    Parameters
    ----------
    parts : ndarray (m,)
        Of masses, see `parts_of_mass`.
    tol, most : as those of `cone`.
    flat : float, optional
        Part of the largest velocity without impulses that may be wrong after `ENOUGH` sweeps. If more is, sweeps go
        on with half as large changes: they may have gone round in circles. If then `POOR` is, the last ones go from
        point to point.
    """
    scale = float(np.abs(problem.b).max(initial=0.0))
    found, change = _sweeps(problem, parts, np.zeros((len(problem), 3)), tol, min(ENOUGH, most))
    if found.settled or change <= flat * scale:
        return found
    found, change = _sweeps(problem, 2.0 * parts, found.lam, tol, most)
    return cone(replace(problem, start=found.lam), tol=tol, most=most) if change > POOR * scale else found


def _sweeps(problem: Problem, parts: NDArray, lam: NDArray, tol: float, most: int) -> tuple[Impulses, float]:
    """What sweeps find from lam (m, 3) on, and the largest correction of a velocity in the last one, m/s."""
    W, b, mu, m = problem.W, problem.b, problem.mu, len(problem)
    own = parts[:, None, None] * np.einsum("iaib->iab", W.reshape(m, 3, m, 3))
    n, t = (parts * slope for slope in problem.slopes())
    inverse = np.array([own_inverse(block) for block in own])
    weight = np.column_stack([n, t, t])
    n, t = np.where(n > 0.0, n, 1.0), np.where(t > 0.0, t, 1.0)[:, None]
    momentum, worst = Momentum(weight.ravel()), np.inf
    for sweep in range(1, most + 1):
        wrong = (W @ lam.ravel() + b).reshape(m, 3)
        new = lam - np.einsum("iab,ib->ia", inverse, wrong)
        holds = (inverse[:, 0, 0] > 0.0) & (new[:, 0] > 0.0) & (np.hypot(new[:, 1], new[:, 2]) <= mu * new[:, 0])
        alpha = np.maximum(0.0, lam[:, 0] - wrong[:, 0] / n)
        slip = wrong[:, 1:] + own[:, 1:, 0] * (alpha - lam[:, 0])[:, None]
        beta = in_disc(lam[:, 1:] - slip / t, mu * alpha)
        beta = np.where(weight[:, 1:] > 0.0, beta, lam[:, 1:])
        new = np.where(holds[:, None], new, np.column_stack([alpha, beta]))
        new = np.where(weight[:, :1] > 0.0, new, lam)
        change = weight * (new - lam)
        worst = float(np.maximum(np.abs(change[:, 0]), np.hypot(change[:, 1], change[:, 2])).max(initial=0.0))
        if worst <= tol or sweep == most:
            break
        lam = momentum.ahead(sweep, lam.ravel(), new.ravel()).reshape(m, 3)
    return Impulses(new, sweep, worst <= tol), worst
