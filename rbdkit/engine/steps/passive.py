"""Passive joint forces: springs and dampers."""

from __future__ import annotations

from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Scalar


class WithPassiveForce:
    """``tau - damping * v - A.T (stiffness * u)``; u is the displacement from the spring's rest, and u' = A v."""

    def __init__(self, tree: Tree, q: JointArray, qd: JointArray, tau: JointValues) -> None:
        self.tree = tree
        self.q, self.qd, self.tau = q, qd, tau
        self.damping, self.stiffness = tree.velocities("damping"), tree.velocities("stiffness")

    def __getitem__(self, i: Node) -> list[Scalar]:
        u = self.tree.stretch(i, self.q)
        # A^T takes the force from the displacement u to the velocities, as u' = A v
        spring = i.motion.local_force(u, [k * x for k, x in zip(self.stiffness[i], u, strict=True)])
        parts = zip(self.tau[i], self.damping[i], self.qd[i], spring, strict=True)
        return [t - d * v - f for t, d, v, f in parts]
