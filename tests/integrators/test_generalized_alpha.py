"""The generalized-alpha method: order in positions, velocities and multipliers; constraints; damping; redundancy."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations import SE3, ConstrainedBodies, JointSystem, SO3xR3
from rbdkit.integrators import RK5, GeneralizedAlpha
from rbdkit.library import heavy_top, random_state, random_tree, spherical_double_pendulum, three_bar_linkage


def run(system, start, method, duration, h):
    state = method.init(system, 0.0, *system.state(start.q, start.v))
    solves = []
    for _ in range(round(duration / h)):
        state = method.step(system, state, h)
        solves.append(state.solve)
    return state, solves


def reactions_of(system, end):
    """The multipliers that the accelerations of a step ask for."""
    here = system.index1(end.t, end.x, end.v)
    return np.linalg.lstsq(here.J.T, here.Q - here.M @ end.memory[0], rcond=None)[0]


@pytest.mark.source("M.04")
@pytest.mark.parametrize("system_class", [SE3, SO3xR3])
@pytest.mark.parametrize("rho", [0.9, 0.5])
def test_positions_velocities_and_multipliers_converge_with_order_two(system_class, rho):
    """With rho = 0.9 the multipliers still ring after 40 steps, by an error of the same order: not looked at there."""
    start = spherical_double_pendulum()
    system = system_class(start.model)
    fine, _ = run(system, start, RK5(), 0.04, 2e-4)
    exact = fine.x, fine.v, system.index1(0.0, fine.x, fine.v).solve()[1]
    errors = []
    for h in (1e-3, 5e-4):
        end, _ = run(system, start, GeneralizedAlpha(rho), 0.04, h)
        found = end.x, end.v, reactions_of(system, end)
        errors.append([np.linalg.norm(a - b) for a, b in zip(found, exact)])
    np.testing.assert_allclose(np.log2(np.divide(*errors))[: 3 if rho == 0.5 else 2], 2.0, atol=0.1)


@pytest.mark.parametrize("rho", [0.0, 0.8, 1.0])
def test_the_equations_of_the_paper_hold_at_the_end_of_a_step(rho):
    """Bruels, Cardona and Arnold (2012), Eqs 12 to 15, whatever way they were solved."""
    start, h, method = spherical_double_pendulum(), 5e-3, GeneralizedAlpha(rho)
    system = SE3(start.model)
    before, _ = run(system, start, method, 0.02, h)
    after = method.step(system, before, h)
    (vdot_0, a_0), (vdot, a) = before.memory, after.memory
    averaged = (1.0 - method.alpha_m) * a + method.alpha_m * a_0
    np.testing.assert_allclose(averaged, (1.0 - method.alpha_f) * vdot + method.alpha_f * vdot_0, atol=1e-11)
    u = h * before.v + h * h * ((0.5 - method.beta) * a_0 + method.beta * a)
    np.testing.assert_allclose(after.x, system.move(before.x, u), rtol=0, atol=1e-13)
    v = before.v + h * ((1.0 - method.gamma) * a_0 + method.gamma * a)
    np.testing.assert_allclose(after.v, v, rtol=0, atol=1e-13 * np.abs(v).max())
    here = system.index1(after.t, after.x, after.v)
    missing = here.M @ vdot + here.J.T @ reactions_of(system, after) - here.Q
    # residuals of 1e-14 m are accelerations of 1e-14 / h^2
    np.testing.assert_allclose(missing, 0.0, atol=1e-8)
    assert np.abs(system.constraint_error(after.x)).max() < 1e-13


@pytest.mark.parametrize("system_class", [SE3, SO3xR3])
def test_constraints_hold_and_newton_is_seen_to_converge(system_class):
    start = heavy_top((0.0, 0.0, -9.81))
    system = system_class(start.model)
    end, solves = run(system, start, GeneralizedAlpha(), 0.05, 1e-3)
    assert np.abs(system.constraint_error(end.x)).max() < 1e-12
    for solve in solves:
        assert 1 <= solve.iterations <= 8
        assert solve.residuals[-1] <= 1e-12 and len(solve.residuals) == solve.iterations + 1


def test_redundant_constraints_of_a_closed_loop_do_not_stop_it():
    """A planar four-bar linkage: three of its twenty rows follow from the others; energy wavers with order 2."""
    model = rbd.Model("parallelogram")
    crank = rbd.Inertia.box([0.05, 0.05, 0.4], mass=1.0).transformed(rbd.pose(position=[0, 0, 0.2]))
    model.add_body("crank1", joint=rbd.Revolute("y"), inertia=crank)
    rod = rbd.Inertia.box([1.0, 0.05, 0.05], mass=2.0).transformed(rbd.pose(position=[0.5, 0, 0]))
    model.add_body("coupler", "crank1", rbd.Revolute("y"), [0, 0, 0.4], rod)
    model.add_body("crank2", joint=rbd.Revolute("y"), placement=[1.0, 0, 0], inertia=crank)
    model.add_loop("close", "coupler", "crank2", rbd.Revolute("y"), [1.0, 0, 0], [0, 0, 0.4])
    system = SE3(model)
    start = system.state(np.array([0.7, -0.7, 0.7]), np.zeros(3))
    method, drifts = GeneralizedAlpha(1.0), []
    for h in (1e-2, 5e-3):
        state = method.init(system, 0.0, *start)
        for _ in range(round(0.4 / h)):
            state = method.step(system, state, h)
        drifts.append(float(abs(system.energy(state.x, state.v).total - system.energy(*start).total)))
        assert np.abs(system.constraint_error(state.x)).max() < 1e-11
    assert np.log2(drifts[0] / drifts[1]) == pytest.approx(2, abs=0.5)


def test_small_rho_damps_fast_oscillations_and_rho_one_keeps_them():
    """A stiff spring, six steps in a period: its stiffness has to be in Newton's Jacobian."""
    model = rbd.Model("oscillator", gravity=(0, 0, 0))
    inertia = rbd.Inertia.box([0.1] * 3, mass=1.0)
    model.add_body("mass", joint=rbd.Prismatic("x"), inertia=inertia, stiffness=100.0**2)
    system, kept = SE3(model), {}
    start = system.state(np.array([0.01]), np.zeros(1))
    for rho in (0.0, 1.0):
        method = GeneralizedAlpha(rho)
        state = method.init(system, 0.0, *start)
        for _ in range(12):
            state = method.step(system, state, 0.01)
        kept[rho] = float(system.energy(state.x, state.v).total / system.energy(*start).total)
    assert kept[0.0] < 0.2 and state.solve.iterations <= 3
    assert kept[1.0] == pytest.approx(1.0, abs=0.3)


