"""Impulses against conservation laws, projections, and forces of stiff springs over the time of contact."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.contact import (
    PointContact,
    SphereOnPlane,
    SphereOnSphere,
    body_impulse,
    contact_impulse,
    frictionless_collision,
    separation,
    sticking_collision,
    system_impulse,
)
from rbdkit.algorithms.solvers import least_distance
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree


def two_bodies(seed):
    """Inertias about a common origin, velocities that approach at a point, tangents and normal there."""
    rng = np.random.default_rng(seed)
    I_1, I_2 = (rbd.Inertia.box(rng.uniform(0.2, 0.6, 3), mass=m).matrix for m in (1.0, 2.5))
    point, axes = rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    N = np.vstack([np.cross(point, axes.T).T, axes])
    v_1, v_2 = rng.normal(size=(2, 6))
    if N[:, 2] @ (v_2 - v_1) > 0:
        N[:, 2] *= -1
    return I_1, I_2, N, v_1, v_2


@pytest.mark.source("F11.13")
@pytest.mark.parametrize("seed", range(6))
def test_articulated_body_inertia_of_the_root(seed):
    """Eq 11.56 by the articulated-body algorithm and Eqs 11.57-11.59 by H agree on the body that is hit."""
    model = rbd.Model("tree")
    rng = np.random.default_rng(seed)
    box = rbd.Inertia.box([0.3, 0.2, 0.4], mass=1.5)
    model.add_body("root", "world", rbd.Free(), inertia=box)
    for i, parent in enumerate(("root", "arm0", "root")):
        model.add_body(f"arm{i}", parent, rbd.Revolute("y"), rbd.spatial.se3.random(rng), box)
    q, v = random_state(model, seed)[:2]
    iota = rng.normal(size=6)  # in coordinates of the body
    I_A = algorithms.aba(model, q, v, np.zeros(model.nv)).IA[1]
    pose = algorithms.forward_kinematics(model, q).pose("root")
    Ad = rbd.spatial.se3.adjoint(pose)
    hit = system_impulse(model, q, "root", np.linalg.solve(Ad.T, iota))
    assert_allclose(np.linalg.solve(Ad, hit.dv), body_impulse(I_A, iota), atol=1e-11)
    assert_allclose(hit.u, algorithms.crba(model, q).H @ hit.dqd, atol=1e-12)
    before, after = (algorithms.momentum(model, q, each) for each in (v, v + hit.dqd))
    assert_allclose(after - before, np.linalg.solve(Ad.T, iota), atol=1e-11)  # Eq 11.53, of the whole


@pytest.mark.source("F11.14")
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_collision_without_friction(seed, e):
    I_1, I_2, N, v_1, v_2 = two_bodies(seed)
    n = N[:, 2]
    found = frictionless_collision(I_1, I_2, n, v_1, v_2, e)
    w_1, w_2 = v_1 + found.dv_1, v_2 + found.dv_2
    assert_allclose(I_1 @ w_1 + I_2 @ w_2, I_1 @ v_1 + I_2 @ v_2, atol=1e-12)  # momentum
    assert_allclose(n @ (w_2 - w_1), -e * (n @ (v_2 - v_1)), atol=1e-12)
    energy = lambda a, b: 0.5 * (a @ I_1 @ a + b @ I_2 @ b)  # noqa: E731
    assert_allclose(found.energy_lost, energy(v_1, v_2) - energy(w_1, w_2), atol=1e-12)
    assert found.lam[0] > 0.0 and found.energy_lost > -1e-13 and found.inside_cone(0.0)
    assert (abs(found.energy_lost) < 1e-12) == (e == 1.0)


@pytest.mark.source("F11.14")
def test_the_limit_of_stiff_springs():
    """Velocities after a spring of stiffness k has pushed and let go; rigid bodies but for O(1 / sqrt k)."""
    I_1, I_2, N, v_1, v_2 = two_bodies(3)
    n, errors = N[:, 2], []
    exact = frictionless_collision(I_1, I_2, n, v_1, v_2, 1.0)

    def weight(k):
        """Both bodies in inertial coordinates of the instant; gyroscopic forces act on while the spring does."""

        def rate(t, y):
            v, w, gap = y[:6], y[6:12], y[12]
            f = n * (-k * min(gap, 0.0))
            cross = rbd.spatial.cross_force
            a, b = np.linalg.solve(I_1, -f - cross(v, I_1 @ v)), np.linalg.solve(I_2, f - cross(w, I_2 @ w))
            return np.concatenate([a, b, [n @ (w - v)]])

        parts = lambda t, y: y[12]  # noqa: E731
        parts.terminal, parts.direction = True, 1
        start = np.concatenate([v_1, v_2, [-1e-14]])
        return solve_ivp(rate, (0, 1), start, "DOP853", events=parts, rtol=1e-11, atol=1e-13).y[:12, -1]

    for k in (1e6, 1e8):
        after = weight(k)
        errors.append(np.abs(after - np.concatenate([v_1 + exact.dv_1, v_2 + exact.dv_2])).max())
    assert errors[1] < 0.02
    assert_allclose(errors[0] / errors[1], 10.0, rtol=0.1)


@pytest.mark.source("F11.15")
@pytest.mark.parametrize("seed", range(5))
def test_collision_that_sticks(seed):
    I_1, I_2, N, v_1, v_2 = two_bodies(seed)
    found = sticking_collision(I_1, I_2, N, v_1, v_2, 0.4)
    w_1, w_2 = v_1 + found.dv_1, v_2 + found.dv_2
    assert_allclose(I_1 @ w_1 + I_2 @ w_2, I_1 @ v_1 + I_2 @ v_2, atol=1e-12)
    before, after = N.T @ (v_2 - v_1), N.T @ (w_2 - w_1)
    assert_allclose(after, [0, 0, -0.4 * before[2]], atol=1e-12)
    assert_allclose(found.zeta_after, after, atol=1e-12)
    needed = np.hypot(*found.lam[:2]) / found.lam[2]
    if needed > 0:
        assert found.inside_cone(1.001 * needed) and not found.inside_cone(0.999 * needed)


@pytest.mark.source("F11.15")
def test_a_ball_that_bounces_with_back_spin():
    """Sticking: the ball keeps 5/7 of its speed and 2/7 of its spin, by its angular momentum about the contact."""
    m, r, v, w = 2.0, 0.1, 3.0, -20.0
    inertia = rbd.Inertia.sphere(r, mass=m).matrix
    N = np.vstack([np.cross([0, 0, -r], np.eye(3)).T, np.eye(3)])
    before = np.array([0, w, 0, v, 0, -1.0])
    found = sticking_collision(None, inertia, N, np.zeros(6), before, 0.5)
    speed = (5 * v + 2 * r * w) / 7
    assert_allclose(before + found.dv_2, [0, speed / r, 0, speed, 0, 0.5], atol=1e-12)
    assert_allclose(found.lam[2], 1.5 * m, rtol=1e-14)
    gripping = np.diag([0.6, 0.6, 0.5])  # tangential restitution: the spin turns over
    found = sticking_collision(None, inertia, N, np.zeros(6), before, gripping)
    assert_allclose(found.zeta_after, [-0.6 * (v - r * w), 0, 0.5], atol=1e-12)


@pytest.mark.source("F11.13", "F11.14")
@pytest.mark.parametrize("seed", range(8))
def test_many_blows_at_once(seed):
    """Without restitution the velocity is the nearest one that parts all contacts; one contact is Eq 11.65."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 6)
    q, v = random_state(model, seed)[:2]
    names, contacts = [body.name for body in model.bodies], []
    while len(contacts) < 4:
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        pair = rng.choice(names[1:], 2, replace=False)
        contacts.append(PointContact(f"C{len(contacts)}", *pair, rng.normal(size=3), n, np.zeros(3), np.zeros(3)))
        if opposed(separation(model, q, v, contacts)[0]):
            contacts.pop()
    H = algorithms.crba(model, q).H
    T, zeta, _ = separation(model, q, v, contacts)
    assert_allclose(zeta, T.T @ v, atol=1e-12 * (1 + np.abs(zeta).max()))
    found = contact_impulse(model, q, v, contacts, 0.0)
    near = least_distance(H, v, T, np.zeros(4))
    assert_allclose(found.qd, near.x, atol=1e-9 * (1 + np.abs(v).max()))
    assert found.zeta_after.min() > -1e-10 and found.energy_lost > -1e-10
    bounced = contact_impulse(model, q, v, contacts, 0.5)
    slack = bounced.zeta_after + 0.5 * np.minimum(zeta, 0.0)
    assert slack.min() > -1e-9 and np.abs(slack * bounced.lam).max() < 1e-8
    one = contact_impulse(model, q, v, contacts[:1], 0.5)
    compliance = T[:, 0] @ np.linalg.solve(H, T[:, 0])
    expected = max(0.0, -1.5 * zeta[0] / compliance) if compliance > 1e-12 else 0.0
    assert_allclose(one.lam, [expected], rtol=1e-9, atol=1e-12)


