"""One frame of a model: its Jacobian and its bias acceleration.

Only the links on the path from the world to the frame take part, so the work is that of the path. The pose that is
carried along goes through the array "carried", since values of a block do not outlive a turn of a loop.
"""

from __future__ import annotations

from rbdkit.engine.steps.base import STILL
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.sizes import Reference
from rbdkit.engine.steps.text_tree import TextTree
from rbdkit.spatial.compact import Pose, mv, plx
from rbdkit.spatial.vector3 import IDENTITY, ZERO, cross
from rbdkit.trace import Program, Whole


def jacobian(tree: LoopTree, q: JointArray, state: Whole, reference: Reference) -> None:
    """Write the Jacobian J (6, nv) of the frame to "jacobians": velocity of the frame = J v, angular part first.

    "frame_pose" holds rotation and position of the frame in link number "frame_link".
    """
    program, nv = tree.program, tree.nv
    start = state * (nv * 6)
    rows = [start + nv * r for r in range(6)]
    with program.loop(start, start + nv * 6) as place:
        program.store("jacobians", place, 0, 0.0)
    _carry(program, Pose.of([program.load("frame_pose", 0, k) for k in range(12)]))
    for i in tree.path_from(program.count("frame_link")):
        T = _carried(program)  # of the frame, in this link
        for k, S in enumerate(tree.axes(i, q[i])):
            for row, x in zip(rows, (T.X @ mv.of(S)).flat(), strict=True):  # Eqs 2.18, 4.6
                column = row + (i.v + k)
                followed = program.load("jacobians", column) if tree.coupled else 0.0
                program.store("jacobians", column, 0, followed + tree.ratio(i) * x)
        _carry(program, Pose(*tree.pose(i, q[i])) @ T)
    if reference == "body":
        return
    for a in tree.freedoms():
        T, places = _carried(program), [row + a for row in rows]  # in the world
        J = mv.of([program.load("jacobians", row) for row in places])
        for row, x in zip(places, _leaving(T, reference).inv_apply(J).flat(), strict=True):
            program.store("jacobians", row, 0, x)


def bias_acceleration(tree: LoopTree, q: JointArray, qd: JointArray, state: Whole, reference: Reference) -> None:
    """Write the bias acceleration Jdot v of the frame, six numbers, to "bias": without gravity (Eq 2.57)."""
    program, text = tree.program, TextTree(tree, q, {})
    _carry(program, Pose(IDENTITY, ZERO), STILL, STILL)
    for i in tree.path_to(program.count("frame_link")):
        T, step = _carried(program), Pose(*tree.pose(i, q[i]))
        _, _, v_J, c_J = text.joints[i].calc(q, qd)
        v, a = (step.X @ m for m in _motion(program))
        v = v + v_J
        _carry(program, T @ step, v, a + c_J + v.cross(v_J))  # Eq 2.33
    frame = Pose.of([program.load("frame_pose", 0, k) for k in range(12)])
    v, a = (frame.X @ m for m in _motion(program))
    if reference == "aligned":
        a = a + mv(ZERO, cross(*v.halves))  # Eq 2.49: of the point, not the spatial acceleration
    if reference != "body":
        a = _leaving(_carried(program) @ frame, reference).inv_apply(a)
    for k, x in enumerate(a.flat()):
        program.store("bias", state * 6, k, x)


def _carry(program: Program, T: Pose, *motions: mv) -> None:
    """Hand a pose and motions on along the path."""
    for k, x in enumerate([*T.flat(), *(x for m in motions for x in m.flat())]):
        program.store("carried", 0, k, x)


def _carried(program: Program) -> Pose:
    """Return the pose that is carried along the path."""
    return Pose.of([program.load("carried", 0, k) for k in range(12)])


def _motion(program: Program) -> list[mv]:
    """Return the carried velocity and acceleration."""
    return [mv.of([program.load("carried", 0, first + k) for k in range(6)]) for first in (12, 18)]


def _leaving(T: Pose, reference: Reference) -> plx:
    """Return the transform to a frame with the world pose T from the coordinates of the reference."""
    return T.X if reference == "world" else plx(T.R.T, ZERO)
