"""Time stepping: what rests, rests; solvers agree; nothing gets lost."""

import itertools

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.laws import TimeStepping
from rbdkit.laws.cone import cone
from rbdkit.laws.problem import Problem
from rbdkit.laws.pyramid import program, pyramid, staggered
from rbdkit.laws.slow_points import newton
from tests.laws.scenes import at, ball, cube


def tumbling():
    model, q = cube(friction=0.5)
    q[:4] = np.array([0.9, 0.3, 0.2, 0.1]) / np.linalg.norm([0.9, 0.3, 0.2, 0.1])
    q[6] = 0.3
    return model, q, np.array([1.0, 2.0, 3.0, 1.0, 0.0, 0.0])


def test_a_cube_rests_for_a_minute():
    """Without creeping by more than 1e-6 m; in fact by no more than round-off. Half the weight is held by friction."""
    model, q = cube(friction=1.0, slope=np.deg2rad(30.0))
    motion = rbd.simulate(model, q, duration=60.0, dt=0.1, contact="time_stepping", every=50)
    np.testing.assert_allclose(motion.q[:, 4:], q[None, 4:].repeat(len(motion), 0), rtol=0, atol=1e-9)
    assert motion.report.contacts.penetration < 1e-9
    assert not motion.report.alarms(model)
    force = motion.contacts.total_force("ground/cube")[1:]
    np.testing.assert_allclose(force, np.broadcast_to([0, 0, 9.81], force.shape), atol=1e-4)


def test_boxes_in_a_pile_stand():
    """Ten boxes, each on the one below, for two seconds without a warning; each contact carries what stands on it."""
    model = rbd.Model("pile")
    solid = rbd.Inertia.box((0.2, 0.2, 0.1), mass=1.0)
    for k in range(10):
        model.add_body(f"box{k}", joint=rbd.Free(), inertia=solid, geometry=rbd.Box([0.2, 0.2, 0.1]))
    model.add_ground(friction=0.5)
    for k in range(9):
        model.add_contact(f"box{k}", f"box{k + 1}", friction=0.5)
    q = model.neutral()
    q[6::7] = 0.05 + 0.1 * np.arange(10)
    motion = rbd.simulate(model, q, duration=2.0, dt=0.01)
    np.testing.assert_allclose(motion.q, q[None].repeat(len(motion), 0), rtol=0, atol=2e-4)
    assert motion.report.contacts.penetration < 1e-5
    for k in range(9):
        force = motion.contacts.normal_force(f"box{k}/box{k + 1}")[1:]
        np.testing.assert_allclose(force, 9.81 * (9 - k), rtol=0.05)  # sweeps leave 4e-4 m/s in the first steps
    np.testing.assert_allclose(motion.contacts.normal_force("ground/box0")[-1], 98.1, rtol=5e-3)


def problem(rng, m, nv=12):
    """A random one, whose friction acts along one tangent only: there pyramids are cones."""
    J = rng.normal(size=(3 * m, nv + m))
    J[:, nv:] = 0.0
    J[2::3] = np.eye(m, nv + m, nv)
    b = rng.normal(size=3 * m)
    b[2::3] = 0.0
    return Problem(J @ J.T, b, rng.uniform(0.0, 0.4, m), tuple(f"C{k}" for k in range(m)), np.zeros((m, 3)))


@pytest.mark.source("S1.20", "S2.24")
def test_solvers_agree_where_they_mean_the_same():
    """Sweeps, pivots and turns; and by trying all 3^m states of the contacts, of which exactly one is consistent."""
    rng = np.random.default_rng(3)
    for m in (1, 2, 3):
        given = problem(rng, m)
        found = {"cone": cone(given, tol=1e-12, most=20000).lam, "pyramid": pyramid(given).lam}
        found["staggered"] = staggered(given, tol=1e-10, most=500).lam
        tried = by_trying(given)
        for name, lam in found.items():
            np.testing.assert_allclose(lam, tried, atol=2e-5, err_msg=name)  # pivots: a trace of compliance
            assert given.residual(lam) < 2e-5
    sliding = Problem(np.eye(3), np.array([-1.0, 5.0, 0.0]), np.array([0.3]), ("C",), np.zeros((1, 3)))
    u = program(sliding).lam.ravel() + sliding.b
    np.testing.assert_allclose(u[0], 0.3 * u[1], rtol=1e-5)  # the price of one convex program