def opposed(T):
    """Whether the last contact undoes what another one does: both cannot bounce."""
    size = np.linalg.norm(T, axis=0)
    return any(T[:, i] @ T[:, -1] < -0.999 * size[i] * size[-1] for i in range(T.shape[1] - 1) if size[i] * size[-1])


def cradle(count):
    model = rbd.Model("cradle", gravity=(0.0, 0.0, 0.0))
    ball = rbd.Inertia.sphere(0.1, mass=0.5)
    for i in range(count):
        model.add_body(f"ball{i}", "world", rbd.Prismatic("x"), inertia=ball)
    q = 0.2 * np.arange(count)
    kisses = [
        SphereOnSphere(f"kiss{i}", f"ball{i}", f"ball{i + 1}", (0, 0, 0), (0, 0, 0), 0.1, 0.1) for i in range(count - 1)
    ]
    return model, q, kisses


@pytest.mark.source("F11.14")
def test_balls_in_a_row_one_after_the_other_and_at_once():
    """One after the other the last ball leaves alone; at once others do as well: the docstring says so."""
    model, q, kisses = cradle(4)
    v = np.array([1.0, 0, 0, 0])
    at_once = contact_impulse(model, q, v, [kiss.at(model, q, v) for kiss in kisses], 1.0)
    assert_allclose([at_once.qd.sum(), at_once.qd @ at_once.qd], [1, 1], atol=1e-14)
    assert at_once.qd[-1] < 0.9
    for kiss in kisses:
        v = contact_impulse(model, q, v, [kiss.at(model, q, v)], 1.0).qd
    assert_allclose(v, [0, 0, 0, 1], atol=1e-14)


