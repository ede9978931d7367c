"""Contact and friction by sweeps from point to point: projected Gauss-Seidel with circular cones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.momentum import FIRST, LAST
from rbdkit.engine.contact.rows import REGULAR
from rbdkit.laws.problem import Impulses, Problem


def cone(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Take the points one by one, each in the light of what the others push just then; again and again.

    At each point first the impulse that arrests it altogether, if that pushes and lies in the cone; else the normal
    impulse that stops it there, or none, and then the tangential one that arrests the sliding, cut to the disc of
    radius mu alpha. What stands still under that obeys Signorini and Coulomb exactly, with no pyramid and no lifting
    off. After a few sweeps each begins a little farther on the way of the two before it, see `Momentum`.

    Parameters
    ----------
    tol : float
        Largest correction of a velocity in a sweep that ends it, m/s.
    most : int
        Sweeps. Where they are not enough, the impulses of the last one are given, not settled.
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
    """Of a point's own block (3, 3); zero where an impulse does nothing, or nothing new."""
    regular = np.linalg.det(block) > REGULAR * float(np.prod(np.diag(block)))
    return np.linalg.inv(block) if regular else np.zeros((3, 3))


class Momentum:
    """Nesterov's weights, which begin anew where the way turns back; `rbdkit.engine.contact.momentum` says more.

    Parameters
    ----------
    weight : (n,) of each impulse: the velocity that it gives to its own point.
    """

    def __init__(self, weight: NDArray) -> None:
        self._weight, self._t = weight, 1.0
        self._earlier: NDArray | None = None

    def ahead(self, sweep: int, begun: NDArray, lam: NDArray) -> NDArray:
        """Where the next sweep is to begin, (n,), after the one of that number, which took begun (n,) to lam (n,)."""
        if not FIRST <= sweep <= LAST:
            return lam
        earlier, self._earlier = self._earlier, lam.copy()
        if earlier is None:
            return lam
        way = lam - earlier
        if not float((self._weight * (lam - begun)) @ way) > 0.0:
            self._t = 1.0
            return lam
        t, self._t = self._t, 0.5 + 0.5 * float(np.sqrt(1.0 + 4.0 * self._t**2))
        return lam + (t - 1.0) / self._t * way
