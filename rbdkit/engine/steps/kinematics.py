"""Poses and velocities: of links, for other algorithms, and of bodies, as results."""

from __future__ import annotations

from dataclasses import dataclass

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import Body, BodyFrame
from rbdkit.engine.steps.rnea import joint_velocity
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector, cross
from rbdkit.trace import Whole


@dataclass(frozen=True)
class LinkMotion:
    """Fields of a tree: pose R, p of each link in the world, its angular velocity w, the velocity v of its origin."""

    R: dict[Body, Matrix]
    p: dict[Body, Vector]
    w: dict[Body, Vector]
    v: dict[Body, Vector]

    def of(self, body: BodyFrame) -> tuple[Matrix, Vector]:
        """Return the pose of a body in the world."""
        R_i, p_i = self.R[body.link], self.p[body.link]
        return R_i @ body.R, p_i + R_i @ body.p


def link_motion(tree: Tree, q: JointArray, qd: JointArray | None = None) -> LinkMotion:
    """Compute poses of links in the world and, with qd, their velocities in link coordinates.

    Featherstone 2008, Examples 4.3 and 4.4.
    """
    R_0, p_0, w, v = (tree.field(kind) for kind in (Matrix, Vector, Vector, Vector))
    R_0[tree.world], p_0[tree.world] = IDENTITY, ZERO
    w[tree.world] = v[tree.world] = ZERO
    for i in tree.outward(abreast=True):
        R, p = tree.pose(i, q[i])
        R_p = R_0[i.parent]
        R_0[i], p_0[i] = R_p @ R, p_0[i.parent] + R_p @ p
        if qd is not None:
            w_J, v_J = joint_velocity(tree, i, tree.axes(i, q[i]), q, qd)
            w_p = w[i.parent]
            w[i], v[i] = R.T @ w_p + w_J, R.T @ (v[i.parent] + cross(w_p, p)) + v_J  # Eq 5.18
    return LinkMotion(R_0, p_0, w, v)


def forward_kinematics(tree: LoopTree, q: JointArray, qd: JointArray | None, state: Whole) -> None:
    """Write pose and velocity of all bodies, the world first, of state number `state`.

    Array "poses" takes 16 numbers per body, row by row; "velocities" takes 6, angular part first, in body coordinates.
    """
    motion, program = link_motion(tree, q, qd), tree.program
    for body in tree.bodies():
        R, p = motion.of(body)
        place = tree.n_bodies * state + body.number
        pose = [*R[0], p[0], *R[1], p[1], *R[2], p[2], 0.0, 0.0, 0.0, 1.0]
        for k, x in enumerate(pose):
            program.store("poses", place * 16, k, x)
        if qd is not None:
            w, v = motion.w[body.link], motion.v[body.link]
            velocity = [*(body.R.T @ w), *(body.R.T @ (v + cross(w, body.p)))]
            for k, x in enumerate(velocity):
                program.store("velocities", place * 6, k, x)
