"""MuJoCo's equalities as loop joints and ties: their Jacobian spans what MuJoCo's spans, and closes where it does."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import loops
from rbdkit.formats import from_mujoco_state, to_mujoco_state

ARM = """
  <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos="0 0 0.1" ref="0.2"/><geom size="0.1" pos="0.3 0 0"/>
    <site name="s" pos="0.5 0.1 0" euler="0.3 0.2 0.1"/>
    <body name="b" pos="0.5 0 0"><joint name="k" axis="0 0 1" pos="0 0.1 0"/><geom size="0.1" pos="0.3 0 0"/></body>
  </body>
  <body name="c" pos="0 1 1"><freejoint/><geom size="0.1" pos="0.1 0 0"/><site name="t" pos="0 0.2 0"/></body>"""


def rows(both, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of loops and constraints, ours and MuJoCo's, in our velocities, at MuJoCo's reference."""
    m = both.compiled
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    T = np.array([from_mujoco_state(m, data.qpos, unit)[1] for unit in np.eye(m.nv)]).T
    dense = np.zeros((data.nefc, m.nv))
    if data.efc_J.size == dense.size:
        dense[:] = data.efc_J.reshape(dense.shape)
    else:
        for k in range(data.nefc):
            own = slice(data.efc_J_rowadr[k], data.efc_J_rowadr[k] + data.efc_J_rownnz[k])
            dense[k, data.efc_J_colind[own]] = data.efc_J[own]
    q, v = from_mujoco_state(m, data.qpos, data.qvel)
    K = loops.loop_constraint(both.model, q, v).K
    return K, dense[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY] @ np.linalg.inv(T)


def same_span(A: np.ndarray, B: np.ndarray) -> bool:
    rank = np.linalg.matrix_rank
    return rank(A, 1e-9) == rank(B, 1e-9) == rank(np.vstack([A, B]), 1e-9)


@pytest.mark.parametrize("equality", [
    '<connect body1="b" body2="c" anchor="0.1 0.2 0.3"/>',
    '<connect body1="b" anchor="0.1 0.2 0.3"/>',
    '<weld body1="b" body2="c" anchor="0.1 0.2 0.3"/>',
    '<weld body1="c" body2="b"/>',
    '<weld body1="b" body2="c" torquescale="0"/>',
])  # fmt: skip
def test_connections_and_welds(tree, equality):
    both = tree(ARM, f"<equality>{equality}</equality>")
    (loop,) = both.model.loops
    assert loop.joint.name in ("connect0", "weld0")
    ours, theirs = rows(both)
    assert same_span(ours, theirs) and len(ours) in (3, 6)
    assert np.abs(rbd.assemble(both.model) - both.model.neutral()).max() < 1e-9


@pytest.mark.parametrize("kind", ["connect", "weld"])
def test_sites_are_held_together(tree, kind):
    both = tree(ARM, f'<equality><{kind} name="hold" site1="s" site2="t"/></equality>')
    (loop,) = both.model.loops
    assert loop.joint.name == "hold"
    assembled = rbd.forward_kinematics(both.model, rbd.assemble(both.model))
    one, two = assembled.pose("s"), assembled.pose("t")
    np.testing.assert_allclose(one[:3, 3], two[:3, 3], atol=1e-9)
    assert (np.abs(one - two).max() < 1e-8) == (kind == "weld")


def test_a_relative_pose_is_that_of_the_second_body(tree):
    pose = 'relpose="0.1 0.2 0.3 0.5 0.5 0.5 0.5" anchor="0.3 0 0.1"'
    both = tree(ARM, f'<equality><weld body1="c" body2="b" {pose}/></equality>')
    q = rbd.assemble(both.model)
    poses = rbd.forward_kinematics(both.model, q)
    c, b = poses.pose("c"), poses.pose("b_origin")
    relative = np.linalg.inv(c) @ b
    turn = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(relative[:3, :3], turn, atol=1e-8)
    np.testing.assert_allclose(relative[:3, 3] + turn @ [0.3, 0, 0.1], [0.1, 0.2, 0.3], atol=1e-8)
    data = mujoco.MjData(both.compiled)
    data.qpos[:] = to_mujoco_state(both.compiled, q)[0]
    mujoco.mj_forward(both.compiled, data)
    assert np.abs(data.efc_pos).max() < 1e-8


def test_coupled_joints(tree):
    both = tree(ARM, '<equality><joint name="gear" joint1="k" joint2="j" polycoef="0.1 -2 0 0 0"/></equality>')
    (constraint,) = both.model.constraints
    assert constraint.name == "gear" and constraint.element.parameters() == {"ratio": -2.0, "offset": 0.1}
    q = both.model.neutral()
    q[0] = 0.3
    data = mujoco.MjData(both.compiled)
    data.qpos[:2] = 0.3 + 0.2, 0.1 - 2 * 0.3  # MuJoCo's reference of j is 0.2
    mujoco.mj_forward(both.compiled, data)
    assert abs(data.efc_pos[0]) < 1e-12
    q[1] = data.qpos[1]
    motion = rbd.simulate(both.model, q, duration=0.01)
    assert abs(motion.q[-1, 1] - 0.1 + 2 * motion.q[-1, 0]) < 1e-6


@pytest.mark.parametrize(("equality", "says"), [
    ('<joint joint1="k" joint2="j" polycoef="0 1 1 0 0"/>', "1 couplings of joints that are not linear"),
    ('<joint joint1="k"/>', "1 equalities that hold a joint still"),
    ('<weld body1="a" active="false"/>', "1 equalities that are not active"),
])  # fmt: skip
def test_what_is_left_out(read, equality, says):
    both = read(f"<worldbody>{ARM}</worldbody><equality>{equality}</equality>")
    assert both.told.splitlines()[1:] == [f"  {says}"]
    assert not both.model.loops and not both.model.constraints


def test_equalities_that_a_file_switches_off(tree):
    both = tree(ARM, '<equality><weld body1="a"/></equality><option><flag equality="disable"/></option>')
    assert not both.model.loops
