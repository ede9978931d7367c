"""What acts in a model by itself, in a program: from the motion of its links to torques and forces on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.kinematics import LinkMotion, link_motion
from rbdkit.engine.steps.nodes import FRAME, Body, Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross
from rbdkit.trace import Scalar


def record(own: OwnForces, tree: Tree, q: JointArray, qd: JointArray) -> tuple[Scalar, Scalar]:
    """Write torques to "own_tau" and forces on links to "own_force"; gives the stored energy and the power lost.

    Both arrays hold zeros where nothing acts. "own_force" is like "f_ext".
    """
    program, motion = tree.program, link_motion(tree, q, qd)
    known = {
        f"body{body}": _motion_of(tree, motion, body, link, apart)
        for body, link, apart in zip(own.bodies, own.links, own.apart, strict=True)
    }

    def load(argument: str, k: int) -> Scalar:
        if argument == "q":
            return program.load(q.array, q.start, k)
        return program.load(qd.array, qd.start, k) if argument == "v" else known[argument][k]

    torques, pushes, stored, lost = own.split(own.law.compute(program, load, "own_numbers"))
    for a, x in zip(own.velocities, torques, strict=True):
        program.store("own_tau", 0, a, x)
    felt = {link: [0.0] * 6 for link in own.pushed_links}
    for body, push in zip(own.pushed, pushes, strict=True):
        link = own.links[own.bodies.index(body)]
        felt[link] = [a + b for a, b in zip(felt[link], push, strict=True)]
    for link, push in felt.items():
        for k, x in enumerate(push):
            program.store("own_force", 0, 6 * link + k, x)
    return stored, lost


class WithOwnTorques:
    """Joint forces, and what acts along the joints by itself."""

    def __init__(self, tree: Tree, tau: JointValues) -> None:
        self.tau, self.own = tau, tree.velocities("own_tau")

    def __getitem__(self, i: Node) -> list[Scalar]:
        return [a + b for a, b in zip(self.tau[i], self.own[i], strict=True)]


def along_joints(tree: Tree, motion: JointArray, result: JointArray) -> None:
    """Write "own_tau", and what "own_force" does along the velocities, to `result`. motion : q."""
    program = tree.program
    n, f, R, p = tree.field(Vector), tree.field(Vector), tree.field(Matrix), tree.field(Vector)
    placed = link_motion(tree, motion)
    n[tree.world] = f[tree.world] = ZERO
    for i in tree.outward():
        R[i], p[i] = tree.pose(i, motion[i])
        place = i.number * 6
        x = [program.load("own_force", place, k) for k in range(6)]
        R_0, p_0 = placed.R[i], placed.p[i]
        n[i], f[i] = R_0.T @ (Vector(x[:3]) - cross(p_0, Vector(x[3:]))), R_0.T @ Vector(x[3:])
    for a in tree.each(tree.nv):
        result[a] = program.load("own_tau", a)
    for i in tree.inward():
        across = [*n[i], *f[i]]
        for k, S in enumerate(tree.axes(i)):
            a = i.v + k
            result[a] = result[a] + tree.ratio(i) * sum((s * x for s, x in zip(S, across, strict=True)), 0.0)
        f_p = R[i] @ f[i]
        f[i.parent] = f[i.parent] + f_p
        n[i.parent] = n[i.parent] + R[i] @ n[i] + cross(p[i], f_p)


def _motion_of(tree: Tree, motion: LinkMotion, body: int, link: int, apart: bool) -> Sequence[Any]:
    """Rotation, position, angular velocity and velocity of the origin of a body, in world axes."""
    i = Body(link, tree.row_of(link))
    R, p, w, v = motion.R[i], motion.p[i], motion.w[i], motion.v[i]
    w, v = R @ w, R @ v
    if apart:
        x = [tree.program.load("frames", 0, body * FRAME + k) for k in range(FRAME)]
        arm = R @ Vector(x[9:])
        R, p, v = R @ Matrix.of(x[:9]), p + arm, v + cross(w, arm)
    return [*R.flat(), *p, *w, *v]
