"""Jacobians and bias accelerations against differences of poses and velocities."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import se3

SEEDS = range(6)
REFERENCES = ["body", "world", "aligned"]


@pytest.fixture
def framed():
    """A random tree with a frame that sits askew on its last body."""

    def make(seed):
        model = random_tree(seed, 12)
        model.add_frame("tool", model.bodies[-1], se3.random(np.random.default_rng(seed)))
        return model, *random_state(model, seed)

    return make


def differenced_twist(model, q, v, frame, reference, h):
    """Velocity of a frame from its poses at q moved by +-h v, central and so of second order in h."""
    behind, here, ahead = (rbd.forward_kinematics(model, model.integrate(q, d * v)).pose(frame) for d in (-h, 0.0, h))
    body = (se3.log(se3.inverse(here) @ ahead) - se3.log(se3.inverse(here) @ behind)) / (2.0 * h)
    if reference == "body":
        return body
    spatial = se3.adjoint(here) @ body
    return spatial if reference == "world" else np.concatenate([spatial[:3], (ahead - behind)[:3, 3] / (2.0 * h)])


@pytest.mark.source("F2.10", "F4.06", "F4.08")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_is_the_rate_of_the_pose(framed, off, seed, reference):
    model, q, v, _ = framed(seed)
    for frame in ("tool", "b3", "b7"):
        twist = differenced_twist(model, q, v, frame, reference, 1e-5)
        # the step leaves 1e-10 of the third derivative, round-off 1e-11
        assert off(rbd.jacobian(model, q, frame, reference) @ v, twist, scale=1.0) < 1e-7


@pytest.mark.source("F2.10")
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_recursion_and_velocity_agree(framed, off, seed):
    model, q, v, _ = framed(seed)
    kinematics = rbd.forward_kinematics(model, q, v)
    assert off(rbd.jacobian(model, q, "tool") @ v, kinematics.velocity("tool")) < 1e-13
    world = rbd.jacobian(model, q, "tool", "world")
    assert off(world, se3.adjoint(kinematics.pose("tool")) @ rbd.jacobian(model, q, "tool")) < 1e-13
    last = len(model.bodies) - 1
    elsewhere = [model.joints[i].v_slice for i in model.outward if i not in model.support(last)]
    assert not any(world[:, columns].any() for columns in elsewhere)


@pytest.mark.source("F2.20")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("seed", SEEDS)
def test_bias_acceleration_is_the_rate_of_the_jacobian(framed, off, seed, reference):
    model, q, v, a = framed(seed)
    h = 1e-5
    for frame in ("tool", "b5"):
        ahead, behind = (rbd.jacobian(model, model.integrate(q, d * v), frame, reference) for d in (h, -h))
        rate = (ahead - behind) / (2.0 * h) @ v
        assert off(rbd.bias_acceleration(model, q, v, frame, reference), rate, scale=1.0) < 1e-7
        # J a + Jdot v is how the velocity J v changes on a motion with acceleration a
        moved = [
            rbd.jacobian(model, model.integrate(q, d * v + 0.5 * d * d * a), frame, reference) @ (v + d * a)
            for d in (h, -h)
        ]
        acceleration = rbd.jacobian(model, q, frame, reference) @ a + rate
        assert off(acceleration, (moved[0] - moved[1]) / (2.0 * h), scale=1.0) < 1e-7


@pytest.mark.source("F2.20")
def test_aligned_acceleration_is_that_of_the_point(framed, off):
    """Second differences of the frame's position, which lose half of the digits."""
    model, q, v, _ = framed(1)
    h = 1e-4
    behind, here, ahead = (
        rbd.forward_kinematics(model, model.integrate(q, d * v)).pose("tool")[:3, 3] for d in (-h, 0, h)
    )
    found = rbd.bias_acceleration(model, q, v, "tool", "aligned")[3:]
    assert off(found, (ahead - 2 * here + behind) / h**2, scale=1.0) < 1e-5


def test_velocity_of_a_point(framed, off):
    model, q, v, _ = framed(2)
    point, h = np.array([0.3, -0.2, 0.5, 1.0]), 1e-5
    ahead, behind = (rbd.forward_kinematics(model, model.integrate(q, d * v)).pose("tool") @ point for d in (h, -h))
    found = algorithms.point_velocity(model, q, v, "tool", point[:3])
    assert off(found, (ahead - behind)[:3] / (2.0 * h)) < 1e-8


def test_the_world_does_not_move(framed):
    model, q, v, _ = framed(3)
    assert not rbd.jacobian(model, q, "world").any()
    assert not rbd.bias_acceleration(model, q, v, "world", "aligned").any()


@pytest.mark.source("F4.08")
def test_poses_are_products_of_joint_poses(framed):
    model, q, _, _ = framed(4)
    for body, pose in zip(model.bodies, rbd.forward_kinematics(model, q).poses, strict=True):
        expected = np.eye(4)
        for i in model.support(body.index):
            joint = model.joints[i]
            expected = expected @ joint.placement @ joint.type.pose(q[joint.q_slice])
        np.testing.assert_allclose(pose, expected, atol=1e-14)


@pytest.mark.source("F3.02")
@pytest.mark.parametrize("seed", SEEDS)
def test_position_rates_follow_from_velocities(off, seed):
    """qdot = qdfn(q, v) moves the bodies with the velocities S v: poses at q + h qdot, not renormalised."""
    model = random_tree(seed, 12)
    q, v, _ = random_state(model, seed)
    h, twists = 1e-5, rbd.forward_kinematics(model, q, v).velocities
    ahead, behind = (algorithms.forward_kinematics(model, q + d * model.rate(q, v)).poses for d in (h, -h))
    rate = (ahead - behind) / (2.0 * h)
    poses = rbd.forward_kinematics(model, q).poses
    assert off(rate, poses @ se3.bracket(twists)) < 1e-8


def test_errors_name_the_frame_and_the_reference(framed):
    model, q, v, _ = framed(5)
    with pytest.raises(ModelError, match=r"frame 'tol' is not in model .* did you mean 'tool'"):
        rbd.jacobian(model, q, "tol")
    with pytest.raises(StateError, match="'local' must be 'body', 'world' or 'aligned'"):
        rbd.jacobian(model, q, "tool", "local")
    with pytest.raises(StateError, match="'local' must be"):
        rbd.bias_acceleration(model, q, v, "tool", "local")
    with pytest.raises(StateError, match="called without v"):
        rbd.forward_kinematics(model, q).velocity("tool")
