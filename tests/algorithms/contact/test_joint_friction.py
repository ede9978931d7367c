"""Friction inside joints against closed forms, reactions against inverse dynamics, contacts beside joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import aba, crba, rnea
from rbdkit.algorithms.contact import (
    Bearing,
    LoopRows,
    VertexOnPlane,
    bilateral_staggered_projections,
    loose_bodies,
)
from rbdkit.algorithms.solvers import quadratic_program
from rbdkit.errors import ConvergenceError, ModelError, StateError
from rbdkit.spatial import se3

G, DT = 9.81, 1e-3


def wheel(mass=3.0, gravity=(0.0, 0.0, -G)):
    model = rbd.Model("wheel", gravity=gravity)
    model.add_body("disc", joint=rbd.Revolute("z"), inertia=rbd.Inertia.cylinder(0.2, 0.05, mass=mass))
    return model


@pytest.mark.source("S2.24")
def test_a_flywheel_runs_down():
    """On a step bearing of radius r friction takes mu m g r; it stops in finite time and then stays."""
    model, mu, r = wheel(), 0.3, 0.02
    sleeve = Bearing.sleeve("disc_joint", "z", r, 0.05, mu)
    slowing = mu * 3.0 * G * r / (0.5 * 3.0 * 0.2**2)
    qd, warm = np.array([0.02]), None
    for step in range(1, 15):
        found = bilateral_staggered_projections(model, model.neutral(), qd, DT, [sleeve], f_beta=warm)
        qd, warm = found.qd, found.f_beta
        assert_allclose(qd, [max(0.0, 0.02 - step * DT * slowing)], atol=1e-9)  # epsilon's part of the weight
    assert found.misfit < 1e-8
    assert_allclose(found.reactions["disc_joint"], [0, 0, 0, 0, 0, 3 * G], atol=1e-8)


@pytest.mark.source("S2.24")
def test_a_wheel_on_a_horizontal_shaft():
    """Its weight spreads over the circle as the cosine: the torque is mu r W sum |cos| / sum cos^2."""
    model = wheel(gravity=(-G, 0.0, 0.0))
    mu, r, count = 0.2, 0.03, 12
    sleeve = Bearing.sleeve("disc_joint", "z", r, 0.05, mu, count)
    found = bilateral_staggered_projections(model, model.neutral(), np.array([4.0]), DT, [sleeve])
    cos = np.cos(2 * np.pi * np.arange(count) / count)
    torque = mu * r * 3.0 * G * np.abs(cos).sum() / (cos @ cos)
    assert_allclose(found.qd, [4.0 - DT * torque / (0.5 * 3.0 * 0.2**2)], rtol=1e-7)  # epsilon
    assert found.alpha["disc_joint"].min() < -1e-3 < 1e-3 < found.alpha["disc_joint"].max()  # of either sign


@pytest.mark.source("S2.24")
def test_a_slider_on_a_slope():
    """It sticks below the angle of friction and slides with g (sin a - mu cos a) above."""
    for angle, mu in ((0.3, 0.35), (0.5, 0.35)):
        model = rbd.Model("slope", gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
        model.add_body("block", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.box([0.2, 0.1, 0.1], mass=2.0))
        bar = Bearing.slide("block_joint", "x", 0.05, 0.1, mu)
        found = bilateral_staggered_projections(model, np.zeros(1), np.zeros(1), DT, [bar])
        expected = max(0.0, G * (np.sin(angle) - mu * np.cos(angle))) * DT
        assert_allclose(found.qd, [expected], atol=1e-8 * DT * G)


@pytest.mark.source("S2.24")
def test_a_ball_joint_slows_what_spins_in_it():
    """About the axis of the load the four points on the equator carry nothing: all of the load is at the poles."""
    model = rbd.Model("top")
    model.add_body("top", joint=rbd.Spherical(), inertia=rbd.Inertia.cylinder(0.1, 0.1, mass=1.0))
    ball = Bearing.ball("top_joint", 0.02, 0.4)
    spun = bilateral_staggered_projections(model, model.neutral(), np.array([0.0, 0.0, 3.0]), DT, [ball])
    assert_allclose(spun.qd, [0.0, 0.0, 3.0], atol=1e-12)
    rolled = bilateral_staggered_projections(model, model.neutral(), np.array([3.0, 0.0, 0.0]), DT, [ball])
    inertia = 1.0 * (3 * 0.1**2 + 0.1**2) / 12
    assert_allclose(rolled.qd, [3.0 - DT * 0.4 * 0.02 * G / inertia, 0.0, 0.0], atol=1e-8)


@pytest.mark.source("S2.24")
def test_reactions_are_those_of_inverse_dynamics():
    """Line 10 to 13 without friction: forces through joints in an arm with motors, with the drift of Eq 2.117."""
    model = rbd.library.double_pendulum()
    rng = np.random.default_rng(3)
    q, qd, tau = rng.normal(size=2), 3.0 * rng.normal(size=2), rng.normal(size=2)
    found = bilateral_staggered_projections(model, q, qd, DT, [], tau=tau)
    qdd = aba(model, q, qd, tau).qdd
    assert_allclose(found.qd, qd + DT * qdd, rtol=1e-11)
    f, S = rnea(model, q, qd, qdd).f, [joint.motion_subspace(q) for joint in model.joints]
    for i in (1, 2):
        passive = f[i] - S[i][:, 0] * tau[i - 1]
        assert_allclose(found.reactions[model.joints[i].name], passive, atol=1e-9 * np.abs(f[i]).max())
        assert abs(S[i][:, 0] @ found.reactions[model.joints[i].name]) < 1e-10


@pytest.mark.source("S2.24")
def test_friction_never_makes_energy_and_settles():
    """A chain with friction in all joints; without motors and weight it only loses energy, and comes to rest."""
    model = rbd.library.double_pendulum()
    bearings = [Bearing.sleeve(joint.name, "y", 0.3, 0.1, 0.4, 4) for joint in model.joints[1:]]
    q, qd, warm, energies = np.array([0.9, -0.4]), np.array([2.0, -3.0]), None, []
    light = rbd.Model("light", gravity=(0.0, 0.0, 0.0))
    parent = "world"
    for body in model.bodies[1:]:
        light.add_body(
            body.name, parent, body.joint.type, body.joint.placement, body.inertia, joint_name=body.joint.name
        )
        parent = body.name
    for _ in range(40):
        found = bilateral_staggered_projections(light, q, qd, 5e-3, bearings, f_beta=warm)
        q, qd, warm = q + 5e-3 * found.qd, found.qd, found.f_beta
        energies.append(0.5 * qd @ crba(light, q).H @ qd)
    assert energies[-1] < 0.9 * energies[0]
    assert np.diff(energies).max() < 1e-2 * energies[0]  # the explicit step's own error


def pendulum_on_the_floor():
    """A bar that hinges at one end and lies on the floor with the other."""
    model = rbd.Model("bar")
    bar = rbd.Inertia.box([1.0, 0.02, 0.02], mass=2.0).transformed(se3.pose(None, [0.5, 0.0, 0.0]))
    model.add_body("bar", joint=rbd.Revolute("y"), inertia=bar)
    return model, VertexOnPlane("end", "world", "bar", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@pytest.mark.source("S2.24")
def test_an_external_contact_shares_the_load():
    """Hinge and floor carry half of the bar each (Eq 2.120); the difference of Eq 2.119 is another force."""
    model, floor = pendulum_on_the_floor()
    q, qd = np.zeros(1), np.zeros(1)
    contact = floor.at(model, q, qd)
    found = bilateral_staggered_projections(model, q, qd, DT, [], contacts=[contact])
    assert_allclose(found.contacts[:, 0] / DT, [G], rtol=1e-10)
    assert_allclose(found.reactions["bar_joint"], [0, 0, 0, 0, 0, G], atol=1e-9)
    assert_allclose(found.qd, 0.0, atol=1e-12)
    bodies = loose_bodies(model, q, qd)
    loose = quadratic_program(bodies.M, bodies.pushed(DT), C=bodies.normal_rows([contact])).x
    printed = bodies.M @ (bodies.J @ found.qd - loose) / DT  # Eq 2.119
    assert abs(bodies.J[:, 0] @ printed) > 1.0  # it works in the hinge


@pytest.mark.source("S2.24")
def test_friction_in_the_joint_and_on_the_floor():
    """A cart that a motor pushes, in a guide with friction and with a skid on the floor: both slow it."""
    model = rbd.Model("cart")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.box([0.2, 0.1, 0.1], mass=2.0))
    model.add_body("skid", "cart", rbd.Prismatic("z"), inertia=rbd.Inertia.box([0.1, 0.1, 0.02], mass=1.0))
    q, qd = np.zeros(2), np.array([1.0, 0.0])
    contact = VertexOnPlane("skid", "world", "skid", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).at(model, q, qd)
    guide = Bearing.slide("cart_joint", "x", 0.05, 0.1, 0.2)
    found = bilateral_staggered_projections(
        model, q, qd, DT, [guide], tau=np.array([10.0, 0.0]), contacts=[contact], mu=0.5
    )
    assert_allclose(found.contacts[0, 0], DT * 1.0 * G, rtol=1e-9)  # the floor carries the skid
    assert_allclose(np.hypot(*found.contacts[0, 1:]), 0.5 * DT * G, rtol=1e-9)
    squeeze = float(np.abs(found.alpha["cart_joint"]).sum()) / DT
    assert_allclose(squeeze, 2.0 * G, rtol=1e-8)  # the cart's weight, less epsilon's part, wherever the drag shifts it
    force = 10.0 - 0.5 * 1.0 * G - 0.2 * squeeze
    assert_allclose((found.qd - qd) / DT, [force / 3.0, 0.0], rtol=1e-7, atol=1e-9)


@pytest.mark.source("S2.24")
def test_a_loop_given_by_rows():
    """Two pendulums whose ends are tied: the motion of the same program with the loop, and the tie's force."""
    model = rbd.Model("pair")
    bar = rbd.Inertia.box([0.1, 0.1, 1.0], mass=1.0).transformed(se3.pose(None, [0.0, 0.0, -0.5]))
    model.add_body("left", joint=rbd.Revolute("y"), inertia=bar)
    model.add_body("right", "world", rbd.Revolute("y"), [0.5, 0.0, 0.0], bar)
    q, qd = np.array([0.3, 0.3]), np.array([1.0, 1.0])
    G_m = np.zeros((1, 12))  # equal angular velocities
    G_m[0, 1], G_m[0, 7] = 1.0, -1.0
    loop = LoopRows("rod", "left", "right", G_m, np.zeros(1))
    found = bilateral_staggered_projections(model, q, qd, DT, [], tau=np.array([1.0, 0.0]), loops=[loop])
    inertia, free = crba(model, q).H, aba(model, q, qd, np.array([1.0, 0.0])).qdd
    tied = quadratic_program(inertia, inertia @ (qd + DT * free), G=[[1.0, -1.0]]).x
    assert_allclose(found.qd, tied, rtol=1e-11)
    assert_allclose(found.reactions["rod"][1], 0.5, rtol=1e-9)  # half of the motor's torque goes across


