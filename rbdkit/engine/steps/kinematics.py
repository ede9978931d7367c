"""Poses and velocities: of links, for other algorithms, and of bodies, as results."""

from __future__ import annotations

from typing import Any, NamedTuple

from rbdkit.algorithms import kinematics
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.compact import mv
from rbdkit.trace import Whole


class LinkMotion(NamedTuple):
    """Fields of a tree: pose T of each link in the world, and its velocity v in its own coordinates."""

    T: Any
    v: Any


def link_motion(tree: Tree, q: JointArray, qd: JointArray | None = None) -> LinkMotion:
    """Compute poses of links in the world and, with qd, their velocities in link coordinates."""
    return LinkMotion(*recording(kinematics.outward_pass)(TextTree(tree, q, {}), q, qd))


def forward_kinematics(tree: LoopTree, q: JointArray, qd: JointArray | None, state: Whole) -> None:
    """Write pose and velocity of all bodies, the world first, of state number `state`.

    Array "poses" takes 16 numbers per body, row by row; "velocities" takes 6, angular part first, in body coordinates.
    """
    motion, program = link_motion(tree, q, qd), tree.program
    for body in tree.bodies():
        R, p = motion.T[body.link] @ body.frame
        place = tree.n_bodies * state + body.number
        pose = [*R[0], p[0], *R[1], p[1], *R[2], p[2], 0.0, 0.0, 0.0, 1.0]
        for k, x in enumerate(pose):
            program.store("poses", place * 16, k, x)
        if qd is not None:
            velocity: mv = body.frame.X @ motion.v[body.link]
            for k, x in enumerate(velocity.flat()):
                program.store("velocities", place * 6, k, x)
