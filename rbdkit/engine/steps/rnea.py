"""Inverse dynamics by the recursive Newton-Euler algorithm."""

from __future__ import annotations

from rbdkit.engine.steps.axes import Axes, Columns, along
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import ZERO, Matrix, Symmetric, Vector, cross, skew
from rbdkit.trace import Scalar, Whole


def rnea(
    tree: Tree,
    q: JointArray,
    qd: JointArray,
    qdd: JointValues,
    tau: JointArray,
    f_ext: ExternalForce | None = None,
    motors: Whole | None = None,
) -> None:
    """tau = ID(q, qd, qdd): Table 5.1 of Featherstone (2008) in the form of Luh, Walker and Paul, section 5.4.

    motors : where what drives the joints that move as time says begins in the array "motors"; None does not ask.
    """
    R, p = tree.rotations(), tree.field(Vector)
    w, alpha, a = (tree.field(Vector) for _ in range(3))
    n, f = tree.field(Vector), tree.field(Vector)
    axes = Axes(tree, q)
    world = tree.world

    w[world] = alpha[world] = ZERO
    a[world] = -Vector(tree.program.load("gravity", 0, k) for k in range(3))
    n[world] = f[world] = ZERO
    for i in tree.outward(turned=True):  # poses first: no link waits for the sine of its parent's angle
        R[i], p[i] = tree.pose(i, q[i])
    for i in tree.outward(turned=True):
        S_i = axes.find(i)
        w_J, v_J = joint_velocity(tree, i, S_i, q, qd)
        alpha_J, a_J = joint_acceleration(tree, i, S_i, q, qd, qdd)
        w_p, alpha_p, a_p = w[i.parent], alpha[i.parent], a[i.parent]
        w_p_i = R[i].T @ w_p
        w[i] = w_p_i + w_J
        alpha[i] = R[i].T @ alpha_p + cross(w_p_i, w_J) + alpha_J
        a[i] = R[i].T @ (a_p + spin(w_p, alpha_p) @ p[i]) + coriolis(w_p_i, w_J, v_J) + a_J
        m, h, I = tree.inertia(i)
        f[i] = m * a[i] + spin(w[i], alpha[i]) @ h
        n[i] = I @ alpha[i] + cross(w[i], I @ w[i]) + cross(h, a[i])
        if f_ext is not None:
            n_x, f_x = f_ext.in_link(i, R[i], p[i])
            n[i], f[i] = n[i] - n_x, f[i] - f_x
    for a in tree.freedoms() if tree.coupled else ():
        tau[a] = 0.0
    for i in tree.inward(turned=True):
        across = [*n[i], *f[i]]
        own = [
            project(S, across) + rotor * acceleration
            for S, rotor, acceleration in zip(axes[i], tree.rotors(i), qdd[i], strict=True)
        ]
        tree.collect(tau, i, own)
        if motors is not None:
            for k, S in enumerate(tree.driver(i, q[i], "driven_v")[0]):
                tree.program.store("motors", i.v + motors, k, project(S, across))
        f_p = R[i] @ f[i]
        f[i.parent] = f[i.parent] + f_p
        n[i.parent] = n[i.parent] + R[i] @ n[i] + cross(p[i], f_p)


def joint_velocity(tree: Tree, i: Node, S: Columns, q: JointArray, qd: JointValues) -> tuple[Vector, Vector]:
    """v_J of a link with axes S, in its own coordinates: angular and linear part."""
    axes, x = tree.driver(i, q[i], "driven_v")
    return along([*S, *axes], [*qd[i], *x])


def joint_acceleration(
    tree: Tree, i: Node, S: Columns, q: JointArray, qd: JointValues, qdd: JointValues | None = None
) -> tuple[Vector, Vector]:
    """S qdd + c_J of a link; without qdd, c_J, which for a joint that moves as time says is all of its acceleration."""
    axes, x = tree.driver(i, q[i], "driven_a")
    alpha, a = along([*(S if qdd is not None else []), *axes], [*(qdd[i] if qdd is not None else []), *x])
    c_J = tree.velocity_product(i, q[i], qd[i])
    return alpha + Vector(c_J[:3]), a + Vector(c_J[3:])


def project(S: list[Scalar], force: list[Scalar]) -> Scalar:
    """S . force"""
    return sum((s * x for s, x in zip(S, force, strict=True)), 0.0)


def spin(w: Vector, alpha: Vector) -> Matrix:
    """[alpha]x + [w]x [w]x: takes a position on a body to its acceleration."""
    x, y, z = w
    squares = Symmetric((-(y * y + z * z), x * y, x * z, -(x * x + z * z), y * z, -(x * x + y * y)))
    return squares.full + skew(alpha)


def coriolis(w_p: Vector, w_J: Vector, v_J: Vector) -> Vector:
    """Linear acceleration of the origin that a joint velocity (w_J, v_J) adds on a parent that turns with w_p."""
    return 2.0 * cross(w_p, v_J) + cross(w_J, v_J)
