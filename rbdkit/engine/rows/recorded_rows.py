"""Rows of loop joints that are traced from their class: users' own, splines, prescribed ones.

As in `turning_rows`: T at the coordinates of the closest pose, the closure error, and c_J at the velocity that the
joint allows and that is closest to the one across it; see `rbdkit.joints.loop_form`.
"""

from __future__ import annotations

from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.joint_program import AXIS, JOINT_NUMBERS, in_joint
from rbdkit.engine.rows.moving_joint import MOST_COORDINATES, JointAtPose, MovingAxes, pseudo_inverse
from rbdkit.engine.rows.turning_rows import TurningRows
from rbdkit.engine.steps.nodes import Body
from rbdkit.spatial.vector3 import Matrix, Vector, dot
from rbdkit.trace import Index, Scalar, Whole

OWN_NUMBERS, OWN_Q = "loops_own", "loops_q"
"""Arrays of the numbers of the formulas, and of the coordinates found."""


class JointOfLoop(JointAtPose):
    """A loop joint at the state of a tree. loop : its number. links : predecessor and successor."""

    def __init__(self, at: BaseMotion, loop: Index, links: tuple[Body, Body], axes: MovingAxes) -> None:
        super().__init__(at.tree.program, axes)
        self.at, self.loop, self.links = at, loop, links
        self._place, self._q = loop * JOINT_NUMBERS, loop * MOST_COORDINATES
        self._first = self.program.entry("loops_own_first", loop)

    def pose(self) -> tuple[Matrix, Vector]:
        given = [self.program.load("loops_numbers", self._place, k) for k in range(AXIS)]
        P, S = self.links
        R_P = self.at.R[P]
        return in_joint(given, R_P.T @ self.at.R[S], R_P.T @ (self.at.p[S] - self.at.p[P]))

    def given(self) -> tuple[str, Whole]:
        return OWN_NUMBERS, self._first

    def stored(self) -> tuple[str, Whole]:
        return OWN_Q, self._q

    def driven(self, what: str) -> Whole:
        return self.program.entry(f"loops_{what}", self.loop)

    def rows(self, v: tuple[Vector, Vector] | None) -> TurningRows:
        """Return the joint's rows, after `find`; v : its twist in the successor's joint frame, if that is known."""
        T = self.T()
        wrenches, missing = [(Vector(n[:3]), Vector(n[3:])) for n in T], self.missing()
        if v is None:
            return TurningRows(wrenches, missing, None)
        if self.axes.way is None:
            sigma, c = self.by_time()
            return TurningRows(wrenches, missing, [dot(n, c) for n in T], [dot(n, sigma) for n in T])
        across: list[Scalar] = [*v[0], *v[1]]
        qd = [dot(row, across) for row in pseudo_inverse(self.S())]
        c = self.motion.velocity_product(self.q, qd, self.numbers(0))
        return TurningRows(wrenches, missing, [dot(n, c) for n in T])
