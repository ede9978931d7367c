"""Blows: velocities after contacts that met with speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.solvers import active_set
from rbdkit.errors import ConvergenceError
from rbdkit.laws.cone import cone
from rbdkit.laws.near import Near
from rbdkit.laws.problem import Problem
from rbdkit.laws.scene import Scene
from rbdkit.spatial.read_numbers import shown

MOST = 100000
"""Collisions one after the other, or sweeps."""


@dataclass(frozen=True, eq=False)
class Blow:
    """Impulses at points (m, 3), N s, velocities there before and after (m, 3), m/s, and v after, (nv,)."""

    lam: NDArray
    before: NDArray
    after: NDArray
    v: NDArray
    work: NDArray

    @property
    def lost(self) -> tuple[float, float]:
        """Energy taken by normal impulses and by friction, J."""
        return -float(self.work[:, 0].sum()), -float(self.work[:, 1:].sum())


Strike = Callable[[Scene, float, NDArray, NDArray, Near, float], Blow]


def at_once(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near, slowest: float) -> Blow:
    """All points at once: ``u_n + e u_n(before) >= 0`` with no pull, and friction in its cone (Table 11.1, step 4).

    Restitution acts where bodies approach faster than `slowest`, in m/s. A row of balls is not a row of collisions
    then: compare `one_by_one`.

    Raises
    ------
    InfeasibleError
        If no impulses part the bodies, with the names of the contacts.
    ConvergenceError
        If impulses cannot be found.
    """
    yields, W, u = _response(scene, t, q, v, near)
    e, mu = scene.restitution[near.pair], scene.friction[near.pair]
    b = u.copy()
    b[::3] += np.where(u[::3] < -slowest, e, 0.0) * np.minimum(u[::3], 0.0)
    names = scene.names(near)
    lam = np.zeros((len(near), 3))
    if mu.any():
        size, problem = float(np.abs(b).max()), Problem(W, b, mu, names, lam)
        found = cone(problem, tol=1e-13 * size, most=MOST)
        if not found.settled or problem.residual(found.lam) > 1e-9 * size:  # sweeps pass by what cannot give way
            active_set(W[::3, ::3], b[::3], names)  # says which points nothing can part
            raise ConvergenceError(f"impulses at {shown(names)} were not found in {MOST} sweeps; take less friction")
        lam = found.lam
    else:
        lam[:, 0] = active_set(W[::3, ::3], b[::3], names).lam
    after = u + W @ lam.ravel()
    work = 0.5 * lam * (u + after).reshape(-1, 3)
    return Blow(lam, u.reshape(-1, 3), after.reshape(-1, 3), v + yields @ lam.ravel(), work)


def one_by_one(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near, slowest: float) -> Blow:
    """Collisions one after the other, each as if its two bodies were alone, the hardest first, until all part.

    Each of them sticks where friction can arrest the sliding (Featherstone 2008, Eqs 11.66-11.72), else its impulse
    lies on the cone. So blows run along a row of balls as they do on the table.

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
    names = scene.names(near)
    still, moved = 1e-14 * (1.0 + float(np.abs(u).max())), 1e-12 * float(np.diag(W).max())
    for _ in range(MOST):
        i = int(np.argmin(u[::3]))
        arriving = float(u[3 * i])
        if arriving >= -still:
            break
        own = slice(3 * i, 3 * i + 3)
        b = u[own].copy()
        b[0] += (e[i] if arriving < -slowest else 0.0) * arriving
        if W[3 * i, 3 * i] <= moved:
            active_set([[0.0]], b[:1], names[i : i + 1])  # says which point nothing can part
        if mu[i] == 0.0:
            impulse = np.array([-b[0] / W[3 * i, 3 * i], 0.0, 0.0])
        else:
            impulse = _struck(W[own, own], b, float(mu[i]), names[i])
        change = W[:, own] @ impulse
        work[i] += impulse * (u[own] + 0.5 * change[own])
        u = u + change
        lam[own] += impulse
    else:
        raise ConvergenceError(f"collisions of {shown(names)} have no end within {MOST}; take contact='rigid'")
    return Blow(lam.reshape(m, 3), before, u.reshape(m, 3), v + yields @ lam, work)


def _struck(W: NDArray, b: NDArray, mu: float, name: str) -> NDArray:
    """The impulse (3,) of one collision with friction: sticking if that lies in the cone, else sliding."""
    sticking = -np.linalg.lstsq(W, b, rcond=1e-12)[0]  # Eq 11.72; what moves in a plane has no answer across it
    arrested = np.abs(W @ sticking + b).max() <= 1e-9 * np.abs(b).max()
    if arrested and np.hypot(sticking[1], sticking[2]) <= mu * sticking[0]:
        return sticking
    one = Problem(W, b, np.array([mu]), (name,), np.zeros((1, 3)))
    found = cone(one, tol=1e-14 * float(np.abs(b).max()), most=MOST)
    if not found.settled:
        raise ConvergenceError(f"the impulse at {name!r} was not found in {MOST} sweeps; take less friction")
    return found.lam[0]


def _response(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near) -> tuple[NDArray, NDArray, NDArray]:
    J = scene.rows(t, q, near)
    yields = scene.inverse(t, q).times(J.T)
    W = J @ yields
    return yields, 0.5 * (W + W.T), J @ v + scene.carried(t, q, near)
