"""Constraint Jacobian of a model, by tracing its constraint elements once with symbols and differentiating the trace.

A user's constraint states only a position error (gap) or a velocity error (slip). Everything that dynamics needs
follows by automatic differentiation. With the positions of all bodies and joints as x, a row is a scalar s, linear in
the velocities: the rate of a gap, ``s = dg/dt``, or a slip. The trace gives its parts::

    s  = sum (n_b . w_b + f_b . v_b) + sum c_a v_a + s_0        n, f, c, s_0 functions of x and t
    s' = the same of the accelerations + drift                  drift: the rate of s while velocities stay

w_b, v_b : angular velocity of body b and velocity of its origin, in world axes; v_a : velocity variables of joints.
A reaction of size lambda applies the couple ``lambda n_b``, and the force ``lambda f_b`` at the origin, to each body,
and ``lambda c_a`` to joints (Featherstone 2008, Eqs 3.5, 3.13: K, and k of the drift).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces import BodyMotion, Surroundings
from rbdkit.model.constraint import Constraint, Row, scalars, seen, try_out
from rbdkit.model.kept import kept
from rbdkit.model.model import Model
from rbdkit.model.on_symbols import MOTION, MechanismOnSymbols, random_motion, recording, scalar, still
from rbdkit.spatial import se3
from rbdkit.trace import Feedback, Impure, Scalar, Symbol, adjoints, evaluate, tangents

GAP, SLIP, DRIFT, WRENCHES = 0, 1, 2, 3
"""Offsets of a row's numbers in the results of the traced law; from WRENCHES on, six for each body, then one for each
velocity variable."""


@dataclass(frozen=True)
class ConstraintRows:
    """The traced constraints of a model: a function that evaluates gap, velocity error, drift and Jacobian rows.

    Attributes
    ----------
    law : traced operations on "t", "q", "v" and "body<i>", see `rbdkit.model.on_symbols`. For each row its results are
        gap, s, drift, then (n, f) of each body and c of each velocity variable.
    bodies, velocities : indices of the bodies, and of the velocity variables, that the rows act on or read.
    rows : description of each row. m : number of rows.
    timed : whether they depend explicitly on time.
    """

    law: Feedback
    bodies: tuple[int, ...]
    velocities: tuple[int, ...]
    rows: tuple[Row, ...] = field(compare=False)
    timed: bool = field(compare=False)

    @property
    def m(self) -> int:
        return len(self.rows)

    @property
    def size(self) -> int:
        """Number of results of the law for each row."""
        return WRENCHES + 6 * len(self.bodies) + len(self.velocities)

    @property
    def asks_joints(self) -> bool:
        """Whether the rows read joint coordinates or velocities."""
        return self.law.asks("q", "v") or bool(self.velocities)

    @cached_property
    def holonomic(self) -> NDArray:
        """Flags (m,) of the holonomic rows, the rates of gaps."""
        return np.array([row.holonomic for row in self.rows], dtype=bool)

    @property
    def nonholonomic(self) -> tuple[str, ...]:
        """Names of the constraints with nonholonomic rows."""
        return tuple(dict.fromkeys(row.constraint for row in self.rows if not row.holonomic))

    def row_names(self) -> list[tuple[str, str]]:
        """Return for each row the name of its constraint, for messages, and its unit."""
        return [(f"constraint {row.constraint!r}", row.unit) for row in self.rows]

    def at(self, q: NDArray, v: NDArray, t: float, motion: Callable[[int], BodyMotion]) -> RowValues:
        """Evaluate all rows at one state: q (nq,), v (nv,), t in s, and the motion of each body by number."""
        with np.errstate(all="ignore"):
            return self._values(np.array(self.results(q, v, t, motion), dtype=float))

    def results(self, q: NDArray, v: NDArray, t: float, motion: Callable[[int], BodyMotion]) -> list[Scalar]:
        """Return the results of the law at one state, row by row; symbols if its parameters are symbols."""
        given = {"q": q, "v": v, "t": np.array([t])} | {f"body{b}": _flat(motion(b)) for b in self.bodies}
        return [*self.law.value(lambda name, k: given[name][k])]

    def with_numbers(self, numbers: Sequence[Any]) -> ConstraintRows:
        """Return these rows with other parameter values, floats or symbols, in the order of `number_places`."""
        law = self.law
        return replace(self, law=replace(law, numbers=(*numbers, *law.numbers[len(numbers) :])))

    def at_states(self, q: NDArray, v: NDArray, t: NDArray, motions: NDArray) -> RowValues:
        """Evaluate all rows at n states: q (n, nq), v (n, nv), t (n,), motions (n, bodies, `MOTION`) of `bodies`."""
        packed = np.concatenate([q, v, motions.reshape(len(t), -1)], axis=1)
        return self._values(evaluate(self._packed(q.shape[1], v.shape[1]), t, packed, np.zeros((len(t), 0))))

    def at_bodies(self, T: NDArray, U: NDArray, q: NDArray, v: NDArray, t: float | NDArray) -> RowValues:
        """Evaluate all rows at states (...,), from poses T (..., bodies, 4, 4) and body twists U (..., bodies, 6)."""
        lead, own = T.shape[:-3], list(self.bodies)
        n = int(np.prod(lead))
        poses, twists = T[..., own, :, :], U[..., own, :]
        R = poses[..., :3, :3]
        parts = (
            R.reshape(n, len(own), 9),
            poses[..., :3, 3].reshape(n, len(own), 3),
            (R @ twists[..., :3, None]).reshape(n, len(own), 3),
            (R @ twists[..., 3:, None]).reshape(n, len(own), 3),
        )
        times = np.broadcast_to(np.asarray(t, dtype=float), lead).reshape(n)
        found = self.at_states(q.reshape(n, -1), v.reshape(n, -1), times, np.concatenate(parts, axis=2))
        values = (found.gap, found.slip, found.drift, found.wrenches, found.joints)
        return RowValues(*(x.reshape(*lead, *x.shape[1:]) for x in values))

    def _packed(self, nq: int, nv: int) -> Feedback:
        """Return the law with q, v and body motions packed into one argument; time stays separate."""
        places = {"q": 0, "v": nq} | {f"body{b}": nq + nv + MOTION * i for i, b in enumerate(self.bodies)}
        steps = tuple(
            ("load", "q", places[step[1]] + step[2]) if step[0] == "load" and step[1] != "t" else step
            for step in self.law.steps
        )
        return replace(self.law, steps=steps)

    def _values(self, flat: NDArray) -> RowValues:
        x = flat.reshape(*flat.shape[:-1], self.m, self.size)
        end = WRENCHES + 6 * len(self.bodies)
        wrenches = x[..., WRENCHES:end].reshape(*x.shape[:-1], len(self.bodies), 6)
        return RowValues(x[..., GAP], x[..., SLIP], x[..., DRIFT], wrenches, x[..., end:])


@dataclass(frozen=True, eq=False)
class RowValues:
    """Values of all rows at one state or a stack of states.

    gap, slip, drift : (..., m); gap is 0 in nonholonomic rows. wrenches : (..., m, bodies, 6), couple and force at the
    origin of the body, in world axes. joints : (..., m, velocities), coefficients of velocity variables.
    """

    gap: NDArray
    slip: NDArray
    drift: NDArray
    wrenches: NDArray
    joints: NDArray


def in_joints(model: Model, q: NDArray, rows: ConstraintRows, found: RowValues, at: Surroundings) -> NDArray:
    """Return the constraint Jacobian K (m, nv) by joint velocities, from the row values `found` at a state."""
    K = np.zeros((rows.m, model.nv))
    K[:, list(rows.velocities)] += found.joints
    for j, body in enumerate(rows.bodies):
        n, f = found.wrenches[:, j, :3], found.wrenches[:, j, 3:]
        wrenches = np.concatenate([n + np.cross(at.motion(body).p, f), f], axis=1)  # about the world origin
        for i in model.support(body):
            joint = model.joints[i]
            if joint.nv:
                S = se3.adjoint(se3.pose(at.motion(i).R, at.motion(i).p)) @ joint.motion_subspace(q)
                K[:, joint.v_slice] += wrenches @ S
    return K


def working(model: Model) -> tuple[str, ...]:
    """Return names of the constraints that may do work: those with a velocity error at rest, as if moved by time."""
    return kept(model, _working) if model.constraints else ()


def _working(model: Model) -> tuple[str, ...]:
    rng, found = np.random.default_rng(0), set[str]()
    for _ in range(3):
        q, t = model.random_q(rng), float(rng.uniform())
        at = seen(model, q, np.zeros(model.nv), t)
        rows = constraint_rows(model)
        assert rows is not None
        slips = rows.at(q, np.zeros(model.nv), t, at.motion).slip
        found |= {row.constraint for row, slip in zip(rows.rows, slips, strict=True) if slip != 0.0}
    return tuple(own.name for own in model.constraints if own.name in found)


def inner_constraints(model: Model) -> bool:
    """Return whether the constraint reactions are internal, so that they leave the momentum of the model unchanged.

    It is checked at one random state, where forces do not cancel by chance.
    """
    rows = constraint_rows(model)
    if rows is None:
        return True
    rng = np.random.default_rng(0)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    at = seen(model, q, v, 0.0)
    found = rows.at(q, v, 0.0, at.motion)
    roots = {a for i in model.children(0) for a in range(model.joints[i].v_slice.start, model.joints[i].v_slice.stop)}
    total = np.zeros((rows.m, 6))
    for k, body in enumerate(rows.bodies):
        n, f = found.wrenches[:, k, :3], found.wrenches[:, k, 3:]
        total += np.concatenate([n + np.cross(at.motion(body).p, f), f], axis=1)
    largest = float(np.abs(found.wrenches).max(initial=0.0))
    on_roots = any(found.joints[:, k].any() for k, a in enumerate(rows.velocities) if a in roots)
    return not on_roots and bool(np.abs(total).max(initial=0.0) <= 1e-10 * largest)


def constraint_rows(model: Model) -> ConstraintRows | None:
    """Return the traced constraints of a model; None if it has none."""
    return kept(model, _recorded) if model.constraints else None


def _recorded(model: Model) -> ConstraintRows:
    return record(model, model.constraints)


def number_places(model: Model) -> dict[str, slice]:
    """Return, by name, the slices of the constraints' parameters among the numbers of the traced law."""
    places, first = {}, 0
    for own in model.constraints:
        for name, value in own.element.parameters().items():
            places[f"{own.name}.{name}"] = slice(first, first + np.size(value))
            first += np.size(value)
    return places


