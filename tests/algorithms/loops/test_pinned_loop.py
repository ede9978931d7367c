"""Pins with two directions: maximal, reduced and mixed, against loop equations of joint coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import (
    loop_constraint,
    loop_equation,
    pinned_bodies,
    pinned_loop,
    pinned_motion,
    pinned_velocity,
    solve_directly,
)
from rbdkit.errors import ModelError, StateError
from rbdkit.library import crank_slider, planar_four_bar
from rbdkit.spatial import se3

pytestmark = pytest.mark.source("S2.20")


def in_series():
    """Four bodies in series, the last one pinned to the first, on a slide; turned so that no axis is a coordinate."""
    model = rbd.Model("four bodies", gravity=[1.0, -2.0, -9.0])
    bar = rbd.Inertia.box([0.5, 0.1, 0.1], mass=0.7).transformed(rbd.pose(position=[0.25, 0.02, 0.0]))
    turned = se3.pose(se3.random(np.random.default_rng(1))[:3, :3], [0.1, 0.2, 0.3])
    model.add_body("first", joint=rbd.Prismatic("x"), placement=turned, inertia=bar)
    model.add_body("second", "first", rbd.Revolute("z"), None, bar)
    model.add_body("third", "second", rbd.Revolute("z"), [0.5, 0, 0], bar)
    model.add_body("fourth", "third", rbd.Revolute("z"), [0.6, 0, 0], bar)
    q = np.array([0.3, 0.9, -1.1, -1.3])
    poses = algorithms.forward_kinematics(model, q).poses
    at = np.linalg.solve(poses[1], poses[4])[:3, :3] @ [0.55, 0, 0] + np.linalg.solve(poses[1], poses[4])[:3, 3]
    model.add_loop("pin", "fourth", "first", rbd.Revolute("z"), [0.55, 0, 0], at)
    return model, q


CASES = {
    "four bodies": in_series,
    "four-bar": lambda: (planar_four_bar(),) * 2,
    "crank-slider": lambda: (crank_slider(),) * 2,
}


@pytest.fixture(params=CASES)
def case(request):
    model, q = CASES[request.param]()
    q = model.neutral() if q is model else q
    name = model.loops[0].joint.name
    rng = np.random.default_rng(0)
    K = loop_constraint(model, q, np.zeros(model.nv)).K
    allowed = np.linalg.svd(K)[2][2:]
    return model, q, allowed.T @ rng.normal(size=len(allowed)), rng.normal(size=model.nv), name


def test_two_directions_are_enough(case):
    """Three have a singular matrix, two do not; they say what the five of the joint say."""
    model, q, v, _, name = case
    pin, K = pinned_loop(model, q, v, name), loop_constraint(model, q, v).K
    assert_allclose(pin.directions @ pin.directions.T, np.eye(2), atol=1e-14)
    assert np.linalg.matrix_rank(pin.G) == 2 == np.linalg.matrix_rank(np.vstack([pin.G, K]), 1e-9)
    assert_allclose(pin.G @ v, 0.0, atol=1e-13)
    assert_allclose(pin.J_mr @ v, pin.phi)


def test_rates_by_differences(case):
    model, q, v, _, name = case
    pin, h = pinned_loop(model, q, v, name), 1e-5
    ahead, back = (pinned_loop(model, model.integrate(q, s * h * v), v, name) for s in (1, -1))
    for there in (ahead, back):
        assert_allclose(there.directions, pin.directions, atol=1e-12)
    assert_allclose((ahead.G_m - back.G_m) / (2 * h), pin.Gdot_m, atol=1e-8)
    assert_allclose((ahead.J_mr - back.J_mr) @ v / (2 * h), pin.Jdot_v, atol=1e-8)
    assert_allclose((ahead.G - back.G) @ v / (2 * h), pin.Gdot_v, atol=1e-8)


def test_maximal_and_reduced(case):
    model, q, v, tau, name = case
    expected = solve_directly(loop_equation(model, q, v, tau))
    pin = pinned_loop(model, q, v, name)
    found = pinned_motion(model, q, v, tau, [pin])
    assert_allclose(found.qdd, expected.qdd, atol=1e-10)
    assert_allclose(-pin.G.T @ found.lam_m, expected.tau_c, atol=1e-10)
    rates = pinned_bodies(model, q, v, tau, [pin])
    assert_allclose(rates.ravel(), pin.J_mr @ found.qdd + pin.Jdot_v, atol=1e-9)


def test_velocity_level(case):
    """The step keeps the constraint; for short steps its rate is the acceleration."""
    model, q, v, tau, name = case
    pin = pinned_loop(model, q, v, name)
    assert_allclose(pin.G @ pinned_velocity(model, q, v, tau, 0.1, [pin]), 0.0, atol=1e-12)
    h, middle = 1e-4, pinned_motion(model, q, v, tau, [pin]).qdd
    step = (pinned_velocity(model, q, v, tau, h, [pin]) - v) / h
    # the step knows nothing of the turning of the constraint: that part is missing along its normals
    H = algorithms.crba(model, q).H
    normal = np.linalg.solve(H, pin.G.T)
    assert np.linalg.matrix_rank(np.column_stack([normal, step - middle]), 1e-8) == 2


def test_mixed_constraints():
    """A tie of two joint velocities beside the pin, against the same tie as one more row of K."""
    model, q = in_series()
    G_r = np.array([[1.0, 0.4, 0.0, 0.0]])
    constraint = loop_constraint(model, q, np.zeros(4))
    v = np.linalg.svd(np.vstack([constraint.K, G_r]))[2][3]
    tau = np.array([1.0, -2.0, 0.5, 0.3])
    pin = pinned_loop(model, q, v, "pin")
    found = pinned_motion(model, q, v, tau, [pin], G_r)
    K = np.vstack([constraint.K, G_r])
    k = np.append(loop_constraint(model, q, v).k, 0.0)
    equation = algorithms.constraints.EquationOfMotion(
        algorithms.crba(model, q).H, algorithms.bias_force(model, q, v), tau
    )
    expected = algorithms.constraints.apply_implicit(equation, K, k)
    assert_allclose(found.qdd, expected.qdd, atol=1e-10)
    assert found.lam_r.shape == (1,) and found.lam_m.shape == (2,)
    assert_allclose(-G_r.T @ found.lam_r - pin.G.T @ found.lam_m, expected.tau_c, atol=1e-10)
    after = pinned_velocity(model, q, v, tau, 0.05, [pin], G_r)
    assert_allclose(np.vstack([pin.G, G_r]) @ after, 0.0, atol=1e-12)


def test_refusals():
    model, q = in_series()
    with pytest.raises(ModelError, match="loop joint 'bolt'"):
        pinned_loop(model, q, np.zeros(4), "bolt")
    geared = model.with_parameters({"second_joint.armature": 0.1})
    with pytest.raises(ModelError, match="rotors of 'second_joint' are no bodies"):
        pinned_bodies(geared, q, *np.zeros((2, 4)), [pinned_loop(geared, q, np.zeros(4), "pin")])
    ball = planar_four_bar(rbd.Spherical())
    with pytest.raises(ModelError, match="'pin' is spherical"):
        pinned_loop(ball, ball.neutral(), np.zeros(3), "pin")
    with pytest.raises(ModelError, match=r"'pin' close.* no pin stands for it"):
        pinned_motion(model, q, np.zeros(4), np.zeros(4), [])
    with pytest.raises(ModelError, match="not independent"):
        pin = pinned_loop(model, q, np.zeros(4), "pin")
        pinned_motion(model, q, np.zeros(4), np.zeros(4), [pin, pin])
    tilting = rbd.Model("tilting")
    tilting.add_body("a", joint=rbd.Spherical(), inertia=rbd.Inertia.box([1, 1, 1], mass=1.0))
    tilting.add_loop("pin", "world", "a", rbd.Revolute("z"))
    with pytest.raises(StateError, match="axis of loop joint 'pin' tilts by 1 rad/s"):
        pinned_loop(tilting, tilting.neutral(), np.array([1.0, 0.0, 0.0]), "pin")
