"""Accelerations and forces along motions: against differences of motions, balances of single bodies, closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd


def arm():
    model = rbd.Model("arm")
    inertia = rbd.Inertia(2.0, [0.1, 0.05, 0.3], np.diag([0.2, 0.3, 0.25]))
    model.add_body("upper", joint=rbd.Spherical(), inertia=inertia, damping=0.1)
    place = rbd.pose(position=(0, 0.1, 0.5))
    model.add_body("lower", "upper", rbd.Revolute("y"), placement=place, inertia=inertia, stiffness=3.0)
    model.add_frame("tool", "lower", rbd.pose(position=(0.1, 0.2, 0.4)))
    model.add_spring("band", "lower", "world", 20.0, 0.1, at_b=(1.0, 0.0, 0.0))
    return model


@pytest.fixture(scope="module")
def motion():
    model = arm()
    start = model.random_q(np.random.default_rng(1))
    return rbd.simulate(
        model, start, [1.0, -0.5, 2.0, 0.7], duration=0.2, dt=1e-4,
        tau=lambda t, q, v: np.array([0.1, 0.2, 0.3 * np.sin(3 * t), -0.2]),
        f_ext=lambda t, q, v: {"lower": rbd.wrench([1.0, 2.0, 0.5], [0.2, 0.1, 0.4])},
        progress=False,
    )  # fmt: skip


def differences(x, dt):
    """Derivative of fourth order inside."""
    return (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * dt)


def test_accelerations_are_the_rates_of_velocities(motion):
    dt = 1e-4
    np.testing.assert_allclose(motion.joint_accelerations()[2:-2], differences(motion.v, dt), rtol=0, atol=1e-8)
    places = motion.poses("tool")[:, :3, 3]
    speeds = differences(places, dt)
    found = motion.acceleration("tool")
    np.testing.assert_allclose(found[4:-4, 3:], differences(speeds, dt), rtol=0, atol=1e-5)
    R = motion.poses("tool")[:, :3, :3]
    omega = np.einsum("nij,nj->ni", R, motion.angular_velocity("tool"))
    np.testing.assert_allclose(found[2:-2, :3], differences(omega, dt), rtol=0, atol=1e-7)
    felt = np.einsum("nij,nj->ni", R, motion.specific_force("tool"))
    np.testing.assert_allclose(felt, found[:, 3:] + [0, 0, 9.81], rtol=0, atol=1e-12)


def test_what_a_joint_transmits_balances_the_bodies_behind_it(motion):
    """Newton and Euler for the last body, written out in world axes about its centre of mass."""
    model = motion.model
    inertia = model.body("lower").inertia
    poses = motion.poses("lower")
    R, p = poses[:, :3, :3], poses[:, :3, 3]
    c = p + R @ inertia.com
    model.add_frame("centre", "lower", rbd.pose(position=inertia.com))
    a = motion.acceleration("centre")
    omega = np.einsum("nij,nj->ni", R, motion.velocities("lower")[:, :3])
    I = R @ inertia.inertia_com @ R.transpose(0, 2, 1)
    spring_end = np.array([1.0, 0.0, 0.0])
    length = np.linalg.norm(spring_end - p, axis=1, keepdims=True)
    pull = 20.0 * (length - 0.1) * (spring_end - p) / length
    push, at = np.array([1.0, 2.0, 0.5]), np.array([0.2, 0.1, 0.4])
    force = inertia.mass * (a[:, 3:] + [0, 0, 9.81]) - pull - push
    turned = np.einsum("nij,nj->ni", I, a[:, :3]) + np.cross(omega, np.einsum("nij,nj->ni", I, omega))
    moment = turned - np.cross(p - c, pull) - np.cross(at - c, push) - np.cross(p - c, force)
    expected = np.concatenate([np.einsum("nji,nj->ni", R, moment), np.einsum("nji,nj->ni", R, force)], axis=1)
    found = motion.wrench("lower_joint")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    # along its freedom a joint gives what motor and spring give
    given = motion.tau[:, 3] - 3.0 * motion.q[:, 4]
    np.testing.assert_allclose(found[:, 1], given, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_a_mechanism_with_a_loop():
    """All forces on the coupler, at both its ends, balance it."""
    model = rbd.library.planar_four_bar()
    q = rbd.assemble(model, model.move(model.neutral(), np.array([0.5, 0.0, 0.0])))
    motion = rbd.simulate(model, q, rbd.project_velocity(model, q, [3.0, 0, 0]), 0.1, 1e-3, progress=False)
    inertia = model.body("coupler").inertia
    motion.model.add_frame("centre of the coupler", "coupler", rbd.pose(position=inertia.com))
    a = motion.acceleration("centre of the coupler")[:, 3:]
    R = motion.poses("coupler")[:, :3, :3]
    own = np.einsum("nij,nj->ni", R, motion.wrench("coupler_joint")[:, 3:])
    pin = motion.loop_forces()["pin"]
    loop = model.loops[0]
    name, sign = (model.bodies[loop.successor].name, 1.0)
    at_pin = sign * np.einsum("nij,nj->ni", motion.poses(name)[:, :3, :3], pin[:, 3:])
    if name != "coupler":
        at_pin = -at_pin
    expected = inertia.mass * (a + [0, 0, 9.81])
    np.testing.assert_allclose(own + at_pin, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("given", [{"stiffness": 30.0, "damping": 2.0}, {"friction": 1.0}])
def test_springs_and_friction_of_loop_joints_are_transmitted(given):
    model = rbd.Model("four-bar")
    rod = rbd.Inertia.box((0.1, 0.1, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    model.add_body("crank", joint=rbd.Revolute("y"), inertia=rod, damping=0.3)
    model.add_body("rocker", joint=rbd.Revolute("y"), inertia=rod, placement=(1, 0, 0))
    model.add_body("coupler", "crank", rbd.Revolute("y"), (0, 0, -1), rod)
    model.add_loop("loop", "coupler", "rocker", rbd.Revolute("y"), (1, 0, 0), (0, 0, -1), **given)
    motion = rbd.simulate(model, rbd.assemble(model, [0.3, 0.3, -0.3]), duration=0.05, tau=[0.1, 0.2, 0.3])
    # the crank's bearing cannot resist a turn: there is the motor's moment and that of the damper
    np.testing.assert_allclose(motion.wrench("crank_joint")[:, 1], 0.1 - 0.3 * motion.v[:, 0], rtol=0, atol=1e-11)
    # about its pin a loop joint transmits what its spring, damper and friction give
    loop = motion.wrench("loop")
    about_pin = loop[:, 1] + loop[:, 3]
    angle, rate = motion.q[:, 1] - motion.q[:, 0] - motion.q[:, 2], motion.v[:, 1] - motion.v[:, 0] - motion.v[:, 2]
    if "friction" in given:
        assert (np.abs(about_pin[10:]) > 0.9).all() and (about_pin * rate <= 0.0).all()
    else:
        np.testing.assert_allclose(about_pin, -30.0 * angle - 2.0 * rate, rtol=0, atol=1e-9)


def test_a_box_on_the_ground_feels_its_weight():
    model = rbd.Model("box")
    box = rbd.Box([0.2, 0.2, 0.2])
    model.add_body("box", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.2, 0.2), mass=3.0), geometry=box)
    model.add_ground(friction=0.5)
    motion = rbd.simulate(model, [1, 0, 0, 0, 0, 0, 0.1], duration=0.05, progress=False)
    weight = [0, 0, 0, 0, 0, 3.0 * 9.81]
    np.testing.assert_allclose(motion.contact_wrenches("box")[5], weight, atol=1e-7)
    np.testing.assert_allclose(motion.contact_wrenches("world")[5], [0, 0, 0, 0, 0, -3.0 * 9.81], atol=1e-7)
    np.testing.assert_allclose(motion.specific_force("box")[5], [0, 0, 9.81], atol=1e-7)
    np.testing.assert_allclose(motion.acceleration("box")[5], 0, atol=1e-7)


def test_what_is_not_known_is_refused(motion):
    with pytest.raises(rbd.RbdkitError, match="lower_joint"):
        motion.wrench("lowr_joint")
    with pytest.raises(rbd.RbdkitError, match="tool"):
        motion.acceleration("tol")
    model = rbd.Model("plumb")
    model.add_body("bob", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    model.add_constraint("rod", rbd.Distance("world", "bob", 1.0, at_a=(0.0, 0.0, 1.0)))
    held = rbd.simulate(model, duration=0.01, progress=False)
    np.testing.assert_allclose(held.acceleration("bob"), 0, atol=1e-9)
    with pytest.raises(rbd.RbdkitError, match="rod"):
        held.wrench("bob_joint")


def test_a_stop_that_pushes_is_refused():
    model = rbd.Model("door")
    rod = rbd.Inertia(1.0, com=[0, 0, -0.5])
    model.add_body("door", joint=rbd.Revolute("y"), inertia=rod, limits=rbd.Limits(-0.3, 0.3))
    motion = rbd.simulate(model, [0.29], [1.0], 0.1, limits="stop", progress=False)
    with pytest.raises(rbd.RbdkitError, match="one side"):
        motion.joint_accelerations()
