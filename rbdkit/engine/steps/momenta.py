"""Generalized momenta of the joints, their rates, and their values at the two ends of a step."""

from __future__ import annotations

from rbdkit.engine.steps import coupled
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.axes import Axes, changes
from rbdkit.engine.steps.crba import crba_base
from rbdkit.engine.steps.joint_arrays import AtRest, JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.rnea import coriolis, joint_acceleration, joint_velocity, project, spin
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross
from rbdkit.trace import Scalar


def momenta(tree: Tree, q: JointArray, qd: JointArray, qdd: JointArray, p: JointArray, rate: JointArray) -> None:
    """Compute ``p = M(q) qd`` and its time derivative for accelerations qdd.

    The subtree beyond a joint has the momentum h, which changes by the force f: ``p = S.T h``, ``p' = S.T f + S'.T h``.
    Axes that their body carries turn with its velocity, others with that of its parent.
    """
    R, r, w, v, alpha, a = (tree.field(kind) for kind in (Matrix, *[Vector] * 5))
    n, f, h_n, h_f = (tree.field(Vector) for _ in range(4))
    axes, world = Axes(tree, q), tree.world

    for field in (w, v, alpha, a, n, f, h_n, h_f):
        field[world] = ZERO
    for i in tree.outward():
        R[i], r[i] = tree.pose(i, q[i])
        S_i = axes.find(i)
        w_J, v_J = joint_velocity(tree, i, S_i, q, qd)
        alpha_J, a_J = joint_acceleration(tree, i, S_i, q, qd, qdd)
        w_p, alpha_p = w[i.parent], alpha[i.parent]
        w_p_i = R[i].T @ w_p
        w[i], v[i] = w_p_i + w_J, R[i].T @ (v[i.parent] + cross(w_p, r[i])) + v_J
        alpha[i] = R[i].T @ alpha_p + cross(w_p_i, w_J) + alpha_J
        a[i] = R[i].T @ (a[i.parent] + spin(w_p, alpha_p) @ r[i]) + coriolis(w_p_i, w_J, v_J) + a_J
        m, h, I = tree.inertia(i)
        h_f[i], h_n[i] = m * v[i] + cross(w[i], h), I @ w[i] + cross(h, v[i])
        f[i] = m * a[i] + spin(w[i], alpha[i]) @ h
        n[i] = I @ alpha[i] + cross(w[i], I @ w[i]) + cross(h, a[i])
    for k in tree.freedoms() if tree.coupled else ():
        p[k] = rate[k] = 0.0
    for i in tree.inward():
        S_i, momentum = axes[i], [*h_n[i], *h_f[i]]
        w_c, v_c = w[i], v[i]
        if not i.motion.carried:
            w_J, v_J = joint_velocity(tree, i, S_i, q, qd)
            w_c, v_c = w_c - w_J, v_c - v_J
        felt = [*(n[i] - cross(w_c, h_n[i]) - cross(v_c, h_f[i])), *(f[i] - cross(w_c, h_f[i]))]
        own, change = [project(S, momentum) for S in S_i], [project(S, felt) for S in S_i]
        if i.motion.varying:
            for speed, columns in zip(qd[i], changes(tree, i, q, qd).axes, strict=True):
                change = [x + speed * project(S, momentum) for x, S in zip(change, columns, strict=True)]
        rotors = tree.rotors(i)
        tree.collect(p, i, [x + rotor * speed for x, rotor, speed in zip(own, rotors, qd[i], strict=True)])
        tree.collect(rate, i, [x + rotor * speed for x, rotor, speed in zip(change, rotors, qdd[i], strict=True)])
        for moment, force in ((n, f), (h_n, h_f)):
            carried = R[i] @ force[i]
            force[i.parent] = force[i.parent] + carried
            moment[i.parent] = moment[i.parent] + R[i] @ moment[i] + cross(r[i], carried)


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