def by_trying(given):
    """Each contact open, sticking or sliding either way: the states that hold what they say."""
    m, kept = len(given), []
    for states in itertools.product(("open", "stick", "+", "-"), repeat=m):
        A, r = np.eye(3 * m), np.zeros(3 * m)
        for i, state in enumerate(states):
            n, t = 3 * i, 3 * i + 1
            if state != "open":
                A[n], r[n] = given.W[n], -given.b[n]
            if state == "stick":
                A[t], r[t] = given.W[t], -given.b[t]
            elif state != "open":
                A[t, n] = given.mu[i] if state == "+" else -given.mu[i]
        lam = np.linalg.solve(A, r)
        if given.residual(lam.reshape(m, 3)) < 1e-9:
            kept.append(lam.reshape(m, 3))
    assert len(kept) == 1
    return kept[0]


def test_newtons_method_finds_what_sweeps_find():
    """Random problems with circular cones, to round-off."""
    rng = np.random.default_rng(4)
    for m in (1, 3, 6):
        J = rng.normal(size=(3 * m, 3 * m + 4))
        names = tuple(f"C{k}" for k in range(m))
        given = Problem(J @ J.T, rng.normal(size=3 * m), rng.uniform(0.0, 0.4, m), names, np.zeros((m, 3)))
        swept, found = cone(given, tol=1e-13, most=50000), newton(given, tol=1e-12, most=5)
        assert found.settled and given.residual(found.lam) < 1e-11
        np.testing.assert_allclose(found.lam, swept.lam, atol=1e-9)


@pytest.mark.parametrize("solver", ["cone", "pyramid"])
def test_energy_is_accounted_for(solver):
    """What a tumbling cube loses is what contacts took, to the order of the step."""
    model, q, v = tumbling()
    motion = rbd.simulate(model, q, v, duration=0.3, dt=0.003, contact=TimeStepping(solver=solver))
    on_contacts = motion.report.contacts
    assert on_contacts.residual < 1e-3
    assert on_contacts.lost_normal > 1.0 and on_contacts.lost_friction > 0.05
    np.testing.assert_allclose(motion.contacts.lost[-1], on_contacts.lost_normal + on_contacts.lost_friction)
    assert motion.report.energy_error < 0.05
    assert {event.kind for event in motion.events} >= {"impact", "loss"}


def test_two_balls_keep_their_momentum():
    """Hollow space: what one gets the other loses, with friction and restitution."""
    model = rbd.Model("space", gravity=(0, 0, 0))
    for name, mass in (("a", 1.0), ("b", 2.5)):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass), geometry=rbd.Sphere(0.1))
    model.add_contact("a", "b", friction=0.4, restitution=0.6)
    q, v = at(model, (0.5, 0.05, 0.02), 1), np.zeros(12)
    v[[1, 3, 6]] = 5.0, 2.0, -3.0
    motion = rbd.simulate(model, q, v, duration=0.4, dt=0.01)
    h = rbd.momentum(model, motion.q, motion.v)
    np.testing.assert_allclose(h, h[:1].repeat(len(h), 0), atol=1e-12)
    assert any(event.kind == "impact" for event in motion.events)


def test_bounces_leave_with_their_restitution():
    """To the length of a step: 3 m/s come, 1.5 m/s go, and the impulse is that of both."""
    model, q = ball(restitution=0.5)
    q[6] += 0.45
    motion = rbd.simulate(model, q, duration=0.35, dt=0.001)
    impact = motion.events[0]
    np.testing.assert_allclose([impact.t, impact.impulse], [0.3, 4.5], rtol=0.01)
    np.testing.assert_allclose(motion.q[-1, 6] - 0.1, 1.5 * 0.05 - 5.0 * 0.05**2, rtol=0.06)


