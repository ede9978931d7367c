"""Joints whose axes move in their successor or in time, on the arrays of a program: those of the tree.

What a class says of its joint is recorded, see `rbdkit.engine.rows.moving_joint`. The axes S of a state, their inverse
S^+ and the velocity product c_J are left in fields of the joint's body, where the passes of `tree_program` find them.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.rows.joint_program import FORMS, JOINT_NUMBERS, PLACE_S, in_joint, seen_from
from rbdkit.engine.rows.moving_joint import JointAtPose, MovingAxes, pseudo_inverse
from rbdkit.formulations.constrained.program_body import ProgramBody
from rbdkit.joints import JointType
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Scalar, Whole, select

KNOWN = tuple(type for types in FORMS.values() for type in types)


def is_plain(type: JointType) -> bool:
    """Whether a joint's axes stand still, and its coordinates have one of the `FORMS`."""
    return isinstance(type, KNOWN) and type.constant_S and not type.is_users_own


class MovingJoint(JointAtPose):
    """A joint of a `MovingAxes` at a body that a pass has come to."""

    def __init__(self, body: ProgramBody, axes: MovingAxes) -> None:
        super().__init__(body.program, axes)
        self.body = body
        self._q, self._first = body.place("own_q"), self.program.entry("moving_first", body.k)

    # --- what a block loads -------------------------------------------------------------------------------------------

    def _place(self) -> list[Scalar]:
        place = self.body.k * JOINT_NUMBERS
        return [self.program.load("joint_numbers", place, j) for j in range(JOINT_NUMBERS)]

    def pose(self) -> tuple[Matrix, Vector]:
        X = self.body.get("X")
        return in_joint(self._place(), Matrix.of(X[:9]), Vector(X[9:]))

    def given(self) -> tuple[str, Whole]:
        return "moving_numbers", self._first

    def stored(self) -> tuple[str, Whole]:
        return "own_q", self._q

    def driven(self, what: str) -> Whole:
        return self.program.entry(f"{what}_first", self.body.k)

    @property
    def coordinates(self) -> list[Scalar]:
        """Those that it has in the model."""
        return [] if self.axes.way is None else self.q

    # --- what it records ----------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """S, S^+ and c_J in the reference frame of the body, and its velocity by time alone."""
        place, body = self._place(), self.body
        if self.axes.way is None:
            sigma, c = self.by_time()
            body.put("sigma", seen_from(place, Vector(sigma[:3]), Vector(sigma[3:])))
            body.put("c_J", seen_from(place, Vector(c[:3]), Vector(c[3:])))
            body.put("axes", [0.0] * 36)
            body.put("rates", [0.0] * 36)
            return
        S = self.S()
        rates = [_row_seen_from(place, row) for row in pseudo_inverse(S)]
        axes = [seen_from(place, Vector(s[:3]), Vector(s[3:])) for s in S]
        body.put("axes", [*(x for s in axes for x in s), *[0.0] * (36 - 6 * self.nv)])
        body.put("rates", [*(x for row in rates for x in row), *[0.0] * (36 - 6 * self.nv)])
        body.put("sigma", [0.0] * 6)
        v = [dot(row, body.slip()) for row in rates]
        c = self.motion.velocity_product(self.q, v, self.numbers(0))
        body.put("c_J", seen_from(place, Vector(c[:3]), Vector(c[3:])))

    def gap(self) -> list[Scalar]:
        """How the pose misses what the joint allows, as a twist of the body's reference frame."""
        return seen_from(self._place(), *self.missing())

    def open_squared(self, length: Scalar) -> Scalar:
        """Square of what is open across the axes, as `Gaps.largest` has it of joints that are not plain."""
        w, v = self.missing()
        d: list[Scalar] = [*w, *v]
        if self.axes.way is not None:
            S = self.S()
            for s, row in zip(S, pseudo_inverse(S), strict=True):
                along = dot(row, [*w, *v])
                d = [a - along * b for a, b in zip(d, s, strict=True)]
        share = select(length < 1.0, length, 1.0)
        return dot(d, d) / (share * share)

    def spring(self, rest: Sequence[Scalar], stiffness: Sequence[Scalar]) -> list[Scalar]:
        """A^T (stiffness u) of the displacement u from rest; see `rbdkit.algorithms.passive_force`."""
        u = self.motion.difference(rest, self.q)
        return self.motion.local_force(u, [k * x for k, x in zip(stiffness, u, strict=True)])


def _row_seen_from(place: Sequence[Scalar], row: Sequence[Scalar]) -> list[Scalar]:
    """A row that multiplies twists of the joint's frame, for twists of the successor's reference frame."""
    R_S, p_S = Matrix.of(place[PLACE_S : PLACE_S + 9]), Vector(place[PLACE_S + 9 : PLACE_S + 12])
    f = R_S @ Vector(row[3:])
    return [*(R_S @ Vector(row[:3]) + cross(p_S, f)), *f]
