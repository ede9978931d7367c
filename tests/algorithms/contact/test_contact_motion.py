"""Contact forces in closed form, against every choice of contacts, Gauss' principle and statics."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.contact import (
    PointContact,
    SphereOnPlane,
    SphereOnSphere,
    VertexOnPlane,
    body_contacts,
    contact_equation,
    contact_motion,
    single_contact,
)
from rbdkit.algorithms.solvers import InfeasibleError, lemke
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_tree

METHODS = ("active set", "lemke", "gauss")
G = 9.81


def every_choice(equation):
    """Accelerations that satisfy Eq 11.42, by equations for each set of contacts that may stay."""
    n, found = len(equation.contacts), []
    for size in range(n + 1):
        for rows in map(list, combinations(range(n), size)):
            T = equation.T[:, rows]
            if np.linalg.matrix_rank(T, tol=1e-9) < size:
                continue
            A = np.block([[equation.H, -T], [T.T, np.zeros((size, size))]])
            x = np.linalg.solve(A, np.concatenate([equation.tau - equation.C, -equation.Tdot_qd[rows]]))
            zeta = equation.T.T @ x[: len(equation.H)] + equation.Tdot_qd
            if x[len(equation.H) :].min(initial=0.0) > -1e-8 and zeta.min() > -1e-8:
                found.append(x[: len(equation.H)])
    return found


@pytest.mark.source("F11.01")
@pytest.mark.parametrize("seed", range(10))
def test_one_contact(seed):
    """Eq 11.10 against the equations of a body that must stay and of one that may go; piecewise linear in the force."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6))
    I, n, n_rate = A @ A.T + np.eye(6), rng.normal(size=6), rng.normal(size=6)
    v = rng.normal(size=6)
    v -= n * (n @ v) / (n @ n)
    f = 5.0 * rng.normal(size=6)
    found = single_contact(I, v, f, n, n_rate)
    p = rbd.spatial.cross_force(v, I @ v)
    held = np.linalg.solve(np.block([[I, -n[:, None]], [n[None], np.zeros((1, 1))]]), [*(f - p), -n_rate @ v])
    free = np.linalg.solve(I, f - p)
    if n @ free + n_rate @ v >= 0.0:
        assert found.lam == 0.0
        assert_allclose(found.a, free, atol=1e-10)
    else:
        assert found.zeta_rate == 0.0
        assert_allclose([*found.a, found.lam], held, rtol=1e-9, atol=1e-9)
    assert_allclose(found.f_c, n * found.lam)
    assert_allclose(n @ found.a + n_rate @ v, found.zeta_rate, atol=1e-9)
    pushed = [single_contact(I, v, f + s * n, n, n_rate).lam for s in (-3e3, -2.9e3, -2.8e3, 3e3, 3.1e3)]
    assert_allclose(pushed[0] - pushed[1], pushed[1] - pushed[2], rtol=1e-9)
    assert pushed[3:] == [0.0, 0.0]


@pytest.mark.source("F11.01")
def test_a_ball_that_leaves_a_bowed_road(body_of):
    """On top of a ball of radius R a bead at v^2 > g R takes off; below that the road carries m (g - v^2 / R)."""
    model, R = body_of(rbd.Inertia.sphere(0.1, mass=2.0)), 0.9
    q = model.neutral()
    q[-1] = R
    for speed, force in ((0.0, 2 * G), (1.0, 2 * (G - 1 / R)), (4.0, 0.0)):
        v = np.array([0, 0, 0, speed, 0, 0.0])
        contact = SphereOnSphere("top", "world", "body", (0, 0, 0), (0, 0, 0), R - 0.1, 0.1).at(model, q, v)
        motion = contact_motion(contact_equation(model, q, v, np.zeros(6), [contact]))
        assert_allclose(motion.lam, [force], atol=1e-12)
        assert_allclose(motion.zeta_rate, [max(0.0, speed**2 / R - G)], atol=1e-12)


def corners(names="abcd", z=-0.1):
    places = ((0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2), (0.3, -0.2))
    return [
        VertexOnPlane(n, "world", "body", (x, y, z), (0.0, 0.0, z)) for n, (x, y) in zip(names, places, strict=True)
    ]


