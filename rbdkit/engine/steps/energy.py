"""Kinetic, gravitational and spring energy."""

from __future__ import annotations

from rbdkit import algorithms
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Whole


def energy(tree: Tree, q: JointArray, qd: JointArray, state: Whole) -> None:
    """Record the energies of state number `state`, three numbers in "energies", see `rbdkit.algorithms.energy`.

    "fixed_energy" holds the gravitational energy of what is fixed to the world, and the least energy of the springs.
    """
    found, program = recording(algorithms.energy)(TextTree(tree, q, {}), q, qd), tree.program
    fixed_gravitational, fixed_spring = (program.load("fixed_energy", 0, k) for k in range(2))
    parts = found.kinetic, fixed_gravitational + found.gravitational, fixed_spring + found.spring
    for k, x in enumerate(parts):
        program.store("energies", state * 3, k, x)
