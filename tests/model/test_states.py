"""Coordinates and velocities of a whole model."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.errors import StateError
from rbdkit.joints import Free, Prescribed, Prismatic, Revolute, Spherical
from rbdkit.library import random_state, random_tree
from rbdkit.model import Joint, Limits, Mimic, Model
from rbdkit.spatial.inertia import Inertia

BALL = Inertia.sphere(0.1, mass=1.0)


@pytest.fixture
def tree():
    return random_tree(11, 17)


def joints_of(model):
    return [joint for joint in model.joints if joint.nv]


@pytest.mark.source("F4.27")
def test_every_joint_has_its_own_part_of_q_and_v(tree):
    """The model's rate, integrate and difference are those of the joints, side by side."""
    q, v, dv = random_state(tree, 0)
    moved, qdot, back = tree.integrate(q, dv), tree.rate(q, v), tree.difference(q, tree.integrate(q, dv))
    for joint in joints_of(tree):
        own, speed = q[joint.q_slice], v[joint.v_slice]
        assert_array_equal(moved[joint.q_slice], joint.type.integrate(own, dv[joint.v_slice]))
        assert_array_equal(qdot[joint.q_slice], joint.type.rate(own, speed))
        assert_array_equal(back[joint.v_slice], joint.type.difference(own, moved[joint.q_slice]))
    assert_array_equal(tree.neutral(), np.concatenate([joint.type.neutral() for joint in tree.joints]))


@pytest.mark.source("F3.02")
def test_rate_is_the_slope_of_integrate(tree):
    """Central difference of order 2: error h^2 |v|^3 / 6, about 1e-9 at h = 1e-5, plus rounding eps / h = 2e-11."""
    q, v, _ = random_state(tree, 1)
    h = 1e-5
    slope = (tree.integrate(q, h * v) - tree.integrate(q, -h * v)) / (2 * h)
    assert_allclose(slope, tree.rate(q, v), atol=1e-8)


def test_difference_inverts_integrate(tree):
    q, dv, _ = random_state(tree, 2)
    assert_allclose(tree.difference(q, tree.integrate(q, dv)), dv, atol=5e-14)


def test_local_rate_takes_each_joints_own(tree):
    _, u, v = random_state(tree, 3)
    du = tree.local_rate(u, v)
    for joint in joints_of(tree):
        assert_allclose(du[joint.v_slice], joint.type.local_rate(u[joint.v_slice]) @ v[joint.v_slice], atol=1e-14)
    assert_array_equal(u, random_state(tree, 3)[1])


def test_stacks_equal_single_states(tree):
    states = [random_state(tree, k) for k in range(6)]
    q, v, w = (np.array(part).reshape(2, 3, -1) for part in zip(*states, strict=True))
    for i, j in np.ndindex(2, 3):
        assert_allclose(tree.integrate(q, v)[i, j], tree.integrate(q[i, j], v[i, j]), atol=4e-15)
        assert_allclose(tree.rate(q, w)[i, j], tree.rate(q[i, j], w[i, j]), atol=4e-15)
        assert_allclose(tree.difference(q, q[::-1])[i, j], tree.difference(q[i, j], q[1 - i, j]), atol=1e-14)


def test_one_state_meets_a_stack(tree):
    """One q with many dv, many q with one v: leading axes are matched as NumPy does."""
    q, v, _ = (np.array(part) for part in zip(*(random_state(tree, k) for k in range(4)), strict=True))
    for k in range(4):
        assert_allclose(tree.integrate(q[0], v)[k], tree.integrate(q[0], v[k]), atol=4e-15)
        assert_allclose(tree.integrate(q, v[0])[k], tree.integrate(q[k], v[0]), atol=4e-15)
        assert_allclose(tree.rate(q, v[0])[k], tree.rate(q[k], v[0]), atol=4e-15)
        assert_allclose(tree.rate(q[0], v)[k], tree.rate(q[0], v[k]), atol=4e-15)
        assert_allclose(tree.difference(q[0], q)[k], tree.difference(q[0], q[k]), atol=1e-14)