@pytest.mark.source("F11.14")
def test_a_ball_bounces_in_a_geometric_series(body_of):
    model, floor = body_of(rbd.Inertia.sphere(0.1, mass=1.0)), SphereOnPlane("floor", "world", "body", (0, 0, 0), 0.1)
    q, v, heights, e = model.neutral(), np.array([0, 0, 0, 0, 0, -3.0]), [], 0.7
    q[-1] = 0.1
    for _ in range(20):
        v = contact_impulse(model, q, v, [floor.at(model, q, v)], e).qd
        heights.append(v[-1] ** 2 / (2 * 9.81))
        v = -v
    assert_allclose(heights, 9.0 / (2 * 9.81) * e ** (2 * np.arange(1, 21)), rtol=1e-13)


@pytest.mark.source("F11.10")
def test_a_polygon_does_not_roll_as_a_disc():
    """Fig 11.5: a wheel of N edges loses speed at each of them if it sticks and jumps if it is elastic; a disc neither.

    By the angular momentum about the new edge: w' = w (I + m r^2 cos(2 pi / N)) / (I + m r^2).
    """
    m, r, w, lost = 2.0, 0.3, 1.5, []
    inertia = rbd.Inertia.cylinder(r, 0.1, mass=m).matrix  # about z
    about, level = inertia[2, 2], np.array([0.0, 0.0, -w])
    for N in (6, 24, 96):
        half = np.pi / N
        old, new = (r * np.array([s * np.sin(half), -np.cos(half), 0.0]) for s in (-1, 1))
        v = np.concatenate([level, np.cross(level, -old)])  # turns about the old edge
        axes = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]]).T  # along the road, its width, up
        normals = np.vstack([np.cross(new, axes.T).T, axes])
        after = v + sticking_collision(None, inertia, normals, np.zeros(6), v, 0.0).dv_2
        assert_allclose(after[2] / -w, (about + m * r**2 * np.cos(2 * half)) / (about + m * r**2), rtol=1e-12)
        lost.append(1.0 - (after[2] / w) ** (2 * N))  # of the energy, in one turn
        elastic = frictionless_collision(None, inertia, normals[:, 2], np.zeros(6), v, 1.0)
        assert elastic.zeta_after[0] > 0.0  # it jumps
    assert lost[0] > 0.9 and lost[0] > 3 * lost[2] > 0.0
    contact = np.concatenate([np.cross([0, -r, 0], [0, 1, 0]), [0, 1, 0]])
    assert contact @ np.concatenate([level, [r * w, 0, 0]]) == 0.0  # a disc: no separation velocity, no impulse


