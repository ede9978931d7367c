"""Contacts as rows on the twists of loose bodies; the program with joints against joint coordinates; stabilization."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import crba
from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.contact import (
    PointContact,
    acceleration_target,
    loose_bodies,
    post_stabilization,
    separation,
    tangents,
    velocity_target,
)
from rbdkit.algorithms.solvers import active_set, quadratic_program
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree

H = 1e-3


def touching(model, rng, count=4):
    names, contacts = [body.name for body in model.bodies], []
    for i in range(count):
        n = rng.normal(size=3)
        ends = [str(name) for name in rng.choice(names, 2, replace=False)]
        rates = np.zeros(3), np.zeros(3)
        contacts.append(PointContact(f"C{i}", *ends, rng.normal(size=3), n / np.linalg.norm(n), *rates))
    return contacts


def joint_rows(bodies):
    """G with G phi = 0 for all that joints allow: what stands across the columns of J."""
    U, s, _ = np.linalg.svd(bodies.J)
    return U[:, np.count_nonzero(s > 1e-10 * s[0]) :].T


@pytest.mark.source("S1.18")
@pytest.mark.parametrize("seed", range(8))
def test_with_joints_and_in_joint_coordinates(seed):
    """Rows on twists (Eqs 1.76, 1.78) with joints as equations (Eq 1.80) give the motion of the tree."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 6)
    q, v = random_state(model, seed)[:2]
    bodies, contacts = loose_bodies(model, q, v), touching(model, rng)
    N, (T, zeta, _) = bodies.normal_rows(contacts), separation(model, q, v, contacts)
    assert_allclose(N @ bodies.phi, zeta, atol=1e-12 * (1 + np.abs(zeta).max()))
    assert_allclose(N @ bodies.J, T.T, atol=1e-12 * (1 + np.abs(T).max()))
    inertia = crba(model, q).H
    pushed = bodies.M @ bodies.phi + H * bodies.f
    with_joints = quadratic_program(bodies.M, pushed, C=N, G=joint_rows(bodies))  # Eq 1.80
    tree = quadratic_program(inertia, bodies.J.T @ pushed, C=T.T)
    scale = 1 + np.abs(with_joints.x).max()
    assert_allclose(with_joints.x, bodies.J @ tree.x, atol=1e-9 * scale)
    assert (N @ with_joints.x).min() > -1e-9 * scale
    inside = with_joints.lam[:, None] * N  # what contacts do, without the world, is action and reaction
    among = [i for i, c in enumerate(contacts) if "world" not in (c.predecessor, c.successor)]
    for row in inside[among].reshape(len(among), -1, 6):
        assert_allclose(np.einsum("bij,bj->i", bodies.poses[:, :3, :3], row[:, 3:]), 0.0, atol=1e-9 * scale)


@pytest.mark.source("S1.18", "S1.20")
@pytest.mark.parametrize("seed", range(6))
def test_without_joints_it_is_the_dual(seed):
    """Eq 1.79 in the velocities against Eq 1.83 in the impulses, for bodies that joints do not hold."""
    rng = np.random.default_rng(seed)
    model = rbd.Model("three", gravity=(0, 0, -9.81))
    for i in range(3):
        model.add_body(f"b{i}", joint=rbd.Free(), inertia=rbd.Inertia.box(rng.uniform(0.1, 0.5, 3), mass=1.0 + i))
    q, v = random_state(model, seed)[:2]
    bodies, contacts = loose_bodies(model, q, v), touching(model, rng, 5)
    N, pushed = bodies.normal_rows(contacts), bodies.pushed(H)
    primal = quadratic_program(bodies.M, pushed, C=N)
    free = np.linalg.solve(bodies.M, pushed)
    dual = active_set(N @ np.linalg.solve(bodies.M, N.T), N @ free)
    assert_allclose(primal.x, free + np.linalg.solve(bodies.M, N.T @ dual.lam), atol=1e-9 * (1 + np.abs(free).max()))
    fall = rbd.forward_dynamics(model, q, v, np.zeros(18))
    assert_allclose(bodies.J @ fall + bodies.drift, np.linalg.solve(bodies.M, bodies.f), atol=1e-9 * np.abs(fall).max())


@pytest.mark.parametrize("seed", range(4))
def test_tangents_and_the_motion_of_points(seed):
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 5)
    q, v = random_state(model, seed)[:2]
    bodies, contacts = loose_bodies(model, q, v), touching(model, rng, 3)
    T, N = bodies.tangent_rows(contacts) @ bodies.phi, bodies.normal_rows(contacts) @ bodies.phi
    for i, contact in enumerate(contacts):
        speed = np.zeros(3)
        for name, sign in ((contact.successor, 1.0), (contact.predecessor, -1.0)):
            pose = rbd.forward_kinematics(model, q).pose(name)
            local = pose[:3, :3].T @ (contact.point - pose[:3, 3])
            speed += sign * rbd.algorithms.point_velocity(model, q, v, name, local) if name != "world" else 0.0
        frame = np.vstack([tangents(contact.normal), contact.normal])
        assert_allclose(np.linalg.det(frame), 1.0, rtol=1e-12)
        assert_allclose(frame @ speed, [*T[2 * i : 2 * i + 2], N[i]], atol=1e-10 * (1 + np.abs(speed).max()))


