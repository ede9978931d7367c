"""Contact and friction by projected Gauss-Seidel iteration with circular friction cones.

Each sweep updates the points in turn, with the newest impulses of all others. A point is solved by its own 3 x 3 block
of W: if the impulse that stops it entirely lies in the cone it is taken (sticking); else the normal impulse is solved
first and the tangential one after it, projected onto the disc of radius mu alpha (sliding). A fixed point of this
obeys Signorini's and Coulomb's laws exactly, without a polyhedral cone and without the lift-off of a convex
relaxation.

Gauss-Seidel is slow where impulses travel through many bodies. Sweeps therefore begin at a point extrapolated along
the last change (Nesterov 1983), and the extrapolation restarts where it opposes the last update (O'Donoghue and Candes
2015); see `rbdkit.engine.contact.momentum`, which is the same in the compiled loop.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.momentum import FIRST, LAST
from rbdkit.engine.contact.rows import REGULAR
from rbdkit.laws.problem import Impulses, Problem


def cone(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Solve a friction problem by projected Gauss-Seidel sweeps over the points, in the order of the rows.

    Each point takes the impulse that arrests it entirely, if that pushes and lies in the cone; else the normal impulse
    that stops the approach, or none, and then the tangential one that arrests the sliding, cut to the disc of radius
    mu alpha. From the fifth sweep on each begins at an extrapolated point, see `Momentum`.

    Parameters
    ----------
    tol : float
        Sweeps end once none of their corrections changes a velocity by more than this, m/s.
    most : int
        Largest number of sweeps. If they are not enough, the last impulses are returned with ``settled = False``.
    """
    W, b, mu = problem.W, problem.b, problem.mu.tolist()
    m = len(mu)
    lam = np.array(problem.start, dtype=float).ravel()
    slopes = problem.slopes()
    normal, tangential = slopes[0].tolist(), slopes[1].tolist()
    places = [slice(3 * i, 3 * i + 3) for i in range(m)]
    rows, start, inverse = [W[k] for k in places], [b[k] for k in places], [own_inverse(W[k, k]) for k in places]
    momentum = Momentum(np.column_stack([slopes[0], slopes[1], slopes[1]]).ravel())
    for sweep in range(1, most + 1):
        worst, begun = 0.0, lam.copy()
        for i in range(m):
            n, t, limit = normal[i], tangential[i], mu[i]
            if n <= 0.0:
                continue  # nothing here can move; what remains is the residual
            old = lam[places[i]].tolist()
            wrong = rows[i] @ lam + start[i]
            new = (old - inverse[i] @ wrong).tolist()
            if not (inverse[i][0, 0] > 0.0 and new[0] > 0.0 and np.hypot(new[1], new[2]) <= limit * new[0]):
                alpha = max(0.0, old[0] - float(wrong[0]) / n)
                new = [alpha, *old[1:]]
                if t > 0.0:
                    slip = wrong[1:] + rows[i][1:, 3 * i] * (alpha - old[0])
                    y, z = old[1] - float(slip[0]) / t, old[2] - float(slip[1]) / t
                    size = float(np.hypot(y, z))
                    part = limit * alpha / size if size > limit * alpha else 1.0
                    new = [alpha, part * y, part * z]
            worst = max(worst, n * abs(new[0] - old[0]), t * math.hypot(new[1] - old[1], new[2] - old[2]))
            lam[places[i]] = new
        if worst <= tol:
            return Impulses(lam.reshape(m, 3), sweep)
        if sweep < most:
            lam = momentum.ahead(sweep, begun, lam)
    return Impulses(lam.reshape(m, 3), most, False)


def own_inverse(block: NDArray) -> NDArray:
    """Invert the (3, 3) block of one point; return zeros if it is singular, so that the point never counts as sticking.

    Blocks are singular where a point cannot move along an axis, as across the plane of a planar mechanism.
    """
    regular = np.linalg.det(block) > REGULAR * float(np.prod(np.diag(block)))
    return np.linalg.inv(block) if regular else np.zeros((3, 3))


class Momentum:
    """Nesterov's extrapolation between sweeps, with restarts; see `rbdkit.engine.contact.momentum`.

    Parameters
    ----------
    weight : (n,) velocity that a unit of each impulse gives to its own point, 1/kg; it makes the restart test a
        product of velocities and impulses.
    """

    def __init__(self, weight: NDArray) -> None:
        self._weight, self._t = weight, 1.0
        self._earlier: NDArray | None = None

    def ahead(self, sweep: int, begun: NDArray, lam: NDArray) -> NDArray:
        """Return the impulses (n,) from which the next sweep begins, after a sweep that took begun (n,) to lam (n,)."""
        if not FIRST <= sweep <= LAST:
            return lam
        earlier, self._earlier = self._earlier, lam.copy()
        if earlier is None:
            return lam
        way = lam - earlier
        # restart where the update opposes the direction of travel: there extrapolation overshoots and would oscillate
        if not float((self._weight * (lam - begun)) @ way) > 0.0:
            self._t = 1.0
            return lam
        t, self._t = self._t, 0.5 + 0.5 * float(np.sqrt(1.0 + 4.0 * self._t**2))
        return lam + (t - 1.0) / self._t * way
