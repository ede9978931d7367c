"""Impact laws: velocities after collisions, with Newton's restitution and Coulomb friction.

An impact changes velocities at once, so the equations of motion become ``u_after = W lam + u_before`` at the points,
with impulses lam and the Delassus matrix W (Featherstone 2008, section 11.7). With the rebound e u_n added to the
approach velocity this is the same complementarity problem with friction as in time stepping, see `Problem`.

`at_once` solves one problem for all points together; `one_by_one` lets impacts travel from pair to pair, the hardest
first, as in Newton's cradle. The two differ wherever a body touches several others, and rigid-body mechanics decides
for neither: the user chooses by ``contact="rigid"`` or ``contact="impulse"``.

Problems are solved almost to round-off, since the event-driven laws decide from the velocities afterwards which points
stay in contact. If points are redundant, even shares are taken (`even_cone`), so that friction does not depend on the
order of the points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.solvers import active_set
from rbdkit.errors import ConvergenceError
from rbdkit.laws.cone import cone
from rbdkit.laws.even_cone import even_cone
from rbdkit.laws.near import Near
from rbdkit.laws.problem import Problem
from rbdkit.laws.scene import Scene
from rbdkit.laws.shares import redundant
from rbdkit.spatial.read_numbers import shown

FEW = 2000
"""Number of sweeps after which impulses are looked at for the first time."""
MOST = 100000
"""Largest number of successive collisions, or of sweeps of a solver."""
TIED = 1e-6
"""Collisions whose speeds differ by less than this part of the hardest count as simultaneous: their order would be
decided by round-off."""


@dataclass(frozen=True, eq=False)
class Blow:
    """The result of an impact: impulses `lam` at the points (m, 3), N s, velocities there before and after (m, 3), m/s,
    joint velocities `v` afterwards (nv,), and the work of each impulse (m, 3), J."""

    lam: NDArray
    before: NDArray
    after: NDArray
    v: NDArray
    work: NDArray

    @property
    def lost(self) -> tuple[float, float]:
        """Energy dissipated by normal impulses and by friction, J."""
        return -float(self.work[:, 0].sum()), -float(self.work[:, 1:].sum())


Strike = Callable[[Scene, float, NDArray, NDArray, Near, float], Blow]


def at_once(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near, slowest: float) -> Blow:
    """Resolve an impact at all points at once: ``u_n + e u_n(before) >= 0``, no pull, friction in its cone.

    This is step 4 of Featherstone's Table 11.1. Restitution acts where bodies approach faster than `slowest`, m/s.
    The impact does not travel along a row of balls; for that see `one_by_one`.

    Raises
    ------
    InfeasibleError
        If no impulses part the bodies, with the names of the contacts.
    ConvergenceError
        If impulses cannot be found.
    """
    yields, W, u = _response(scene, t, q, v, near)
    lam = _arrest(W, _restored(u, scene.restitution[near.pair], slowest), scene.friction[near.pair], scene.names(near))
    after = u + W @ lam.ravel()
    # at the mean velocity: summed over the points this is the change of kinetic energy exactly, which is quadratic
    work = 0.5 * lam * (u + after).reshape(-1, 3)
    return Blow(lam, u.reshape(-1, 3), after.reshape(-1, 3), v + yields @ lam.ravel(), work)


def one_by_one(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near, slowest: float) -> Blow:
    """Resolve an impact as a sequence of collisions between two bodies each, the hardest first, until all separate.

    All points at which two rigid bodies touch take part in their collision together, and equally hard collisions happen
    together, so that nothing depends on the order of bodies or points. A collision at one point sticks where friction
    can arrest the sliding (Featherstone 2008, Eqs 11.66-11.72), else its impulse lies on the cone. Thus impacts travel
    along a row of balls as in experiments, and a box that falls flat does not turn.

    Raises
    ------
    InfeasibleError
        If no impulse can part two bodies, as neither of them can give way, with the name of the contact.
    ConvergenceError
        If there is no end of collisions.
    """
    yields, W, u = _response(scene, t, q, v, near)
    m = len(near)
    e, mu = scene.restitution[near.pair], scene.friction[near.pair]
    lam, work, before = np.zeros(3 * m), np.zeros((m, 3)), u.reshape(-1, 3).copy()
    names, couples = scene.names(near), scene.couples(near)
    # approach at less than round-off of the velocities is none; without this limit collisions would never end
    still = 1e-13 * float(np.abs(u).max())
    for _ in range(MOST):
        arriving = np.zeros(couples.max() + 1)
        np.maximum.at(arriving, couples, -u[::3])
        hardest = float(arriving.max())
        if hardest <= still:
            break
        points = np.flatnonzero((arriving >= (1.0 - TIED) * hardest)[couples])
        own = (3 * points[:, None] + np.arange(3)).ravel()
        # each collision restores its own approach velocity, which includes what earlier collisions passed on
        b = _restored(u[own], e[points], slowest)
        called = tuple(names[i] for i in points.tolist())
        impulse = _arrest(W[np.ix_(own, own)], b, mu[points], called).ravel()
        change = W[:, own] @ impulse
        work[points] += (impulse * (u[own] + 0.5 * change[own])).reshape(-1, 3)
        u = u + change
        lam[own] += impulse
    else:
        raise ConvergenceError(f"collisions of {shown(names)} have no end within {MOST}; take contact='rigid'")
    return Blow(lam.reshape(m, 3), before, u.reshape(m, 3), v + yields @ lam, work)


def _restored(u: NDArray, e: NDArray, slowest: float) -> NDArray:
    """Return b (3 m,) of an impact's friction problem: the velocities, plus ``e u_n`` along approaching normals."""
    b = u.copy()
    b[::3] += np.where(u[::3] < -slowest, e, 0.0) * np.minimum(u[::3], 0.0)
    return b


