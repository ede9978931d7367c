"""Passive joint forces: springs and dampers."""

from __future__ import annotations

from rbdkit.algorithms.passive_force import resistance
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.text_tree import LinkJoint, recording
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Scalar


class WithPassiveForce:
    """Joint forces together with passive ones, see `rbdkit.algorithms.passive_force`."""

    def __init__(self, tree: Tree, q: JointArray, qd: JointArray, tau: JointValues) -> None:
        self.tree, self.q, self.qd, self.tau = tree, q, qd, tau

    def __getitem__(self, i: Node) -> list[Scalar]:
        passive = recording(resistance)(LinkJoint(self.tree, i, of_group=False), self.q, self.qd)
        return [t - x for t, x in zip(self.tau[i], passive, strict=True)]