def test_random_bodies_do_not_fall_through():
    """Poses and speeds at random: no shape gets deeper than the way bends in a step, h^2 |omega|^2 r / 2."""
    rng = np.random.default_rng(14)
    shapes = {
        "ball": rbd.Sphere(0.1), "box": rbd.Box([0.2, 0.3, 0.1]), "rod": rbd.Cylinder(0.05, 0.3),
        "pill": rbd.Capsule(0.05, 0.2), "egg": rbd.Ellipsoid([0.1, 0.15, 0.2]), "hat": rbd.Cone(0.1, 0.2),
    }  # fmt: skip
    model = rbd.Model("drops")
    for k, (name, shape) in enumerate(shapes.items()):
        inertia = rbd.Inertia.box((0.2, 0.25, 0.15), mass=float(rng.uniform(0.5, 2.0)))
        model.add_body(f"{name}{k}", joint=rbd.Free(), inertia=inertia, geometry=shape)
    model.add_ground(friction=0.5, restitution=0.2)
    q, v = model.neutral(), rng.normal(size=model.nv) * 4.0
    for k in range(6):
        turn = rng.normal(size=4)
        q[7 * k : 7 * k + 4] = turn / np.linalg.norm(turn)
        q[7 * k + 4 : 7 * k + 7] = 2.0 * k, 0.0, 0.3
        v[6 * k + 3 : 6 * k + 6] *= 2.0
    motion = rbd.simulate(model, q, v, duration=0.4, dt=0.004)
    fastest = np.abs(motion.v.reshape(len(motion), -1, 6)[..., :3]).max() * np.sqrt(3.0)
    bound = 0.5 * (0.004 * fastest) ** 2 * 0.25
    assert motion.report.contacts.penetration <= bound < 0.03
    assert (motion.poses()[:, 1:, 2, 3] > 0.0).all()


@pytest.mark.source("F11.04")
def test_loops_share_what_a_contact_carries():
    """A parallelogram that stands on its coupler: by virtual work the ground bears that and half of each crank."""
    model = rbd.Model("parallelogram", gravity=(0, 0, -10))
    rod = rbd.Inertia(2.0, [0, 0, -0.25], 0.05 * np.eye(3))
    crank = model.add_body("crank", joint=rbd.Revolute("y"), placement=(0, 0, 1), inertia=rod)
    ball = rbd.Geometry(rbd.Sphere(0.05), (0.1, 0.0, 0.0))
    bar = rbd.Inertia(3.0, [0.2, 0, 0], 0.05 * np.eye(3))
    model.add_body("coupler", crank, rbd.Revolute("y"), placement=(0, 0, -0.5), inertia=bar, geometry=ball)
    model.add_body("rocker", joint=rbd.Revolute("y"), placement=(0.4, 0, 1), inertia=rod)
    model.add_loop("pin", "coupler", "rocker", rbd.Revolute("y"), (0.4, 0, 0), (0, 0, -0.5))
    lean = 0.5
    model.add_ground(height=1.0 - 0.5 * np.cos(lean) - 0.05, friction=0.0)
    q = np.array([lean, -lean, lean])
    still = rbd.simulate(model, q, duration=0.2, dt=0.01)
    np.testing.assert_allclose(still.q[-1], q, atol=1e-9)
    np.testing.assert_allclose(still.contacts.normal_force("ground/coupler"), 50.0, rtol=1e-9)
    q = np.array([0.9, -0.9, 0.9])
    dropped = rbd.simulate(model, q, duration=0.4, dt=0.01)
    assert dropped.report.constraint_error < 1e-9
    assert dropped.report.contacts.penetration < 5e-4
    np.testing.assert_allclose(np.abs(dropped.q[-1]), lean, atol=2e-3)
    event = rbd.simulate(model, q, duration=0.4, dt=0.04, contact="rigid")
    np.testing.assert_allclose(np.abs(event.q[-1]), lean, atol=1e-4)
