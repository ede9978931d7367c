"""Rows of loop joints that are traced from their class: users' own, splines, prescribed ones.

As in `turning_rows`: T at the coordinates of the closest pose, the closure error, and c_J at the velocity that the
joint allows and that is closest to the one across it; see `rbdkit.joints.loop_form`.
"""

from __future__ import annotations

from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.joint_program import AXIS, JOINT_NUMBERS, in_joint
from rbdkit.engine.rows.moving_joint import MOST_COORDINATES, JointAtPose, MovingAxes
from rbdkit.engine.steps.nodes import Body
from rbdkit.spatial.compact import Pose
from rbdkit.trace import Index, Whole

OWN_NUMBERS, OWN_Q = "loops_own", "loops_q"
"""Arrays of the numbers of the formulas, and of the coordinates found."""


class JointOfLoop(JointAtPose):
    """A loop joint at the state of a tree. loop : its number. links : predecessor and successor."""

    def __init__(self, at: BaseMotion, loop: Index, links: tuple[Body, Body], axes: MovingAxes) -> None:
        super().__init__(at.tree.program, axes)
        self.at, self.loop, self.links = at, loop, links
        self._place, self._q = loop * JOINT_NUMBERS, loop * MOST_COORDINATES
        self._first = self.program.entry("loops_own_first", loop)

    def pose(self) -> Pose:
        given, (P, S) = [self.program.load("loops_numbers", self._place, k) for k in range(AXIS)], self.links
        return in_joint(given, self.at.pose(P).to(self.at.pose(S)))

    def given(self) -> tuple[str, Whole]:
        return OWN_NUMBERS, self._first

    def stored(self) -> tuple[str, Whole]:
        return OWN_Q, self._q

    def driven(self, what: str) -> Whole:
        return self.program.entry(f"loops_{what}", self.loop)