@pytest.mark.source("F11.02", "F11.04", "F11.07")
@pytest.mark.parametrize("seed", range(10))
def test_four_corners_of_a_box(seed, body_of):
    """Three normals are independent: forces are not unique, motion is. In joint space as for one body."""
    rng = np.random.default_rng(seed)
    inertia = rbd.Inertia.box([0.6, 0.4, 0.2], mass=2.0)
    model, q = body_of(inertia), body_of(inertia).neutral()
    v, tau = np.array([0, 0, 0.7, 1.0, -2.0, 0]), 6.0 * rng.normal(size=6)  # it slides and turns about the normal
    contacts = [pair.at(model, q, v) for pair in corners()]
    equation = contact_equation(model, q, v, tau, contacts)
    known = every_choice(equation)
    f = tau + [0, 0, 0, 0, 0, -2.0 * G]
    one = body_contacts(inertia.matrix, v, f, contacts)
    assert_allclose(one.M, equation.M, atol=1e-13)
    assert_allclose(one.d, equation.d, atol=1e-13)
    assert_allclose(one.solve()[2], known[0], atol=1e-9)
    for method in METHODS:
        motion = contact_motion(equation, method)
        for qdd in known:
            assert_allclose(motion.qdd, qdd, atol=1e-8)
        assert not (motion.lam * motion.zeta_rate).any()
        assert len(motion.active) == min(len(motion.current), 3)
        assert motion.unique == (len(motion.current) < 4)
        assert (
            {n for n, x in zip("abcd", motion.lam, strict=True) if x > 0} <= set(motion.active) <= set(motion.current)
        )


@pytest.mark.source("F11.02")
def test_a_box_at_rest_weighs_what_it_weighs(body_of):
    model = body_of(rbd.Inertia.box([0.6, 0.4, 0.2], mass=2.0))
    q, v = model.neutral(), np.zeros(6)
    equation = contact_equation(model, q, v, np.zeros(6), [pair.at(model, q, v) for pair in corners()])
    for method in METHODS:
        motion = contact_motion(equation, method)
        assert_allclose([motion.lam.sum(), *np.abs(motion.qdd)], [2 * G, *np.zeros(6)], atol=1e-12)
        assert motion.current == ("a", "b", "c", "d") and len(motion.active) == 3 and not motion.unique


