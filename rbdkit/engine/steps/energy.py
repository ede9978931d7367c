"""Kinetic, gravitational and spring energy."""

from __future__ import annotations

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.kinematics import link_motion
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import Vector, cross, dot
from rbdkit.trace import Scalar, Whole


def energy(tree: Tree, q: JointArray, qd: JointArray, state: Whole) -> None:
    """Write kinetic, gravitational and spring energy of state number `state` to "energies".

    "fixed_energy" holds the gravitational energy of what is fixed to the world, and the least energy of the springs.
    """
    motion, program = link_motion(tree, q, qd), tree.program
    place = state * 3

    def add(k: int, x: Scalar) -> None:
        program.store("energies", place, k, program.load("energies", place, k) + x)

    for k, x in enumerate((0.0, program.load("fixed_energy", 0, 0), program.load("fixed_energy", 0, 1))):
        program.store("energies", place, k, x)
    for i in tree.outward():
        (m, h, I), (w, v), (R, p) = tree.inertia(i), motion.v[i].halves, motion.T[i]
        gravity = Vector(program.load("gravity", 0, k) for k in range(3))
        rotors = sum((r * x * x for r, x in zip(tree.rotors(i), qd[i], strict=True)), 0.0)
        springs = zip(tree.velocities("stiffness")[i], tree.stretch(i, q), strict=True)
        add(0, 0.5 * (dot(w, I @ w) + m * dot(v, v) + rotors) + dot(v, cross(w, h)))  # Eq 2.67
        add(1, -dot(gravity, m * p + R @ h))
        add(2, 0.5 * sum((k * u * u for k, u in springs), 0.0))
