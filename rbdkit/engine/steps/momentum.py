"""Total momentum and centre of mass."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit import algorithms
from rbdkit.algorithms.momentum import About
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.trace import Scalar, Whole


def center_of_mass(tree: LoopTree, q: JointArray, state: Whole) -> None:
    """Record the centre of mass, three numbers in "centers", see `rbdkit.algorithms.center_of_mass`.

    It is not finite if nothing has mass.
    """
    _write(tree, "centers", state * 3, recording(algorithms.center_of_mass)(TextTree(tree, q, {}), q))


def momentum(tree: LoopTree, q: JointArray, qd: JointArray, state: Whole, about: About) -> None:
    """Record the momentum, six numbers in "momenta", see `rbdkit.algorithms.momentum`."""
    _write(tree, "momenta", state * 6, recording(algorithms.momentum)(TextTree(tree, q, {}), q, qd, about).flat())


def _write(tree: LoopTree, array: str, place: Whole, numbers: Sequence[Scalar]) -> None:
    for k, x in enumerate(numbers):
        tree.program.store(array, place, k, x)
