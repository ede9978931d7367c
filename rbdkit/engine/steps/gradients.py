"""Gradient of a weighted sum of joint forces by everything that they depend on, in one pass outward and one inward.

The weights w act as virtual joint velocities: ``w . tau`` is the sum of the powers V . f of the forces on all links
under the virtual motion V of w. So the gradient costs about as much as the forces themselves (an adjoint method).
"""

from __future__ import annotations

from rbdkit.engine.steps.axes import along, changes
from rbdkit.engine.steps.base import (
    PAIR,
    Pair,
    base_motion,
    cross_force,
    flat,
    in_base,
    minus,
    pair,
    plus,
    power,
    times,
)
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.sizes import LINK
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import Program, Scalar, Whole


def rnea_gradient(
    tree: LoopTree,
    q: JointArray,
    qd: JointArray,
    qdd: JointArray,
    w: JointArray,
    f_ext: Whole | None,
    state: Whole,
) -> None:
    """Write the gradient of ``w . ID(q, qd, qdd)`` to "by_q", "by_v", "by_qdd", "by_link", "by_gravity" and "by_f_ext".

    The derivative by q is along `RecordedJoint.move`; that by a link's placement is along a twist of its joint's frame,
    in that frame.
    """
    program, world = tree.program, tree.world
    base = base_motion(tree, q, qd, qdd, f_ext)
    V, P, Q, F, X = (tree.field(PAIR) for _ in range(5))
    V[world] = P[world] = Q[world] = F[world] = X[world] = [0.0] * 6
    for i in tree.outward():
        V_i = pair(V[i.parent])
        for axis, w_k in zip(in_base(base.S[i], base.R[i], base.p[i]), w[i], strict=True):
            V_i = plus(V_i, times(w_k, axis))
        f = pair(base.f[i])
        # I V and 2 B.T V, summed inward: derivatives by a and by v
        V[i], P[i], Q[i] = flat(V_i), (base.I[i] @ mv(*V_i)).flat(), [*base.B[i].transposed_times(V_i), 0.0, 0.0, 0.0]
        X_i: Pair = (ZERO, ZERO)
        if base.f_x is not None:
            f_x = pair(base.f_x[i])
            f, X_i = minus(f, f_x), cross_force(V_i, f_x)
            place = (i.number + state * (tree.n + 1)) * 6
            turning, moving = V_i
            _write(program, "by_f_ext", place, 0, [*-turning, *-(moving - cross(turning, base.origin[i]))])
        F[i], X[i] = flat(f), flat(X_i)
        R, p = base.R[i], base.p[i]
        here = (_in_link(R, p, m) for m in (V_i, pair(base.v[i]), pair(base.a[i])))
        place = (i.number + state * (tree.n + 1)) * LINK
        _write(program, "by_link", place, 6, _by_inertia(*here))
    by_q, by_v, by_qdd = (tree.velocities(name, state * tree.nv) for name in ("by_q", "by_v", "by_qdd"))
    for i in tree.inward():
        v_p, v_i, P_i, Q_i, F_i = pair(base.v[i.parent]), pair(base.v[i]), pair(P[i]), pair(Q[i]), pair(F[i])
        sums = P_i, Q_i, F_i, pair(X[i])
        by_place = _displaced(v_p, pair(base.a[i.parent]), pair(V[i.parent]), *sums)
        by_displacement = by_place if i.motion.carried else _displaced(v_i, pair(base.a[i]), pair(V[i]), *sums)
        by_velocity = minus(Q_i, cross_force(plus(v_p, v_i), P_i))
        axes = in_base(base.S[i], base.R[i], base.p[i])
        of_q = [power(axis, by_displacement) for axis in axes]
        of_v = [power(axis, by_velocity) for axis in axes]
        if i.motion.varying:
            change = changes(tree, i, q, qd)
            for k, (by_k, c_q, c_v) in enumerate(zip(change.axes, change.product_q, change.product_v, strict=True)):
                speed, turned = along(by_k, qd[i]), along(by_k, w[i])
                more = along([*by_k, c_q], [*qdd[i], 1.0])
                columns = [[*part[0], *part[1]] for part in (speed, more, turned)]
                v_k, a_k, V_k, D_k = in_base([*columns, c_v], base.R[i], base.p[i])
                of_q[k] = of_q[k] + power(v_k, by_velocity) + power(a_k, P_i) + power(V_k, F_i)
                of_v[k] = of_v[k] + power(D_k, P_i)
        by_q[i], by_v[i] = of_q, of_v
        by_qdd[i] = [
            power(axis, P_i) + rotor * w_k for axis, rotor, w_k in zip(axes, tree.rotors(i), w[i], strict=True)
        ]
        R_T, p_T = _joint_frame(tree, i, q, base.R[i], base.p[i])
        moment, force = by_place
        place = (i.number + state * (tree.n + 1)) * LINK
        _write(program, "by_link", place, 0, [*(R_T.T @ (moment - cross(p_T, force))), *(R_T.T @ force)])
        if i.motion.name == "helical":  # a rotation moves the link along the axis too, by the pitch
            ahead = (ZERO, axes[0][0])
            by_pitch = (
                q[i][0] * power(ahead, by_displacement)
                + qd[i][0] * power(ahead, by_velocity)
                + qdd[i][0] * power(ahead, P_i)
                + w[i][0] * power(ahead, F_i)
            )
            _write(program, "by_link", place, 16, [by_pitch])
        for field in (P, Q, F, X):
            field[i.parent] = [x + y for x, y in zip(field[i.parent], field[i], strict=True)]
    _write(program, "by_gravity", state * 3, 0, [-x for x in P[world][3:]])


def _displaced(v_c: Pair, a_c: Pair, V_c: Pair, P: Pair, Q: Pair, F: Pair, X: Pair) -> Pair:
    """Return the derivative by a displacement of a subtree, from a frame that moves with v_c, a_c and V_c."""
    still = plus(cross_force(V_c, F), plus(X, cross_force(a_c, P)))
    return minus(cross_force(v_c, minus(cross_force(v_c, P), Q)), still)


def _in_link(R: Matrix, p: Vector, motion: Pair) -> Pair:
    """Transform a motion from base coordinates to those of a link with that pose."""
    turning, moving = motion
    return R.T @ turning, R.T @ (moving + cross(turning, p))


def _joint_frame(tree: Tree, i: Node, q: JointArray, R: Matrix, p: Vector) -> tuple[Matrix, Vector]:
    """Return the pose in base coordinates of the frame that a link's joint starts from."""
    R_J, p_J = i.motion.pose(q[i], tree.numbers(i))
    R_T = R @ R_J.T
    return R_T, p - R_T @ p_J


def _by_inertia(V: Pair, v: Pair, a: Pair) -> list[Scalar]:
    """Return the derivative of V . (I a + v x* I v) by the ten inertial numbers, all in link coordinates."""
    (W, U), (w, u), (alpha, a_0) = V, v, a
    a_O = a_0 + cross(w, u)  # classical acceleration of the origin
    Ww = cross(W, w)
    by_h = cross(a_O, W) - cross(alpha, U) + cross(w, cross(w, U))
    by_I = [
        (W[r] * alpha[s] + Ww[r] * w[s]) + ((W[s] * alpha[r] + Ww[s] * w[r]) if r != s else 0.0)
        for r in range(3)
        for s in range(r, 3)
    ]
    return [dot(U, a_O), *by_h, *by_I]


def _write(program: Program, array: str, place: Whole, slot: int, numbers: list[Scalar]) -> None:
    for r, x in enumerate(numbers):
        program.store(array, place, slot + r, x)
