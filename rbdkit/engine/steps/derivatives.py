"""Derivatives of inverse dynamics by analytic recursion, the looped form of `rbdkit.algorithms.rnea_derivatives`.

After Singh, Russell and Wensing (2022): one pass outward computes the motion and, for each freedom, how displacing it
moves what it carries (Psi_dot, Psi_ddot, W); one pass inward sums up composite inertias, Coriolis matrices and forces.
Then each pair of a freedom and one of its ancestors gives two elements of each block, as products of six numbers. So
the cost is that of the pairs, n d with d the depth of the tree. All is in base coordinates, where a pair needs no
transform.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rbdkit.engine.steps.axes import along, changes
from rbdkit.engine.steps.base import UNLOADED, in_base
from rbdkit.engine.steps.base_motion import base_motion
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.rnea import project
from rbdkit.engine.steps.sizes import FOUR, FREEDOM, MIXED, MOVED, MOVING
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import ZERO, Vector
from rbdkit.trace import Program, Scalar, Whole

# Numbers of the vectors of a freedom in the array "freedoms": its axis J, Psi_dot (its angular part: B needs no more),
# Psi_ddot and W; I J, the angular part of 2 B.T J and -J x* f_x, which a row of the derivatives is made of; and two
# columns of forces across its joint. Those of `FOUR` freedoms stand side by side.
J, PSI_DOT, PSI_DDOT, W, I_J, B_J, X_J, BY_Q, BY_V = 0, 6, 9, 15, 21, 27, 30, 36, 42

Store = Callable[[Whole, Whole, Scalar, Scalar, Scalar], None]
"""Receives row a, column b, and d tau_a by q_b, v_b and the acceleration of b."""


Add = Callable[[Whole, Whole, Scalar], None]
"""Receives row, column, and what to add to an element."""


def rnea_derivatives(
    tree: LoopTree, q: JointArray, qd: JointArray, qdd: JointArray, f_ext: Whole | None, store: Store, add: Add
) -> Any:
    """Compute d tau / d(q, qd, qdd) of inverse dynamics, after Singh, Russell and Wensing (2022).

    Elements that are zero by branch-induced sparsity are not stored; `add` then corrects elements of d tau/dq. Returns
    the motion in base coordinates.
    """
    base = base_motion(tree, q, qd, qdd, f_ext)
    _axes(tree, base, q, qd, qdd)
    _across(tree, base)
    _pairs(tree, f_ext is not None, store)
    _within_joints(tree, base, q, qd, add)
    return base


def _axes(tree: LoopTree, base: Any, q: JointArray, qd: JointArray, qdd: JointArray) -> None:
    """Compute the axes, and the changes that motions along them make to the motion of what they carry."""
    for i in tree.outward(abreast=True):
        v_p, v_i = base.v[i.parent], base.v[i]
        v_c, a_c = (v_p, base.a[i.parent]) if i.motion.carried else (v_i, base.a[i])
        change = changes(tree, i, q, qd) if i.motion.varying else None
        for k, axis in enumerate(base.X_0[i].back @ base.S[i]):
            Psi_dot = v_c.cross(axis)
            Psi_ddot = a_c.cross(axis) + v_c.cross(Psi_dot)
            W_k, place = (v_p + v_i).cross(axis), _place(tree, i.v + k)
            if change is not None:  # changes of v_J and a_J by q and v through S
                by_q = along(change.axes[k], qd[i]), along([*change.axes[k], change.product_q[k]], [*qdd[i], 1.0])
                v_k, a_k, D_k = in_base([*(x.flat() for x in by_q), change.product_v[k]], base.X_0[i])
                Psi_dot = Psi_dot + v_k
                Psi_ddot = Psi_ddot + a_k + (v_p + v_i).cross(v_k)
                W_k = W_k + D_k
            _write(tree.program, place, PSI_DOT, [*Psi_dot.omega])
            for slot, vectors in ((J, axis), (PSI_DDOT, Psi_ddot), (W, W_k)):
                _write(tree.program, place, slot, vectors.flat())


def _across(tree: LoopTree, base: Any) -> None:
    """Sum up composite inertias and forces, and compute for each freedom the change of the force across its joint."""
    program = tree.program
    for i in tree.inward(abreast=True):
        I, B, f = base.I[i], base.B[i], base.f[i]
        for k in range(i.motion.nv):
            a = _place(tree, i.v + k)
            axis, Psi_ddot, W_k = (mv.of(_read(program, a, slot, 6)) for slot in (J, PSI_DDOT, W))
            Psi_dot = mv(Vector(_read(program, a, PSI_DOT, 3)), ZERO)
            _write(program, a, I_J, (I @ axis).flat())
            _write(program, a, B_J, [*(2.0 * (B.T @ axis)).n])
            _write(program, a, BY_Q, (I @ Psi_ddot + 2.0 * (B @ Psi_dot) + axis.cross(f)).flat())
            _write(program, a, BY_V, (I @ W_k + 2.0 * (B @ axis)).flat())
            if base.f_x is not None:
                _write(program, a, X_J, (-axis.cross(base.f_x[i])).flat())
        for field in (base.I, base.B, base.f, base.f_x):
            if field is not None:
                field[i.parent] = field[i.parent] + field[i]


def _pairs(tree: LoopTree, external: bool, store: Store) -> None:
    """Compute the elements of each row with its ancestors, and with its descendants and itself.

    For a single state a row takes `FOUR` columns at once, masked to zero where a column is neither.
    """
    program = tree.program

    def moving(a: Whole, b: Whole) -> list[Scalar]:
        P, Q = _read(program, a, I_J, 6), _read(program, a, B_J, 3)
        axis, Psi_ddot, W_b = (_read(program, b, slot, 6) for slot in (J, PSI_DDOT, W))
        by_q = project(P, Psi_ddot) + project(Q, _read(program, b, PSI_DOT, 3))
        if external:
            by_q = by_q + project(_read(program, a, X_J, 6), axis)
        return [by_q, project(P, W_b) + project(Q, axis[:3]), project(P, axis)]

    def moved(a: Whole, b: Whole) -> list[Scalar]:
        axis = _read(program, a, J, 6)
        return [project(axis, _read(program, b, slot, 6)) for slot in (BY_Q, BY_V, I_J)]

    for a in tree.freedoms():
        own = _place(tree, a)
        for b in tree.supporting(a) if program.lanes.width > 1 else tree.left_over(a):
            other = _place(tree, b)
            store(a, b, *moving(own, other))
            store(b, a, *moved(other, own))
        for case, chunk, lane, masks in tree.chunks(a) if program.lanes.width == 1 else ():
            other, parts = chunk * (FREEDOM * FOUR) + lane, []
            for part, element in ((MOVING, moving), (MOVED, moved)):
                if case in (part, MIXED):
                    share = program.load("pair_masks", masks, part * FOUR)
                    parts.append([share * x for x in element(own, other)])
            store(a, chunk * FOUR + lane, *(sum(x, 0.0) for x in zip(*parts, strict=True)))


def _within_joints(tree: LoopTree, base: Any, q: JointArray, qd: JointArray, add: Add) -> None:
    """Correct what `_pairs` gets wrong within a joint of several freedoms.

    There, all axes move along with each freedom if the body carries them, and none if not; and axes that depend on q
    change as well.
    """
    for i in tree.outward():
        if i.motion.nv < 2 and not i.motion.varying:
            continue
        f = base.X_0[i].apply(base.f[i] - (UNLOADED if base.f_x is None else base.f_x[i]))
        axes = base.S[i]
        if i.motion.varying:
            for k, columns in enumerate(changes(tree, i, q, qd).axes):
                for m, S_m in enumerate(columns):
                    add(i.v + m, i.v + k, project(S_m, f.flat()))
        for k in range(len(axes)):
            for m in range(k):
                low, high = (m, k) if i.motion.carried else (k, m)
                x = axes[low].dot(axes[high].cross(f))
                add(i.v + low, i.v + high, -x if i.motion.carried else x)


def _place(tree: LoopTree, a: Whole) -> Whole:
    """Return where the first number of a freedom is."""
    return tree.program.entry("freedom_place", a)


def _write(program: Program, place: Whole, slot: int, numbers: list[Scalar]) -> None:
    for r, x in enumerate(numbers):
        program.store("freedoms", place, (slot + r) * FOUR, x)


def _read(program: Program, place: Whole, slot: int, size: int) -> list[Scalar]:
    return [program.load("freedoms", place, (slot + r) * FOUR) for r in range(size)]
