"""Gear constraints against mimic joints, constraint forces, rolling teeth, differences and energy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.algorithms.gears import (
    Gear,
    Gears,
    congruence,
    congruence_operations,
    geared_equation,
    geared_forward_dynamics,
    geared_inverse_dynamics,
    motor_forces,
)
from rbdkit.errors import ModelError, StateError
from rbdkit.joints import Revolute
from rbdkit.library import joint_gallery, random_tree
from rbdkit.library.geared import differential, elliptic_gears, geared_arm
from rbdkit.trace import Operations


@pytest.fixture(scope="module")
def tangled():
    """A random tree of all joint types with gears: linear, nonlinear, with two leaders, and one given with slopes."""
    joints = [*joint_gallery(np.random.default_rng(7)), Revolute("z")]  # six with one coordinate at least
    model = random_tree(7, 22, joints)
    single = [j.name for j in model.joints if j.type.kind in ("revolute", "prismatic", "helical")]
    a, b, c, d, e, f = single[:6]
    gears = [
        Gear.pair(c, a, -2.5, offset=0.3),
        Gear(d, (a,), lambda x: np.sin(x) + 0.2 * x * x),
        Gear(e, (b, a), lambda x, y: x * np.cos(y) - 0.5 * y),
        Gear(f, (b,), lambda x: float(np.arctan(x)), slopes=lambda x: [1.0 / (1.0 + x * x)]),
    ]
    return Gears(model, gears)


def state(gears, seed=0):
    rng = np.random.default_rng(seed)
    return gears.independent(gears.model.random_q(rng)), *rng.normal(size=(2, gears.ny))


@pytest.mark.source("F9.13")
def test_G_and_g_are_the_derivatives_of_gamma(tangled, off):
    """Central differences, step 1e-5, of q along y and of G along the motion: errors of 1e-10."""
    y, yd, _ = state(tangled)
    h, model, G = 1e-5, tangled.model, tangled.G(y)
    for k, e in enumerate(np.eye(tangled.ny)):
        ahead, behind = (tangled.gamma(tangled.integrate(y, d * e)) for d in (h, -h))
        assert off(G[:, k], model.difference(behind, ahead) / (2.0 * h)) < 1e-9
    rate = (tangled.G(tangled.integrate(y, h * yd)) - tangled.G(tangled.integrate(y, -h * yd))) / (2.0 * h)
    assert off(tangled.g(y, yd), rate @ yd) < 1e-9
    assert np.count_nonzero(tangled.g(y, yd)) == 3  # the pair of wheels has none


@pytest.mark.source("F9.13")
def test_accelerations_are_those_of_the_constrained_tree(tangled, off):
    """Gears as constraints K vdot = k with forces K^T lambda, by one linear system; it knows nothing of G and g."""
    y, yd, _ = state(tangled, 1)
    model = tangled.model
    q, v = tangled.gamma(y), tangled.G(y) @ yd
    tau = np.random.default_rng(2).normal(size=model.nv)
    K, k = np.zeros((4, model.nv)), np.zeros(4)
    column = {
        name: model.joint(name).v_slice.start for gear in tangled.gears for name in (gear.follower, *gear.leaders)
    }
    a, b = tangled.gears[2].leaders[1], tangled.gears[2].leaders[0]
    qa, qb, va, vb = q[model.joint(a).q_slice.start], q[model.joint(b).q_slice.start], v[column[a]], v[column[b]]
    slopes = [
        {a: -2.5},
        {a: np.cos(qa) + 0.4 * qa},
        {a: -qb * np.sin(qa) - 0.5, b: np.cos(qa)},
        {b: 1.0 / (1.0 + qb**2)},
    ]
    k[1] = (0.4 - np.sin(qa)) * va**2
    k[2] = -2.0 * np.sin(qa) * va * vb - qb * np.cos(qa) * va**2
    k[3] = -2.0 * qb / (1.0 + qb**2) ** 2 * vb**2
    for row, gear, of in zip(K, tangled.gears, slopes, strict=True):
        row[column[gear.follower]] = 1.0
        for name, slope in of.items():
            row[column[name]] = -slope
    H, C = rbd.crba(model, q), rbd.bias_force(model, q, v)
    both = np.block([[H, -K.T], [K, np.zeros((4, 4))]])
    expected = np.linalg.solve(both, np.concatenate([tau - C, k]))[: model.nv]
    ydd = geared_forward_dynamics(tangled, y, yd, tau)
    assert off(tangled.G(y) @ ydd + tangled.g(y, yd), expected) < 1e-9  # the condition number of the system is 1e5


@pytest.mark.source("F9.13")
def test_inverse_and_forward_dynamics_undo_each_other(tangled, off):
    y, yd, ydd = state(tangled, 3)
    e = geared_equation(tangled, y, yd)
    tau_y = geared_inverse_dynamics(tangled, y, yd, ydd)
    assert off(tau_y, e.H_y @ ydd + e.C_y) < 1e-12
    tau = np.linalg.pinv(e.G.T) @ tau_y
    assert off(geared_forward_dynamics(tangled, y, yd, tau), ydd) < 1e-8


@pytest.mark.source("F9.13")
@pytest.mark.parametrize("elbow", ["x", "y"])
def test_linear_gears_are_mimic_joints(elbow, off):
    gears = geared_arm(80.0, -45.0, elbow=elbow)
    mimic = rbd.Model(gravity=gears.model.gravity)
    follows = {"motor 1": rbd.Mimic("shoulder", 80.0), "motor 2": rbd.Mimic("elbow", -45.0)}
    for body in gears.model.bodies[1:]:
        joint = body.joint
        mimic.add_body(
            body.name, gears.model.bodies[body.parent].name, joint.type, joint.placement, body.inertia,
            joint_name=joint.name, mimic=follows.get(joint.name),
        )  # fmt: skip
    y, yd, ydd = np.random.default_rng(4).normal(size=(3, 2))
    e = geared_equation(gears, y, yd)
    assert off(e.H_y, rbd.crba(mimic, y)) < 1e-13
    assert off(e.C_y, rbd.bias_force(mimic, y, yd)) < 1e-12
    tau = motor_forces(gears, ["motor 1", "motor 2"], y, yd, ydd)
    assert tau[0] == tau[2] == 0.0 and off(tau[[1, 3]] * [80.0, -45.0], rbd.rnea(mimic, y, yd, ydd)) < 1e-12
    assert off(rbd.forward_dynamics(mimic, y, yd, tau[[1, 3]] * [80.0, -45.0]), ydd) < 1e-10


@pytest.mark.source("F9.13")
def test_the_arm_of_figure_9_2():
    """lambda = (0, 0, 1, 1), the zeros of H, G, and the two entries of Eq 9.27 with their signs."""
    gears = geared_arm(100.0, 60.0)
    assert gears.model.parent[1:] == (0, 0, 1, 1)
    y = np.array([0.3, -0.9])
    e = geared_equation(gears, y, np.ones(2))
    zeros = {(0, 1), (1, 2), (1, 3), (2, 3)}
    assert {(i, j) for i in range(4) for j in range(i + 1, 4) if e.H[i, j] == 0.0} == zeros
    np.testing.assert_array_equal(e.G, [[1, 0], [100, 0], [0, 1], [0, 60]])
    np.testing.assert_array_equal(e.g, np.zeros(4))
    H = e.H
    expected = [
        [H[0, 0] + 100**2 * H[1, 1], H[0, 2] + 60 * H[0, 3]],
        [H[0, 2] + 60 * H[0, 3], H[2, 2] + 60**2 * H[3, 3]],
    ]
    np.testing.assert_allclose(e.H_y, expected, rtol=1e-14)


@pytest.mark.source("F9.13")
def test_the_product_costs_44m_33a_dense_and_5m_3a_sparse():
    gears = geared_arm(100.0, 60.0)
    y = np.array([0.3, -0.9])
    G, H = gears.G(y), rbd.crba(gears.model, gears.gamma(y))
    assert congruence_operations(G, H, sparse=False) == Operations(mul=44, add=33)
    assert congruence_operations(G, H) == Operations(mul=5, add=3)
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 3)), rng.normal(size=(5, 5))
    np.testing.assert_allclose(congruence(A, B + B.T), A.T @ (B + B.T) @ A, rtol=1e-13)


@pytest.mark.source("F9.13")
def test_teeth_of_the_differential_roll_on_each_other():
    """Where planet and side wheels touch, both have the same velocity: point by point, from body velocities alone."""
    side, planet = 0.06, 0.025
    gears = differential(side, planet)
    y, yd = np.array([0.4, -1.1]), np.array([1.7, -0.6])
    q, v = gears.gamma(y), gears.G(y) @ yd
    motion = rbd.forward_kinematics(gears.model, q, v)
    carrier = motion.poses[gears.model.body("carrier").index]

    def velocity(name, point):
        i = gears.model.body(name).index
        own = np.linalg.solve(motion.poses[i], [*point, 1.0])[:3]
        omega, linear = np.split(motion.velocities[i], 2)
        return motion.poses[i][:3, :3] @ (linear + np.cross(omega, own))

    for name, x in (("left", -planet), ("right", planet)):
        contact = (carrier @ [x, side, 0.0, 1.0])[:3]
        np.testing.assert_allclose(velocity(name, contact), velocity("planet", contact), atol=1e-15)


@pytest.mark.source("F9.13")
def test_a_differential_gives_both_outputs_the_same_torque():
    gears = differential(final_drive=4.0)
    tau = np.zeros(gears.model.nv)
    tau[gears.model.joint("input_joint").v_slice] = 3.0
    y, yd = np.array([0.3, 0.9]), np.array([2.0, 5.0])
    np.testing.assert_allclose(gears.G(y).T @ tau, [6.0, 6.0], rtol=1e-15)
    with pytest.raises(ModelError, match=r"cannot move left_joint, right_joint.*1 of them"):
        motor_forces(gears, ["input_joint"], y, yd, np.zeros(2))


@pytest.mark.source("F9.13")
def test_elliptical_wheels_roll_and_stay_in_touch():
    e, axle = 0.5, 0.1
    gears = elliptic_gears(e, axle)
    for y in np.linspace(-7.0, 7.0, 15):
        q, slope = gears.gamma([y]), gears.G([y])[1, 0]
        # radii towards the other axle, from the polar form of an ellipse about its focus
        r1 = axle * (1 - e**2) / (1 + e * np.cos(q[0]))
        r2 = axle * (1 - e**2) / (1 - e * np.cos(q[1]))
        assert r1 + r2 == pytest.approx(2 * axle, rel=1e-13)  # they touch on the line of the axles
        assert r1 == pytest.approx(-slope * r2, rel=1e-13)  # and do not slip
    assert gears.gamma([2 * np.pi])[1] == pytest.approx(-2 * np.pi, rel=1e-15)  # a turn for a turn


@pytest.mark.source("F9.13")
def test_equation_of_the_elliptical_wheels_by_lagrange():
    """One freedom: T = (J1 + J2 s(y)^2) yd^2 / 2, so ydd = (tau - J2 s s' yd^2)/(J1 + J2 s^2)."""
    gears = elliptic_gears(0.6)
    J1, J2 = (gears.model.I[i][2, 2] for i in (1, 2))
    for y, yd, tau in ((0.0, 2.0, 0.0), (1.3, -3.0, 0.2), (2.8, 5.0, -0.1)):
        h = 1e-6
        s = gears.G([y])[1, 0]
        slope = (gears.G([y + h])[1, 0] - gears.G([y - h])[1, 0]) / (2 * h)
        expected = (tau - J2 * s * slope * yd**2) / (J1 + J2 * s**2)
        assert geared_forward_dynamics(gears, [y], [yd], [tau, 0.0])[0] == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.source("F9.13")
@pytest.mark.parametrize("make", [geared_arm, differential, elliptic_gears], ids=lambda make: make.__name__)
def test_energy_of_all_bodies_is_conserved(make):
    """Rotors, planet and all: total energy of the tree along a motion without motors, integrated to 1e-11."""
    gears = make()
    rng = np.random.default_rng(1)
    start = np.concatenate([rng.normal(size=gears.ny), 3.0 * rng.normal(size=gears.ny)])

    def rate(_, x):
        y, yd = np.split(x, 2)
        return np.concatenate([yd, geared_forward_dynamics(gears, y, yd, np.zeros(gears.model.nv))])

    run = solve_ivp(rate, (0.0, 0.5), start, rtol=1e-11, atol=1e-12, method="DOP853")
    energies = []
    for x in (start, run.y[:, -1]):
        y, yd = np.split(x, 2)
        energies.append(rbd.energy(gears.model, gears.gamma(y), gears.G(y) @ yd))
    assert np.linalg.norm(run.y[:, -1] - start) > 0.1
    scale = max(energy.kinetic for energy in energies)
    assert abs(energies[1].total - energies[0].total) < 1e-9 * scale


def test_gears_that_cannot_be_are_refused():
    model = geared_arm().model
    pair = Gear.pair("motor 1", "shoulder", 10.0)
    with pytest.raises(ModelError, match=r"'motor 3' is not in model"):
        Gears(model, [Gear.pair("motor 3", "shoulder", 10.0)])
    with pytest.raises(ModelError, match=r"leader 'motor 1' follows others itself"):
        Gears(model, [pair, Gear.pair("motor 2", "motor 1", 2.0)])
    with pytest.raises(ModelError, match=r"follower of two gears"):
        Gears(model, [pair, Gear.pair("motor 1", "elbow", 2.0)])
    with pytest.raises(ModelError, match=r"at least one leader"):
        Gears(model, [Gear("motor 1", (), lambda: 1.0)])
    with pytest.raises(ModelError, match=r"must differ"):
        Gears(model, [Gear("motor 1", ("elbow", "elbow"), lambda x, y: x + y)])
    with pytest.raises(ModelError, match=r"derivative of its function cannot be taken.*slopes="):
        Gears(model, [Gear("motor 1", ("elbow",), lambda x: math.lgamma(x))])
    ball = rbd.Model()
    ball.add_body("ball", joint=rbd.Spherical())
    ball.add_body("wheel", "ball", rbd.Revolute("z"))
    with pytest.raises(ModelError, match=r"'ball_joint' \(spherical\) has not one coordinate"):
        Gears(ball, [Gear.pair("wheel_joint", "ball_joint", 2.0)])
    gears = Gears(model, [pair])
    with pytest.raises(StateError, match=r"must be \(3,\)"):
        gears.gamma(np.zeros(4))
    with pytest.raises(StateError, match=r"a force for every joint"):
        geared_forward_dynamics(gears, np.zeros(3), np.zeros(3), np.zeros(3))
    massless = rbd.Model()
    massless.add_body("a", joint=rbd.Revolute("z"))
    massless.add_body("b", joint=rbd.Revolute("z"))
    with pytest.raises(ModelError, match="meets no inertia"):
        geared_forward_dynamics(Gears(massless, [Gear.pair("b_joint", "a_joint", 2.0)]), [0.0], [0.0], [0.0, 0.0])
