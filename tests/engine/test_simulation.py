"""The compiled loop over time against the integrators in Python, and what it tells when a run ends early."""

import numpy as np
import pytest
from numpy.typing import NDArray

from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.formulations import JointSystem
from rbdkit.integrators import RK4, ExplicitEuler, SymplecticEuler
from rbdkit.joints import Free, Revolute, Spherical
from rbdkit.library import random_tree
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia

INTEGRATORS = {"rk4": RK4(), "explicit_euler": ExplicitEuler(), "symplectic_euler": SymplecticEuler()}
STEPS = 8


def stepped(model, integrator, q, v, times, tau, f_ext=None) -> tuple[NDArray, NDArray]:
    """The same steps with the readable integrator and the readable dynamics; tau is a function of time."""
    states = [(q, v)]
    for k in range(len(times) - 1):
        system = JointSystem(model, lambda t, q, v, k=k: tau(k, t), None if f_ext is None else lambda t, q, v: f_ext)
        end = integrator.step(system, integrator.init(system, times[k], *states[-1]), times[k + 1] - times[k])
        states.append((end.x, end.v))
    return tuple(np.array(x) for x in zip(*states, strict=True))  # type: ignore[return-value]


def initial(model: Model) -> tuple[NDArray, NDArray, NDArray]:
    rng = np.random.default_rng(11)
    return (
        model.random_q(rng),
        0.3 * rng.normal(size=model.nv),
        np.concatenate([[0.0], np.cumsum(rng.uniform(1e-3, 3e-3, STEPS))]),
    )


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("name", INTEGRATORS)
def test_steps_are_those_of_the_integrator_with_all_joints(name, backend, tree, kernels, off):
    model, integrator = tree("all joints"), INTEGRATORS[name]
    q, v, times = initial(model)
    tau = np.random.default_rng(12).normal(size=model.nv)
    run = engine.simulate(kernels("all joints", backend), q, v, times, integrator, tau)
    q_all, v_all = stepped(model, integrator, q, v, times, lambda k, t: tau)
    assert run.steps == STEPS and run.at.tolist() == list(range(STEPS + 1))
    assert not run.ran_away and not run.interrupted
    # a few roundings a step
    assert off(run.q, q_all) < 1e-13 and off(run.v, v_all) < 1e-12


@pytest.mark.parametrize("name", INTEGRATORS)
def test_straight_line_code_takes_the_same_steps(name, small_trees, unrolled, off):
    for model in small_trees[::4]:
        q, v, times = initial(model)
        tau, f_ext = np.ones(model.nv), np.random.default_rng(3).normal(size=(len(model.bodies), 6))
        run = engine.simulate(Kernels(model, "llvm"), q, v, times, INTEGRATORS[name], tau, f_ext)
        q_all, v_all = stepped(model, INTEGRATORS[name], q, v, times, lambda k, t: tau, f_ext)  # noqa: B023
        assert off(run.q, q_all) < 1e-13 and off(run.v, v_all) < 1e-12


@pytest.mark.parametrize("kind", ["constant", "held", "sampled"])
def test_torques(kind, tree, kernels, off):
    model = tree("plain")
    q, v, times = initial(model)
    tau = np.random.default_rng(13).normal(
        size={"constant": (), "held": (STEPS,), "sampled": (STEPS + 1,)}[kind] + (model.nv,)
    )

    def at(k: int, t: float) -> NDArray:
        if kind == "sampled":
            s = (t - times[k]) / (times[k + 1] - times[k])
            return (1.0 - s) * tau[k] + s * tau[k + 1]
        return tau if kind == "constant" else tau[k]

    for integrator in (RK4(), SymplecticEuler()):
        run = engine.simulate(kernels("plain", "llvm"), q, v, times, integrator, tau)
        q_all, v_all = stepped(model, integrator, q, v, times, at)
        assert off(run.q, q_all) < 1e-13 and off(run.v, v_all) < 1e-12


def test_constant_external_forces(tree, kernels, off):
    model = tree("plain")
    q, v, times = initial(model)
    f_ext = np.random.default_rng(14).normal(size=(len(model.bodies), 6))
    run = engine.simulate(kernels("plain", "llvm"), q, v, times, RK4(), np.zeros(model.nv), f_ext)
    q_all, _ = stepped(model, RK4(), q, v, times, lambda k, t: np.zeros(model.nv), f_ext)
    assert off(run.q, q_all) < 1e-13


@pytest.mark.parametrize("every", [1, 2, 3, 7, 8, 50])
def test_recording_every_nth_state_and_the_last(every, tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, times = initial(model)
    full = engine.simulate(own, q, v, times, RK4(), np.zeros(model.nv))
    run = engine.simulate(own, q, v, times, RK4(), np.zeros(model.nv), every=every)
    assert run.at.tolist() == sorted({*range(0, STEPS + 1, every), STEPS})
    assert np.array_equal(run.q, full.q[run.at]) and np.array_equal(run.v, full.v[run.at])


def spinning() -> tuple[Model, NDArray, NDArray]:
    """A free body that spins fast about an axis that is none of its principal ones."""
    model = Model("body")
    model.add_body("body", joint=Free(), inertia=Inertia.box([0.1, 0.2, 0.4], mass=1.0))
    return model, np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), np.array([3.0, 7.0, -2.0, 0.4, 0.1, 0.2])


