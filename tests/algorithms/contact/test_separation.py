"""Separation velocity and acceleration are the rates of the distance: by differences, with no spatial algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.contact import (
    PointContact,
    SphereOnPlane,
    SphereOnSphere,
    VertexOnPlane,
    contact_equation,
    contact_state,
    separation,
)
from rbdkit.errors import ModelError, StateError

TIME = 0.4


def pairs(model, rng):
    """One of each kind, between bodies of the tree and against the world."""
    bodies = [body.name for body in model.bodies]
    n = rng.normal(size=3)
    n, c = tuple(n / np.linalg.norm(n)), lambda: tuple(rng.normal(size=3))
    choose = lambda: rng.choice(bodies[1:], 2, replace=False)  # noqa: E731
    return [
        VertexOnPlane("vertex", *choose(), c(), c(), n),
        SphereOnPlane("ball", *choose(), c(), 0.3, c(), n),
        SphereOnSphere("balls", *choose(), c(), c(), 0.2, 0.3),
        SphereOnSphere("hollow", *choose(), c(), c(), -0.7, 0.3),
        SphereOnPlane("floor", "world", "hinged", c(), 0.2, c(), n),
        VertexOnPlane("follower", "driven", "follower", c(), c(), n),
    ]


@pytest.mark.source("F11.01", "F11.04", "F11.05", "F11.10")
@pytest.mark.parametrize("seed", range(12))
def test_rates_of_the_distance(seed, everything, differences):
    model, q, v, rng = everything(seed)
    a = rng.normal(size=model.nv)
    touching = pairs(model, rng)
    contacts = [pair.at(model, q, v, t=TIME) for pair in touching]
    T, zeta, Tdot_qd = separation(model, q, v, contacts, t=TIME)

    def phi(s):
        there = model.integrate(q, s * v + 0.5 * s**2 * a)
        return np.array([pair.at(model, there, v, t=TIME + s).phi for pair in touching])

    phi_rate, phi_rate2 = differences(phi)
    assert_allclose(zeta, phi_rate, atol=1e-7 * (1 + np.abs(zeta).max()) ** 2)
    found = T.T @ a + Tdot_qd
    assert_allclose(found, phi_rate2, atol=1e-5 * (1 + np.abs(found).max()) ** 1.5)  # round-off / h^2, h^4 of the rest


@pytest.mark.source("F11.04")
@pytest.mark.parametrize("seed", range(6))
def test_forces_at_both_bodies(seed, everything):
    """H qdd + C = tau + T lam is the tree under lam n on the successor and -lam n on the predecessor."""
    model, q, v, rng = everything(seed)
    contacts = [pair.at(model, q, v, t=TIME) for pair in pairs(model, rng)]
    lam, tau = rng.random(len(contacts)), rng.normal(size=model.nv)
    equation = contact_equation(model, q, v, tau, contacts, t=TIME)
    f_ext = np.zeros((len(model.bodies), 6))
    for contact, force in zip(contacts, lam, strict=True):
        f_ext[model.frame(contact.successor).body] += force * contact.n
        f_ext[model.frame(contact.predecessor).body] -= force * contact.n
    found = equation.acceleration(lam)
    torque = algorithms.rnea(model, q, v, found, f_ext=f_ext, t=TIME).tau
    assert_allclose(torque, tau, atol=1e-10 * (1 + np.abs(found).max()))
    assert_allclose(equation.T.T @ found + equation.Tdot_qd, equation.M @ lam + equation.d, atol=1e-9)


def test_a_vertex_on_a_fixed_plane_separates_with_the_acceleration_of_the_point(body_of):
    """n' = [C' x n; 0]: the normal component of the classical acceleration of the vertex, not of the spatial one."""
    model, rng = body_of(rbd.Inertia.box([1.0, 0.6, 0.4], mass=2.0), gravity=(0, 0, 0)), np.random.default_rng(1)
    q, v, a = model.neutral(), rng.normal(size=6), rng.normal(size=6)
    r = np.array([0.5, 0.3, -0.2])
    contact = VertexOnPlane("corner", "world", "body", tuple(r), (0.0, 0.0, -0.2)).at(model, q, v)
    T, _, Tdot_qd = separation(model, q, v, [contact])
    w, acceleration = v[:3], a[3:] + np.cross(v[:3], v[3:])  # of the centre
    point = acceleration + np.cross(a[:3], r) + np.cross(w, np.cross(w, r))
    assert_allclose(T[:, 0] @ a + Tdot_qd[0], point[2], rtol=1e-13)


@pytest.mark.source("F11.05")
def test_states_of_a_ball_thrown_up_at_the_floor(body_of):
    """Fig 11.4: landing, arrest or bounce, rest, by distance and its rate."""
    model = body_of(rbd.Inertia.sphere(0.1, mass=1.0))
    floor = SphereOnPlane("floor", "world", "body", (0.0, 0.0, 0.0), 0.1)

    def state(height, speed):
        q, v = model.neutral(), np.zeros(6)
        q[-1], v[-1] = height, speed
        contact = floor.at(model, q, v)
        return contact_state(contact.phi, separation(model, q, v, [contact])[1][0], name=contact.name)

    assert [state(*at) for at in ((0.5, -1), (0.1, -1), (0.1, 1), (0.1, 0))] == ["1", "2a", "2b", "3"]
    with pytest.raises(StateError, match=r"'floor' penetrates by 0\.05 m"):
        state(0.05, 0.0)
    with pytest.raises(StateError, match="finite"):
        contact_state(np.nan, 0.0)


def test_contacts_that_are_none():
    with pytest.raises(StateError, match="unit length"):
        PointContact("toe", "world", "foot", np.zeros(3), np.ones(3), np.zeros(3), np.zeros(3))
    with pytest.raises(StateError, match="stretch"):
        PointContact("toe", "world", "foot", np.zeros(3), np.eye(3)[2], np.zeros(3), np.eye(3)[2])
    with pytest.raises(StateError, match="point_rate"):
        PointContact("toe", "world", "foot", np.zeros(3), np.eye(3)[2], [np.nan, 0, 0], np.zeros(3))
    with pytest.raises(StateError, match="phi"):
        PointContact("toe", "world", "foot", np.zeros(3), np.eye(3)[2], np.zeros(3), np.zeros(3), np.inf)
    with pytest.raises(ModelError, match="radius"):
        SphereOnPlane("toe", "world", "foot", (0.0, 0.0, 0.0), -1.0)
    with pytest.raises(ModelError, match="unit length"):
        VertexOnPlane("toe", "world", "foot", (0.0, 0.0, 0.0), normal=(0.0, 0.0, 2.0))
    with pytest.raises(ModelError, match="holds no ball"):
        SphereOnSphere("bowl", "world", "foot", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), -0.1, 0.2)
    with pytest.raises(ModelError, match="3 finite numbers"):
        VertexOnPlane("toe", "world", "foot", (0.0, np.nan, 0.0))


def test_concentric_balls_have_no_normal(body_of):
    model = body_of(rbd.Inertia.sphere(0.1, mass=1.0))
    with pytest.raises(StateError, match="'bowl' has no normal"):
        SphereOnSphere("bowl", "world", "body", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), -0.5, 0.1).at(
            model, model.neutral(), np.zeros(6)
        )
