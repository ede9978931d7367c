"""The energy-momentum methods step by step, on arrays: identities of one step, Newton's method, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations import Directors, NonTwistingDirectors
from rbdkit.integrators import EnergyMomentum, LagrangeDAlembert, State, TangentEnergyMomentum, newton
from rbdkit.library import pendulum, spherical_pendulum
from rbdkit.library.gebhardt_romero import CASES, fixed_point_model
from rbdkit.spatial import so3

SPIN = np.array([1.2, -0.7, 0.9])


def constant_load(torque=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0)):
    """tau and f_ext of a moment along the directors and one along the world's axes."""
    rows = np.array([np.zeros(6), [*moment, 0.0, 0.0, 0.0]])
    return (lambda t, x, v: np.array(torque)), (lambda t, x, v: rows)


def stepped(integrator, system, W, h, steps):
    """All states of a run from the world's axes."""
    states = [integrator.init(system, 0.0, *system.state(np.array([1.0, 0.0, 0.0, 0.0]), W))]
    for _ in range(steps):
        states.append(integrator.step(system, states[-1], h))
    return states


@pytest.mark.source("G.08")
def test_standard_body_keeps_k_and_pi_at_any_step():
    """Through steps of half a radian (Eq 91)."""
    system = Directors(fixed_point_model())
    states = stepped(EnergyMomentum(), system, SPIN, 0.3, 40)
    kept = system.invariants(np.array([s.x for s in states]), np.array([s.v for s in states]))
    assert_allclose(kept["K"], kept["K"][0], rtol=1e-13)
    assert_allclose(kept["pi"], np.tile(kept["pi"][0], (41, 1)), atol=1e-12)


@pytest.mark.source("G.08")
def test_averaged_jacobians_obey_the_hidden_constraints():
    """H_d (q_1 - q_0) = 0, G_d (q_1 - q_0) = 0, with the averages of Eqs 89 and 93 taken by quadrature."""
    system = NonTwistingDirectors(fixed_point_model(), a=0.3)
    _, state, new = stepped(EnergyMomentum(), system, SPIN * [1.0, 1.0, 0.0], 0.3, 2)
    nodes, weights = np.polynomial.legendre.leggauss(3)
    path = [0.5 * (1.0 - xi) * state.x + 0.5 * (1.0 + xi) * new.x for xi in nodes]
    for jacobian in (system.H, system.G):
        average = 0.5 * sum(w * jacobian(q) for w, q in zip(weights, path, strict=True))
        assert_allclose(average, jacobian(0.5 * (state.x + new.x)), atol=1e-15)
        assert_allclose(average @ (new.x - state.x), 0.0, atol=1e-14)  # Eqs 90, 94


@pytest.mark.source("G.08", "G.05")
def test_momentum_takes_up_the_impulse_of_the_moment():
    """pi_1 - pi_0 = h m for a moment fixed in space, and h sum M_i d_i in the middle for one along the directors."""
    h = 0.2
    for torque, moment in (((0.0, 0.0, 0.0), (0.3, -0.8, 0.5)), ((0.4, 0.9, -0.2), (0.0, 0.0, 0.0))):
        system = Directors(fixed_point_model(), *constant_load(torque, moment))
        for old, new in zip(*2 * [iter(stepped(EnergyMomentum(), system, SPIN, h, 7))], strict=True):
            middle = 0.5 * (old.x + new.x).reshape(3, 3)
            change = system.angular_momentum(new.x, new.v) - system.angular_momentum(old.x, old.v)
            assert_allclose(change, h * (moment + torque @ middle), atol=1e-12)


