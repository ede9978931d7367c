"""The rack and pinion (Featherstone 2008, Example 4.6); that it is consistent is shown with all other joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.algorithms import aba, crba, energy
from rbdkit.errors import ModelError
from rbdkit.joints import RackAndPinion, Reversed, Revolute
from rbdkit.library import rack_and_pinion
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

pytestmark = pytest.mark.source("F4.20")


def test_example_4_6_as_printed(rng, plucker_matrix):
    """E = rz(q1), p = (r q1, 0, 0), S = (0 0 1 r c1 -r s1 0), c_J = (0 0 0 -r s1 qd^2 -r c1 qd^2 0)."""
    r, joint = 0.35, RackAndPinion("z", 0.35)
    for q1, qd1 in rng.normal(size=(5, 2)):
        c1, s1 = np.cos(q1), np.sin(q1)
        E = np.array([[c1, s1, 0], [-s1, c1, 0], [0, 0, 1]])
        X, S, v_J, c_J = joint.calc(np.array([q1]), np.array([qd1]))
        assert_allclose(X, plucker_matrix(E, np.array([r * q1, 0, 0])), atol=1e-15)
        assert_allclose(S[:, 0], [0, 0, 1, r * c1, -r * s1, 0], atol=1e-16)
        assert_allclose(v_J, [0, 0, qd1, r * c1 * qd1, -r * s1 * qd1, 0], atol=1e-15)
        assert_allclose(c_J, [0, 0, 0, -r * s1 * qd1**2, -r * c1 * qd1**2, 0], atol=1e-15)
        in_predecessor = np.linalg.solve(X, v_J)  # before it is brought to successor coordinates
        assert_allclose(in_predecessor, [0, 0, qd1, r * qd1, -r * q1 * qd1, 0], atol=1e-14)


@pytest.mark.parametrize("axis", ["z", "x", "-y", [0.6, 0.0, 0.8]])
@pytest.mark.parametrize("radius", [0.3, -0.2])
def test_the_pinion_rolls(axis, radius, rng):
    """The point of the pinion that touches the rack is at rest, and the pinion's centre goes along the rack."""
    joint = RackAndPinion(axis, radius)
    q, v = rng.normal(size=(2, 1))
    pose = joint.pose(q)
    across = np.cross(joint.axis, joint.along)
    touching = pose[:3, 3] + radius * across  # in predecessor coordinates
    R, (omega, speed) = pose[:3, :3], np.split(joint.velocity(q, v), 2)
    at_rest = R @ speed + np.cross(R @ omega, touching - pose[:3, 3])
    assert_allclose(at_rest, np.zeros(3), atol=1e-15)
    assert_allclose(pose[:3, 3], radius * q[0] * joint.along, atol=1e-15)


def test_without_a_radius_it_is_revolute(rng):
    rack, hinge = RackAndPinion([0.0, 0.6, 0.8], radius=0.0), Revolute([0.0, 0.6, 0.8])
    q, v = rng.normal(size=(2, 1))
    assert_allclose(rack.pose(q), hinge.pose(q), atol=1e-16)
    for found, expected in zip(rack.calc(q, v), hinge.calc(q, v), strict=True):
        assert_allclose(found, expected, atol=1e-16)
    assert_allclose(rack.project(hinge.pose(q)), q, atol=1e-15)
    same = np.hstack([rack.constraint_subspace(q), hinge.constraint_subspace(q)])
    assert np.linalg.matrix_rank(same) == 5


def test_turns_are_counted_along_the_rack():
    joint = RackAndPinion("y", 0.1)
    for turns in (-3, 0, 5):
        q = np.array([0.7 + 2 * np.pi * turns])
        assert_allclose(joint.project(joint.pose(q)), q, atol=1e-14)


def test_seen_from_the_other_end_it_is_another_joint(rng):
    """A rack that rolls round a pinion: no choice of radius or of the pinion's angle gives its poses.

    The contact point of the pinion stays on a circle about the pinion, and the rack's own origin runs along its
    involute, at the distance r sqrt(1 + q^2) from the pinion's centre; a rolling pinion's centre is at r q.
    """
    r, q = 0.4, np.array([1.3])
    joint = RackAndPinion("z", r)
    rack = Reversed(joint).pose(q)
    foot = np.array([0.0, r, 0.0])  # the rack's point that touched at q = 0, in its own axes
    assert_allclose(np.linalg.norm((rack @ [*foot, 1.0])[:3]), r * np.sqrt(1 + q[0] ** 2), rtol=1e-15)
    best = joint.project(rack)
    assert np.abs(joint.pose(best) - rack).max() > 0.1