def branched() -> tuple[Model, NDArray, NDArray]:
    model = random_tree(7, bodies=5, joints=[Spherical(), Free(), Revolute("y")])
    rng = np.random.default_rng(8)
    return model, model.random_q(rng), 2.0 * rng.normal(size=model.nv)


@pytest.mark.parametrize("system", [spinning, branched])
@pytest.mark.parametrize("name", INTEGRATORS)
def test_order_of_convergence_on_curved_joints(system, name):
    model, q, v = system()
    own, integrator, duration = Kernels(model, "llvm"), INTEGRATORS[name], 0.5

    def final(steps: int) -> tuple[NDArray, NDArray]:
        times = np.linspace(0.0, duration, steps + 1)
        run = engine.simulate(own, q, v, times, integrator, np.zeros(model.nv), every=steps)
        return run.q[-1], run.v[-1]

    q_exact, v_exact = (
        engine.simulate(own, q, v, np.linspace(0, duration, 8001), RK4(), np.zeros(model.nv)).__dict__[x][-1]
        for x in "qv"
    )
    errors = []
    for steps in (100, 200, 400):
        q_end, v_end = final(steps)
        errors.append(np.linalg.norm(np.concatenate([model.difference(q_exact, q_end), v_end - v_exact])))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert orders[-1] == pytest.approx(integrator.order, abs=0.15)


def test_quaternions_stay_of_unit_length():
    model, q, v = spinning()
    run = engine.simulate(Kernels(model, "llvm"), q, v, np.linspace(0.0, 20.0, 2001), RK4(), np.zeros(6))
    assert np.max(np.abs(np.linalg.norm(run.q[:, :4], axis=1) - 1.0)) < 5e-16


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("every", [1, 10])
def test_a_run_that_explodes_ends_with_its_last_finite_state(backend, every):
    model = Model("stiff")
    model.add_body("rod", joint=Revolute("y"), inertia=Inertia(1.0, com=[0.0, 0.0, -1.0]), damping=1e4)
    times = 0.1 * np.arange(1001)
    run = engine.simulate(Kernels(model, backend), np.ones(1), np.ones(1), times, RK4(), np.zeros(1), every=every)
    assert run.ran_away and 0 < run.steps < 1000
    assert run.at[-1] == run.steps and np.isfinite(run.q).all() and np.isfinite(run.v).all()
    again = engine.simulate(
        Kernels(model, backend), run.q[-1], run.v[-1], times[run.steps :], RK4(), np.zeros(1)
    )  # fmt: skip
    assert again.ran_away and again.steps == 0 and again.at.tolist() == [0]


def test_progress_is_told_and_chunks_change_nothing(tree, kernels, monkeypatch):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, _ = initial(model)
    times = 1e-3 * np.arange(301)
    heard: list[float] = []
    whole = engine.simulate(own, q, v, times, RK4(), np.zeros(model.nv), progress=heard.append)
    assert heard == sorted(heard) and heard[-1] == 1.0
    monkeypatch.setattr("rbdkit.trace.run.company.FIRST_STEPS", 1)  # a record at a time
    monkeypatch.setattr("rbdkit.trace.run.company.CHUNK", 0.0)
    pieces = engine.simulate(own, q, v, times, RK4(), np.zeros(model.nv), progress=heard.append)
    assert np.array_equal(whole.q, pieces.q) and np.array_equal(whole.v, pieces.v)


def test_an_interrupted_run_keeps_what_it_has(tree, kernels):
    model = tree("plain")
    q, v, _ = initial(model)

    def stop(done: float) -> None:
        if done > 0.2:
            raise KeyboardInterrupt

    times = 1e-3 * np.arange(30_001)
    run = engine.simulate(kernels("plain", "llvm"), q, v, times, RK4(), np.zeros(model.nv), progress=stop)
    assert run.interrupted and 200 < run.steps < 30_000
    assert run.at[-1] == run.steps and np.isfinite(run.q).all()


def test_a_model_without_joints_stays_where_it_is():
    own, nothing = Kernels(Model("empty"), "llvm"), np.zeros(0)
    run = engine.simulate(own, nothing, nothing, np.linspace(0.0, 1.0, 11), RK4(), nothing)
    assert run.steps == 10 and run.q.shape == (11, 0)


def test_initial_state_is_not_touched(tree, kernels):
    model = tree("plain")
    q, v, times = initial(model)
    before = q.copy(), v.copy()
    engine.simulate(kernels("plain", "llvm"), q, v, times, RK4(), np.zeros(model.nv))
    assert np.array_equal(q, before[0]) and np.array_equal(v, before[1])