def test_collisions_that_are_none(body_of):
    up = np.array([0, 0, 0, 0, 0, 1.0])
    with pytest.raises(StateError, match="separate"):
        frictionless_collision(None, np.eye(6), up, np.zeros(6), up, 0.5)
    with pytest.raises(StateError, match="restitution"):
        frictionless_collision(None, np.eye(6), up, np.zeros(6), -up, 1.5)
    with pytest.raises(StateError, match="tangents"):
        sticking_collision(None, np.eye(6), up[:, None], np.zeros(6), -up, 0.5)
    with pytest.raises(StateError, match="must be one number"):
        sticking_collision(None, np.eye(6), np.eye(6)[:, 3:], np.zeros(6), -up, np.eye(2))
    with pytest.raises(StateError, match="restitution"):
        sticking_collision(None, np.eye(6), np.eye(6)[:, 3:], np.zeros(6), -up, -0.1)
    model = body_of(rbd.Inertia.sphere(0.1, mass=1.0))
    contact = SphereOnPlane("floor", "world", "body", (0, 0, 0), 0.1).at(model, model.neutral(), up)
    with pytest.raises(StateError, match="restitution"):
        contact_impulse(model, model.neutral(), up, [contact], 2.0)
    looped = rbd.library.planar_four_bar()
    held = body_of(rbd.Inertia.sphere(0.1, mass=1.0))
    held.add_constraint("table", rbd.PointOnPlane("body", "world"))
    with pytest.raises(ModelError, match="does not know constraints"):
        contact_impulse(held, held.neutral(), up, [], 0.0)
    with pytest.raises(ModelError, match="needs a tree"):
        system_impulse(looped, looped.neutral(), looped.bodies[1].name, up)


@pytest.mark.parametrize("seed", range(4))
def test_joints_that_follow_and_joints_that_are_driven(seed, everything, differences):
    """Distances after the blows, by differences: the driven joint keeps its motion, the follower follows."""
    model, q, v, _ = everything(seed)
    pairs = [
        SphereOnSphere("balls", "hinged", "follower", (0, 0, 0.1), (0.2, 0, 0), 0.2, 0.3),
        SphereOnPlane("floor", "world", "hinged", (0, 0.1, 0.1), 0.2),
    ]
    hit = contact_impulse(model, q, v, [pair.at(model, q, v, t=0.4) for pair in pairs], 0.3, t=0.4)
    phi = lambda s: np.array([p.at(model, model.integrate(q, s * hit.qd), v, t=0.4 + s).phi for p in pairs])  # noqa: E731
    assert_allclose(hit.zeta_after, differences(phi)[0], atol=1e-6 * (1 + np.abs(hit.qd).max()) ** 2)
    iota = np.array([0.3, -0.2, 0.5, 1.0, -0.7, 0.2])
    blow = system_impulse(model, q, "hinged", iota, t=0.4)
    moved = [algorithms.forward_kinematics(model, q, each, t=0.4) for each in (v, v + blow.dqd)]
    step = rbd.spatial.se3.adjoint(moved[0].pose("hinged")) @ (
        moved[1].velocity("hinged") - moved[0].velocity("hinged")
    )
    assert_allclose(blow.dv, step, atol=1e-10 * (1 + np.abs(step).max()))