def test_a_step_that_is_too_long_says_so():
    start = spherical_double_pendulum()
    system = SE3(start.model)
    with pytest.raises(ConvergenceError, match=r"step from t = 0 s.*residual"):
        run(system, start, GeneralizedAlpha(), 1.0, 0.5)


def test_what_it_needs_is_said_as_data():
    assert isinstance(SE3(heavy_top().model), GeneralizedAlpha.requires)
    assert not isinstance(JointSystem(heavy_top().model), GeneralizedAlpha.requires)
    with pytest.raises(SimulationError, match=r"rho = 1\.5"):
        GeneralizedAlpha(1.5)


@pytest.mark.source("M.09")
def test_the_three_bar_linkage_runs_too():
    start = three_bar_linkage()
    system = SE3(start.model)
    end, _ = run(system, start, GeneralizedAlpha(), 0.02, 1e-3)
    fine, _ = run(system, start, RK5(), 0.02, 1e-3)
    np.testing.assert_allclose(system.poses(end.x), system.poses(fine.x), rtol=0, atol=1e-4)


# --- compiled ---------------------------------------------------------------------------------------------------------

JOINTS = [rbd.Fixed(), rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"),
          rbd.Planar("x"), rbd.Planar(translation="successor"), rbd.Spherical(), rbd.Free()]  # fmt: skip


def both(system, method, h, steps, q, v):
    """The compiled run, and the state after the readable steps with the most corrections that one of them needed."""
    x, w = system.state(q, v)
    run_there = system.compiled_run(method, h * np.arange(steps + 1), x, w, steps, lambda done: None)
    state, most = method.init(system, 0.0, x, w), 0
    for _ in range(steps):
        state = method.step(system, state, h)
        most = max(most, state.solve.iterations)
    return run_there, state, most


def agree(system, method, h, steps, q, v):
    """The readable form is content with gaps of 1e-12 rad or m; what that is in velocities goes with 1 / h."""
    there, here, most = both(system, method, h, steps, q, v)
    assert not there.ran_away and abs(there.solves[-1, 0] - most) <= 2
    np.testing.assert_allclose(there.q[-1], here.x, rtol=0, atol=steps * 1e-12)
    np.testing.assert_allclose(there.v[-1], here.v, rtol=0, atol=steps * 4e-12 / h * max(1.0, np.abs(here.v).max()))
    assert np.abs(system.constraint_error(there.q[-1])).max() < 1e-13


