"""Contact and friction by projected Gauss-Seidel iteration with circular friction cones.

A sweep updates the points in turn, each with the newest impulses of all others: the point sticks if the impulse that
stops it pushes and lies in its friction cone; otherwise it separates or slides (`rbdkit.engine.contact.one_point`). An
impulse that no update changes obeys Signorini's and Coulomb's laws exactly, without a polyhedral cone and without the
lift-off of a convex relaxation.

Gauss-Seidel is slow where impulses travel through many bodies. Sweeps therefore begin at a point extrapolated along
the last change (Nesterov 1983), and the extrapolation restarts where it opposes the last update (O'Donoghue and Candes
2015); see `rbdkit.engine.contact.momentum`, which is the same in the compiled loop.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.momentum import FIRST, LAST
from rbdkit.engine.contact.one_point import arrested, own_inverse, slid, steepest, sticks
from rbdkit.laws.problem import Impulses, Problem


def cone(problem: Problem, *, tol: float, most: int) -> Impulses:
    """Solve a friction problem by projected Gauss-Seidel sweeps over the points, in the order of the rows.

    From the fifth sweep on each begins at an extrapolated point, see `Momentum`.

    Parameters
    ----------
    tol : float
        Sweeps end once none of their corrections changes a velocity by more than this, m/s.
    most : int
        Largest number of sweeps. If they are not enough, the last impulses are returned with ``settled = False``.
    """
    W, b, m = problem.W, problem.b, len(problem)
    lam = np.array(problem.start, dtype=float).ravel()
    own, frictions = problem.own_blocks(), problem.each()
    # plain floats: the loop handles three numbers at a time, for which NumPy's calls would take most of the time
    n, t, inverse = own[0].tolist(), steepest(*own[3:]).tolist(), np.transpose(own_inverse(*own)).tolist()
    coupling = np.transpose(own[1:3]).tolist()
    places = [slice(3 * i, 3 * i + 3) for i in range(m)]
    rows, start = [W[k] for k in places], [b[k] for k in places]
    momentum = Momentum(np.column_stack([n, t, t]).ravel())
    for sweep in range(1, most + 1):
        worst, begun = 0.0, lam.copy()
        for i in range(m):
            old, wrong = lam[places[i]].tolist(), (rows[i] @ lam + start[i]).tolist()
            new = arrested(old, wrong, inverse[i])
            if not sticks(new, inverse[i], frictions[i]):
                new = slid(old, wrong, n[i], t[i], coupling[i], frictions[i])
            # a change of impulse counts by the velocity that it gives its own point, so one tolerance fits light and
            # heavy bodies
            worst = max(worst, n[i] * abs(new[0] - old[0]), t[i] * math.hypot(new[1] - old[1], new[2] - old[2]))
            lam[places[i]] = new
        if worst <= tol:
            return Impulses(lam.reshape(m, 3), sweep)
        # never after the last sweep: an extrapolated impulse may lie outside its cone
        if sweep < most:
            lam = momentum.ahead(sweep, begun, lam)
    return Impulses(lam.reshape(m, 3), most, False)


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
