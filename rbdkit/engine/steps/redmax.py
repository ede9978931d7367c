"""Accelerations from J^T M_m J, formed column by column with products by J and its transpose in linear time.

In world axes the column of J that belongs to a velocity is the same twist for all links beyond the joint, zero for
others: Algorithm 5 of Sueda's notes only passes it on. The momenta of the links come back by Algorithm 6.
"""

from __future__ import annotations

from rbdkit.engine.steps.base import STILL, UNLOADED, BaseFrames
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import AtRest, JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.rnea import rnea
from rbdkit.engine.steps.stiffness import copy_inertia
from rbdkit.engine.steps.world_axes import axes_of, handed_on, keep_axes, move_one
from rbdkit.spatial.compact import fv, mv, rbi
from rbdkit.trace import eliminate


def reduced_inertia(tree: LoopTree, q: JointArray) -> None:
    """Write M_r = J^T M_m J, with rotors, to "H" by rows (Eq 2.18).

    Base coordinates have the axes of the world and the tree's first link as origin, so that accuracy does not depend on
    the distance from the world's origin.
    """
    program, nv, X = tree.program, tree.nv, BaseFrames(tree)
    I, y, momentum = tree.field(rbi), tree.field(mv), tree.field(fv)
    y[tree.world], momentum[tree.world] = STILL, UNLOADED
    for i in tree.outward():
        I[i] = X.move(i, q).inv_apply(rbi(*tree.inertia(i)))
        keep_axes(tree, i, X[i], tree.axes(i, q[i]))
    with program.loop(0, nv) as column:
        move_one(tree, column)
        with program.loop(0, nv) as a:
            program.store("H", a * nv + column, 0, 0.0)
        with program.loop(0, 1):
            program.store("H", column * nv + column, 0, program.load("armature", column))
        for i in tree.outward():  # Algorithm 5
            y[i] = own = handed_on(tree, i, y[i.parent])
            momentum[i] = I[i] @ own
        for i in tree.inward():  # Algorithm 6
            felt = momentum[i]
            for m, S in enumerate(axes_of(tree, i)):
                entry = (i.v + m) * nv + column
                program.store("H", entry, 0, program.load("H", entry) + S.dot(felt))
            momentum[i.parent] = momentum[i.parent] + felt


def reduced_dynamics(
    tree: LoopTree, q: JointArray, qd: JointArray, tau: JointValues, qdd: JointArray, f_ext: ExternalForce | None
) -> None:
    """Solve ``M_r qdd = f_r`` by elimination (Eq 2.18); "H", "redmax_A" and "redmax_b" are work arrays."""
    program, nv, C = tree.program, tree.nv, tree.velocities("bias_force")
    reduced_inertia(tree, q)
    rnea(tree, q, qd, AtRest(), C, f_ext)  # minus J^T (f_m - M_m J-dot qd)
    f_r = tree.velocities("redmax_b")
    for i in tree.outward():
        if i.moves:
            f_r[i] = [own - bias for own, bias in zip(tau[i], C[i], strict=True)]
    copy_inertia(tree, "redmax_A")
    eliminate(program, 0, nv, "redmax_A", "redmax_b", 1)
    for a in tree.freedoms():
        qdd[a] = program.load("redmax_b", a)