@pytest.mark.source("G.08", "G.09")
@pytest.mark.parametrize("formulation", [Directors, NonTwistingDirectors])
def test_energy_takes_up_the_work_on_the_way(formulation):
    """K_1 - K_0 = (q_1 - q_0) . Q in the middle; gravity is a constant force, so the energy of a top is exact."""
    top = fixed_point_model()
    heavy = rbd.Model("top")
    inertia = rbd.Inertia(1.0, (0.0, 0.0, 0.2), top.bodies[1].inertia.inertia_com)
    heavy.add_body("body", joint=rbd.Spherical(), inertia=inertia)
    loaded = formulation(heavy, *constant_load((0.4, 0.9, 0.0), (0.3, -0.8, 0.5)))
    for old, new in zip(*2 * [iter(stepped(EnergyMomentum(), loaded, SPIN * [1, 1, 0], 0.1, 5))], strict=True):
        force = loaded.generalized_force(0.0, 0.5 * (old.x + new.x), new.v)
        gain = loaded.kinetic_energy(new.x, new.v) - loaded.kinetic_energy(old.x, old.v)
        assert gain == pytest.approx((new.x - old.x) @ force, abs=1e-12)
    free = formulation(heavy)
    states = stepped(EnergyMomentum(), free, SPIN * [1, 1, 0], 0.1, 20)
    (energy, *_) = free.invariants(np.array([s.x for s in states]), np.array([s.v for s in states])).values()
    assert_allclose(energy, energy[0], rtol=1e-13)


@pytest.mark.source("G.07", "G.09")
def test_the_parameter_a_does_not_change_the_motion():
    """Not even the discrete one: a moves a part of mu into the multiplier of d1 . d2 (the paper sets it for proofs)."""
    tau = constant_load((0.4, 0.9, 0.0))[0]
    ends = []
    for a in (0.0, 0.5, 1.0):
        system = NonTwistingDirectors(fixed_point_model(), tau, a=a)
        ends.append(stepped(EnergyMomentum(), system, SPIN * [1, 1, 0], 0.3, 10)[-1].x)
    assert_allclose(ends, [ends[0]] * 3, atol=1e-13)


@pytest.mark.source("G.09")
def test_steps_carry_the_directors_parallel_along_great_arcs():
    """The discrete constraint makes each step the shortest turn of d3, also under load."""
    system = NonTwistingDirectors(fixed_point_model(), constant_load((2.0, -3.0, 0.0))[0])
    for old, new in zip(*2 * [iter(stepped(EnergyMomentum(), system, SPIN * [1, 1, 0], 0.3, 9))], strict=True):
        for k in (0, 1):
            d3, d3_new = old.x[6:], new.x[6:]
            carried = rbd.spatial.sphere.transport(d3, d3_new, old.x[3 * k : 3 * k + 3])
            assert_allclose(new.x[3 * k : 3 * k + 3], carried, atol=1e-13)


@pytest.mark.source("G.08")
def test_newton_converges_quadratically_and_shows_it():
    system = NonTwistingDirectors(fixed_point_model(), constant_load((40.0, -30.0, 0.0))[0])
    state = stepped(EnergyMomentum(), system, SPIN * [1, 1, 0], 0.2, 1)[-1]
    r = np.array(state.solve.residuals)
    assert state.solve.iterations == len(r) - 1 >= 3
    assert np.all(np.diff(np.log10(r[:-1])) < -0.5)
    assert r[-1] <= 1e-13


@pytest.mark.parametrize("method", [EnergyMomentum(), LagrangeDAlembert()], ids=lambda method: method.name)
def test_the_jacobian_is_the_derivative_of_the_residual(method, monkeypatch):
    seen = []

    def solve(residual, guess, jacobian, *more):
        seen.append((residual, guess, jacobian))
        return newton.solve(residual, guess, jacobian, *more)

    monkeypatch.setattr("rbdkit.integrators.director_method.solve", solve)
    system = NonTwistingDirectors(fixed_point_model(), constant_load((40.0, -30.0, 0.0))[0])
    stepped(method, system, SPIN * [1, 1, 0], 0.2, 1)
    ((residual, guess, jacobian),) = seen
    z = guess + 0.01 * np.arange(16)
    columns = [(residual(z + e) - residual(z - e)) / 2e-6 for e in 1e-6 * np.eye(16)]
    assert_allclose(jacobian(z), np.stack(columns, axis=-1), atol=1e-7)


def test_a_step_that_cannot_be_made_says_when_how_far_off_and_what_to_try():
    system = NonTwistingDirectors(fixed_point_model())
    state = State(1.25, *system.state(np.array([1.0, 0.0, 0.0, 0.0]), np.array([30.0, 40.0, 0.0])))
    pattern = r"energy_momentum at t = 1\.25 s with a step of 0\.1 s: .* residual is .* turn 5 rad .* take dt = 0\.00"
    with pytest.raises(ConvergenceError, match=pattern):
        EnergyMomentum(max_iterations=2).step(system, state, 0.1)