@pytest.mark.source("F11.04", "F11.06", "F11.07")
@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    """Contacts between any bodies: three methods against every choice of contacts."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 6)
    q, v = rbd.library.random_state(model, seed)[0], np.zeros(model.nv)
    names = [body.name for body in model.bodies]
    contacts = []
    for i in range(5):
        n = rng.normal(size=3)
        contacts.append(
            PointContact(
                f"C{i}", *rng.choice(names, 2, replace=False), rng.normal(size=3), n / np.linalg.norm(n), np.zeros(3),
                np.zeros(3),
            )
        )  # fmt: skip
    equation = contact_equation(model, q, v, rng.normal(size=model.nv), contacts)
    known = every_choice(equation)
    if not known:
        for method in METHODS:
            with pytest.raises(InfeasibleError, match="C"):
                contact_motion(equation, method)
        return
    scale = 1 + np.abs(known[0]).max()
    for method in METHODS:
        assert_allclose(contact_motion(equation, method).qdd, known[0], atol=1e-8 * scale)


@pytest.mark.source("F11.03")
def test_disc_in_a_slot():
    """Example 11.1: with speed there is no solution; a little past the line the turned normals hold the disc."""
    m, r, R, F = 2.0, 0.1, 0.5, 3.0
    model = rbd.Model("slot", gravity=(0.0, 0.0, 0.0))
    model.add_body("disc", "world", rbd.Planar("z"), inertia=rbd.Inertia.cylinder(r, 0.02, mass=m))
    walls = [
        SphereOnSphere(name, "world", "disc", (0.0, y, 0.0), (0.0, 0.0, 0.0), -R, r)
        for name, y in (("upper wall", r - R), ("lower wall", R - r))
    ]
    right = model.neutral()

    def equation(x, speed):
        q, v = np.array(right), np.zeros(3)
        q[1], v[1] = x, speed
        return contact_equation(model, q, v, np.array([0.0, F, 0.0]), [wall.at(model, q, v) for wall in walls])

    on_line = equation(0.0, 1.5)
    assert_allclose([c.phi for c in on_line.contacts], 0.0, atol=1e-15)
    assert_allclose(on_line.M, np.array([[1, -1], [-1, 1]]) / m, atol=1e-15)
    assert_allclose(on_line.d.sum(), -2 * 1.5**2 / (R - r), rtol=1e-13)  # centrifugal, of a disc on two arcs
    for method in METHODS:
        with pytest.raises(InfeasibleError, match="'upper wall', 'lower wall'") as error:
            contact_motion(on_line, method)
        assert error.value.names == ("upper wall", "lower wall")
    still = contact_motion(equation(0.0, 0.0))  # at rest the distance has no second rate yet: nothing holds it
    assert_allclose(still.qdd, [0.0, F / m, 0.0], atol=1e-15)
    x = 0.01
    past = contact_motion(equation(x, 0.0))
    assert all(c.phi < 0 for c in equation(x, 0.0).contacts)
    assert_allclose(past.qdd, 0.0, atol=1e-12)
    assert_allclose(past.lam, F / 2 / (x / np.hypot(x, R - r)), rtol=1e-12)


@pytest.mark.source("F11.06")
def test_the_rod_of_painleve():
    """A rod slides on its tip: 1 + 3 cos a (cos a - mu sin a) < 0 takes away the solution, and the error names the tip.

    a is the angle of the rod with the floor; with friction M = t_n^T H^-1 (t_n - mu t_t) is not symmetric.
    """
    m, half, a = 1.5, 0.5, np.arctan(4.0 / 3.0)
    model = rbd.Model("rod", gravity=(0.0, -G, 0.0))
    model.add_body("rod", "world", rbd.Planar("z"), inertia=rbd.Inertia(m, (0, 0, 0), np.eye(3) * m * half**2 / 3))
    tip = half * np.array([np.cos(a), -np.sin(a), 0.0])  # goes ahead of the rod

    def problem(mu, turning=0.0):
        q = model.neutral()
        v = np.array([turning, 1.0 + turning * tip[1], -turning * tip[0]])
        at = np.cross([0, 0, turning], tip) + [v[1], v[2], 0.0]
        up, along = (PointContact(*row, tip, n, at, np.zeros(3)) for row, n in (
            (("tip", "world", "rod"), np.array([0, 1.0, 0])), (("slip", "world", "rod"), np.array([1.0, 0, 0])),
        ))  # fmt: skip
        equation = contact_equation(model, q, v, np.zeros(3), [up, along])
        return equation.M[:1, :1] - mu * equation.M[:1, 1:], equation.d[:1]

    c, s = np.cos(a), np.sin(a)
    for mu in (0.2, 1.0, 2.0):
        M, d = problem(mu)
        assert_allclose(M, [[(1 + 3 * c * (c - mu * s)) / m]], atol=1e-14)
        assert_allclose(d, [-G], atol=1e-13)
        if M[0, 0] > 0:
            assert_allclose(lemke(M, d, ["tip"]).lam, G * m / (1 + 3 * c * (c - mu * s)))
        else:
            with pytest.raises(InfeasibleError, match="'tip'"):
                lemke(M, d, ["tip"])
    M, d = problem(2.0, turning=6.0)  # swings up fast enough: both letting go and a force are solutions
    assert_allclose(d, [half * s * 6.0**2 - G], atol=1e-12)
    assert M[0, 0] < 0.0 < d[0] and lemke(M, d).lam == [0.0]


def test_what_is_refused(body_of, everything):
    model = body_of(rbd.Inertia.sphere(0.1, mass=1.0))
    q, v = model.neutral(), np.zeros(6)
    floor = SphereOnPlane("floor", "world", "body", (0.0, 0.0, 0.0), 0.1, (0.0, 0.0, -0.1))
    for speed, message in ((-1.0, "impulse"), (1.0, "about to be lost")):
        v[-1] = speed
        equation = contact_equation(model, q, v, np.zeros(6), [floor.at(model, q, v)])
        with pytest.raises(StateError, match=f"'floor' has separation velocity .*{message}"):
            contact_motion(equation)
    v[-1] = 0.0
    equation = contact_equation(model, q, v, np.zeros(6), [floor.at(model, q, v)])
    with pytest.raises(StateError, match="'simplex' must be 'active set'"):
        contact_motion(equation, "simplex")
    held = body_of(rbd.Inertia.sphere(0.1, mass=1.0))
    held.add_constraint("table", rbd.PointOnPlane("body", "world"))
    with pytest.raises(ModelError, match="does not know constraints"):
        contact_equation(held, q, v, np.zeros(6), [])
    with pytest.raises(ModelError, match="bodi"):
        SphereOnPlane("floor", "world", "bodi", (0.0, 0.0, 0.0), 0.1).at(model, q, v)
    assert contact_motion(contact_equation(model, q, v, np.zeros(6), [])).qdd[-1] == -G


def test_a_normal_that_nothing_moves_along():
    """A point of a pendulum cannot move towards its hinge: no force there does anything, and pushing is refused."""
    model = rbd.library.pendulum()
    q, v = np.array([0.7]), np.array([1.3])
    pose = rbd.forward_kinematics(model, q).poses[1]
    place = pose[:3, :3] @ np.array([0.0, 0.0, -0.3]) + pose[:3, 3]
    inwards, w = -place / np.linalg.norm(place), np.array([0.0, 1.3, 0.0])
    body = model.bodies[1].name
    contact = PointContact("bow", "world", body, place, -inwards, np.cross(w, place), np.zeros(3))
    equation = contact_equation(model, q, v, np.zeros(1), [contact])
    assert equation.T[0, 0] == 0.0 == equation.M[0, 0]
    assert_allclose(equation.d, [-(1.3**2) * 0.3], rtol=1e-12)  # it turns inwards, off the plane's outer side
    for method in METHODS:
        with pytest.raises(InfeasibleError, match="'bow'"):
            contact_motion(equation, method)