def test_what_is_refused():
    model = wheel()
    q, qd, bush = model.neutral(), np.ones(1), Bearing.sleeve("disc_joint", "z", 0.02, 0.05, 0.3)
    with pytest.raises(ModelError, match="no such joint"):
        bilateral_staggered_projections(model, q, qd, DT, [Bearing.ball("hip", 0.02, 0.3)])
    with pytest.raises(StateError, match=r"h = 0.0"):
        bilateral_staggered_projections(model, q, qd, 0.0, [bush])
    with pytest.raises(ConvergenceError, match="'disc_joint'"):
        bilateral_staggered_projections(model, q, qd, DT, [bush], most=1)
    with pytest.raises(ModelError, match=r"radius = -1"):
        Bearing.ball("hip", -1.0, 0.3)
    with pytest.raises(ModelError, match=r"mu = -0.3"):
        Bearing.ball("hip", 1.0, -0.3)
    with pytest.raises(ModelError, match="unit length"):
        Bearing("hip", np.zeros((1, 3)), np.ones((1, 3)), 0.3)
    with pytest.raises(ModelError, match="across the normals"):
        Bearing("hip", np.zeros((1, 3)), np.eye(3)[:1], 0.3, np.eye(3)[:1])
    contact = VertexOnPlane("rim", "world", "disc", (0.2, 0.0, 0.0), (0.0, 0.0, 0.0)).at(model, q, qd)
    with pytest.raises(StateError, match=r"-0.5"):
        bilateral_staggered_projections(model, q, qd, DT, [], contacts=[contact], mu=-0.5)
