"""Accelerations from J^T M_m J, formed column by column with products by J and its transpose in linear time.

In world axes the column of J that belongs to a velocity is the same twist for all links beyond the joint, zero for
others: Algorithm 5 of Sueda's notes only passes it on. The momenta of the links come back by Algorithm 6.
"""

from __future__ import annotations

from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import AtRest, JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.rnea import project, rnea
from rbdkit.engine.steps.stiffness import copy_inertia
from rbdkit.engine.steps.tree import Numbers
from rbdkit.engine.steps.world_axes import axes_of, handed_on, keep_axes, move_one
from rbdkit.spatial.compact import mv, plx, rbi
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector
from rbdkit.trace import eliminate


def reduced_inertia(tree: LoopTree, q: JointArray) -> None:
    """Write M_r = J^T M_m J, with rotors, to "H" by rows (Eq 2.18).

    Base coordinates have the axes of the world and the tree's first link as origin, so that accuracy does not depend on
    the distance from the world's origin.
    """
    program, nv, world = tree.program, tree.nv, tree.world
    R_0, p_0, reach, I = tree.field(Matrix), tree.field(Vector), tree.field(Numbers(1)), tree.field(rbi)
    y, momentum = tree.field(Numbers(6)), tree.field(Numbers(6))
    R_0[world], p_0[world], reach[world] = IDENTITY, ZERO, [0.0]
    y[world] = momentum[world] = [0.0] * 6
    for i in tree.outward():
        R, p = tree.pose(i, q[i])
        R_p = R_0[i.parent]
        R_0[i], reach[i] = R_p @ R, [1.0]
        p_0[i] = p_0[i.parent] + reach[i.parent][0] * (R_p @ p)
        I[i] = plx(R_0[i].T, p_0[i]).inv_apply(rbi(*tree.inertia(i)))
        keep_axes(tree, i, R_0[i], p_0[i], tree.axes(i, q[i]))
    with program.loop(0, nv) as column:
        move_one(tree, column)
        with program.loop(0, nv) as a:
            program.store("H", a * nv + column, 0, 0.0)
        with program.loop(0, 1):
            program.store("H", column * nv + column, 0, program.load("armature", column))
        for i in tree.outward():  # Algorithm 5
            own = handed_on(tree, i, y[i.parent])
            y[i], momentum[i] = own, (I[i] @ mv.of(own)).flat()
        for i in tree.inward():  # Algorithm 6
            felt = momentum[i]
            for m, S in enumerate(axes_of(tree, i)):
                entry = (i.v + m) * nv + column
                program.store("H", entry, 0, program.load("H", entry) + project(S, felt))
            momentum[i.parent] = [a + b for a, b in zip(momentum[i.parent], felt, strict=True)]


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
