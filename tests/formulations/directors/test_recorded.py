"""A turning body in compiled loops takes the steps of its readable equations, with all methods that record theirs."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import FORMULATIONS, Directors
from rbdkit.formulations.formulation import Acting
from rbdkit.integrators import INTEGRATORS, RK4

NAMES = ("directors", "non_twisting_directors", "split_euler", "non_twisting_split_euler")
METHODS = ("rk4", "symplectic_euler", "implicit_midpoint", "crouch_grossman3")


def top() -> rbd.Model:
    model = rbd.Model("top")
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, (0, 0, 0.3), np.diag([1.0, 1.2, 0.8])))
    return model


def thrown() -> rbd.Model:
    model = rbd.Model("thrown", gravity=(1.0, -2.0, -9.0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(2.0, (0.1, -0.2, 0.3), np.diag([1.0, 1.2, 0.8])))
    return model


def schedules(n: int, steps: int) -> dict[str, np.ndarray | None]:
    rng = np.random.default_rng(0)
    shapes = {"constant": (n,), "held": (steps, n), "sampled": (steps + 1, n)}
    return {"none": None} | {name: rng.normal(size=shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("loads", ["none", "constant", "held", "sampled"])
@pytest.mark.parametrize("make", [top, thrown])
@pytest.mark.parametrize("name", NAMES)
def test_all_formulations_with_all_methods(name, make, loads):
    """Of some ten steps, to round-off; the equations of the implicit method are solved to 1e-14."""
    model, h, steps = make(), 0.02, 6
    n, times = model.nv, h * np.arange(steps + 1)
    tau = schedules(n, steps)[loads]
    q, v = model.random_q(np.random.default_rng(1)), np.array([1.2, -0.7, 0.0, 0.5, -0.3, 0.2])[:n]

    def scheduled(t, x, w):
        if tau.ndim == 1:
            return tau
        place = t / h
        if len(tau) == steps:
            return tau[current[0]]
        k = min(int(place), steps - 1)
        return tau[k] + (place - k) * (tau[k + 1] - tau[k])

    current = [0]
    system = FORMULATIONS[name](model, None if tau is None else scheduled)
    acts = None if tau is None else Acting(tau, None)
    for method in (INTEGRATORS[name] for name in METHODS):
        x, w = system.state(q, v)
        run = system.compiled_run(method, times, x, w, 1, lambda done: None, acts)
        assert run is not None and run.steps == steps
        state = method.init(system, 0.0, x, w)
        for k in range(steps):
            current[0] = k
            state = method.step(system, state, h)
        np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)
        np.testing.assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-12)


def test_a_body_without_mass_in_a_direction():
    """Its mass matrix is singular: the elimination of its equations has to change rows."""
    model = rbd.Model("disc")
    model.add_body("disc", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, (0, 0, 0), np.diag([1.0, 1.0, 2.0])))
    system = Directors(model)
    assert np.linalg.matrix_rank(system.M) == 6
    x, w = system.state(model.neutral(), np.array([0.3, 0.1, 2.0]))
    run = system.compiled_run(RK4(), 0.01 * np.arange(11), x, w, 10, lambda done: None)
    state = RK4().init(system, 0.0, x, w)
    for _ in range(10):
        state = RK4().step(system, state, 0.01)
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_what_is_not_recorded_is_stepped_from_python():
    class Dragged(Directors):
        def generalized_force(self, t, q, v, at=None):
            return -v

    options = {"v0": [0.3, 0.2, 0.1], "duration": 0.02, "dt": 0.01, "integrator": "rk4", "progress": False}
    own = rbd.simulate(top(), formulation=Dragged, **options)
    assert "stepped from Python: Dragged has equations of its own, which are not recorded" in own.report.backend
    law = rbd.simulate(top(), formulation="directors", tau=rbd.traced(lambda t, q, v: -v), **options)
    assert "stepped from Python: formulation 'directors' records forces of its joint that are given as numbers" in (
        law.report.backend
    )
    assert "compiled loop" in rbd.simulate(top(), formulation="split_euler", **options).report.backend