def test_a_pinion_on_a_slope_rolls_down_as_a_ball_does():
    """a = m g sin / (m + I / r^2) along the rack, by Newton's and Euler's laws for rolling without slip."""
    m, r, slope = 2.0, 0.15, 0.3
    disc = Inertia.cylinder(r, 0.04, mass=m)
    model = rbd.Model("pinion", gravity=[9.81 * np.sin(slope), -9.81 * np.cos(slope), 0])
    model.add_body("pinion", joint=RackAndPinion("z", r), inertia=disc)
    I = disc.inertia_com[2, 2]
    q, v, none = np.array([0.4]), np.array([2.0]), np.zeros(1)
    expected = m * 9.81 * np.sin(slope) * r / (m * r**2 + I)
    assert_allclose(aba(model, q, v, none).qdd, [expected], rtol=1e-14)
    assert_allclose(crba(model, q).H, [[m * r**2 + I]], rtol=1e-14)
    assert_allclose(energy(model, q, v).kinetic, 0.5 * (m * r**2 + I) * 4.0, rtol=1e-14)


def test_it_is_a_slider_and_a_hinge_that_follows_it(rng):
    """Two bodies, the hinge turning by 1/r of the slide: the same H and the same acceleration, with a rotor and arm."""
    r, arm = 0.25, Inertia.box([0.3, 0.1, 0.2], mass=1.5).transformed(se3.random(rng))
    placement = se3.random(rng)
    one, two = rbd.Model("one", gravity=[1.0, 2.0, 3.0]), rbd.Model("two", gravity=[1.0, 2.0, 3.0])
    one.add_body("pinion", joint=RackAndPinion("z", r), placement=placement, inertia=arm, armature=0.2)
    cart = two.add_body("cart", joint=rbd.Prismatic("x"), placement=placement, inertia=Inertia(0.0))
    two.add_body("pinion", cart, Revolute("z"), inertia=arm, mimic=rbd.Mimic("cart_joint", 1.0 / r), armature=0.2)
    q, v, tau = rng.normal(size=(3, 1))
    assert_allclose(crba(one, q).H, r**2 * crba(two, r * q).H, rtol=1e-13)
    found, expected = rbd.forward_dynamics(one, q, v, tau), rbd.forward_dynamics(two, r * q, r * v, tau / r)
    assert_allclose(found, expected / r, rtol=1e-12)


def test_radius_and_axis_are_kept_and_checked():
    assert repr(RackAndPinion("x", 0.2)) == "RackAndPinion(axis='x', radius=0.2)"
    assert RackAndPinion("x", 0.2) != RackAndPinion("x", 0.3)
    assert_array_equal(RackAndPinion("y").along, [0, 0, 1])
    with pytest.raises(ModelError, match=r"radius nan of a rack-and-pinion joint is not a finite number \(m\)"):
        RackAndPinion("z", float("nan"))


def test_the_radius_is_a_parameter_that_sweeps_turn():
    """Each run of the sweep is the run of the model with that radius."""
    model = rack_and_pinion()
    assert model.parameters["rolling.radius"] == 0.15
    radii = [0.1, 0.15, 0.3]
    family = rbd.sweep(model, {"rolling.radius": radii}, [0.0, 1.0], duration=0.3, dt=1e-3)
    for k, radius in enumerate(radii):
        changed = model.with_parameters({"rolling.radius": radius})
        assert changed.joint("rolling").type == RackAndPinion("z", radius)
        alone = rbd.simulate(changed, [0.0, 1.0], duration=0.3, dt=1e-3)
        assert_allclose(family[k].q[-1], alone.q[-1], atol=1e-12)
    with pytest.raises(ModelError, match="radius inf"):
        model.with_parameters({"rolling.radius": float("inf")})


def test_a_wheel_under_a_rail_with_a_bob_keeps_its_energy_and_its_grip():
    """The library's example: energy to the error of the steps, the contact point at rest all the time."""
    model = rack_and_pinion()
    assert model.validate() == []
    run = rbd.simulate(model, [0.0, 1.2], duration=2.0, dt=1e-3)
    total = run.energy().total
    assert_allclose(total, total[0], rtol=1e-8)
    pinion = run.poses("pinion")
    angle = np.unwrap(np.arctan2(pinion[:, 2, 0], pinion[:, 0, 0]))
    assert np.ptp(angle) > 1.0
    assert_allclose(pinion[:, 0, 3], 0.15 * angle, atol=1e-14)
