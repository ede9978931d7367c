"""Joints whose axes move in their successor or in time, on the arrays of a program.

What a class says of its joint in `pose`, `motion_subspace` and `project` is recorded. The axes S of a state, their
inverse S^+ and the velocity product c_J are left in fields of the joint's body, where the passes of `tree_program` find
them. Where a class leaves it to `JointType` to find coordinates, programs take the same steps of Gauss and Newton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rbdkit.engine.links.own_joints import recorded, recorded_projection
from rbdkit.engine.rows.gaps import covered
from rbdkit.engine.rows.joint_program import (
    FORMS,
    JOINT_NUMBERS,
    PLACE_S,
    displacement,
    in_joint,
    seen_from,
)
from rbdkit.engine.steps.recorded_joint import RecordedJoint
from rbdkit.engine.steps.traced_motion import computed, digest
from rbdkit.formulations.constrained.program_body import ProgramBody
from rbdkit.joints import JointType, Prescribed, Reversed
from rbdkit.joints.joint_type import STEPS
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Scalar, Trace, maximum, select

KNOWN = tuple(type for types in FORMS.values() for type in types)
SETTLED = 1e-11
"""A step towards a pose after which none follows, as in `JointType.approach`."""


@dataclass(frozen=True)
class Approach:
    """Steps towards a pose. motion : that approaches it. neutral : where it begins. reversed : whether the motion is
    that of the joint inside of a reversed one."""

    motion: RecordedJoint
    neutral: tuple[float, ...]
    reversed: bool


@dataclass(frozen=True, eq=False)
class Projection:
    """Coordinates by a formula. name : of this formula and no other."""

    formula: Trace
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Projection) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class MovingAxes:
    """Code for a joint type. way : how coordinates are found; None where time says what they are. numbers : how many
    the formulas of the motion and of the way need. covered : whether `gaps` knows how far it is open."""

    motion: RecordedJoint
    way: Approach | Projection | None
    numbers: tuple[int, int]
    covered: bool


def is_plain(type: JointType) -> bool:
    """Whether a joint's axes stand still, and its coordinates have one of the `FORMS`."""
    return isinstance(type, KNOWN) and type.constant_S and not type.is_users_own


def moving_axes(type: JointType) -> tuple[MovingAxes, list[float]]:
    """Code for a joint type, and its numbers.

    Raises
    ------
    NotTraced
        If its formulas cannot be recorded.
    ModelError
        If they contradict each other.
    """
    type, known = type.simplified(), covered(type)
    if isinstance(type, Prescribed):
        own = recorded(type.joint).piece
        return MovingAxes(_motion(type.joint), None, (len(own.numbers), 0), known), list(own.numbers)
    own, motion = recorded(type).piece, _motion(type)
    inner = type.joint if isinstance(type, Reversed) else type
    if inner.__class__.project is JointType.project:
        of_way = recorded(inner).piece.numbers
        way: Approach | Projection = Approach(_motion(inner), tuple(inner.neutral().tolist()), inner is not type)
    else:
        found = recorded_projection(type)
        of_way, way = found.numbers, Projection(found.formula, digest(found.formula))
    return MovingAxes(motion, way, (len(own.numbers), len(of_way)), known), [*own.numbers, *of_way]


def _motion(type: JointType) -> RecordedJoint:
    motion = recorded(type).piece.motion
    assert isinstance(motion, RecordedJoint)
    return motion


