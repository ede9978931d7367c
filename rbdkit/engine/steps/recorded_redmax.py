"""A tree in joint coordinates whose accelerations come from the twists of its bodies (REDMAX)."""

from __future__ import annotations

from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.own_forces import WithOwnTorques, record
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.recorded_tree import RecordedTree
from rbdkit.engine.steps.redmax import reduced_dynamics
from rbdkit.trace import Moment, Part


class RecordedRedmax(RecordedTree):
    """The `RecordedTree` that solves ``J^T M_m J qdd = f_r``, in O(n^3) operations."""

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        tree = self.tree
        assert isinstance(tree, LoopTree)
        applied = self._at(moment, x, v)
        q, qd, qdd = (
            tree.coordinates(x.array, x.start),
            tree.velocities(v.array, v.start),
            tree.velocities(result.array, result.start),
        )
        acting: JointValues = WithPassiveForce(tree, q, qd, applied)
        f_ext = ExternalForce(tree) if self.external else None
        if self.own is not None:
            record(self.own, tree, q, qd)
            acting = WithOwnTorques(tree, acting)
            if self.own.asks_bodies:
                f_ext = ExternalForce(tree, 0, own=True, given=self.external)
        reduced_dynamics(tree, q, qd, acting, qdd, f_ext)

    def _inertia(self, tree: LoopTree, q: JointArray) -> None:
        """Do nothing: the inertia matrix of `rate` is still in "H"."""
