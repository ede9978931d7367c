"""Gradient of a weighted sum of joint forces by everything that they depend on, in one pass outward and one inward.

The weights w act as virtual joint velocities: ``w . tau`` is the sum of the powers V . f of the forces on all links
under the virtual motion V of w. So the gradient costs about as much as the forces themselves (an adjoint method).
"""

from __future__ import annotations

from rbdkit.engine.steps.axes import along, changes
from rbdkit.engine.steps.base import STILL, UNLOADED, in_base
from rbdkit.engine.steps.base_motion import base_motion
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.sizes import LINK
from rbdkit.spatial.compact import fv, mv, plx
from rbdkit.spatial.vector3 import IDENTITY, ZERO, cross, dot
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
    V, P, Q, F, X = (tree.field(kind) for kind in (mv, fv, fv, fv, fv))
    V[world], P[world], Q[world], F[world], X[world] = STILL, *[UNLOADED] * 4
    for i in tree.outward():
        V_i = V[i.parent]
        for axis, w_k in zip(base.X_0[i].back @ base.S[i], w[i], strict=True):
            V_i = V_i + w_k * axis
        f, f_x, X_i = base.f[i], UNLOADED, base.X_0[i]
        # I V and 2 B.T V, summed inward: derivatives by a and by v
        V[i], P[i], Q[i] = V_i, base.I[i] @ V_i, 2.0 * (base.B[i].T @ V_i)
        if base.f_x is not None:
            f_x = base.f_x[i]
            place = (i.number + state * (tree.n + 1)) * 6
            _write(program, "by_f_ext", place, 0, (-plx(IDENTITY, base.X_0.origin[i]).inv_apply(V_i)).flat())
        F[i], X[i] = f - f_x, V_i.cross(f_x)
        place = (i.number + state * (tree.n + 1)) * LINK
        _write(program, "by_link", place, 6, _by_inertia(*(X_i @ m for m in (V_i, base.v[i], base.a[i]))))
    by_q, by_v, by_qdd = (tree.velocities(name, state * tree.nv) for name in ("by_q", "by_v", "by_qdd"))
    for i in tree.inward():
        v_p, v_i, X_i, sums = base.v[i.parent], base.v[i], base.X_0[i], (P[i], Q[i], F[i], X[i])
        P_i, Q_i, F_i, _ = sums
        by_place = _displaced(v_p, base.a[i.parent], V[i.parent], *sums)
        by_displacement = by_place if i.motion.carried else _displaced(v_i, base.a[i], V[i], *sums)
        by_velocity = Q_i - (v_p + v_i).cross(P_i)
        axes = X_i.back @ base.S[i]
        of_q = [axis.dot(by_displacement) for axis in axes]
        of_v = [axis.dot(by_velocity) for axis in axes]
        if i.motion.varying:
            change = changes(tree, i, q, qd)
            for k, (by_k, c_q, c_v) in enumerate(zip(change.axes, change.product_q, change.product_v, strict=True)):
                speed, more, turned = along(by_k, qd[i]), along([*by_k, c_q], [*qdd[i], 1.0]), along(by_k, w[i])
                v_k, a_k, V_k, D_k = in_base([*(x.flat() for x in (speed, more, turned)), c_v], X_i)
                of_q[k] = of_q[k] + v_k.dot(by_velocity) + a_k.dot(P_i) + V_k.dot(F_i)
                of_v[k] = of_v[k] + D_k.dot(P_i)
        by_q[i], by_v[i] = of_q, of_v
        by_qdd[i] = [axis.dot(P_i) + rotor * w_k for axis, rotor, w_k in zip(axes, tree.rotors(i), w[i], strict=True)]
        R_J, p_J = i.motion.pose(q[i], tree.numbers(i))
        to_joint = plx(R_J.T, p_J).inverse() @ X_i
        place = (i.number + state * (tree.n + 1)) * LINK
        _write(program, "by_link", place, 0, to_joint.apply(by_place).flat())
        if i.motion.name == "helical":  # a rotation moves the link along the axis too, by the pitch
            ahead = mv(ZERO, axes[0].omega)
            by_pitch = (
                q[i][0] * ahead.dot(by_displacement)
                + qd[i][0] * ahead.dot(by_velocity)
                + qdd[i][0] * ahead.dot(P_i)
                + w[i][0] * ahead.dot(F_i)
            )
            _write(program, "by_link", place, 16, [by_pitch])
        for field in (P, Q, F, X):
            field[i.parent] = field[i.parent] + field[i]
    _write(program, "by_gravity", state * 3, 0, [-x for x in P[world].f])


def _displaced(v_c: mv, a_c: mv, V_c: mv, P: fv, Q: fv, F: fv, X: fv) -> fv:
    """Return the derivative by a displacement of a subtree, from a frame that moves with v_c, a_c and V_c."""
    return v_c.cross(v_c.cross(P) - Q) - (V_c.cross(F) + (X + a_c.cross(P)))


def _by_inertia(V: mv, v: mv, a: mv) -> list[Scalar]:
    """Return the derivative of V . (I a + v x* I v) by the ten inertial numbers, all in link coordinates."""
    (W, U), (w, u), (alpha, a_0) = V.halves, v.halves, a.halves
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