def test_bodies_that_are_not_loose():
    q, v = np.zeros(3), np.zeros(3)
    with pytest.raises(ModelError, match="needs a tree"):
        loose_bodies(rbd.library.planar_four_bar(), q, v)
    model = rbd.Model("rotor")
    model.add_body("wheel", joint=rbd.Revolute("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), armature=0.1)
    with pytest.raises(ModelError, match="'wheel_joint' has armature"):
        loose_bodies(model, np.zeros(1), np.zeros(1))
    model = rbd.library.double_pendulum()
    contact = PointContact("C", "world", "stranger", np.zeros(3), np.array([0, 0, 1.0]), np.zeros(3), np.zeros(3))
    with pytest.raises(ModelError, match="no body 'stranger'"):
        loose_bodies(model, np.zeros(2), np.zeros(2)).normal_rows([contact])


def swing(stabilize, h=0.01, steps=300):
    """A point on a circle of radius 1 under gravity in maximal coordinates: largest error of the radius."""
    M, x, v, worst = 2.0 * np.eye(2), np.array([1.0, 0.0]), np.zeros(2), 0.0
    for _ in range(steps):
        g, G = np.array([0.5 * (x @ x - 1.0)]), x[None]
        target = {"gamma 10": velocity_target(g, 10.0), "gamma 1/h": velocity_target(g, 1.0 / h)}.get(stabilize)
        v = quadratic_program(M, M @ v + h * np.array([0.0, -9.81 * 2.0]), G=G, g=target).x
        x = x + h * v
        if stabilize == "post":
            for _ in range(3):
                x = x + post_stabilization(M, G=x[None], g=[0.5 * (x @ x - 1.0)])
        worst = max(worst, abs(float(np.linalg.norm(x)) - 1.0))
    return worst


@pytest.mark.source("S1.19")
def test_drift_and_what_takes_it_back():
    """Nothing: the radius grows without end. Baumgarte: bounded, smaller with 1 / h. Post-stabilization: round-off."""
    drift, soft, stiff, post = (swing(which) for which in ("nothing", "gamma 10", "gamma 1/h", "post"))
    assert drift > 0.1 and swing("nothing", steps=600) > 1.5 * drift
    assert 5.0 * stiff < soft < drift / 3.0
    assert abs(swing("gamma 1/h", steps=600) - stiff) < 0.1 * stiff
    assert post < 1e-12


@pytest.mark.source("S1.19")
def test_acceleration_level():
    """g'' + 2 alpha g' + beta^2 g = 0: the error of a circle dies out as the critically damped oscillator does."""
    b = Baumgarte(alpha=8.0)
    x, v, h = np.array([0.0, -1.01]), np.array([1.5, 0.0]), 1e-4
    e_0, e = 0.5 * (x @ x - 1.0), []

    def rate(x, v):
        target = acceleration_target([0.5 * (x @ x - 1.0)], [x @ v], [v @ v], b)
        return quadratic_program(np.eye(2), np.array([0.0, -9.81]), G=x[None], g=target).x

    for _ in range(2000):
        middle = x + h / 2 * v, v + h / 2 * rate(x, v)
        x, v = x + h * middle[1], v + h * rate(*middle)
        e.append(0.5 * (x @ x - 1.0))
    t = h * np.arange(1, 2001)
    assert_allclose(e, e_0 * (1 + 8.0 * t) * np.exp(-8.0 * t), atol=1e-7)  # the midpoint rule's error


@pytest.mark.source("S1.18", "S1.19")
def test_contacts_that_are_near_and_contacts_that_are_deep():
    """With gamma = 1 / h a falling ball just reaches the floor in its step, and one that is deep just leaves it."""
    M, h = 3.0 * np.eye(1), 0.01
    for phi, speed, after in ((0.02, -1.0, -1.0), (0.02, -5.0, -2.0), (-0.03, 0.0, 3.0), (0.0, -1.0, 0.0)):
        found = quadratic_program(M, M @ [speed], C=[[1.0]], c=velocity_target([phi], 1.0 / h))
        assert_allclose(found.x, [after], atol=1e-14)
        assert phi + h * after > -1e-15
    lifted = post_stabilization(np.diag([1.0, 4.0]), N=[[1.0, 1.0], [0.0, 1.0]], phi=[-0.005, 0.001])
    assert_allclose(lifted, [0.004, 0.001], rtol=1e-12)  # the heavy one moves a quarter as far
