"""How what a force element does changes with the motion of bodies and joints: its own rows of K and D."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.forces import BodyMotion, Surroundings
from rbdkit.model import Model
from rbdkit.model.element_states import state_places
from rbdkit.model.force import Force, surroundings
from rbdkit.model.kept import kept
from rbdkit.model.on_symbols import MechanismOnSymbols, require_pure, scalar
from rbdkit.spatial import se3
from rbdkit.trace import Feedback, Impure, Symbol, Trace, tangents

STEP = 1e-3
"""Of differences where formulas cannot be read, rad or m, rad/s or m/s: with four values they keep about 11 digits."""


@dataclass(frozen=True)
class Slopes:
    """Of one force element at one state.

    Attributes
    ----------
    bodies, velocities : tuple of int
        Numbers of the bodies, and of the velocity variables, that it acts on or looks at.
    K, D : ndarray (6 b + k, 6 b + k)
        ``df/dx`` and ``-df/dv``: forces are wrenches on the bodies, in rbdkit's body frames, and forces along the
        velocities; x and v are displacements and velocities of the same, in the same frames.
    """

    bodies: tuple[int, ...]
    velocities: tuple[int, ...]
    K: NDArray
    D: NDArray


def element_slopes(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0, z: NDArray | None = None) -> list[Slopes]:
    """K and D of every force element at one state, by the derivatives of its own formulas.

    Where these cannot be read, for they branch on values or call what is no NumPy, differences of what it does take
    their place. States of elements stay as they are.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    t : float, optional
        Time in s, for prescribed joints.
    z : ndarray (nz,), optional
        The states of force elements.
    """
    at = surroundings(model, q, qd, t)
    z = np.zeros(state_places(model).size) if z is None else z
    found = []
    for force, formulas in zip(model.acting, kept(model, _formulas), strict=True):
        found.append(_by_differences(model, force, q, qd, z, at) if formulas is None else formulas.at(q, qd, z, at))
    return found


@dataclass(frozen=True)
class _Formulas:
    """Derivatives of an element as operations on "q", "v", "z" and "body<i>"."""

    bodies: tuple[int, ...]
    velocities: tuple[int, ...]
    law: Feedback

    def at(self, q: NDArray, qd: NDArray, z: NDArray, at: Surroundings) -> Slopes:
        """At one state."""
        given = {"q": q.tolist(), "v": qd.tolist(), "z": z.tolist()}
        given |= {f"body{body}": _flat(at.motion(body)) for body in self.bodies}
        size = 6 * len(self.bodies) + len(self.velocities)
        values = np.array(self.law.value(lambda name, k: given[name][k]), dtype=float).reshape(2, size, size)
        return Slopes(self.bodies, self.velocities, values[0].T, -values[1].T)


def _formulas(model: Model) -> list[_Formulas | None]:
    """Of every element, None where they cannot be read."""
    return [_read(model, force) for force in model.acting]


def _read(model: Model, force: Force) -> _Formulas | None:
    mechanism = MechanismOnSymbols(model)
    graph = mechanism.graph
    try:
        require_pure(force.element, model)
        z = mechanism.load("z", state_places(model).size)
        element = mechanism.dressed(force.element).on_symbols(state_places(model).of(force, z))
        at = Surroundings(mechanism, mechanism.q, mechanism.v, mechanism.motion)
        at.let_act(element)
        torques, wrenches = dict(at.torques), dict(at.wrenches)
    except Impure:
        return None
    except Exception:  # a user's code on numbers that are not known yet: anything may go wrong in it
        return None
    bodies = tuple(sorted(body for body in mechanism.asked if body > 0))
    live = set(
        graph.live([x.position for x in (*map(scalar, torques.values()), *_numbers(wrenches)) if isinstance(x, Symbol)])
    )
    read = {
        a
        for joint in model.joints
        for a in range(joint.v_slice.start, joint.v_slice.stop)
        if any(graph.position(x) in live for x in (*mechanism.q[joint.q_slice], *mechanism.v[joint.v_slice]))
    }
    velocities = tuple(sorted({*torques, *read}))
    outputs: list[Any] = []
    for body in bodies:
        motion = mechanism.motion(body)
        wrench = wrenches.get(body, np.zeros(6))
        n, f = wrench[:3] - np.cross(motion.p, wrench[3:]), wrench[3:]
        outputs += [*(motion.R.T @ n), *(motion.R.T @ f)]
    outputs += [scalar(torques.get(a, 0.0)) for a in velocities]
    places = [x.position for x in outputs if isinstance(x, Symbol)]
    rates: list[Any] = []
    for level in ("x", "v"):
        seeds = [_seeds(mechanism, body, e, level) for body in bodies for e in np.eye(6)]
        seeds += [_joint_seeds(mechanism, a, level) for a in velocities]
        for seed in seeds:
            found = iter(tangents(graph, places, seed))
            rates += [next(found) if isinstance(x, Symbol) else 0.0 for x in outputs]
    results = tuple(x if isinstance(x, Symbol) else float(x) for x in rates)
    return _Formulas(bodies, velocities, Feedback.of(Trace(graph, (), (), results, ()), mechanism.given))


def _numbers(wrenches: dict[int, NDArray]) -> list[Any]:
    return [scalar(x) for wrench in wrenches.values() for x in wrench]


def _seeds(mechanism: MechanismOnSymbols, body: int, e: NDArray, level: str) -> dict[int, Any]:
    """How the numbers of a body's motion change along a displacement, or a twist, e in its own frame (Eq 1.34)."""
    motion, graph = mechanism.motion(body), mechanism.graph
    turn, shift = motion.R @ e[:3], motion.R @ e[3:]
    if level == "v":
        changes = [*zip(motion.w, turn, strict=True), *zip(motion.v, shift, strict=True)]
    else:  # the twist keeps its numbers in the body frame, so its world axes turn with the body
        changes = [
            *zip(motion.R.ravel(), np.cross(turn, motion.R.T).T.ravel(), strict=True),
            *zip(motion.p, shift, strict=True),
            *zip(motion.w, np.cross(turn, motion.w), strict=True),
            *zip(motion.v, np.cross(turn, motion.v), strict=True),
        ]
    return {graph.position(x): scalar(rate) for x, rate in changes}


