"""Forward dynamics of trees with mimic joints, by way of the inertia matrix."""

from __future__ import annotations

from rbdkit.engine.steps.crba import crba_base
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import AtRest, JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.ltl import factorise_sparse
from rbdkit.engine.steps.rnea import rnea


def forward_dynamics(
    tree: LoopTree, q: JointArray, qd: JointArray, tau: JointValues, qdd: JointArray, f_ext: ExternalForce | None = None
) -> None:
    """Compute qdd = H^-1 (tau - C) (Featherstone 2008, section 6.1); "H" and "bias_force" are work arrays."""
    C = tree.velocities("bias_force")
    crba_base(tree, q, 0)
    rnea(tree, q, qd, AtRest(), C, f_ext)
    for i in tree.outward():
        if i.moves:
            qdd[i] = [own - bias for own, bias in zip(tau[i], C[i], strict=True)]
    solve(tree, qdd)


def solve(tree: LoopTree, x: JointArray) -> None:
    """Replace x by H^-1 x, by H = L.T D L (Tables 6.3 and 6.5).

    Overwrites the lower half of "H"; writes the factors to "L" and "D_inv".
    """
    program, nv = tree.program, tree.nv
    factorise_sparse(tree)
    for k in tree.ordered(inward=True):
        row = k * nv
        for i in tree.supporting(k, itself=False):
            x[i] = x[i] - program.load("L", row + i) * x[k]  # L.T y = x
    for k in tree.ordered():
        x[k] = x[k] * program.load("D_inv", k)  # D z = y
        for i in tree.supporting(k, itself=False):
            x[k] = x[k] - program.load("L", k * nv + i) * x[i]  # L qdd = z
