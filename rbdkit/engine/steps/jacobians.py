"""Jacobians of the dynamics in one array: nv rows per state, blocks by q, by v and by acceleration or force.

Inverse dynamics is differentiated by analytic recursion (`derivatives`). Forward dynamics follows from it: with tau
constant, ``H dqdd = -d ID``, so its derivatives are -H^-1 times those of inverse dynamics at the accelerations found
(Jain and Rodriguez 1993, Carpentier and Mansard 2018). All blocks stand side by side in one matrix, so that H^-1 is
applied to all columns at once, in SIMD registers.
"""

from __future__ import annotations

from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.derivatives import rnea_derivatives
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.inverse_inertia import apply_inverse_inertia, factors_in_base
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.ltl import factorise, solve
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.passive_derivatives import passive_derivatives
from rbdkit.trace import Scalar, Whole


class Rows:
    """A state's part of the array "derivatives"; count "row" is the length of its rows."""

    def __init__(self, tree: LoopTree, state: Whole) -> None:
        self.program, self.nv = tree.program, tree.nv
        self.columns = tree.program.count("row")
        self.start = state * (self.columns * tree.nv)

    def place(self, a: Whole, b: Whole) -> Whole:
        """Return the place of row a, column b."""
        return a * self.columns + self.start + b

    def add(self, a: Whole, b: Whole, x: Scalar) -> None:
        """Add to an element."""
        place = self.place(a, b)
        self.program.store("derivatives", place, 0, self.program.load("derivatives", place) + x)

    def store(self, a: Whole, b: Whole, *values: Scalar) -> None:
        """Store column b of row a in consecutive blocks, from the first on."""
        place = self.place(a, b)
        for k, x in enumerate(values):
            self.program.store("derivatives", place, 0, x)
            place = place + self.nv if k + 1 < len(values) else place


def rnea_jacobian(
    tree: LoopTree, q: JointArray, qd: JointArray, qdd: JointArray, f_ext: ExternalForce | None, state: Whole
) -> None:
    """Compute d tau / d(q, qd, qdd) of tau = ID(q, qd, qdd)."""
    rows = Rows(tree, state)
    rnea_derivatives(tree, q, qd, qdd, None if f_ext is None else f_ext.start, rows.store, rows.add)
    for a in tree.freedoms():
        rows.add(a, tree.nv * 2 + a, tree.program.load("armature", a))


def aba_jacobian(
    tree: LoopTree,
    q: JointArray,
    qd: JointArray,
    tau: JointArray,
    qdd: JointArray,
    f_ext: ExternalForce | None,
    state: Whole,
    passive: bool = False,
    deep: bool = False,
) -> None:
    """Compute d qdd / d(q, qd, tau) of qdd = FD(q, qd, tau), and qdd; passive : with springs and dampers.

    At constant tau, ``H dqdd = -d ID`` (Jain and Rodriguez 1993, Carpentier and Mansard 2018).
    deep : whether to apply H^-1 by the articulated inertias, which are there, and not by factors of H: faster in deep
    trees.
    """
    program, nv, rows, length = tree.program, tree.nv, Rows(tree, state), tree.program.count("H_row")

    def store(a: Whole, b: Whole, by_q: Scalar, by_v: Scalar, H_ab: Scalar) -> None:
        rows.store(a, b, -by_q, -by_v)
        if not deep:
            program.store("H", a * length + b, 0, H_ab)

    def subtract(a: Whole, b: Whole, x: Scalar) -> None:
        rows.add(a, b, -x)

    # the derivative is taken at the accelerations of this state, so these come first
    found = aba(tree, q, qd, WithPassiveForce(tree, q, qd, tau) if passive else tau, qdd, f_ext)
    # zeros between branches are not written below; the last block is then set to the identity, which H^-1 multiplies
    with program.loop(rows.start, rows.start + rows.columns * nv, wide=True) as place:
        program.store("derivatives", place, 0, 0.0)
    base = rnea_derivatives(tree, q, qd, qdd, None if f_ext is None else f_ext.start, store, subtract)
    if passive:
        passive_derivatives(tree, q, rows.add)
    for a in tree.freedoms():
        program.store("derivatives", rows.place(a, nv * 2 + a), 0, 1.0)
    if deep:
        factors_in_base(tree, base, found)
        apply_inverse_inertia(tree, "derivatives", rows.start, rows.columns)
        return
    for a in tree.freedoms():
        diagonal = a * length + a
        program.store("H", diagonal, 0, program.load("H", diagonal) + program.load("armature", a))
    factorise(tree)
    solve(tree, "derivatives", rows.start, rows.columns)
