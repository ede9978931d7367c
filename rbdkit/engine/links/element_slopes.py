"""Wrenches, stiffness and damping of force elements, with all derivatives, from their trace.

In the coordinates of Sueda's notes: wrenches and twists of a body in its own axes, angular part first. ``K = df/dE`` is
by such displacements at constant twists, ``D = -df/dPhi`` by the twists (Eq 1.30). The trace of one element serves all
of its make, so a thousand springs are computed in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.alike import made_of
from rbdkit.engine.links.element_differences import differenced
from rbdkit.engine.links.own_forces import Record
from rbdkit.engine.links.own_joints import on_symbols
from rbdkit.errors import ModelError
from rbdkit.forces import Surroundings
from rbdkit.model import Model
from rbdkit.model.force import Force, surroundings
from rbdkit.model.kept import kept, require_as_recorded
from rbdkit.model.on_symbols import MOTION, recording, scalar
from rbdkit.trace import Feedback, Impure, Scalar, Symbol, evaluate, roomy, symbols, tangents


class Slopes(NamedTuple):
    """Forces on n bodies and nv velocities with their derivatives: 6 n rows of bodies, then those of joints.

    Attributes
    ----------
    f : ndarray (6 n + nv,)
        Wrenches and joint forces.
    rows, columns : ndarray (k,)
        Places of the entries of K and D that may be nonzero; entries with the same place add up.
    K, D : ndarray (k,)
        These entries.
    """

    f: NDArray
    rows: NDArray
    columns: NDArray
    K: NDArray
    D: NDArray


@dataclass(frozen=True)
class _Law:
    """Traced law of one row of numbers: the motions of `bodies` bodies, q, v, z, and parameters.

    velocities : velocity variables that it acts on. directions : those that it depends on. asks_joints : whether q, v
    and z are in the row.
    """

    law: Feedback
    bodies: int
    velocities: tuple[int, ...]
    directions: tuple[int, ...]
    asks_joints: bool


@dataclass(frozen=True, eq=False)
class _Alike:
    """Elements of one make, and the bodies of each."""

    law: _Law
    forces: list[Force] = field(default_factory=list)
    bodies: list[tuple[int, ...]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Recorded:
    """The elements of a model: those that could be traced, and the errors of the others."""

    groups: list[_Alike]
    faults: list[tuple[Force, ModelError]]


def slopes(
    model: Model,
    q: NDArray,
    v: NDArray,
    z: NDArray,
    t: float = 0.0,
    *,
    at: Surroundings | None = None,
    or_differences: bool = False,
) -> Slopes:
    """Return forces and derivatives of all force elements at one state: q (nq,), v (nv,), z (nz,), and t in s.

    at : motions of the bodies; by default those that the joints give.
    or_differences : whether elements that cannot be traced are differentiated by finite differences.

    Raises
    ------
    ModelError
        If an element cannot be traced, and is not to be differenced: it branches on values, keeps state of its own, or
        calls functions that do not take symbols.
    """
    recorded = kept(model, _recorded)
    if recorded.faults and not or_differences:
        raise recorded.faults[0][1]
    n = len(model.bodies) - 1
    f = np.zeros(6 * n + model.nv)
    parts: list[tuple[NDArray, NDArray, NDArray, NDArray]] = []
    at = surroundings(model, q, v, t) if at is None else at
    motion = at.motion
    with np.errstate(all="ignore"):
        for alike in recorded.groups:
            law, given = alike.law, []
            for force, bodies in zip(alike.forces, alike.bodies, strict=True):
                here = [motion(body) for body in bodies]
                row = [x for m in here for x in (m.R.ravel(), m.p, m.w, m.v)]
                row += [q, v, z] if law.asks_joints else []
                row += [np.ravel(x) for x in force.element.parameters().values()]
                given.append(np.concatenate([np.zeros(0), *row]))
            # all elements of a make in one call: each is one of the call's states, its numbers in the place of q
            found = evaluate(law.law, np.full(len(given), t), np.array(given), np.zeros((len(given), 0)))
            m = 6 * law.bodies + len(law.velocities)
            k = 6 * law.bodies + len(law.directions)
            K, D = (found[:, m + x : m + x + m * k].reshape(len(found), m, k) for x in (0, m * k))
            for bodies, value, own_K, own_D in zip(alike.bodies, found, K, D, strict=True):
                places = [np.arange(6 * (body - 1), 6 * body) for body in bodies]
                rows = np.concatenate([*places, 6 * n + np.array(law.velocities, dtype=int)]).astype(int)
                columns = np.concatenate([*places, 6 * n + np.array(law.directions, dtype=int)]).astype(int)
                np.add.at(f, rows, value[:m])
                parts.append((np.repeat(rows, k), np.tile(columns, m), own_K.ravel(), own_D.ravel()))
    for force, _ in recorded.faults:
        one = differenced(model, force, q, v, z, at)
        places = [np.arange(6 * (body - 1), 6 * body) for body in one.bodies]
        rows = np.concatenate([*places, 6 * n + np.arange(model.nv)]).astype(int)
        np.add.at(f, rows, one.f)
        parts.append((np.repeat(rows, len(rows)), np.tile(rows, len(rows)), one.K.ravel(), one.D.ravel()))
    if not parts:
        return Slopes(f, np.zeros(0, int), np.zeros(0, int), np.zeros(0), np.zeros(0))
    return Slopes(f, *(np.concatenate(each) for each in zip(*parts, strict=True)))


def _recorded(model: Model) -> _Recorded:
    """Trace the elements of a model, once for each make."""
    for force in model.forces:
        require_as_recorded(model, force.name)
    found: dict[Any, _Alike] = {}
    faults: list[tuple[Force, ModelError]] = []
    for force in model.acting:
        key, bodies = made_of(model, force)
        if key in found:
            alike = found[key]
        else:
            try:
                law, bodies = _record(model, force, bodies)
            except ModelError as fault:
                faults.append((force, fault))
                continue
            alike = found[key] = _Alike(law)
        alike.forces.append(force)
        alike.bodies.append(bodies)
    return _Recorded(list(found.values()), faults)


def _record(model: Model, force: Force, bodies: tuple[int, ...]) -> tuple[_Law, tuple[int, ...]]:
    """Trace the law of one element; also return its bodies in the order of the law."""
    record = _Slopes(model)
    try:
        with recording(model, force):
            record.take(force)
    except Impure as fault:
        raise ModelError(f"force {force.name!r} has no derivatives: {fault}") from fault
    except Exception as fault:  # a user's code on numbers that are not known yet: anything may go wrong in it
        raise ModelError(f"force {force.name!r} has no derivatives: {type(fault).__name__}: {fault}") from fault
    order = bodies or tuple(sorted(body for body in record.asked if body > 0))
    return record.slopes(order), order


class _Slopes(Record):
    """A force element on symbols, with derivatives of all its results."""

    def slopes(self, bodies: Sequence[int]) -> _Law:
        """Return the law for bodies in that order."""
        velocities = tuple(sorted(self.torques))
        outputs = [x for body in bodies for x in self._wrench(body)] + [scalar(self.torques[a]) for a in velocities]
        live = set(self.graph.live([self.graph.position(x) for x in outputs if isinstance(x, Symbol)]))
        along, by_speed = [], []
        for body in bodies:
            for e in np.eye(6):
                along.append(self._displaced(body, e))
                by_speed.append(self._faster(body, e))
        directions = self._directions(live)
        for a in directions:
            along.append(self._along_joint(a, live))
            by_speed.append({self.graph.position(self.v[a]): 1.0})
        K, D = (self._derivatives(outputs, seeds) for seeds in (along, by_speed))
        # D = -df/dPhi
        law = self.recorded((*outputs, *K, *(-x for x in D)))
        asks = law.asks("q", "v", "z")
        return _Law(self._in_a_row(law, bodies, asks), len(bodies), velocities, directions, asks)

    def _wrench(self, body: int) -> list[Any]:
        """Return the wrench on a body, about its origin and in its axes."""
        if body not in self.wrenches:
            return [0.0] * 6
        motion, wrench = self.motion(body), self.wrenches[body]
        moment = wrench[:3] - np.cross(motion.p, wrench[3:])
        return [scalar(x) for x in (*(motion.R.T @ moment), *(motion.R.T @ wrench[3:]))]

    def _displaced(self, body: int, e: NDArray) -> dict[int, Scalar]:
        """Return the derivative seeds of a displacement of a body in its axes, at a constant twist in these axes."""
        motion = self.motion(body)
        turn, shift = motion.R @ e[:3], motion.R @ e[3:]
        # the twist keeps its numbers in body axes, so in the world it turns along
        turned = [np.cross(turn, motion.R.T).T, shift, np.cross(turn, motion.w), np.cross(turn, motion.v)]
        return self._seeds(body, turned)

    def _faster(self, body: int, e: NDArray) -> dict[int, Scalar]:
        """Return the derivative seeds of a change of a body's twist."""
        motion = self.motion(body)
        return self._seeds(body, [np.zeros((3, 3)), np.zeros(3), motion.R @ e[:3], motion.R @ e[3:]])

    def _seeds(self, body: int, rates: Sequence[NDArray]) -> dict[int, Scalar]:
        motion = self.motion(body)
        flat = [x for part in (motion.R.ravel(), motion.p, motion.w, motion.v) for x in part]
        values = [scalar(x) for part in rates for x in np.ravel(part)]
        return {self.graph.position(x): rate for x, rate in zip(flat, values, strict=True)}

    def _directions(self, live: set[int]) -> tuple[int, ...]:
        """Return the velocity variables whose coordinates or speeds some result depends on."""
        found: set[int] = set()
        for joint in self.model.joints:
            if joint.nv and joint.mimic is None:
                if any(self.graph.position(x) in live for x in self.q[joint.q_slice]):
                    found |= set(range(joint.v_slice.start, joint.v_slice.stop))
                found |= {a for a in range(joint.v_slice.start, joint.v_slice.stop) if self._at(a) in live}
        return tuple(sorted(found))

    def _at(self, a: int) -> int:
        return self.graph.position(self.v[a])

    def _along_joint(self, a: int, live: set[int]) -> dict[int, Scalar]:
        """Return the derivative seeds of a joint's coordinates along one of its velocities; none if unused."""
        joint = next(j for j in self.model.joints if j.nv and not j.mimic and j.v_slice.start <= a < j.v_slice.stop)
        own = self.q[joint.q_slice]
        if not any(self.graph.position(x) in live for x in own):
            return {}
        e = symbols(np.eye(joint.nv)[a - joint.v_slice.start])
        rates = np.ravel(symbols(on_symbols(joint.type).rate(roomy(own), roomy(e))))
        return {self.graph.position(x): scalar(rate) for x, rate in zip(own, rates, strict=True)}

    def _derivatives(self, outputs: Sequence[Any], seeds: Sequence[dict[int, Scalar]]) -> list[Any]:
        """Return the derivatives of each output along all seeds, row by row."""
        positions = [self.graph.position(x) for x in outputs]
        columns = [tangents(self.graph, positions, seed) for seed in seeds]
        return [column[k] for k in range(len(outputs)) for column in columns]

    def _in_a_row(self, law: Feedback, bodies: Sequence[int], asks: bool) -> Feedback:
        """Rewrite the law so that it loads everything but time from one argument."""
        model, start = self.model, MOTION * len(bodies)
        places = {f"body{body}": MOTION * k for k, body in enumerate(bodies)}
        places |= {"q": start, "v": start + model.nq, "z": start + model.nq + model.nv}
        given = start + (model.nq + model.nv + self.places.size if asks else 0)
        steps: list[tuple[Any, ...]] = []
        for step in law.steps:
            if step[0] == "load" and step[1] != "t":
                step = ("load", "q", places[step[1]] + step[2])
            elif step[0] == "number" and step[1] < len(self.given):
                step = ("load", "q", given + step[1])
            steps.append(step)
        return replace(law, steps=tuple(steps))