class MovingJoint:
    """A joint of a `MovingAxes` at a body that a pass has come to."""

    def __init__(self, body: ProgramBody, axes: MovingAxes) -> None:
        self.body, self.axes, self.motion = body, axes, axes.motion
        self.program = body.program
        self.nq, self.nv = axes.motion.nq, 0 if axes.way is None else axes.motion.nv

    # --- what a block loads -------------------------------------------------------------------------------------------

    def _numbers(self, which: int) -> list[Scalar]:
        first = self.program.entry("moving_first", self.body.k)
        start, size = (0, self.axes.numbers[0]) if which == 0 else self.axes.numbers
        return [self.program.load("moving_numbers", first, start + j) for j in range(size)]

    def _place(self) -> list[Scalar]:
        place = self.body.k * JOINT_NUMBERS
        return [self.program.load("joint_numbers", place, j) for j in range(JOINT_NUMBERS)]

    def _pose(self) -> tuple[Matrix, Vector]:
        """Of the joint, from the field "X"."""
        X = self.body.get("X")
        return in_joint(self._place(), Matrix.of(X[:9]), Vector(X[9:]))

    @property
    def q(self) -> list[Scalar]:
        """Coordinates, after `find`; of a joint that moves in time, those of the joint inside."""
        return self.body.get("own_q")[: self.nq]

    @property
    def coordinates(self) -> list[Scalar]:
        """Those that it has in the model."""
        return [] if self.axes.way is None else self.q

    def _driven(self, what: str, size: int) -> list[Scalar]:
        first = self.program.entry(f"{what}_first", self.body.k)
        return [self.program.load(what, first, j) for j in range(size)]

    # --- what it records ----------------------------------------------------------------------------------------------

    def find(self) -> None:
        """Coordinates of the pose "X", to "own_q"."""
        match self.axes.way:
            case None:
                self.body.put("own_q", self._driven("driven_q", self.nq))
            case Projection() as way:
                R, p = self._pose()
                self.body.put("own_q", computed(way.formula, X=[*R.flat(), *p], numbers=self._numbers(1)))
            case Approach() as way:
                self._approach(way)

    def _approach(self, way: Approach) -> None:
        """The steps of `JointType.approach`; coordinates are infinite where they do not settle."""
        body, motion, program = self.body, way.motion, self.program
        body.put("own_q", way.neutral)
        with program.loop(0, STEPS):
            R, p = self._pose()
            if way.reversed:
                R, p = R.T, -(R.T @ p)
            q, numbers = self.q, self._numbers(1)
            w, v = displacement(*_between(*motion.pose(q, numbers), R, p))
            S = motion.axes(q, numbers)
            step = [dot(row, [*w, *v]) for row in pseudo_inverse(S)]
            size: Scalar = 0.0
            for x in step:
                size = maximum(size, abs(x))
            body.put("own_q", motion.move(q, step))
            program.store("approach", 0, 0, size)
            program.break_if(program.load("approach", 0, 0) < SETTLED)
        lost = select(program.load("approach", 0, 0) < SETTLED, 0.0, np.inf)
        body.put("own_q", [x + lost for x in self.q])

    def settle(self) -> None:
        """S, S^+ and c_J in the reference frame of the body, and its velocity by time alone."""
        q, numbers, place, body = self.q, self._numbers(0), self._place(), self.body
        S = self.motion.axes(q, numbers)
        if self.axes.way is None:
            v, a = (self._driven(name, self.motion.nv) for name in ("driven_v", "driven_a"))
            body.put("sigma", seen_from(place, *_sum(S, v)))
            w_a, v_a = _sum(S, a)
            c = self.motion.velocity_product(q, v, numbers)
            body.put("c_J", seen_from(place, w_a + Vector(c[:3]), v_a + Vector(c[3:])))
            body.put("axes", [0.0] * 36)
            body.put("rates", [0.0] * 36)
            return
        rates = [_row_seen_from(place, row) for row in pseudo_inverse(S)]
        axes = [seen_from(place, Vector(s[:3]), Vector(s[3:])) for s in S]
        body.put("axes", [*(x for s in axes for x in s), *[0.0] * (36 - 6 * self.nv)])
        body.put("rates", [*(x for row in rates for x in row), *[0.0] * (36 - 6 * self.nv)])
        body.put("sigma", [0.0] * 6)
        v = [dot(row, body.slip()) for row in rates]
        c = self.motion.velocity_product(q, v, numbers)
        body.put("c_J", seen_from(place, Vector(c[:3]), Vector(c[3:])))

    def gap(self) -> list[Scalar]:
        """How the pose misses what the joint allows, as a twist of the body's reference frame."""
        return seen_from(self._place(), *self._missing())

    def open_squared(self, length: Scalar) -> Scalar:
        """Square of what is open across the axes, as `Gaps.largest` has it of joints that are not plain."""
        w, v = self._missing()
        d: list[Scalar] = [*w, *v]
        if self.axes.way is not None:
            S = self.motion.axes(self.q, self._numbers(0))
            for s, row in zip(S, pseudo_inverse(S), strict=True):
                along = dot(row, [*w, *v])
                d = [a - along * b for a, b in zip(d, s, strict=True)]
        share = select(length < 1.0, length, 1.0)
        return dot(d, d) / (share * share)

    def _missing(self) -> tuple[Vector, Vector]:
        R, p = self._pose()
        return displacement(*_between(*self.motion.pose(self.q, self._numbers(0)), R, p))

    def spring(self, rest: Sequence[Scalar], stiffness: Sequence[Scalar]) -> list[Scalar]:
        """A^T (stiffness u) of the displacement u from rest; see `rbdkit.algorithms.passive_force`."""
        u = self.motion.difference(rest, self.q)
        return self.motion.local_force(u, [k * x for k, x in zip(stiffness, u, strict=True)])


def _between(R_0: Matrix, p_0: Vector, R: Matrix, p: Vector) -> tuple[Matrix, Vector]:
    """A pose as seen from another one."""
    return R_0.T @ R, R_0.T @ (p - p_0)


def _sum(S: Sequence[Sequence[Scalar]], v: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """S v."""
    total = [sum((s[i] * x for s, x in zip(S, v, strict=True)), 0.0) for i in range(6)]
    return Vector(total[:3]), Vector(total[3:])


def _row_seen_from(place: Sequence[Scalar], row: Sequence[Scalar]) -> list[Scalar]:
    """A row that multiplies twists of the joint's frame, for twists of the successor's reference frame."""
    R_S, p_S = Matrix.of(place[PLACE_S : PLACE_S + 9]), Vector(place[PLACE_S + 9 : PLACE_S + 12])
    f = R_S @ Vector(row[3:])
    return [*(R_S @ Vector(row[:3]) + cross(p_S, f)), *f]


def pseudo_inverse(S: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Rows of ``(S^T S)^-1 S^T``, of independent columns S."""
    n = len(S)
    A = [[dot(a, b) for b in S] for a in S]
    rows = [list(s) for s in S]
    for k in range(n):  # S^T S is positive: no exchange of rows
        share = 1.0 / A[k][k]
        for i in range(n):
            if i != k:
                factor = A[i][k] * share
                A[i] = [x - factor * y for x, y in zip(A[i], A[k], strict=True)]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [[x / A[k][k] for x in row] for k, row in enumerate(rows)]
