"""Forces at lasting contacts, and the accelerations under them, with friction that sticks or slides.

The acceleration-level contact problem of Featherstone (2008, chapter 11): Signorini's law between normal forces and
accelerations, Coulomb's law for friction. `_forces` tries the cheapest form first: without friction a convex quadratic
program; with friction all points as equality constraints, accepted if no force pulls or leaves its cone; else Newton's
method on the projected equations (`slow_points`), or Lemke's pivots if every point slides. Among forces with the same
effect on the motion the evenly shared ones are taken, so that the order of points decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import bias_acceleration
from rbdkit.algorithms.solvers import InfeasibleError, active_set, lemke
from rbdkit.engine.contact.one_point import in_disc
from rbdkit.laws.near import NOTHING, Near
from rbdkit.laws.scene import Scene
from rbdkit.laws.shares import least_shares
from rbdkit.laws.slow_points import rubbed

Key = tuple[int, int]
"""Pair and slot: identifies a contact point from step to step."""


class Mode(NamedTuple):
    """Sliding state of a current contact point.

    way : (3,) direction of sliding in world axes; None for a slow point, whose friction is solved for, not given.
    slips : whether it slides. A slow point that does not slide sticks: its velocity counts as zero.
    """

    way: NDArray | None = None
    slips: bool = False


Modes = dict[Key, Mode]
"""Mode of each current point."""

CLOSE = 1e-2
"""How far a point that lasts may be from touching inside a step, as a part of the length of the model."""
HOLDS = 1e-10
"""Acceleration up to which a point does not part, as a part of the largest one without forces."""
SLOW = 1e-9
"""Speed below which a direction of sliding says nothing, as a part of an ordinary one."""


@dataclass(frozen=True, eq=False)
class Sustained:
    """Forces, accelerations and velocities at the current contacts of one state.

    Attributes
    ----------
    rate : ndarray
        Time derivatives of velocities and of states of force elements.
    near : Near
        The contact points.
    lam, a, u : ndarray (m, 3)
        Forces, N, accelerations, m/s2, and velocities, m/s, along normal and tangents.
    grip : ndarray (m,)
        Largest deceleration that friction can give each point, m/s2.
    slip : ndarray (m, 2)
        Tangential velocities a time `ahead` later, m/s, which friction on slow points opposes; sticking points start
        from zero.
    scale : float
        Reference acceleration for tolerances, m/s2: gravity plus the largest one without contact forces.
    """

    rate: NDArray
    near: Near
    lam: NDArray
    a: NDArray
    u: NDArray
    grip: NDArray
    slip: NDArray
    scale: float

    @property
    def force(self) -> NDArray:
        """Contact forces on the successors in world axes, (m, 3), N."""
        return np.einsum("ik,ikj->ij", self.lam, self.near.axes)


def sustained(
    scene: Scene, t: float, q: NDArray, w: NDArray, modes: Modes, pushed: Mapping[Key, NDArray], ahead: float
) -> Sustained:
    """Compute accelerations and contact forces with the given points in contact.

    Friction on sliding points opposes their velocity u. Near u = 0 that direction is undefined and turns arbitrarily
    fast, so that the differential equation becomes arbitrarily stiff. Friction on slow points therefore opposes
    ``u + ahead a``, their velocity a little later: it arrests within that time what it can arrest, and lets the rest
    creep on in a straight line.

    Parameters
    ----------
    pushed : initial guess of the forces (3,) by point; among forces with the same effect the nearest ones are taken.
    ahead : time of that look ahead, s; the length of a step.

    Raises
    ------
    InfeasibleError
        If no forces keep the bodies apart, with the names of the contacts; where friction slides that may happen to
        two bodies alone (Painleve 1895).
    ConvergenceError
        If forces cannot be found.
    """
    nv = scene.model.nv
    rate = np.array(scene.system.rate(t, q, w))
    v = w[:nv]
    near, ordinary = moving(scene, t, q, v, modes), scene.speed**2 / scene.length
    if not len(near):
        none = np.zeros((0, 3))
        return Sustained(rate, NOTHING, none, none, none, np.zeros(0), np.zeros((0, 2)), ordinary)
    J = scene.rows(t, q, near)
    yields = scene.inverse(t, q).times(J.T)
    W = J @ yields
    u = J @ v + scene.carried(t, q, near)
    b = J @ rate[:nv] + _bias(scene, t, q, v, near)
    ways = [modes[key].way for key in near.keys]
    mu, axes = scene.friction[near.pair], near.axes
    way = np.zeros((len(near), 2))
    for i, before in enumerate(ways):
        if before is not None:
            # the present direction of sliding; near rest, where that is round-off, the former one
            own, old = u[3 * i + 1 : 3 * i + 3], axes[i, 1:] @ before
            way[i] = own if np.hypot(*own) > SLOW * scene.speed else old
            way[i] /= np.hypot(*way[i]) or 1.0
            if way[i] @ old < 0.0:
                way[i] = -way[i]  # friction turns at an event only, not in a step
    slow = np.array([before is None for before in ways]) & (mu > 0.0)
    start = np.array([pushed.get(key, (0.0, 0.0, 0.0)) for key in near.keys], dtype=float)
    sooner = b.reshape(-1, 3).copy()
    creeps = slow & np.array([modes[key].slips for key in near.keys])
    # friction opposes u + ahead a, which over ahead is a + u / ahead; sticking points start from u = 0
    sooner[:, 1:] += np.where(creeps[:, None], u.reshape(-1, 3)[:, 1:] / ahead, 0.0)
    lam = _forces(W, sooner.ravel(), mu, slow, way, start, scene.names(near))
    rate[:nv] += yields @ lam.ravel()
    a, u = (W @ lam.ravel() + b).reshape(-1, 3), u.reshape(-1, 3)
    # W maps forces to accelerations: its diagonal is the deceleration per newton of friction
    grip = mu * lam[:, 0] * np.maximum(np.diag(W)[1::3], np.diag(W)[2::3])
    slip = np.where((slow & ~creeps)[:, None], 0.0, u[:, 1:]) + ahead * a[:, 1:]
    return Sustained(rate, near, lam, a, u, grip, slip, ordinary + float(np.abs(b).max()))


def moving(scene: Scene, t: float, q: NDArray, v: NDArray, modes: Modes) -> Near:
    """Return the points of the current contacts, with the rates of points and normals."""
    if not modes:
        return NOTHING
    near = scene.pairs.moving(t, q, v, CLOSE * scene.length)
    if not len(near):
        return NOTHING
    return near.of(np.array([key in modes for key in near.keys]))


def _bias(scene: Scene, t: float, q: NDArray, v: NDArray, near: Near) -> NDArray:
    """Return the velocity-dependent accelerations (3 m,) along normals and tangents (Featherstone 2008, Eq 11.30)."""
    _, velocity = scene.motion(t, q, v)
    both = scene.pairs.bodies[near.pair]
    bodies = {int(body) for body in both.ravel() if body}
    acceleration = np.zeros((len(scene.model.bodies), 6))
    for body in bodies:
        if scene.kernels is not None:
            acceleration[body] = scene.kernels.bias_acceleration(q, v, body, np.eye(4), "world", t)
        else:
            acceleration[body] = bias_acceleration(scene.model, q, v, scene.model.bodies[body].name, "world", t=t)
    axes, turning = near.axes, np.cross(near.normal, near.normal_rate)
    axes_rate = np.cross(turning[:, None, :], axes)
    point, point_rate = near.point[:, None, :], near.point_rate[:, None, :]
    moment = np.cross(point_rate, axes) + np.cross(point, axes_rate)
    wrenches, rates = scene.wrenches(near), np.concatenate([moment, axes_rate], axis=-1)
    a, V = (x[both[:, 1]] - x[both[:, 0]] for x in (acceleration, velocity))
    bias = np.einsum("ijk,ik->ij", wrenches, a) + np.einsum("ijk,ik->ij", rates, V)
    if scene.stops is not None:
        here, rows = scene.stops.numbers(near)
        bias[here, 0] = -scene.stops.at(t, q, v).k[rows]
    return bias.ravel()


def _forces(
    W: NDArray, b: NDArray, mu: NDArray, slow: NDArray, way: NDArray, start: NDArray, names: tuple[str, ...]
) -> NDArray:
    """Solve for forces lam (m, 3): Signorini along normals, Coulomb's law on slow points, kinetic friction on others.

    Parameters
    ----------
    W, b : accelerations (3 m,) are ``W lam + b``. mu : (m,). slow : (m,) of bool. way : (m, 2) directions of sliding.
    start : (m, 3) initial guess. names : names of the points, for messages.
    """
    m = len(mu)
    pushes = np.zeros((3 * m, m))  # of unit normal forces with the friction of what slides
    for i in range(m):
        pushes[3 * i : 3 * i + 3, i] = (1.0, *(-mu[i] * way[i]))
    M = (W @ pushes)[::3]
    if not mu.any():
        # without friction M is the normal part of W, symmetric and positive semidefinite: a convex program
        lam = (pushes @ active_set(0.5 * (M + M.T), b[::3], names).lam).reshape(m, 3)
        made = W @ lam.ravel()
        holds = (made + b)[::3] <= HOLDS * float(max(np.abs(b).max(), np.abs(made).max()))
        return _shared(W, lam, mu, way, holds)
    lam, fits = _held(W, b, mu, slow, way, start)
    if fits:
        # all points are held as equations, so all are in contact and take part in the sharing
        return _shared(W, lam, mu, way, np.ones(m, dtype=bool))
    if slow.any():
        return rubbed(W, b, mu, slow, way, lam, names)
    return (pushes @ _sliding(M, b[::3], names)).reshape(m, 3)


def _shared(W: NDArray, lam: NDArray, mu: NDArray, way: NDArray, holds: NDArray) -> NDArray:
    """Return forces with the same effect as lam, shared evenly between points in contact, whatever their order."""
    rows = np.flatnonzero(holds)
    if len(rows) < 2:
        return lam
    three = (3 * rows[:, None] + np.arange(3)).ravel()
    found = lam.copy()
    found[rows] = least_shares(W[np.ix_(three, three)], lam[rows], mu[rows], way[rows]).lam
    moved = np.abs(W @ (found - lam).ravel()).max()  # by round-off, but where light bodies are between heavy ones
    return found if moved <= HOLDS * float(np.abs(W @ lam.ravel()).max()) else lam


def _sliding(M: NDArray, d: NDArray, names: tuple[str, ...]) -> NDArray:
    try:
        return lemke(M, d, names).lam
    except InfeasibleError as fault:
        raise InfeasibleError(
            f"{fault} With friction of what slides this is Painleve's paradox: an impulse without a blow would have to "
            "follow; take contact='time_stepping', which finds it",
            fault.certificate,
            fault.names,
        ) from None


def _held(W: NDArray, b: NDArray, mu: NDArray, slow: NDArray, way: NDArray, start: NDArray) -> tuple[NDArray, bool]:
    """Solve all points as equality constraints (Table 11.1, step 1); return forces, and whether they are admissible.

    They are if none pulls or leaves its friction cone. If not, they are projected, as a start for other solvers.
    """
    m = len(mu)
    columns = [np.eye(3 * m)[:, [3 * i, 3 * i + 1, 3 * i + 2]] for i in range(m)]
    for i in np.flatnonzero(~slow):
        # kinetic friction follows the normal force: one unknown, and one equation (along the normal) for such a point
        columns[i] = columns[i] @ np.array([[1.0], [-mu[i] * way[i, 0]], [-mu[i] * way[i, 1]]])
    rows = np.concatenate([[3 * i, 3 * i + 1, 3 * i + 2] if slow[i] else [3 * i] for i in range(m)])
    pushes = np.hstack(columns)
    A = (W @ pushes)[rows]
    first = np.where(slow[:, None], start[:, 1:], -mu[:, None] * way * start[:, :1])
    first = np.column_stack([start[:, 0], first]).ravel()
    # least squares: of all forces with the same effect those nearest to the guess
    lam = first - pushes @ np.linalg.lstsq(A, (W @ first + b)[rows], rcond=1e-11)[0]
    made = W @ lam
    held = np.abs((made + b)[rows]).max() <= 1e-9 * float(max(np.abs(b).max(), np.abs(made).max()))
    lam = lam.reshape(m, 3)
    inside = np.hypot(lam[:, 1], lam[:, 2]) <= mu * lam[:, 0]
    fits = bool(held and (lam[:, 0] >= 0.0).all() and (inside | ~slow).all())
    if not fits:
        lam[:, 0] = np.maximum(lam[:, 0], 0.0)
        cut = np.transpose(in_disc(lam[:, 1:].T, mu * lam[:, 0]))
        lam[:, 1:] = np.where(slow[:, None], cut, -(mu * lam[:, 0])[:, None] * way)
    return lam, fits
