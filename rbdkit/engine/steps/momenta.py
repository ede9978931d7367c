"""Generalized momenta of the joints, their rates, and their values at the two ends of a step.

Variational integrators step momenta p = M(q) qd in place of velocities (Marsden and West 2001). One pass out and in
gives p and p' without forming M; `velocities` inverts it by the articulated-body algorithm at rest, with p as joint
forces. `at_ends` carries the momentum in the middle of a step to its two ends; for joints whose coordinates are a
manifold, a displacement of the ends moves the middle by the Jacobians of `local_rate`.
"""

from __future__ import annotations

from rbdkit.engine.steps import coupled
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.axes import changes
from rbdkit.engine.steps.crba import crba_base
from rbdkit.engine.steps.joint_arrays import AtRest, JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.text_tree import TextTree
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.compact import Subspace, fv, mv, plx
from rbdkit.trace import Scalar


def momenta(tree: Tree, q: JointArray, qd: JointArray, qdd: JointArray, p: JointArray, rate: JointArray) -> None:
    """Compute ``p = M(q) qd`` and its time derivative for accelerations qdd.

    The subtree beyond a joint has the momentum h, which changes by the force f: ``p = S.T h``, ``p' = S.T f + S'.T h``.
    Axes that their body carries turn with its velocity, others with that of its parent.
    """
    text = TextTree(tree, q, {})
    X, S, v, a, h, f = (text.room(kind) for kind in (plx, Subspace, mv, mv, fv, fv))
    for i in text.outward:
        joint = text.joints[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd)
        X[i] = X_J @ text.X_tree[i]
        v[i] = v_i = X[i] @ v[i.parent] + v_J
        a[i] = a_i = X[i] @ a[i.parent] + S[i] @ qdd[i] + c_J + v_i.cross(v_J)
        h[i], f[i] = text.I[i] @ v_i, text.I[i].force(a_i, v_i)
    for k in tree.freedoms() if tree.coupled else ():
        # mimic joints add to their master's
        p[k] = rate[k] = 0.0
    for i in text.inward:
        # v_c: velocity of the frame that the axes move along with
        S_i, rotors, v_c = S[i], text.joints[i].armature, v[i] if i.motion.carried else X[i] @ v[i.parent]
        change = S_i.T @ (f[i] - v_c.cross(h[i])) + rotors * qdd[i]
        if i.motion.varying:
            for speed, columns in zip(qd[i], changes(tree, i, q, qd).axes, strict=True):
                change = change + [speed * mv.of(column).dot(h[i]) for column in columns]
        tree.collect(p, i, S_i.T @ h[i] + rotors * qd[i])
        tree.collect(rate, i, change)
        h[i.parent] = h[i.parent] + X[i].T @ h[i]
        f[i.parent] = f[i.parent] + X[i].T @ f[i]


def velocities(tree: Tree, q: JointArray, p: JointArray, qd: JointArray) -> None:
    """Solve ``M(q) qd = p``: the acceleration of the model at rest and without gravity under joint forces p."""
    if not tree.coupled or tree.clustered:
        aba(tree, q, AtRest(), p, qd, weightless=True)
        return
    assert isinstance(tree, LoopTree)
    crba_base(tree, q, 0)
    for i in tree.outward():
        if i.moves:
            qd[i] = p[i]
    coupled.solve(tree, qd)


def at_ends(
    tree: Tree, u: JointArray, p: JointArray, impulse: JointArray, before: JointArray, after: JointArray
) -> None:
    """Compute momenta at the two ends of a displacement u, from p and the impulse in its middle, joint by joint.

    With A(u) of `local_rate`, moving the ends by d0 and d1 changes u by ``A(u) d1 - A(-u) d0`` and the middle by
    ``A(u/2)^-1 (A(-u/2) d0 + 1/2 du)``.
    """
    for i in tree.outward():
        if not i.moves:
            continue
        joint, forth, momentum, pull = i.motion, u[i], p[i], impulse[i]
        # for plain joints both ends differ from the middle by half of the impulse
        if not joint.curved:
            before[i] = [x - 0.5 * y for x, y in zip(momentum, pull, strict=True)]
            after[i] = [x + 0.5 * y for x, y in zip(momentum, pull, strict=True)]
            continue
        back = [-x for x in forth]
        halves = [[0.5 * x for x in way] for way in (forth, back)]
        odd = [
            x - y for x, y in zip(joint.local_force(forth, momentum), joint.local_force(back, momentum), strict=True)
        ]
        columns = [joint.local_rate(halves[0], [float(k == m) for m in range(joint.nv)]) for k in range(joint.nv)]
        pull = _near_one(columns, [x - y for x, y in zip(pull, odd, strict=True)])
        spread = [x + 0.5 * y for x, y in zip(momentum, pull, strict=True)]
        lost = joint.local_force(halves[1], pull)
        before[i] = [x - y for x, y in zip(joint.local_force(back, spread), lost, strict=True)]
        after[i] = joint.local_force(forth, spread)


def _near_one(A: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    """Solve A x = b, row by row, for a matrix whose symmetric part is positive definite: no pivoting."""
    size = len(b)
    A, b = [list(row) for row in A], list(b)
    for k in range(size):
        for i in range(k + 1, size):
            factor = A[i][k] / A[k][k]
            A[i] = [x - factor * y for x, y in zip(A[i], A[k], strict=True)]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(size)):
        b[k] = (b[k] - sum((A[k][m] * b[m] for m in range(k + 1, size)), 0.0)) / A[k][k]
    return b