@pytest.mark.parametrize("call, says", [
    (lambda m: m.integrate(np.zeros(14), np.zeros(14)), "dv has shape (14,); model 'arm' needs (12,), or (..., 12)"),
    (lambda m: m.integrate(np.zeros(12), np.zeros(12)), "q has shape (12,); model 'arm' needs (14,)"),
    (lambda m: m.rate(m.neutral(), 0.0), "v has shape (); model 'arm' needs (12,)"),
    (lambda m: m.difference(m.neutral(), np.zeros((2, 3))), "q1 has shape (2, 3)"),
    (lambda m: m.rate(m.neutral(), ["a"] * 12), "v is not an array of numbers"),
])  # fmt: skip
def test_wrong_sizes(arm, call, says):
    with pytest.raises(StateError, match=re.escape(says)):
        call(arm)


def test_checked_vectors_come_back_as_float_arrays(arm):
    q = arm.check_q([1, 0, 0, 0, *range(3), 0, 0, 1, 0, 0, 0, 0])
    assert q.dtype == float
    assert q.shape == (14,)
    assert arm.check_v(np.zeros((2, 3, 12), dtype=int)).shape == (2, 3, 12)
    good = arm.random_q(0)
    assert_array_equal(arm.check_q(good), good)


def unit(arm, **changes):
    q = arm.neutral()
    for k, value in changes.items():
        q[int(k[1:])] = value
    return q


@pytest.mark.parametrize("q, says", [
    (lambda m: np.zeros(13), "q0 has shape (13,); model 'arm' needs (14,), or (..., 14) for a stack"),
    (lambda m: 3.0, "q0 has shape ()"),
    (lambda m: "up", "q0 is not an array of numbers"),
    (lambda m: unit(m, _8=np.nan), "q0[8] (joint 'slide') is not finite: nan"),
    (lambda m: np.stack([m.neutral(), unit(m, _7=-np.inf)]), "q0[1, 7] (joint 'shoulder') is not finite: -inf"),
    (lambda m: unit(m, _0=0.5), "q0 of joint 'float': free joint: quaternion [0.5 0.  0.  0. ] has norm 0.5, not 1"),
    (lambda m: np.stack([m.neutral(), unit(m, _9=2.0)]), "q0 of joint 'wrist': spherical joint: quaternion [2."),
])  # fmt: skip
def test_wrong_coordinates_name_the_joint(arm, q, says):
    with pytest.raises(StateError, match=re.escape(says)):
        arm.check_q(q(arm), "q0")


@pytest.mark.parametrize("v, says", [
    (np.zeros(14), "tau has shape (14,); model 'arm' needs (12,)"),
    (np.r_[np.zeros(8), np.inf, np.zeros(3)], "tau[8] (joint 'wrist') is not finite: inf"),
])  # fmt: skip
def test_wrong_velocities_and_forces_name_the_joint(arm, v, says):
    with pytest.raises(StateError, match=re.escape(says)):
        arm.check_v(v, "tau")


def test_a_model_that_cannot_move_has_empty_states():
    model = Model()
    model.add_body("rock", inertia=BALL)
    empty = np.zeros(0)
    assert model.check_q(empty).shape == model.check_v(np.zeros((3, 0)))[0].shape == (0,)
    for vector in (model.neutral(), model.random_q(0), model.integrate(empty, empty), model.rate(empty, empty)):
        assert vector.shape == (0,)


def test_random_coordinates_keep_to_limits_and_seeds(arm):
    """Bounded on both sides: inside, and reaching near both; unbounded: as the joint type gives them."""
    rng = np.random.default_rng(5)
    qs = np.array([arm.random_q(rng) for _ in range(200)])
    shoulder = qs[:, arm.joint("shoulder").q_slice]
    assert -2.0 <= shoulder.min() < -1.8
    assert 0.8 < shoulder.max() <= 1.0
    arm.check_q(qs)
    assert_array_equal(arm.random_q(3), arm.random_q(np.random.default_rng(3)))


def test_limits_on_part_of_a_free_joint():
    """The position may be bounded, the quaternion may not."""
    model = Model()
    inf = np.inf
    bounds = Limits([-inf] * 4 + [2.0, 2.0, 2.0], [inf] * 4 + [3.0, 3.0, inf], velocity=5.0)
    model.add_body("drone", joint=Free(), inertia=BALL, limits=bounds)
    q = np.array([model.random_q(k) for k in range(30)])
    model.check_q(q)
    assert np.all((q[:, 4:6] >= 2.0) & (q[:, 4:6] <= 3.0))
    assert_array_equal(model.joints[1].limits.velocity, np.full(6, 5.0))


