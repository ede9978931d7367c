"""One frame of a model: its Jacobian and its bias acceleration."""

from __future__ import annotations

from rbdkit import algorithms
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.sizes import Reference
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.trace import Whole


def jacobian(tree: LoopTree, q: JointArray, state: Whole, reference: Reference) -> None:
    """Record the Jacobian (6, nv) of the frame of `PlacedFrame`, in "jacobians", see `rbdkit.algorithms.jacobian`."""
    text = TextTree(tree, q, {"J": tree.velocities("jacobians", state * (tree.nv * 6))})
    recording(algorithms.jacobian)(text, q, "", reference)


def bias_acceleration(tree: LoopTree, q: JointArray, qd: JointArray, state: Whole, reference: Reference) -> None:
    """Record the bias acceleration of the frame, six numbers in "bias", see `rbdkit.algorithms.bias_acceleration`."""
    a = recording(algorithms.bias_acceleration)(TextTree(tree, q, {}), q, qd, "", reference)
    for k, x in enumerate(a.flat()):
        tree.program.store("bias", state * 6, k, x)
