"""Every fixed-step integrator shows the order that it claims, on manifolds too."""

import numpy as np
import pytest

from rbdkit.formulations import LinearSystem
from rbdkit.integrators import RK4, ExplicitEuler, SymplecticEuler

FIXED_STEP = [ExplicitEuler(), SymplecticEuler(), RK4()]
each_integrator = pytest.mark.parametrize("integrator", FIXED_STEP, ids=lambda integrator: integrator.name)
STEPS = {"explicit_euler": (100, 200), "symplectic_euler": (100, 200), "rk4": (15, 30)}


@pytest.mark.source("F3.03", "S1.07")
@pytest.mark.parametrize("system", ["free body", "spherical pendulum", "branched tree"])
@each_integrator
def test_order(systems, reference, torque_free, integrator, system):
    """Halving the step divides the error by 2^order; a quarter of an order is for the next term of the series."""
    model, q0, v0 = systems[system]
    duration = 0.3 if system == "branched tree" else 0.5
    q_end, v_end = reference(system, duration)
    errors = []
    for steps in STEPS[integrator.name]:
        state = integrator.init(torque_free(model), 0.0, q0, v0)
        for _ in range(steps):
            state = integrator.step(torque_free(model), state, duration / steps)
        model.check_q(state.x)
        errors.append(np.linalg.norm(np.concatenate([model.difference(q_end, state.x), state.v - v_end])))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(integrator.order, abs=0.25)


@each_integrator
def test_a_time_dependent_force_is_taken_at_the_time_of_its_stage(integrator):
    """A method of order p integrates v' = t^(p-1) without error if it takes t at its stages."""

    class Pushed(LinearSystem):
        def rate(self, t, x, v):
            return np.array([t ** (integrator.order - 1)])

    system, p = Pushed(np.zeros((1, 1)), np.zeros((1, 1))), integrator.order
    end = integrator.step(system, integrator.init(system, 0.5, np.zeros(1), np.zeros(1)), 0.25)
    assert end.t == 0.75
    np.testing.assert_allclose(end.v, [(0.75**p - 0.5**p) / p], rtol=1e-15)


@each_integrator
def test_stages_are_the_evaluations_of_the_step(systems, torque_free, integrator):
    model, q0, v0 = systems["spherical pendulum"]
    seen = []
    system = torque_free(model)
    inner = system.rate
    system.rate = lambda t, x, v: seen.append((t, x, v)) or inner(t, x, v)
    start = integrator.init(system, 1.0, q0, v0)
    integrator.step(system, start, 0.1)
    in_step, stages = list(seen), integrator.stages(system, start, 0.1)
    assert len(in_step) == len(stages)
    for (t, x, v), stage in zip(in_step, stages, strict=True):
        assert t == stage.t
        np.testing.assert_array_equal(x, stage.x)
        np.testing.assert_array_equal(v, stage.v)
        np.testing.assert_array_equal(inner(t, x, v), stage.v_rate)
    assert [stage.t for stage in stages] == pytest.approx([1.0, 1.05, 1.05, 1.1][: len(stages)])


def test_symplectic_euler_is_the_textbook_update():
    """For a linear oscillator: v' = v - h w^2 x, x' = x + h v'; its modified energy is kept to round-off."""
    w, h = 3.0, 0.1
    system = LinearSystem(np.array([[-(w**2)]]), np.zeros((1, 1)))
    method = SymplecticEuler()
    state = method.init(system, 0.0, np.array([1.0]), np.array([0.5]))

    def kept(x, v):
        return (v @ v + w**2 * x @ x - h * w**2 * x @ v) / 2.0

    start = kept(state.x, state.v)
    for _ in range(1000):
        state = method.step(system, state, h)
    assert kept(state.x, state.v) == pytest.approx(start, rel=1e-12)