class TestMimic:
    """A gripper: the second finger follows the first, the third at a ratio with an offset."""

    @pytest.fixture
    def gripper(self):
        model = Model("gripper")
        model.add_body("a", joint=Prismatic("x"), inertia=BALL, joint_name="lead")
        model.add_body("b", joint=Prismatic("-x"), inertia=BALL, mimic=Mimic("lead"), joint_name="same")
        model.add_body("c", "a", Revolute("z"), inertia=BALL, mimic=Mimic("lead", -2.0, 0.5), joint_name="ratio")
        model.add_body("d", joint=Spherical(), inertia=BALL)
        return model

    def test_followers_have_no_coordinates_of_their_own(self, gripper):
        assert (gripper.nq, gripper.nv) == (5, 4)
        assert gripper.mimics
        assert gripper.joint("ratio").q_slice == gripper.joint("lead").q_slice
        assert gripper.joint("d_joint").q_slice == slice(1, 5)
        assert gripper.random_q(0).shape == (5,)
        gripper.check_q(gripper.neutral())

    def test_coordinates_and_velocities_follow(self, gripper, rng):
        q, v = np.r_[0.3, 1, 0, 0, 0], rng.normal(size=4)
        joint = gripper.joint("ratio")
        assert_allclose(joint.coordinates(q), [-2.0 * 0.3 + 0.5], rtol=1e-15)
        assert_allclose(joint.velocities(v), -2.0 * v[:1], rtol=1e-15)
        assert_allclose(joint.pose(q), Revolute("z").pose(np.array([-0.1])), atol=1e-16)
        assert joint.coordinates(np.array([q, q])).shape == (2, 1)

    def test_scaled_motion_subspace(self, gripper, rng):
        """v_J = S v[v_slice] with v of the leader, and dX_J/dt = -(v_J x) X_J along it."""
        q, v = np.r_[0.3, 1, 0, 0, 0], rng.normal(size=4)
        joint, h = gripper.joint("ratio"), 1e-5
        _, S, v_J, _ = joint.calc(q, v)
        assert_allclose(S @ v[joint.v_slice], v_J, rtol=1e-15)
        assert_array_equal(joint.motion_subspace(q), S)
        moved = [joint.pose(q + s * np.r_[v[0], 0, 0, 0, 0]) for s in (h, -h)]
        twist = joint.pose(q).T @ (moved[0] - moved[1]) / (2 * h)
        assert_allclose(twist[1, 0], v_J[2], rtol=1e-9)  # h^2 and eps / h are both about 1e-10


def test_world_joint_is_part_of_the_joints(arm):
    """joints[i] belongs to bodies[i], also for i = 0."""
    assert [joint.name for joint in arm.joints] == ["world", "float", "shoulder", "slide", "wrist", "screw"]
    assert arm.joints[0].nv == 0


def test_a_joint_by_itself_has_no_place_in_q_and_v_and_the_time_is_zero():
    alone = Joint("alone")
    assert (alone.q_slice, alone.v_slice) == (slice(0, 0), slice(0, 0))
    model = Model("driven")
    model.add_body("b", joint=Prescribed(Prismatic("x"), lambda t: (1.0 + t, 1.0, 0.0)))
    joint, q = model.joints[1], np.zeros(0)
    assert_array_equal(joint.pose(q), joint.pose(q, 0.0))
    assert_array_equal(joint.transform(q), joint.transform(q, 0.0))
    assert joint.pose(q)[0, 3] == 1.0 and joint.pose(q, 1.0)[0, 3] == 2.0


def test_a_joint_is_taken_at_time_zero_unless_a_time_is_given():
    model = Model()
    model.add_body("b", joint=Prescribed(Revolute("z"), lambda t: (0.4 + t, 1.0 + t, 1.0)))
    joint, nothing = model.joints[1], np.zeros(0)
    for found, at_zero in zip(joint.calc(nothing, nothing), joint.calc(nothing, nothing, 0.0), strict=True):
        np.testing.assert_array_equal(found, at_zero)
    assert np.arctan2(joint.pose(nothing)[1, 0], joint.pose(nothing)[0, 0]) == pytest.approx(0.4)
    assert joint.velocity(nothing, nothing)[2] == 1.0
