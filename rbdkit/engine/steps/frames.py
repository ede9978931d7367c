"""One frame of a model: its Jacobian and its bias acceleration."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.rnea import joint_acceleration, joint_velocity
from rbdkit.engine.steps.sizes import Reference
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector, cross
from rbdkit.trace import Program, Scalar, Whole


def jacobian(tree: LoopTree, q: JointArray, state: Whole, reference: Reference) -> None:
    """Write the Jacobian J (6, nv) of the frame to "jacobians": velocity of the frame = J v, angular part first.

    "frame_pose" holds rotation and position of the frame in link number "frame_link".
    """
    program, nv = tree.program, tree.nv
    start = state * (nv * 6)
    rows = [start + nv * r for r in range(6)]
    with program.loop(start, start + nv * 6) as place:
        program.store("jacobians", place, 0, 0.0)
    _carry(program, 0, [program.load("frame_pose", 0, k) for k in range(12)])
    for i in tree.path_from(program.count("frame_link")):
        R, p = _pose(program)  # of the frame, in this link
        for k, S in enumerate(tree.axes(i, q[i])):
            w, v = Vector(S[:3]), Vector(S[3:])
            J = [*(R.T @ w), *(R.T @ (v + cross(w, p)))]  # Eqs 2.18, 4.6
            for row, x in zip(rows, J, strict=True):
                column = row + (i.v + k)
                followed = program.load("jacobians", column) if tree.coupled else 0.0
                program.store("jacobians", column, 0, followed + tree.ratio(i) * x)
        R_i, p_i = tree.pose(i, q[i])
        _carry(program, 0, [*(R_i @ R).flat(), *(p_i + R_i @ p)])
    if reference == "body":
        return
    for a in tree.freedoms():
        R, p = _pose(program)  # in the world
        places = [row + a for row in rows]
        J = [program.load("jacobians", row) for row in places]
        w, v = R @ Vector(J[:3]), R @ Vector(J[3:])
        for row, x in zip(places, [*w, *(v + cross(p, w) if reference == "world" else v)], strict=True):
            program.store("jacobians", row, 0, x)


def bias_acceleration(tree: LoopTree, q: JointArray, qd: JointArray, state: Whole, reference: Reference) -> None:
    """Write the bias acceleration Jdot v of the frame, six numbers, to "bias": without gravity (Eq 2.57)."""
    program = tree.program
    _carry(program, 0, [*IDENTITY.flat(), *ZERO, *[0.0] * 12])
    for i in tree.path_to(program.count("frame_link")):
        R_0, p_0 = _pose(program)
        R, p = tree.pose(i, q[i])
        S = tree.axes(i, q[i])
        w_J, v_J = joint_velocity(tree, i, S, q, qd)
        alpha_J, a_J = joint_acceleration(tree, i, S, q, qd)
        w, v, alpha, a = _motion(program, R, p)
        w, v = w + w_J, v + v_J
        alpha, a = alpha + alpha_J + cross(w, w_J), a + a_J + cross(w, v_J) + cross(v, w_J)  # Eq 2.33
        _carry(program, 0, [*(R_0 @ R).flat(), *(p_0 + R_0 @ p), *w, *v, *alpha, *a])
    frame = [program.load("frame_pose", 0, k) for k in range(12)]
    R, p = Matrix.of(frame[:9]), Vector(frame[9:])
    w, v, alpha, a = _motion(program, R, p)
    R_0, p_0 = _pose(program)
    if reference == "aligned":
        a = a + cross(w, v)  # Eq 2.49: of the point, not the spatial acceleration
    if reference != "body":
        R_f = R_0 @ R
        alpha, a = R_f @ alpha, R_f @ a
        if reference == "world":
            a = a + cross(p_0 + R_0 @ p, alpha)
    for k, x in enumerate([*alpha, *a]):
        program.store("bias", state * 6, k, x)


def _carry(program: Program, first: int, values: Sequence[Scalar]) -> None:
    for k, x in enumerate(values):
        program.store("carried", 0, first + k, x)


def _pose(program: Program) -> tuple[Matrix, Vector]:
    """Return the pose that is carried along the path."""
    x = [program.load("carried", 0, k) for k in range(12)]
    return Matrix.of(x[:9]), Vector(x[9:])


def _motion(program: Program, R: Matrix, p: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the carried velocity and acceleration, seen from a frame with pose R, p in that of the link."""
    x = [program.load("carried", 0, 12 + k) for k in range(12)]
    w, v, alpha, a = (Vector(x[3 * k : 3 * k + 3]) for k in range(4))
    return R.T @ w, R.T @ (v + cross(w, p)), R.T @ alpha, R.T @ (a + cross(alpha, p))
