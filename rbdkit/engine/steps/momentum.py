"""Total momentum and centre of mass."""

from __future__ import annotations

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.kinematics import LinkMotion, link_motion
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.spatial.compact import fv, rbi
from rbdkit.spatial.vector3 import Vector, cross
from rbdkit.trace import Scalar, Whole


def center_of_mass(tree: LoopTree, q: JointArray, state: Whole) -> None:
    """Write the centre of mass in the world, three numbers, to "centers"; not finite if nothing has mass."""
    _center(tree, link_motion(tree, q), state)


def momentum(tree: LoopTree, q: JointArray, qd: JointArray, state: Whole, about_com: bool) -> None:
    """Write the spatial momentum in world axes, six numbers, to "momenta" (Featherstone 2008, Eqs 2.58-2.60).

    Its angular part is about the world's origin, or about the centre of mass.
    """
    motion, program, place = link_motion(tree, q, qd), tree.program, state * 6

    def add(k: int, x: Scalar) -> None:
        program.store("momenta", place, k, program.load("momenta", place, k) + x)

    for k in range(6):
        program.store("momenta", place, k, 0.0)
    for i in tree.outward():
        h: fv = motion.T[i].X.inv_apply(rbi(*tree.inertia(i)) @ motion.v[i])
        for k, x in enumerate(h.flat()):
            add(k, x)
    if about_com:
        c = _center(tree, motion, state)
        f = Vector(program.load("momenta", place, 3 + k) for k in range(3))
        for k, x in enumerate(cross(c, f)):
            # the moment about c is that about the origin less c x p
            add(k, -x)


def _center(tree: LoopTree, motion: LinkMotion, state: Whole) -> Vector:
    program, place = tree.program, state * 3
    program.store("carried", 0, 0, 0.0)
    for k in range(3):
        program.store("centers", place, k, 0.0)
    for i in tree.outward():
        m, h, _ = tree.inertia(i)
        program.store("carried", 0, 0, program.load("carried", 0) + m)
        for k, x in enumerate(m * motion.T[i].p + motion.T[i].R @ h):
            program.store("centers", place, k, program.load("centers", place, k) + x)
    c = Vector(program.load("centers", place, k) / program.load("carried", 0) for k in range(3))
    for k, x in enumerate(c):
        program.store("centers", place, k, x)
    return c
