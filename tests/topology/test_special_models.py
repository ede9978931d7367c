"""What the table of public functions cannot ask in one way for all: shown against finite differences and each other."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import accuracy, algorithms, engine, formats
from rbdkit.algorithms import constraints, equivalence, gears
from rbdkit.algorithms.constraints import RollingContact
from rbdkit.errors import ModelError
from rbdkit.formulations import FORMULATIONS, SE3, Bodywise, SO3xR3
from rbdkit.integrators import RK4
from rbdkit.library import pendulum

BODIES = ("se3", "so3xr3", "bodywise", "maximal")
"""The formulations of bodies that know loops and constraints."""


@pytest.fixture
def turning(looped):
    """The linkage, its pin as a function of q, and velocities that keep it together."""
    case = looped.case
    model, q, (loop,) = case.m, case.q, case.m.loops

    def apart(q):
        poses = rbd.forward_kinematics(model, q).poses
        ends = poses[loop.predecessor] @ loop.joint.placement, poses[loop.successor] @ loop.successor_placement
        return (ends[0] - ends[1])[[0, 2], 3]

    K = np.array([(apart(q + 1e-6 * e) - apart(q - 1e-6 * e)) / 2e-6 for e in np.eye(3)]).T
    v = np.array([1.5, *np.linalg.solve(K[:, 1:], -1.5 * K[:, 0])])
    return case, apart, K, v


def test_accelerations_of_loops_are_those_of_a_tree_under_the_pin(turning):
    """H a + C = tau + K^T lambda, K a = -Kdot v, all of the pin by differences (1e-8 in K, 1e-5 in Kdot v)."""
    case, apart, K, v = turning
    h = 1e-3
    Kdot_v = (apart(case.q + h * v) - 2.0 * apart(case.q) + apart(case.q - h * v)) / h**2
    H, C = rbd.crba(case.m, case.q), rbd.bias_force(case.m, case.q, v, f_ext=case.f)
    A = np.block([[H, K.T], [K, np.zeros((2, 2))]])
    expected = np.linalg.solve(A, np.concatenate([case.tau - C, -Kdot_v]))[:3]
    given = case.m, case.q, v, case.tau
    found = {
        "divide and conquer": algorithms.divide_and_conquer(*given, f_ext=case.f).qdd,
        "all in one": constraints.multibody_system(*given, f_ext=case.f).solve().qdd,
    }
    for formulation in (SE3, SO3xR3, Bodywise):
        system = formulation(case.m, lambda *_: case.tau, lambda *_: case.f)
        x, w = system.state(case.q, v)
        ahead, behind = (
            system.joint_state(system.move(x, s * h * w), w + s * h * system.rate(0.0, x, w))[1] for s in (1, -1)
        )
        found[formulation.name] = (ahead - behind) / (2.0 * h)
    for name, a in found.items():
        np.testing.assert_allclose(a, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max(), err_msg=name)
    assert np.abs(np.linalg.solve(H, case.tau - C) - expected).max() > 0.1 * np.abs(expected).max()  # the tree alone


def test_constraints_are_refused_where_one_or_a_single_body_is_asked_for():
    model = rbd.Model()
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.5, mass=1.0))
    model.add_constraint("string", rbd.Distance("ball", "world", 1.0))
    q, v = model.neutral(), np.zeros(6)
    contact = RollingContact(0.5)
    for ask in (
        lambda: constraints.classify(model, contact, q),
        lambda: constraints.attached_body(model, q, v),
        lambda: constraints.constrained_motion(model, contact, q, v, v),
        lambda: algorithms.to_floating_base(model),
        lambda: gears.Gears(model, []),
        lambda: algorithms.loops.closed_loop_inverse_dynamics(model, q, v, v),
        lambda: algorithms.loops.loop_equation(model, q, v, v),
        *(lambda name=name: FORMULATIONS[name](model) for name in FORMULATIONS if name not in (*BODIES, "joint")),
    ):
        with pytest.raises(ModelError, match="'string'"):
            ask()


def test_constraints_that_are_added_to_a_model_are_seen():
    model = pendulum()
    assert rbd.aba(model, [0.3], [0.0], [0.0]).shape == (1,)
    model.add_constraint("catch", rbd.PointOnPlane("rod", "world"))
    with pytest.raises(ModelError, match="'catch'"):
        rbd.aba(model, [0.3], [0.0], [0.0])


def test_power_of_constraints(held):
    """They do no work."""
    case = held.case
    model = case.m.with_parameters({"rod.at_b": case.m.constraint("rod").element.at_b})
    system = SE3(model)
    q, v = system.joint_state(*system.project(*system.state(case.q, case.v)))
    x, w = system.state(q, v)
    h = 1e-4  # accelerations along the motion, to 1e-7
    ahead, behind = (system.joint_state(system.move(x, s * w), w + s * system.rate(0.0, x, w))[1] for s in (h, -h))
    a = (ahead - behind) / (2.0 * h)
    balance = rbd.power_balance(model, q, v, a, np.zeros(3))
    assert abs(balance.residual) < 1e-6 * np.abs(a).max()


def test_power_of_a_loop(turning):
    """Joints that close loops do no work, and a prescribed joint that stands still does none either."""
    case, _, _, v = turning
    a = algorithms.divide_and_conquer(case.m, case.q, v, case.tau, f_ext=case.f).qdd
    assert abs(rbd.power_balance(case.m, case.q, v, a, case.tau, f_ext=case.f).residual) < 1e-9
    still = rbd.Prescribed(rbd.Revolute("y"), lambda t: ([0.0], [0.0], [0.0]))
    case.m.add_body("lamp", "crank", still, inertia=rbd.Inertia(1.0))
    try:
        balance = rbd.power_balance(case.m, case.q, v, a, case.tau, f_ext=np.vstack([case.f, np.zeros(6)]))
        assert balance.driven == 0.0
    finally:
        case.m.bodies = case.m.bodies[:-1]
        case.m._bind()


def test_kernels_see_a_loop_that_is_added_to_a_model():
    model = pendulum()
    assert rbd.aba(model, [0.3], [0.0], [0.0]).shape == (1,)
    model.add_loop("catch", "rod", "world", rbd.Free())
    with pytest.raises(ModelError, match="'catch' close"):
        rbd.aba(model, [0.3], [0.0], [0.0])


def test_loops_are_refused_where_a_constraint_or_a_single_body_is_asked_for():
    model = rbd.Model()
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.5, mass=1.0))
    model.add_loop("string", "ball", "world", rbd.Spherical())
    q, v = model.neutral(), np.zeros(6)
    contact = RollingContact(0.5)
    for ask in (
        lambda: constraints.classify(model, contact, q),
        lambda: constraints.attached_body(model, q, v),
        lambda: constraints.constrained_motion(model, contact, q, v, v),
    ):
        with pytest.raises(ModelError, match="'string' close"):
            ask()


def test_json_keeps_loops_and_what_follows(looped, mimicking):
    for twin in (looped, mimicking):
        again = rbd.load(formats.to_json(twin.case.m))
        assert [loop.joint.name for loop in again.loops] == [loop.joint.name for loop in twin.case.m.loops]
        assert [joint.mimic for joint in again.joints] == [joint.mimic for joint in twin.case.m.joints]


def test_what_velocity_alone_does_to_driven_joints(driven):
    """The plain tree must accelerate its third joint as the motion does."""
    c, p, G, g_dot = driven.case, driven.tree, driven.G, driven.g_dot
    bias = G.T @ algorithms.rnea(p.m, p.q, p.v, g_dot, f_ext=c.f).tau
    for found in (
        rbd.bias_force(c.m, c.q, c.v, f_ext=c.f, t=c.t),
        algorithms.bias_force(c.m, c.q, c.v, f_ext=c.f, t=c.t),
    ):
        np.testing.assert_allclose(found, bias, atol=1e-11)
    weightless = p.m.with_parameters({"gravity": np.zeros(3)})
    np.testing.assert_allclose(
        algorithms.coriolis_force(c.m, c.q, c.v, t=c.t),
        G.T @ algorithms.rnea(weightless, p.q, p.v, g_dot).tau,
        atol=1e-11,
    )
    for bias_acceleration, jacobian in (
        (rbd.bias_acceleration, rbd.jacobian),
        (algorithms.bias_acceleration, algorithms.jacobian),
    ):
        expected = bias_acceleration(p.m, p.q, p.v, c.frame) + jacobian(p.m, p.q, c.frame) @ g_dot
        np.testing.assert_allclose(bias_acceleration(c.m, c.q, c.v, c.frame, t=c.t), expected, atol=1e-11)


def test_a_floating_base_with_driven_joints(driven):
    c, v_0 = driven.case, np.array([0.3, -0.2, 0.5, 1.0, -0.7, 0.2])
    a_0, qdd = algorithms.floating_equation(c.base, c.q, c.v, v_0, f_ext=c.f, t=c.t).solve(c.tau)
    found = algorithms.floating_aba(c.base, c.q, c.v, v_0, c.tau, f_ext=c.f, t=c.t)
    np.testing.assert_allclose(found.qdd, qdd, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.a_0, a_0, rtol=1e-10, atol=1e-10)
    back = algorithms.floating_inverse_dynamics(c.base, c.q, c.v, v_0, qdd, f_ext=c.f, t=c.t)
    np.testing.assert_allclose(back.tau, c.tau, rtol=1e-10, atol=1e-10)
    C = algorithms.floating_rnea(c.base, c.q, c.v, v_0, f_ext=c.f, t=c.t).C
    F, H = algorithms.floating_crba(c.base, c.q, t=c.t).F, algorithms.crba(c.m, c.q, t=c.t).H
    np.testing.assert_allclose(F.T @ a_0 + H @ qdd + C, c.tau, rtol=1e-10, atol=1e-10)


def test_handles_of_driven_trees(driven):
    c = driven.case
    Phi = algorithms.project_handles(c.m, c.q, c.v, c.tau, c.frame, f_ext=c.f, t=c.t).Phi
    found = algorithms.articulated_inverse(c.m, c.q, c.v, c.tau, c.frame, f_ext=c.f, t=c.t).Phi
    np.testing.assert_allclose(found, Phi, rtol=1e-10, atol=1e-10 * np.abs(Phi).max())


@pytest.mark.parametrize("which", ["mimicking", "driven"])
def test_accelerations_by_parameters(which, request):
    """H da = -d ID at the acceleration that there is: of the plain tree, for what both models have."""
    twin = request.getfixturevalue(which)
    c, p, G = twin.case, twin.tree, twin.G
    a = G @ twin.acceleration(c.q, c.v, c.tau, passive=True) + twin.g_dot
    H = rbd.crba(c.m, c.q, t=c.t)
    expected = algorithms.rnea_parameter_derivatives(p.m, p.q, p.v, a, f_ext=c.f)
    for found in (
        rbd.forward_dynamics_parameter_jacobian(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t),
        algorithms.forward_dynamics_parameter_derivatives(c.m, c.q, c.v, c.tau, f_ext=c.f, t=c.t),
    ):
        names = [name for name in found if re.search(r"mass|com|inertia|placement|gravity", name)]
        assert len(names) > 15
        for name in names:
            right = -np.tensordot(G.T, expected[name], 1)
            size = max(np.abs(right).max(), 1e-3)
            np.testing.assert_allclose(np.tensordot(H, found[name], 1), right, atol=1e-9 * size)


@pytest.mark.parametrize("which", ["mimicking", "driven"])
def test_short_runs(which, request):
    """Every way to step a model moves it at first as its acceleration says: v(h) - v(0) = h a + O(h^2)."""
    twin, h = request.getfixturevalue(which), 1e-5
    c = replace(twin.case, f=0.0 * twin.case.f)  # external forces, which not all of them take, are left out

    def later(t):
        return c.m.joint("special").type.motion(t + c.t)

    model = c.m
    if which == "driven":  # runs begin at t = 0
        model = rbd.Model("arm", gravity=c.m.gravity)
        for body in c.m.bodies[1:]:
            joint = body.joint
            kind = rbd.Prescribed(joint.type.joint, later) if joint.name == "special" else joint.type
            model.add_body(
                body.name, c.m.bodies[body.parent].name, kind, joint.placement, body.inertia, joint_name=joint.name,
                damping=joint.damping, stiffness=joint.stiffness, armature=joint.armature,
            )  # fmt: skip
    kernels, times, tau = engine.kernels_for(model), np.array([0.0, h]), c.tau
    same = {"a.mass": [model.parameters["a.mass"]]}
    bare = replace(twin, case=c)
    ends = {
        "simulate": rbd.simulate(model, c.q, c.v, h, h, tau=tau).v[-1],
        "book": rbd.simulate(model, c.q, c.v, h, h, tau=tau, backend="book").v[-1],
        "engine": engine.simulate(kernels, c.q, c.v, times, RK4(), tau).v[-1],
        "engine, many": engine.simulate_many([kernels], c.q[None], c.v[None], times, RK4(), tau)[0].v[-1],
        "sweep": rbd.sweep(model, same, c.q, c.v, duration=h, dt=h, tau=tau)[0].v[-1],
    }
    unforced = {
        "fixed": accuracy.fixed_run(model, c.q, c.v, h, 1).v[-1],
        "adaptive": accuracy.adaptive_run(model, c.q, c.v, h, points=2).v[-1],
    }
    for found, applied in ((ends, tau), (unforced, 0.0 * tau)):
        expected = bare.acceleration(c.q, c.v, applied, passive=True)
        for name, v in found.items():
            np.testing.assert_allclose((v - c.v) / h, expected, atol=1e-2 * np.abs(expected).max(), err_msg=name)


def test_gears_beside_mimic_and_driven_joints(mimicking):
    """Nothing is geared: y are the model's own coordinates, and every joint is a motor."""
    c = mimicking.case
    assert c.gears.names == ("a_joint", "b_joint", "d_joint", "e_joint")
    model = rbd.Model()
    ball = rbd.Inertia(1.0, [0.1, 0.0, 0.2], 0.05 * np.eye(3))
    turn = rbd.Prescribed(rbd.Revolute("z"), lambda t: ([t], [1.0], [0.0]))
    model.add_body("table", joint=turn, inertia=ball)
    model.add_body("arm", "table", rbd.Revolute("y"), inertia=ball)
    model.add_body("slide", "arm", rbd.Prismatic("x"), inertia=ball)
    own = gears.Gears(model, [])
    y, yd, ydd = np.array([0.3, 0.2]), np.array([1.0, -2.0]), np.array([0.5, 0.7])
    tau = gears.motor_forces(own, ["arm_joint", "slide_joint"], y, yd, ydd, t=0.4)
    np.testing.assert_allclose(tau, rbd.rnea(model, y, yd, ydd, t=0.4), atol=1e-12)


def test_driven_joints_are_refused_by_files_and_by_augmented_bodies():
    turn = rbd.Prescribed(rbd.Revolute("z"), lambda t: ([t], [1.0], [0.0]))
    model = rbd.Model()
    model.add_body("table", joint=turn, inertia=rbd.Inertia(1.0), joint_name="special")
    for refuse in (formats.to_urdf, formats.to_dh, formats.to_json, equivalence.augmented_bodies):
        with pytest.raises(rbd.RbdkitError, match="'special'"):
            refuse(model)


def test_a_sweep_over_loops_is_what_simulate_makes_of_each_member(looped):
    case, dampers = looped.case, [[0.0], [0.1], [0.4]]
    found = rbd.sweep(case.m, {"crank_joint.damping": dampers}, case.q, duration=0.05, dt=1e-3)
    for member, damping in zip(found.q, dampers, strict=True):
        model = case.m.with_parameters({"crank_joint.damping": damping})
        alone = rbd.simulate(model, case.q, duration=0.05, dt=1e-3)
        np.testing.assert_allclose(member, alone.q, rtol=0.0, atol=1e-14)
        assert alone.report.constraint_error < 1e-13