def record(model: Model, constraints: Sequence[Constraint]) -> ConstraintRows:
    """Trace constraints of a model.

    Raises
    ------
    ModelError
        If one branches on values, keeps state, or calls functions that do not accept symbols; if a gap depends on
        velocities; or if a slip is not linear in them.
    """
    found = _Recording(model)
    for constraint in constraints:
        try:
            with recording(model, constraint):
                found.take(constraint)
        except ModelError:
            raise
        except Impure as fault:
            mend = "let gap and slip compute from what they are given and from numbers, and keep nothing"
            raise ModelError(f"{constraint} cannot be derived: {fault}; {mend}") from fault
        except Exception as fault:  # a user's code on numbers that are not known yet: anything may go wrong in it
            raise ModelError(
                f"{constraint} cannot be derived: {type(fault).__name__}: {fault}; write it with arithmetic, NumPy "
                "and numpy.where"
            ) from fault
    return found.rows()


def require_derived(model: Model, constraint: Constraint) -> None:
    """Raise `ModelError` if a constraint cannot be traced, or its trace disagrees with an evaluation with numbers."""
    found = record(model, [constraint])
    rng = np.random.default_rng(0)
    q, v, t = model.random_q(rng), rng.normal(size=model.nv), 0.3
    motions = [still(), *(random_motion(rng) for _ in model.bodies[1:])]  # of bodies that nothing holds
    at = Surroundings(model, q, v, motions.__getitem__, t)
    with np.errstate(all="ignore"):
        try:
            gaps, slips = (scalars(x) for x in (constraint.element.gap(at), constraint.element.slip(at)))
        except (ArithmeticError, ModelError):
            return  # such a state need not make sense to it
        rows = found.at(q, v, t, at.motion)
    expected = np.array([*gaps, *slips], dtype=float)
    values = np.where(found.holonomic, rows.gap, rows.slip)
    near = 1e-9 * np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    if not np.allclose(values, expected, rtol=1e-9, atol=near, equal_nan=True):
        raise ModelError(f"{constraint} does something else with numbers than with symbols")


