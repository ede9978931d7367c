"""Compiled steps are the steps on arrays, whatever the method, the body and the load."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import ConvergenceError
from rbdkit.formulations import Directors, NonTwistingDirectors
from rbdkit.formulations.formulation import Acting
from rbdkit.integrators import (
    EnergyMomentum,
    LagrangeDAlembert,
    OneStep,
    Solves,
    State,
    TangentEnergyMomentum,
    newton,
    why_not_recorded,
)
from rbdkit.library.gebhardt_romero import INERTIA, fixed_point_model

METHODS = [EnergyMomentum(), TangentEnergyMomentum(), LagrangeDAlembert()]
NEUTRAL = np.array([1.0, 0.0, 0.0, 0.0])


def heavy_model(skew: float = 0.0) -> rbd.Model:
    model = rbd.Model("top", gravity=(1.0, -2.0, -9.0))
    J = INERTIA + skew * np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -0.5], [1.0, -0.5, 0.0]])
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, (0.0, 0.0, 0.2), J))
    return model


TIMES = np.cumsum([0.0, 0.1, 0.05, 0.2, 0.1])
MOMENTS = np.array([[3.0, -2.0, 0.5], [2.9, -1.0, 0.7], [2.0, -2.0, 0.1], [3.0, 1.0, 0.5], [0.0, -2.0, 0.5]])
"""At these times; straight lines between."""


def moment(t):
    return np.array([np.interp(t, TIMES, column) for column in MOMENTS.T])


def compiled(method, system, times, x, v, tau=None):
    """The compiled run, which all of these are."""
    acts = None if tau is None else Acting(tau, None)
    run = system.compiled_run(method, times, x, v, 1, lambda done: None, acts)
    assert run is not None
    return run


@pytest.mark.source("G.08", "G.09", "G.14")
@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda tau: Directors(heavy_model(skew=0.3), tau),
        lambda tau: Directors(fixed_point_model(), tau),
        lambda tau: NonTwistingDirectors(heavy_model(), tau, a=0.3),
        lambda tau: NonTwistingDirectors(fixed_point_model(), tau),
    ],
    ids=["heavy", "free", "heavy without twist", "free without twist"],
)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_compiled_steps_are_the_steps_on_arrays(method, make, loaded):
    """To round-off, with the same residuals; times are unequal."""
    system = make((lambda t, x, v: moment(t)) if loaded else None)
    x, v = system.state(NEUTRAL, np.array([1.2, -0.7, 0.9 if system.twists else 0.0]))
    run = compiled(method, system, TIMES, x, v, MOMENTS if loaded else None)
    state = State(TIMES[0], x, v)
    assert run.steps == 4
    for k, solve in enumerate(Solves(run.solves)):
        state = method.step(system, State(TIMES[k], state.x, state.v), TIMES[k + 1] - TIMES[k])
        assert_allclose(run.q[k + 1], state.x, atol=1e-13)
        assert_allclose(run.v[k + 1], state.v, atol=1e-11)
        assert solve.iterations == state.solve.iterations
        assert_allclose(solve.residuals, state.solve.residuals, rtol=1e-5, atol=1e-14)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_floating_bodies_turn_compiled_and_fall_on_their_parabola(method):
    """As on arrays, where the centre of mass is a fourth vector."""
    model = rbd.Model("thrown", gravity=(1.0, -2.0, -9.0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(2.0, (0.1, -0.2, 0.3), INERTIA))
    system, times = Directors(model), np.cumsum([0.0, 0.1, 0.05, 0.2])
    x, v = system.state(model.random_q(3), np.array([1.2, -0.7, 0.9, 0.5, -0.3, 0.2]))
    state = State(0.0, x, v)
    there = compiled(method, system, times, x, v)
    for k in range(len(times) - 1):
        state = method.step(system, State(times[k], state.x, state.v), times[k + 1] - times[k])
        assert_allclose(there.q[k + 1], state.x, atol=1e-12)
        assert_allclose(there.v[k + 1], state.v, atol=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_generated_python_computes_the_same(method, monkeypatch):
    system = NonTwistingDirectors(fixed_point_model())
    x, v = system.state(NEUTRAL, np.array([1.2, -0.7, 0.0]))
    times = 0.1 * np.arange(4)
    by_llvm = compiled(method, system, times, x, v)
    monkeypatch.setattr("rbdkit.formulations.directors.recorded.available", lambda: ("python", "asked for"))
    by_python = compiled(method, system, times, x, v)
    assert_allclose(by_python.q, by_llvm.q, atol=1e-14)
    assert_allclose(by_python.v, by_llvm.v, atol=1e-13)


def test_a_method_of_ones_own_is_not_taken_for_the_compiled_one():
    class Backwards(EnergyMomentum):
        name = "backwards"

        def step(self, system, state, h):
            return super().step(system, state, -h)

    run = rbd.simulate(
        fixed_point_model(), v0=[1.2, -0.7, 0.0], duration=0.2, dt=0.1, formulation="directors", integrator=Backwards()
    )
    assert "stepped from Python" in run.report.backend
    assert run.x[-1, 1] < 0.0


@pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # nobody has told the report of the drag
def test_a_formulation_of_ones_own_is_not_taken_for_the_compiled_one():
    class Dragged(Directors):
        name = "dragged"

        def generalized_force(self, t, q, v, at=None):
            return -v

    options = {"v0": [1.2, -0.7, 0.9], "duration": 0.2, "dt": 0.1, "integrator": "energy_momentum"}
    run = rbd.simulate(fixed_point_model(), formulation=Dragged, **options)
    assert "stepped from Python" in run.report.backend
    K = run.invariants()["K"]
    assert K[-1] < 0.99 * K[0]


def test_a_step_that_needs_more_corrections_gets_them():
    """Turns of 2 rad need more than four."""
    system = NonTwistingDirectors(fixed_point_model())
    x, v = system.state(NEUTRAL, np.array([15.0, -10.0, 0.0]))
    run = compiled(EnergyMomentum(), system, 0.12 * np.arange(8), x, v)
    assert run.steps == 7 and max(solve.iterations for solve in Solves(run.solves)) > 4
    few = EnergyMomentum(max_iterations=4)
    assert compiled(few, system, 0.12 * np.arange(8), x, v).unsolved is not None
    assert "allows 99 corrections" in why_not_recorded(EnergyMomentum(max_iterations=99))


def test_a_step_that_cannot_be_made_is_blamed_by_the_method():
    with pytest.raises(ConvergenceError, match=r"lagrange_dalembert at t = 0 s with a step of 0\.12 s"):
        rbd.simulate(
            fixed_point_model(), v0=[15.0, -10.0, 0.0], duration=1.0, dt=0.12,
            formulation="non_twisting_directors", integrator="lagrange_dalembert",
        )  # fmt: skip


def test_a_flat_body_is_stepped_too():
    """Its mass matrix is singular (no extension along z), so that elimination in order has no pivot for d3."""
    plate = fixed_point_model([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    run = rbd.simulate(
        plate, v0=[1.0, 2.0, 0.5], duration=0.5, dt=0.05, formulation="directors", integrator="energy_momentum"
    )
    kept = run.invariants()
    assert_allclose(kept["K"], kept["K"][0], rtol=1e-12)
    assert_allclose(kept["pi"], np.tile(kept["pi"][0], (11, 1)), atol=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_body_at_rest_stays_at_rest(method):
    system = NonTwistingDirectors(fixed_point_model())
    x, v = system.state(NEUTRAL, np.zeros(3))
    run = compiled(method, system, 0.1 * np.arange(4), x, v)
    assert_allclose(run.q, np.tile(x, (4, 1)), atol=0.0)
    assert_allclose(run.v, np.tile(v, (4, 1)), atol=0.0)
    assert all(solve.iterations == 0 for solve in Solves(run.solves))


def test_runs_through_simulate_say_that_they_are_compiled_and_record_every_nth_step():
    model = fixed_point_model()
    options = {"v0": [1.2, -0.7, 0.9], "formulation": "directors", "integrator": "energy_momentum"}
    all_steps = rbd.simulate(model, duration=0.5, dt=0.01, **options)
    some = rbd.simulate(model, duration=0.5, dt=0.01, every=20, **options)
    assert "compiled loop" in repr(all_steps)
    assert_allclose(some.t, [0.0, 0.2, 0.4, 0.5])
    assert_allclose(some.x, all_steps.x[[0, 20, 40, 50]], atol=0.0)
    assert len(some.solves) == 3


class OwnMidpoint(OneStep):
    """The energy-momentum method as a user writes it: no Jacobian."""

    name, order, requires = "own_midpoint", 2, Directors

    def step(self, system, state, h):
        t, x, v = state.t + 0.5 * h, state.x, state.v

        def residual(z):
            u, multipliers = system.separated(z)
            q = system.move(x, 0.5 * u)
            force = system.generalized_force(t, q, u / h, at=system.orthonormal(q))
            balance = 2.0 * (system.M @ (u / h - v)) - h * force + system.reactions(q, multipliers)
            return system.joined(balance, system.constraints(system.move(x, u), q, u))

        z, how = newton.solve(residual, system.joined(h * v), tolerance=1e-13)
        u, _ = system.separated(z)
        return State(state.t + h, system.move(x, u), 2.0 * u / h - v, solve=how)


@pytest.mark.parametrize("loaded", [False, True])
def test_a_method_of_a_users_own_is_compiled(loaded):
    system = NonTwistingDirectors(heavy_model(), (lambda t, x, v: moment(t)) if loaded else None)
    x, v = system.state(NEUTRAL, np.array([1.2, -0.7, 0.0]))
    own, known = (compiled(m, system, TIMES, x, v, MOMENTS if loaded else None) for m in (OwnMidpoint(), METHODS[0]))
    assert_allclose(own.q, known.q, atol=1e-12)
    state = OwnMidpoint().step(system, State(0.0, x, v), 0.1)
    assert_allclose(own.q[1], state.x, atol=1e-12)
    assert_allclose(own.v[1], state.v, atol=1e-11)


def test_equations_for_multipliers_that_ask_for_accelerations_are_not_recorded():
    class Accelerating(OwnMidpoint):
        def step(self, system, state, h):
            def residual(z):
                u, multipliers = system.separated(z)
                return system.joined(u - h * system.rate(t=state.t, x=state.x, v=u), multipliers)

            z, how = newton.solve(residual, system.joined(h * state.v))
            u, _ = system.separated(z)
            return State(state.t + h, system.move(state.x, u), u, solve=how)

    assert "equations for multipliers that ask the system for 'rate'" in why_not_recorded(Accelerating())