def _arrest(W: NDArray, b: NDArray, mu: NDArray, names: tuple[str, ...]) -> NDArray:
    """Solve for impulses (m, 3) with ``u_n >= 0``, no pull, and friction in its cone, where ``u = W lam + b``."""
    m = len(mu)
    lam = np.zeros((m, 3))
    if not mu.any():
        lam[:, 0] = active_set(W[::3, ::3], b[::3], names).lam
        return lam
    size = float(np.abs(b).max())
    if m == 1 and b[0] < 0.0:
        sticking = -np.linalg.lstsq(W, b, rcond=1e-12)[0]  # Eq 11.72; what moves in a plane has no answer across it
        arrested = np.abs(W @ sticking + b).max() <= 1e-9 * size
        if arrested and np.hypot(sticking[1], sticking[2]) <= mu[0] * sticking[0]:
            return sticking[None]
    # many impulses have the same effect if W is singular: then friction must not depend on which come first
    problem, even = Problem(W, b, mu, names, lam), redundant(W)
    for most in (FEW, MOST):
        if even:
            # as many parts as points: no mass is moved by more of them
            found = even_cone(problem, np.full(m, m), tol=1e-13 * size, most=most, flat=0.0)
        else:
            found = cone(problem, tol=1e-13 * size, most=most)
        off = problem.residual(found.lam)  # which sweeps that pass by what cannot give way leave
        if off <= (1e-9 if found.settled else 1e-11) * size:  # round-off may keep corrections above their tolerance
            return found.lam
    active_set(W[::3, ::3], b[::3], names)  # says which points nothing can part
    raise ConvergenceError(f"impulses at {shown(names)} were not found in {MOST} sweeps; take less friction")


def _response(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near) -> tuple[NDArray, NDArray, NDArray]:
    J = scene.rows(t, q, near)
    yields = scene.inverse(t, q).times(J.T)
    W = J @ yields
    return yields, 0.5 * (W + W.T), J @ v + scene.carried(t, q, near)