def _joint_seeds(mechanism: MechanismOnSymbols, a: int, level: str) -> dict[int, Any]:
    """How coordinates change along a velocity variable, or that variable itself."""
    graph = mechanism.graph
    if level == "v":
        return {graph.position(mechanism.v[a]): 1.0}
    joint = next(j for j in mechanism.model.joints if j.mimic is None and j.v_slice.start <= a < j.v_slice.stop)
    own = mechanism.q[joint.q_slice]
    unit = np.eye(joint.nv)[a - joint.v_slice.start]
    rates = np.ravel(joint.type.rate(own, unit))
    return {graph.position(x): scalar(rate) for x, rate in zip(own, rates, strict=True)}


def _flat(motion: BodyMotion) -> list[float]:
    return [*motion.R.ravel().tolist(), *motion.p.tolist(), *motion.w.tolist(), *motion.v.tolist()]


def _by_differences(model: Model, force: Force, q: NDArray, qd: NDArray, z: NDArray, at: Surroundings) -> Slopes:
    """By four values along each line."""
    asked: set[int] = set()
    element = state_places(model).at_present(force, z)

    def act(motions: dict[int, BodyMotion], q: NDArray, v: NDArray) -> Surroundings:
        def motion(body: int) -> BodyMotion:
            asked.add(body)
            return motions.get(body, at.motion(body))

        here = Surroundings(model, q, v, motion)
        here.let_act(element)
        return here

    act({}, q, qd)
    bodies = tuple(sorted(body for body in asked if body > 0))
    velocities = tuple(range(model.nv))

    def forces(moved: dict[int, BodyMotion], q: NDArray, v: NDArray) -> NDArray:
        there, rows = act(moved, q, v), []
        for body in bodies:
            motion, wrench = moved.get(body, at.motion(body)), there.wrenches.get(body, np.zeros(6))
            n = wrench[:3] - np.cross(motion.p, wrench[3:])
            rows += [motion.R.T @ n, motion.R.T @ wrench[3:]]
        return np.concatenate([np.zeros(0), *rows, [float(there.torques.get(a, 0.0)) for a in velocities]])

    columns: dict[str, list[NDArray]] = {"x": [], "v": []}
    for level, found in columns.items():
        for body in bodies:
            for e in np.eye(6):
                found.append(
                    _slope(
                        [forces({body: _moved(at.motion(body), s * STEP * e, level)}, q, qd) for s in (-2, -1, 1, 2)]
                    )
                )
        for e in np.eye(model.nv):
            steps = [s * STEP * e for s in (-2, -1, 1, 2)]
            if level == "x":
                found.append(_slope([forces({}, model.move(q, step), qd) for step in steps]))
            else:
                found.append(_slope([forces({}, q, qd + step) for step in steps]))
    size = 6 * len(bodies) + len(velocities)
    K, D = (np.reshape(found, (size, size)).T for found in columns.values())
    return Slopes(bodies, velocities, K, -D)


def _moved(motion: BodyMotion, u: NDArray, level: str) -> BodyMotion:
    """A body displaced by u, or with its twist changed by u, in its own frame."""
    R = motion.R
    if level == "v":
        return BodyMotion(R, motion.p, motion.w + R @ u[:3], motion.v + R @ u[3:])
    E = se3.pose(R, motion.p) @ se3.exp(u)
    turn = E[:3, :3] @ R.T
    return BodyMotion(E[:3, :3], E[:3, 3], turn @ motion.w, turn @ motion.v)


def _slope(values: Sequence[NDArray]) -> NDArray:
    """From values at -2, -1, 1 and 2 times `STEP`."""
    return (values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * STEP)
