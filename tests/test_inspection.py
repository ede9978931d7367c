"""Facts about a body, each by another route."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.inspection import Fact
from rbdkit.library import double_pendulum, random_state, random_tree
from rbdkit.spatial import plucker

STEP = 1e-6


@pytest.fixture(scope="module")
def case():
    model = random_tree(4, 9)
    q, v, tau = random_state(model, 4)[:3]
    return model, q, v, tau


def after(model, q, v, tau, h):
    """The state a short time later, with the accelerations of now."""
    a = rbd.forward_dynamics(model, q, v, tau)
    return model.integrate(q, h * v + 0.5 * h * h * a), v + h * a


def places(model, q, point):
    """World places of a point of each body."""
    poses = rbd.forward_kinematics(model, q).poses
    return poses[:, :3, :3] @ point + poses[:, :3, 3]


@pytest.mark.parametrize("body", range(1, 10))
def test_velocity_and_acceleration_of_the_origin_are_those_of_the_moving_frame(case, body):
    """Central differences of its place: errors of order 1e-12 / STEP for the first, / STEP^2 for the second."""
    model, q, v, tau = case
    facts = rbd.inspect(model, model.bodies[body].name, q, v, tau)
    R = facts["T"][:3, :3]
    h = 1e-4
    before, here, later = (places(model, after(model, q, v, tau, s * h)[0], np.zeros(3))[body] for s in (-1, 0, 1))
    assert_allclose(R @ facts["v"][3:], (later - before) / (2 * h), atol=1e-5 * (1 + np.abs(facts["v"]).max() ** 3))
    assert_allclose(
        R @ facts["a_O"], (later - 2 * here + before) / h**2, atol=1e-3 * (1 + np.abs(facts["a"]).max() ** 2)
    )


def test_one_motion_is_told_about_every_point_and_basis(case):
    model, q, v, tau = case
    body = model.bodies[5]
    facts = rbd.inspect(model, body.name, q, v, tau)
    R, p = facts["T"][:3, :3], facts["T"][:3, 3]
    w, v_O = R @ facts["v"][:3], R @ facts["v"][3:]
    assert_allclose(facts["v_LWA"], [*w, *v_O], atol=1e-12)
    assert_allclose(facts["v_0"], [*w, *(v_O + np.cross(w, -p))], atol=1e-11)
    com = R @ body.inertia.com
    assert_allclose(R @ facts["v_C"][3:], v_O + np.cross(w, com), atol=1e-12)
    parent = rbd.forward_kinematics(model, q).poses[body.parent]
    at_parent = v_O + np.cross(w, parent[:3, 3] - p)
    assert_allclose(facts["v_p"], [*(parent[:3, :3].T @ w), *(parent[:3, :3].T @ at_parent)], atol=1e-11)


def test_forces_balance_the_motion_of_the_rest_of_the_tree(case):
    """f through the joint of a leaf is what its own inertia, velocity and weight ask for (Eq 2.68)."""
    model, q, v, tau = case
    leaf = next(b for b in reversed(model.bodies) if b.index not in model.parent)
    facts = rbd.inspect(model, leaf.name, q, v, tau)
    g = np.concatenate([np.zeros(3), facts["T"][:3, :3].T @ model.gravity])
    momentum = facts["I"] @ facts["v"]
    w, u = facts["v"][:3], facts["v"][3:]
    rate = np.concatenate([np.cross(w, momentum[:3]) + np.cross(u, momentum[3:]), np.cross(w, momentum[3:])])
    assert_allclose(facts["f"], facts["I"] @ (facts["a"] - g) + rate, atol=1e-9 * (1 + np.abs(facts["f"]).max()))
    assert_allclose(facts["X"], plucker.from_pose(np.linalg.inv(parent_pose(model, q, leaf)) @ facts["T"]), atol=1e-12)
    assert_allclose(facts["S"].T @ facts["f"], facts["tau"], atol=1e-9 * (1 + np.abs(facts["f"]).max()))


def parent_pose(model, q, body):
    return rbd.forward_kinematics(model, q).poses[body.parent]


def test_a_hanging_pendulum_at_rest_is_held_by_its_weight():
    model = double_pendulum()
    facts = rbd.inspect(model, "rod1", model.neutral())
    weight = 9.81 * sum(body.inertia.mass for body in model.bodies[1:])
    assert_allclose(facts["f"], [0, 0, 0, 0, 0, weight], atol=1e-12)
    assert_allclose(facts["a"], np.zeros(6), atol=1e-12)
    assert facts["m"] == model.bodies[1].inertia.mass


def test_copies_are_exact_and_the_world_has_a_pose_only(case):
    model, q, v, tau = case
    facts = rbd.inspect(model, model.bodies[3].name, q, v, tau)
    for section in facts.sections.values():
        for fact in section:
            assert np.array_equal(eval(fact.numpy), fact.value)
            assert fact.unit and fact.frame
    assert list(rbd.inspect(model, "world", q).sections) == ["Placement"]
    with pytest.raises(KeyError, match="nothing called 'b' is known of body"):
        facts["b"]
    with pytest.raises(rbd.ModelError, match="body 'nobody' is not in model"):
        rbd.inspect(model, "nobody", q)


def test_its_text_has_the_numbers_and_no_round_off():
    model = rbd.library.double_pendulum()
    text = repr(rbd.inspect(model, "rod2", [0.1, 0.2], [0.3, 0.4]))
    assert "velocity v, rad/s, m/s, in rod2" in text and "-0.29402" in text
    fact = Fact("velocity", "v", "m/s", "world", np.array([-1.78e-13, -0.1452, 6e-28]))
    assert fact.rounded.tolist() == [0.0, -0.1452, 0.0] and "1.78e-13" in fact.numpy
