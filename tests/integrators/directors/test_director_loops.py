"""Compiled steps are the steps on arrays, whatever the method, the body and the load; hard steps are left to those."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import ConvergenceError
from rbdkit.formulations import Directors, NonTwistingDirectors
from rbdkit.integrators import EnergyMomentum, LagrangeDAlembert, State, TangentEnergyMomentum
from rbdkit.integrators.director_loops import run as loops
from rbdkit.library.gebhardt_romero import INERTIA, fixed_point_model

METHODS = [EnergyMomentum(), TangentEnergyMomentum(), LagrangeDAlembert()]
NEUTRAL = np.array([1.0, 0.0, 0.0, 0.0])


def heavy_model(skew: float = 0.0) -> rbd.Model:
    model = rbd.Model("top", gravity=(1.0, -2.0, -9.0))
    J = INERTIA + skew * np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -0.5], [1.0, -0.5, 0.0]])
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, (0.0, 0.0, 0.2), J))
    return model


def moment(t):
    return np.array([3.0 * np.cos(t), -2.0, 0.5 * t])


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
    times = np.cumsum([0.0, 0.1, 0.05, 0.2, 0.1])
    x, v = system.state(NEUTRAL, np.array([1.2, -0.7, 0.9 if system.twists else 0.0]))
    compiled = method.compiled_steps(system, times, x, v, (lambda k, t: moment(t)) if loaded else None)
    state = State(times[0], x, v)
    for k, (x_new, v_new, steps, solve) in enumerate(compiled):
        state = method.step(system, State(times[k], state.x, state.v), times[k + 1] - times[k])
        assert steps == k + 1
        assert_allclose(x_new, state.x, atol=1e-13)
        assert_allclose(v_new, state.v, atol=1e-11)
        assert solve.iterations == state.solve.iterations
        assert_allclose(solve.residuals, state.solve.residuals, rtol=1e-5, atol=1e-14)
    assert steps == 4


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_floating_bodies_turn_compiled_and_fall_on_their_parabola(method):
    """As on arrays, where the centre of mass is a fourth vector. A force along turning axes is left to those."""
    model = rbd.Model("thrown", gravity=(1.0, -2.0, -9.0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(2.0, (0.1, -0.2, 0.3), INERTIA))
    system, times = Directors(model), np.cumsum([0.0, 0.1, 0.05, 0.2])
    x, v = system.state(model.random_q(3), np.array([1.2, -0.7, 0.9, 0.5, -0.3, 0.2]))
    state = State(0.0, x, v)
    for k, (x_new, v_new, _, _) in enumerate(method.compiled_steps(system, times, x, v, None)):
        state = method.step(system, State(times[k], state.x, state.v), times[k + 1] - times[k])
        assert_allclose(x_new, state.x, atol=1e-12)
        assert_allclose(v_new, state.v, atol=1e-11)
    assert method.compiled_steps(system, times, x, v, lambda k, t: np.ones(6)) is None
    run = rbd.simulate(model, v0=np.ones(6), tau=np.ones(6), duration=0.1, formulation="directors", integrator=method)
    assert "stepped from Python" in run.report.backend


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_generated_python_computes_the_same(method, monkeypatch):
    system = NonTwistingDirectors(fixed_point_model())
    x, v = system.state(NEUTRAL, np.array([1.2, -0.7, 0.0]))
    times = 0.1 * np.arange(4)
    by_llvm = list(method.compiled_steps(system, times, x, v, None))
    monkeypatch.setattr(loops, "available", lambda: ("python", "asked for"))
    by_python = list(method.compiled_steps(system, times, x, v, None))
    for (x0, v0, _, _), (x1, v1, _, _) in zip(by_llvm, by_python, strict=True):
        assert_allclose(x1, x0, atol=1e-14)
        assert_allclose(v1, v0, atol=1e-13)


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
    """Turns of 2 rad need more than the usual four; the run goes on compiled."""
    system = NonTwistingDirectors(fixed_point_model())
    x, v = system.state(NEUTRAL, np.array([15.0, -10.0, 0.0]))
    solves = [sample[3] for sample in EnergyMomentum().compiled_steps(system, 0.12 * np.arange(8), x, v, None)]
    assert max(solve.iterations for solve in solves) > loops.FEW
    assert len(solves) == 7


def test_a_step_that_cannot_be_made_is_blamed_by_the_method():
    system = NonTwistingDirectors(fixed_point_model())
    x, v = system.state(NEUTRAL, np.array([15.0, -10.0, 0.0]))
    with pytest.raises(ConvergenceError, match=r"lagrange_dalembert at t = 0 s with a step of 0\.12 s"):
        list(LagrangeDAlembert().compiled_steps(system, 0.12 * np.arange(8), x, v, None))


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
    for x_new, v_new, _, solve in method.compiled_steps(system, 0.1 * np.arange(4), x, v, None):
        assert_allclose(x_new, x, atol=0.0)
        assert_allclose(v_new, v, atol=0.0)
        assert solve.iterations == 0


def test_runs_through_simulate_say_that_they_are_compiled_and_record_every_nth_step():
    model = fixed_point_model()
    options = {"v0": [1.2, -0.7, 0.9], "formulation": "directors", "integrator": "energy_momentum"}
    all_steps = rbd.simulate(model, duration=0.5, dt=0.01, **options)
    some = rbd.simulate(model, duration=0.5, dt=0.01, every=20, **options)
    assert "compiled steps" in repr(all_steps)
    assert_allclose(some.t, [0.0, 0.2, 0.4, 0.5])
    assert_allclose(some.x, all_steps.x[[0, 20, 40, 50]], atol=0.0)
    assert len(some.solves) == 3