class _Recording(MechanismOnSymbols):
    """Tracer of constraint elements: collects their rows as symbols and differentiates them."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.found: list[Row] = []
        self.values: list[tuple[Scalar, Scalar]] = []  # gap and s of each row
        self.timed = False

    def take(self, constraint: Constraint) -> None:
        """Trace one constraint and store its rows."""
        self.found += try_out(self.model, constraint)
        element = self.dressed(constraint.element)
        at = Surroundings(self, self.q, self.v, self.motion, self.t)
        with self.graph.exactly(element.is_users_own):
            gaps, slips = ([scalar(x) for x in scalars(values)] for values in (element.gap(at), element.slip(at)))
        self.graph.require_not_refused()
        for gap in gaps:
            if self._needs(gap, self._speeds()):
                raise ModelError(f"{constraint}: its gap depends on velocities; let slip say what holds of them")
            # forward mode: s = dg/dt along the motion and time
            seeds = {**self.rates([gap]), self.graph.position(self.t): 1.0}
            self.values.append((gap, tangents(self.graph, [self.graph.position(gap)], seeds)[0]))
        for slip in slips:
            if any(self._needs(x, self._speeds()) for x in self._slopes(slip).values()):
                raise ModelError(f"{constraint}: its slip is not linear in the velocities")
            self.values.append((0.0, slip))
        self.timed |= any(self._needs(x, [self.graph.position(self.t)]) for x in (*gaps, *slips))

    def rows(self) -> ConstraintRows:
        """Return the traced law of all rows: gap, s, drift and the derivatives of s by velocities."""
        slopes = [self._slopes(s) for _, s in self.values]
        bodies = tuple(sorted(body for body in self.asked if body > 0))
        places = {self.graph.position(x): a for a, x in enumerate(self.v)}
        velocities = tuple(sorted({places[p] for slope in slopes for p in slope if p in places}))
        outputs: list[Scalar] = []
        for (gap, s), slope in zip(self.values, slopes, strict=True):
            seeds = {**self.rates([s]), self.graph.position(self.t): 1.0}
            outputs += [gap, s, tangents(self.graph, [self.graph.position(s)], seeds)[0]]
            for body in bodies:
                motion = self.asked[body]
                outputs += [slope.get(self.graph.position(x), 0.0) for x in (*motion.w, *motion.v)]
            outputs += [slope.get(self.graph.position(self.v[a]), 0.0) for a in velocities]
        return ConstraintRows(self.recorded(outputs), bodies, velocities, tuple(self.found), self.timed)

    def _speeds(self) -> list[int]:
        """Return the graph positions of all velocities that the constraints read."""
        of_bodies = [x for body, motion in self.asked.items() if body > 0 for x in (*motion.w, *motion.v)]
        return [self.graph.position(x) for x in (*of_bodies, *self.v)]

    def _slopes(self, s: Any) -> dict[int, Scalar]:
        """Return the derivatives of a row by the velocities that it depends on, by graph position (reverse mode)."""
        if not isinstance(s, Symbol):
            return {}
        found = adjoints(self.graph, {self.graph.position(s): 1.0})
        return {p: found[p] for p in self._speeds() if p in found}

    def _needs(self, x: Any, positions: Sequence[int]) -> bool:
        """Return whether a value depends on one of the nodes at these graph positions."""
        return isinstance(x, Symbol) and bool(set(self.graph.live([self.graph.position(x)])) & set(positions))


def _flat(motion: BodyMotion) -> NDArray:
    return np.concatenate([motion.R.ravel(), motion.p, motion.w, motion.v])