def test_compiled_on_random_trees_with_dampers_springs_and_rotors():
    model = random_tree(2, 6, JOINTS)
    q, v, _ = random_state(model, 2)
    moving = [joint for joint in model.joints[1:] if joint.nv]
    given = {f"{j.name}.damping": np.full(j.nv, 0.3) if j.nv > 1 else 0.3 for j in moving[::2]}
    given |= {f"{j.name}.armature": np.full(j.nv, 0.2) if j.nv > 1 else 0.2 for j in moving[::3]}
    given |= {f"{j.name}.stiffness": np.full(j.nv, 4.0) if j.nv > 1 else 4.0 for j in moving[1::4]}
    groups = ["se3", "so3xr3", "so3xr3"] * 2
    agree(ConstrainedBodies(model.with_parameters(given), groups=groups), GeneralizedAlpha(0.8), 1e-3, 4, q, v)


@pytest.mark.parametrize("kind", [rbd.Revolute("y"), rbd.Planar("x")])
def test_compiled_with_closed_loops(kind):
    model = random_tree(3, 9, [rbd.Spherical(), rbd.Free(), rbd.Cylindrical("z")])
    q, v, _ = random_state(model, 3)
    T = rbd.forward_kinematics(model, q).poses
    model.add_loop("between", "b3", "b8", kind, np.linalg.inv(T[3]) @ T[8])
    model.add_loop("to the world", "b6", "world", kind, np.eye(4), T[6])
    agree(ConstrainedBodies(model, groups="so3xr3"), GeneralizedAlpha(), 5e-4, 3, q, v)


def test_compiled_steps_have_order_two_and_wait_for_stiff_springs():
    start = spherical_double_pendulum()
    system = SO3xR3(start.model)
    x, v = system.state(start.q, start.v)

    def end(method, h):
        return system.compiled_run(method, h * np.arange(round(0.2 / h) + 1), x, v, 10**6, lambda done: None).q[-1]

    exact = end(RK5(), 1e-3)
    errors = [np.linalg.norm(end(GeneralizedAlpha(0.8), h) - exact) for h in (2e-3, 1e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)

    oscillator = rbd.Model("oscillator", gravity=(0, 0, 0))
    inertia = rbd.Inertia.box([0.1] * 3, mass=1.0)
    oscillator.add_body("mass", joint=rbd.Prismatic("x"), inertia=inertia, stiffness=300.0**2)
    for rho in (0.0, 1.0):  # quick corrections diverge: the full Jacobian is needed
        there, here, _ = both(SE3(oscillator), GeneralizedAlpha(rho), 0.01, 12, np.array([0.01]), np.zeros(1))
        assert not there.ran_away and there.solves[-1, 0] <= 3
        np.testing.assert_allclose(there.q[-1], here.x, rtol=0, atol=1e-11)


def test_compiled_steps_that_are_very_short_know_the_accelerations():
    """What these change of positions in a step is below round-off, far away above all; over many steps it is not."""
    model, h = rbd.Model("far"), 1e-5
    rod = rbd.Inertia(1.0, [0.0, 0.0, -0.15], 0.01 * np.eye(3))
    model.add_body("upper", "world", rbd.Revolute("x"), [1000.0, 500.0, 0.0], rod)
    model.add_body("lower", "upper", rbd.Revolute("y"), [0.0, 0.0, -0.3], rod)
    system, times = SE3(model), h * np.arange(2001)
    off = []
    for angle in 0.3 + 0.001 * np.arange(8):
        x, v = system.state(np.array([angle, 0.3]), np.array([2.0, -9.0]))
        there, exact = (
            system.compiled_run(method, times, x, v, 2000, lambda done: None) for method in (GeneralizedAlpha(), RK5())
        )
        assert there.solves[0, 0] >= 1
        off.append(np.abs(there.v[-1] - exact.v[-1]).max())
    # round-off of positions as velocities, 1e-13 m / h, of some ten steps that the method remembers; it is a matter of
    # luck, so many starts are tried: without the accelerations all of them are off
    assert np.median(off) < 3e-7 and max(off) < 1e-6


def test_compiled_runs_end_as_the_readable_ones_do():
    start = spherical_double_pendulum()
    with pytest.raises(ConvergenceError, match=r"step from t = 0 s.*residual"):
        rbd.simulate(start.model, start.q, start.v, 1.0, 0.5, formulation="se3", integrator="generalized_alpha")
    tau = np.random.default_rng(0).normal(size=(20, start.model.nv))
    motion = rbd.simulate(
        start.model, start.q, start.v, 0.02, 1e-3, formulation="se3", integrator="generalized_alpha", tau=tau,
        progress=False,
    )  # fmt: skip
    assert "compiled loop" in motion.report.backend and 1 <= motion.report.iterations <= 8

    class Own(GeneralizedAlpha):
        name, record = "own", None

    other = rbd.simulate(
        start.model, start.q, start.v, 0.02, 1e-3, formulation="se3", integrator=Own(), tau=tau, progress=False
    )
    np.testing.assert_allclose(motion.x, other.x, rtol=0, atol=1e-11)
    assert "stepped from Python" in other.report.backend
