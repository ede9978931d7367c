"""X_T, X_P, X_S and the frames F_i, F_{i,j} (Featherstone 2008, section 4.2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.joints import Revolute, Spherical
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import plucker

pytestmark = pytest.mark.source("F4.07")


def from_pose(T):
    """B_X_A of a child B with this pose in A, written out (Eq 2.24 with E = R.T)."""
    R, p = T[:3, :3], T[:3, 3]
    px = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ px, R.T]])


def test_tree_transforms_locate_the_joints():
    model = random_tree(3, 17)
    for body in model.bodies[1:]:
        assert_allclose(model.X_tree[body.index], from_pose(body.joint.placement), atol=1e-15)
        assert_allclose(model.joints[body.index].X_tree, model.X_tree[body.index], atol=0)
    tool = model.add_frame("tool", "b3", model.joints[5].placement)
    assert_allclose(tool.X, from_pose(tool.placement), atol=1e-15)


def test_body_poses_are_products_over_the_support():
    """F_0, F_{0,1}, F_1, ...: the product of X_J X_T along the path is that of placements and joint poses."""
    model = random_tree(4, 17)
    q, v, _ = random_state(model, 4)
    for i in (5, 11, 17):
        X, T = np.eye(6), np.eye(4)
        for j in model.support(i):
            joint = model.joints[j]
            X_J, S, v_J, _ = joint.calc(q, v)
            X = X_J @ model.X_tree[j] @ X
            T = T @ joint.pose(q)
            assert_allclose(joint.pose(q), joint.placement @ joint.type.pose(q[joint.q_slice]), atol=1e-15)
            assert_allclose(X_J, joint.transform(q), atol=1e-15)
            assert_allclose(v_J, S @ v[joint.v_slice], atol=1e-14)
            assert_allclose(joint.velocity(q, v), v_J, atol=1e-14)
            assert_allclose(joint.motion_subspace(q), S, atol=1e-14)
        assert_allclose(X, from_pose(T), atol=1e-13)
        assert_allclose(plucker.to_pose(X), T, atol=1e-13)


def test_loop_joints_have_two_placed_ends():
    """N_B + 2 N_L frames beside those of the bodies; both ends meet where the loop is closed."""
    model = random_tree(5, 6, joints=[Revolute("z")])
    q = model.random_q(1)
    poses = [np.eye(4)]
    for body in model.bodies[1:]:
        poses.append(poses[body.parent] @ body.joint.pose(q))
    somewhere = np.array([[0, -1, 0, 0.4], [1, 0, 0, 0.2], [0, 0, 1, -0.1], [0, 0, 0, 1.0]])
    ends = [np.linalg.inv(poses[i]) @ somewhere for i in (2, 6)]
    loop = model.add_loop("ring", "b2", "b6", Spherical(), *ends)
    located = len(model.X_tree) - 1 + sum(2 for _ in model.loops)
    assert located == 6 + 2
    X_P, X_S = from_pose(loop.joint.placement), from_pose(loop.successor_placement)
    X_sp = X_S @ from_pose(np.linalg.inv(poses[2]) @ poses[6]) @ np.linalg.inv(X_P)
    delta, _ = loop.joint.type.calc_loop(X_sp)
    assert_allclose(delta, np.zeros(3), atol=1e-14)


def test_a_frame_in_place_of_a_body_is_told_with_its_body():
    model = rbd.library.pendulum()
    model.add_frame("hand", "rod", [0.0, 0.0, -1.0])
    with pytest.raises(rbd.ModelError, match="'hand' is a frame on 'rod'; name that body"):
        rbd.rnea(model, [0.0], [0.0], [0.0], f_ext={"hand": rbd.wrench([1.0, 0.0, 0.0])})
    with pytest.raises(rbd.ModelError, match=r"parent='rod' and placement=model.frame\('hand'\).placement"):
        model.add_body("tool", "hand")
    assert len(model.bodies) == 2
