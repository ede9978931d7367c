"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from typing import Any

from rbdkit.engine.steps.articulated import Articulated, eliminate
from rbdkit.engine.steps.axes import Axes, along
from rbdkit.engine.steps.base import pair, plus
from rbdkit.engine.steps.clusters import Clusters
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.rnea import coriolis, joint_acceleration, joint_velocity
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.vector3 import ZERO, Vector, cross, dot


def aba(
    tree: Tree,
    q: JointArray,
    qd: JointValues,
    tau: JointValues,
    qdd: JointArray,
    f_ext: ExternalForce | None = None,
    weightless: bool = False,
) -> Any:
    """qdd = FD(q, qd, tau): Table 7.1 of Featherstone (2008), with classical accelerations of the body origins.

    A joint with several freedoms is eliminated one axis at a time: D is factorised on the way, not inverted.
    weightless : leave gravity out. Gives the field of U, D^-1 and u of each axis, eight numbers.
    """
    R, p, w = tree.rotations(), tree.field(Vector), tree.field(Vector)
    c_w, c_v = tree.field(Vector), tree.field(Vector)
    IA, n_A, f_A = tree.field(Articulated), tree.field(Vector), tree.field(Vector)
    factors = tree.field(Numbers(8 * tree.most_axes))  # U, D^-1 and u of each axis
    alpha, a = tree.field(Vector), tree.field(Vector)
    axes = Axes(tree, q)
    clusters = Clusters(tree, tau) if tree.clustered else None
    world = tree.world

    w[world] = n_A[world] = f_A[world] = alpha[world] = ZERO
    IA[world] = Articulated.of([0.0] * 21)
    a[world] = ZERO if weightless else -Vector(tree.program.load("gravity", 0, k) for k in range(3))
    for i in tree.outward(turned=True):  # pass 1: velocities, bias terms
        R[i], p[i] = tree.pose(i, q[i])
        S_i = axes.find(i)
        w_J, v_J = joint_velocity(tree, i, S_i, q, qd)
        alpha_J, a_J = joint_acceleration(tree, i, S_i, q, qd)
        w_p = w[i.parent]
        w_p_i = R[i].T @ w_p
        w[i] = w_p_i + w_J
        c_w[i] = cross(w_p_i, w_J) + alpha_J  # Eq 7.35
        c_v[i] = R[i].T @ cross(w_p, cross(w_p, p[i])) + coriolis(w_p_i, w_J, v_J) + a_J
        m, h, I = tree.inertia(i)
        IA[i] = Articulated.rigid(m, h, I)
        n_A[i] = cross(w[i], I @ w[i])  # Eq 7.36
        f_A[i] = cross(w[i], cross(w[i], h))
        if f_ext is not None:
            n_x, f_x = f_ext.in_link(i, R[i], p[i])
            n_A[i], f_A[i] = n_A[i] - n_x, f_A[i] - f_x
        if clusters is not None:
            clusters.begin(i)
    for i in tree.inward(turned=True):  # pass 2: articulated inertias and bias forces
        if clusters is not None:
            clusters.eliminate(i, IA, n_A, f_A)
        Ia, pa, stored = IA[i].rows(), [*n_A[i], *f_A[i]], []
        for S, tau_S, rotor in () if i.kind.cluster else zip(axes[i], tau[i], tree.rotors(i), strict=True):
            Ia, pa, U, D_inv, u = eliminate(Ia, pa, S, tau_S, rotor)
            stored += [*U, D_inv, u]
        factors[i] = stored
        felt = Articulated.of_rows(Ia)
        n_a, f_a = plus(pair(pa), felt @ (c_w[i], c_v[i]))  # Eq 7.48
        if clusters is not None and i.kind.cluster:
            clusters.collect(i, axes[i][0], (c_w[i], c_v[i]), felt, (n_a, f_a), R[i], p[i])
        f_a = R[i] @ f_a
        IA[i.parent] = IA[i.parent] + felt.moved(R[i], p[i])  # Eq 7.37
        f_A[i.parent] = f_A[i.parent] + f_a  # Eq 7.38
        n_A[i.parent] = n_A[i.parent] + R[i] @ n_a + cross(p[i], f_a)
    if clusters is not None:
        clusters.accelerate(world, alpha, a, qdd)
    for i in tree.outward(turned=True):  # pass 3: accelerations
        alpha_p, a_p = alpha[i.parent], a[i.parent]
        alpha_i = R[i].T @ alpha_p + c_w[i]  # Eq 7.46
        a_i = R[i].T @ (a_p + cross(alpha_p, p[i])) + c_v[i]
        S_i, stored = axes[i], factors[i]
        if i.kind.cluster:
            S_w, S_v = along(S_i, qdd[i])
            alpha_i, a_i = alpha_i + S_w, a_i + S_v
        found = []
        for k in () if i.kind.cluster else reversed(range(len(S_i))):
            *U, D_inv, u = stored[8 * k : 8 * k + 8]
            qdd_k = (u - dot(U, [*alpha_i, *a_i])) * D_inv  # Eq 7.49
            S_w, S_v = along([S_i[k]], [qdd_k])
            alpha_i, a_i = alpha_i + S_w, a_i + S_v  # Eq 7.50
            found.append(qdd_k)
        alpha[i], a[i] = alpha_i, a_i
        if not i.kind.cluster:
            qdd[i] = found[::-1]
        if clusters is not None:
            clusters.accelerate(i, alpha, a, qdd)
    return factors
