"""Tree joints with configuration-dependent axes, and prescribed joints, in a program.

The formulas of a joint's class are traced, see `rbdkit.engine.rows.moving_joint`. The axes S at a state, their
pseudo-inverse S^+ and the velocity product c_J are stored in fields of the joint's body, where the passes of
`tree_program` read them.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.rows.joint_program import FORMS, JOINT_NUMBERS, in_joint, in_successor, seen_from
from rbdkit.engine.rows.moving_joint import JointAtPose, MovingAxes, pseudo_inverse
from rbdkit.formulations.constrained.program_body import ProgramBody
from rbdkit.joints import JointType
from rbdkit.spatial.compact import Pose, fv, mv
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Scalar, Whole, select

KNOWN = tuple(type for types in FORMS.values() for type in types)


def is_plain(type: JointType) -> bool:
    """Whether a joint's axes are constant, and its coordinates have one of the `FORMS`."""
    return isinstance(type, KNOWN) and type.constant_S and not type.is_users_own


class MovingJoint(JointAtPose):
    """A joint with moving axes, at the body that a pass has reached."""

    def __init__(self, body: ProgramBody, axes: MovingAxes) -> None:
        super().__init__(body.program, axes)
        self.body = body
        self._q, self._first = body.place("own_q"), self.program.entry("moving_first", body.k)

    # --- what a block loads -------------------------------------------------------------------------------------------

    def _place(self) -> list[Scalar]:
        place = self.body.k * JOINT_NUMBERS
        return [self.program.load("joint_numbers", place, j) for j in range(JOINT_NUMBERS)]

    def pose(self) -> Pose:
        return in_joint(self._place(), Pose.of(self.body.get("X")))

    def given(self) -> tuple[str, Whole]:
        return "moving_numbers", self._first

    def stored(self) -> tuple[str, Whole]:
        return "own_q", self._q

    def driven(self, what: str) -> Whole:
        return self.program.entry(f"{what}_first", self.body.k)

    @property
    def coordinates(self) -> list[Scalar]:
        """Coordinates of the joint in the model; none if it is prescribed."""
        return [] if self.axes.way is None else self.q

    # --- what it records ----------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Store S, S^+ and c_J in the reference frame of the body, and the prescribed twist."""
        place, body = self._place(), self.body
        if self.axes.way is None:
            sigma, c = self.by_time()
            body.put("sigma", seen_from(place, sigma))
            body.put("c_J", seen_from(place, c))
            body.put("axes", [0.0] * 36)
            body.put("rates", [0.0] * 36)
            return
        S = self.S()
        # rows of S^+ act on twists as wrenches do
        rates = [in_successor(place).X.inv_apply(fv.of(row)).flat() for row in pseudo_inverse(S)]
        axes = [seen_from(place, mv.of(s)) for s in S]
        body.put("axes", [*(x for s in axes for x in s), *[0.0] * (36 - 6 * self.nv)])
        body.put("rates", [*(x for row in rates for x in row), *[0.0] * (36 - 6 * self.nv)])
        body.put("sigma", [0.0] * 6)
        v = [dot(row, body.slip()) for row in rates]
        body.put("c_J", seen_from(place, self.velocity_product(v)))

    def gap(self) -> list[Scalar]:
        """Return the closure error of the joint, as a twist of the body's reference frame."""
        return seen_from(self._place(), self.missing())

    def open_squared(self, length: Scalar) -> Scalar:
        """Return the squared closure error across the axes, as `Gaps.largest` computes it for joints not plain."""
        missing = d = self.missing().flat()
        if self.axes.way is not None:
            S = self.S()
            for s, row in zip(S, pseudo_inverse(S), strict=True):
                along = dot(row, missing)
                d = [a - along * b for a, b in zip(d, s, strict=True)]
        # as in `gap_shares`: parts of the length for mechanisms smaller than 1 m
        share = select(length < 1.0, length, 1.0)
        return dot(d, d) / (share * share)

    def spring(self, rest: Sequence[Scalar], stiffness: Sequence[Scalar]) -> list[Scalar]:
        """Return the spring force A^T (stiffness u) of the displacement u from rest; see `passive_force`."""
        u = self.motion.difference(rest, self.q)
        return self.motion.local_force(u, [k * x for k, x in zip(stiffness, u, strict=True)])
