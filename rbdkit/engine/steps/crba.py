"""The joint-space inertia matrix by the composite-rigid-body algorithm: a form for loops, and one to unroll."""

from __future__ import annotations

from rbdkit import algorithms
from rbdkit.engine.steps.axes import Axes
from rbdkit.engine.steps.base import BaseFrames, in_base
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree, slot_of
from rbdkit.engine.steps.rnea import project
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.spatial.compact import rbi
from rbdkit.trace import Whole


def crba_base(tree: LoopTree, q: JointArray, state: Whole) -> None:
    """Compute H of state number `state`, in base coordinates (Featherstone 2008, Eqs 6.13 and 6.14).

    Base coordinates have the axes of the world and the tree's first link as origin, so that accuracy does not depend on
    the distance from the world's origin. Only elements that are not zero by branch-induced sparsity are written to "H".
    """
    program, X, Ic, axes = tree.program, BaseFrames(tree), tree.field(rbi), Axes(tree, q)

    Ic[tree.world] = rbi.of([0.0] * 10)
    for i in tree.outward(abreast=True):
        axes.find(i)
        Ic[i] = X.move(i, q).inv_apply(rbi(*tree.inertia(i)))
    for i in tree.inward(abreast=True):
        Ic[i.parent] = Ic[i.parent] + Ic[i]  # Eq 6.13
        for k, axis in enumerate(in_base(axes[i], X[i])):
            S = tree.ratio(i) * axis
            for r, x in enumerate([*S.flat(), *(Ic[i] @ S).flat()]):
                program.store("columns", (slot_of(tree, i) + k) * 12, r, x)
    assemble(tree, state * (tree.nv * tree.nv))


def assemble(tree: LoopTree, H: Whole) -> None:
    """Assemble H, to its array from place H on, from S and the forces I S of all freedoms, in "columns"."""
    program = tree.program
    if tree.coupled:
        _add_up_slots(tree, H)
        return
    for a in tree.freedoms():
        row, column, force = H + a * tree.nv, H + a, a * 12
        for b in tree.supporting(a):
            F = [program.load("columns", force, 6 + r) for r in range(6)]
            motion = b * 12
            S = [program.load("columns", motion, r) for r in range(6)]
            H_ab = project(S, F)  # Eq 6.14
            program.store("H", row + b, 0, H_ab)
            # H is symmetric
            program.store("H", column + b * tree.nv, 0, H_ab)
        diagonal = row + a
        program.store("H", diagonal, 0, program.load("H", diagonal, 0) + program.load("armature", a, 0))


def _add_up_slots(tree: LoopTree, H: Whole) -> None:
    """Assemble H with mimic joints: entries of two freedoms add up at the velocities that they share."""
    program, nv = tree.program, tree.nv
    for a in tree.freedoms():
        for b in tree.supporting(a):
            for place in (H + a * nv + b, H + b * nv + a):
                program.store("H", place, 0, 0.0)
    with program.loop(0, program.entry("first_slot", tree.n + 1)) as a:
        row, force = H + program.entry("velocity_of_slot", a) * nv, a * 12
        start, stop = program.entry("first_slot_support", a), program.entry("first_slot_support", a + 1)
        with program.loop(start, stop - 1) as support:  # one half only: two freedoms may share a velocity
            b = program.entry("slot_supports", support)
            F, motion = [program.load("columns", force, 6 + r) for r in range(6)], b * 12
            place = row + program.entry("velocity_of_slot", b)
            S = [program.load("columns", motion, r) for r in range(6)]
            program.store("H", place, 0, program.load("H", place) + project(S, F))  # Eq 6.14
        place = row + program.entry("velocity_of_slot", a)
        S_F = [program.load("columns", force, r) for r in range(12)]
        # Half of the diagonal, as the sum with the transpose below doubles it.
        program.store("H", place, 0, program.load("H", place) + 0.5 * project(S_F[:6], S_F[6:]))
    for a in tree.freedoms():
        for b in tree.supporting(a):
            here, there = H + a * nv + b, H + b * nv + a
            both = program.load("H", here) + program.load("H", there)
            program.store("H", here, 0, both)
            program.store("H", there, 0, both)
        diagonal = H + a * nv + a
        program.store("H", diagonal, 0, program.load("H", diagonal) + program.load("armature", a))


def crba(tree: UnrolledTree, q: JointArray, state: Whole) -> None:
    """Record H of state number `state`, see `rbdkit.algorithms.crba`."""
    H = tree.velocities("H", state * (tree.nv * tree.nv))
    recording(algorithms.crba)(TextTree(tree, q, {"H": H}), q)