def test_so_does_the_step_of_a_floating_body():
    model = rbd.Model("thrown")
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia.box([0.2, 0.3, 0.4], mass=1.0))
    system = Directors(model)
    state = State(0.0, *system.state(model.neutral(), np.array([30.0, 40.0, 0.0, 1.0, 2.0, 3.0])))
    with pytest.raises(ConvergenceError, match=r"turn 5 rad .* take dt = 0\.00"):
        EnergyMomentum(max_iterations=2).step(system, state, 0.1)


def test_only_directors_are_stepped():
    message = (
        "'energy_momentum' does not step formulation 'joint'; it steps 'directors', .*; 'joint' can be stepped by 'rk4'"
    )
    with pytest.raises(SimulationError, match=message):
        rbd.simulate(spherical_pendulum(), duration=0.1, integrator="energy_momentum")
    with pytest.raises(rbd.errors.ModelError, match="one body, on a Spherical or Free joint; its joints are: revolute"):
        rbd.simulate(pendulum(), duration=0.1, formulation="directors", integrator="energy_momentum")


@pytest.mark.parametrize("integrator", [EnergyMomentum(), TangentEnergyMomentum()])
def test_the_stage_is_the_midpoint(integrator):
    system = NonTwistingDirectors(fixed_point_model(), constant_load((2.0, -3.0, 0.0))[0])
    state, _ = stepped(integrator, system, SPIN * [1, 1, 0], 0.1, 1)
    (stage,) = integrator.stages(system, state, 0.1)
    end = EnergyMomentum().step(system, state, 0.1)
    assert stage.t == pytest.approx(0.05)
    assert_allclose(state.x + 0.1 * stage.u_rate, end.x, atol=1e-14)
    assert_allclose(state.v + 0.1 * stage.v_rate, end.v, atol=1e-14)


def test_a_state_dependent_moment_is_taken_at_the_triad_in_the_middle():
    """A spring to a direction in space, as a joint torque and as a wrench: the same motion, and order 2."""
    model = fixed_point_model()

    def wrench(q, v):
        R = model.joints[1].type.pose(q)[:3, :3]
        return np.cross(R[:, 2], [3.0, 0.0, 4.0])

    def torque(t, q, v):
        return model.joints[1].type.pose(q)[:3, :3].T @ wrench(q, v)

    def f_ext(t, q, v):
        return {"body": [*wrench(q, v), 0.0, 0.0, 0.0]}

    options = {"v0": SPIN, "duration": 0.5, "dt": 0.05, "formulation": "directors", "integrator": "energy_momentum"}
    by_torque = rbd.simulate(model, tau=torque, **options)
    by_wrench = rbd.simulate(model, f_ext=f_ext, **options)
    reference = rbd.simulate(model, v0=SPIN, duration=0.5, dt=0.05, tau=torque, integrator="dop853")
    angles = [
        np.linalg.norm(so3.log(reference.poses("body")[-1, :3, :3].T @ run.poses("body")[-1, :3, :3]))
        for run in (by_torque, by_wrench)
    ]
    assert max(angles) < 2e-3
    assert angles[0] > 1e-5


def test_case_1_has_a_model_that_anything_can_run():
    """The body that may twist, from the same start, in joint coordinates: another motion."""
    case = CASES[0]
    joint = rbd.simulate(case.model, case.q0, case.v0, 0.5, 0.001)
    free = rbd.simulate(case.model, case.q0, case.v0, 0.5, 0.001, formulation="directors", integrator="energy_momentum")
    held = rbd.simulate(
        case.model, case.q0, case.v0, 0.5, 0.001, formulation="non_twisting_directors", integrator="energy_momentum"
    )
    end = joint.poses("body")[-1, :3, :3]
    assert np.abs(free.poses("body")[-1, :3, :3] - end).max() < 2e-3
    assert np.abs(held.poses("body")[-1, :3, :3] - end).max() > 0.1
