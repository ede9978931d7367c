"""Forward dynamics with springs, dampers and force elements, for any tree."""

from __future__ import annotations

from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.steps import coupled
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.own_forces import OWN_STATES, WithOwnTorques, record
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Part


def forward_dynamics(
    tree: Tree,
    q: JointArray,
    qd: JointArray,
    tau: JointValues,
    qdd: JointArray,
    f_ext: ExternalForce | None,
    own: OwnForces | None = None,
    z: Part = OWN_STATES,
    z_rate: Part | None = None,
) -> None:
    """Compute qdd under tau, passive forces and force elements, by the algorithm that the tree's joints allow.

    own : the force elements of the model, if it has any; z, z_rate : see `own_forces.record`.
    """
    acting: JointValues = WithPassiveForce(tree, q, qd, tau)
    if own is not None:
        record(own, tree, q, qd, z, z_rate)
        acting = WithOwnTorques(tree, acting)
        if own.asks_bodies:
            f_ext = ExternalForce(tree, 0 if f_ext is None else f_ext.start, own=True, given=f_ext is not None)
    accelerate(tree, q, qd, acting, qdd, f_ext)


def accelerate(
    tree: Tree, q: JointArray, qd: JointArray, tau: JointValues, qdd: JointArray, f_ext: ExternalForce | None
) -> None:
    """Compute qdd under tau alone: by ABA, unless mimic joints are too far from their master for that."""
    # then H is formed and factorised: O(n^2) and more, but for any mimic joints
    if tree.coupled and not tree.clustered:
        assert isinstance(tree, LoopTree)
        coupled.forward_dynamics(tree, q, qd, tau, qdd, f_ext)
    else:
        aba(tree, q, qd, tau, qdd, f_ext)
