"""Many motions in one call against each of them in a call of its own, which is tested against the integrators.

Lanes take the steps of the code for one state, in the same order; what rounding may make of it is said in `test_lanes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rbdkit import engine, trace
from rbdkit.engine import Kernels
from rbdkit.engine.run.ensemble import _companies
from rbdkit.engine.run.motion import JointMotion
from rbdkit.integrators import RK4, Adaptive, ExplicitEuler, SymplecticEuler
from rbdkit.joints import Revolute
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia
from rbdkit.trace import Run
from rbdkit.trace.feedback import Feedback
from rbdkit.trace.run.native import machine

METHODS = {method.name: method for method in (RK4(), ExplicitEuler(), SymplecticEuler(), Adaptive("rk45"))}
RK = METHODS["rk4"]
STEPS = 8


@pytest.fixture(autouse=True)
def always_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short the motions are."""
    monkeypatch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", 1)


def variants(model: Model, m: int) -> list[Model]:
    """The model with other masses, dampers and springs, m times."""
    rng = np.random.default_rng(21)
    scaled = ("mass", "damping", "stiffness", "armature")
    values = {name: np.asarray(x) for name, x in model.parameters.items() if name.rpartition(".")[2] in scaled}
    return [model.with_parameters({name: x * rng.uniform(0.5, 1.5) for name, x in values.items()}) for _ in range(m)]


def start(model: Model, m: int) -> tuple[NDArray, NDArray, NDArray]:
    rng = np.random.default_rng(22)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(1e-3, 3e-3, STEPS))])
    return np.array([model.random_q(rng) for _ in range(m)]), 0.3 * rng.normal(size=(m, model.nv)), times


def same(found: Sequence[Run], expected: Sequence[Run]) -> None:
    """Equal in what was recorded, and in the states to round-off of a few steps."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.steps, one.ran_away, one.interrupted) == (other.steps, other.ran_away, other.interrupted)
        assert np.array_equal(one.at, other.at)
        for x, y in ((one.q, other.q), (one.v, other.v)):
            assert x.shape == y.shape and np.allclose(x, y, rtol=1e-11, atol=1e-12 * np.max(np.abs(y), initial=1e-300))


@pytest.mark.parametrize(("tree_name", "method", "width"), [
    ("all joints", "rk4", 8), ("all joints", "symplectic_euler", 4), ("plain", "explicit_euler", 8),
    ("plain", "rk4", 4), ("plain", "rk4", 2), ("welded", "rk4", 8),
])  # fmt: skip
def test_models_that_differ_in_their_numbers(tree_name, method, width, tree, monkeypatch):
    monkeypatch.setattr(machine(), "lanes", width)
    models = variants(tree(tree_name), 11)
    own = [Kernels(model, "llvm") for model in models]
    q, v, times = start(models[0], 11)
    tau = np.random.default_rng(23).normal(size=models[0].nv)
    expected = [engine.simulate(own[k], q[k], v[k], times, METHODS[method], tau) for k in range(11)]
    same(engine.simulate_many(own, q, v, times, METHODS[method], tau), expected)


@pytest.mark.parametrize("m", [1, 2, 3, 8, 13])
@pytest.mark.parametrize("backend", ["llvm", "python"])
def test_one_model_from_many_states(m, backend, tree, kernels):
    own, (q, v, times) = kernels("plain", backend), start(tree("plain"), m)
    tau = np.zeros(tree("plain").nv)
    expected = [engine.simulate(own, q[k], v[k], times, RK, tau) for k in range(m)]
    same(engine.simulate_many([own] * m, q, v, times, RK, tau), expected)


def test_who_goes_together(tree, kernels, monkeypatch):
    own, (q, v, times) = kernels("plain", "llvm"), start(tree("plain"), 11)
    motions = [JointMotion(own, q[k], v[k], times, RK, np.zeros(len(v[k])), None) for k in range(11)]

    def groups(m: int) -> list[int]:
        return [len(members) for members, _ in _companies(motions[:m], 1)]

    monkeypatch.setattr(machine(), "lanes", 8)
    assert (groups(11), groups(9), groups(2)) == ([8, 3], [8, 1], [1, 1])
    monkeypatch.setattr(machine(), "lanes", 1)
    assert groups(3) == [1, 1, 1]
    monkeypatch.setattr(machine(), "lanes", 4)
    monkeypatch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", 11 * STEPS * len(RK4.b) + 1)
    assert groups(11) == [1] * 11  # not worth a compilation


def test_straight_line_code(small_trees, unrolled):
    models = variants(small_trees[1], 9)
    own = [Kernels(model, "llvm") for model in models]
    q, v, times = start(models[0], 9)
    tau = np.ones(models[0].nv)
    expected = [engine.simulate(own[k], q[k], v[k], times, RK, tau) for k in range(9)]
    same(engine.simulate_many(own, q, v, times, RK, tau), expected)


@pytest.mark.parametrize("kind", ["constant", "held", "sampled"])
@pytest.mark.parametrize("each", [False, True])
def test_torques_and_forces(kind, each, tree, kernels):
    model, own, m = tree("plain"), kernels("plain", "llvm"), 10
    (q, v, times), rng = start(model, m), np.random.default_rng(24)
    rows = {"constant": 1, "held": STEPS, "sampled": STEPS + 1}[kind]
    tau, f_ext = rng.normal(size=(m, rows, model.nv)), rng.normal(size=(m, len(model.bodies), 6))
    if not each:
        tau[:], f_ext[:] = tau[0], f_ext[0]
    alone = tau[:, 0] if kind == "constant" else tau
    expected = [engine.simulate(own, q[k], v[k], times, RK, alone[k], f_ext[k]) for k in range(m)]
    given = (tau, f_ext) if each else (alone[0], f_ext[0])
    same(engine.simulate_many([own] * m, q, v, times, RK, *given), expected)


def test_traced_torques_with_numbers_of_their_own(tree, kernels):
    model, own, m = tree("plain"), kernels("plain", "llvm"), 5
    (q, v, times), sizes = start(model, m), ((), model.nq, model.nv)

    def law(gain: float) -> Feedback:
        traced = trace.trace(lambda t, q, v: -gain * v + np.sin(3.0 * t) * q, *sizes, names=("t", "q", "v"))
        return Feedback.of(traced)

    laws = [law(1.5 + k) for k in range(m)]
    expected = [engine.simulate(own, q[k], v[k], times, RK, laws[k]) for k in range(m)]
    same(engine.simulate_many([own] * m, q, v, times, RK, laws), expected)


@pytest.mark.parametrize("every", [1, 3, 8, 50])
def test_recording_every_nth_state_and_the_last(every, tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, times = start(model, 9)
    tau = np.zeros(model.nv)
    expected = [engine.simulate(own, q[k], v[k], times, RK, tau, every=every) for k in range(9)]
    same(engine.simulate_many([own] * 9, q, v, times, RK, tau, every=every), expected)


def rod(damping: float) -> Kernels:
    model = Model("rod")
    model.add_body("rod", joint=Revolute("y"), inertia=Inertia(1.0, com=[0.0, 0.0, -1.0]), damping=damping)
    return Kernels(model, "llvm")


@pytest.mark.parametrize("every", [1, 10])
@pytest.mark.parametrize("small_chunks", [False, True])
def test_a_motion_that_runs_away_ends_alone(every, small_chunks, monkeypatch):
    if small_chunks:  # a motion that ended meets the next chunk
        monkeypatch.setattr("rbdkit.trace.run.company.FIRST_STEPS", 1)
        monkeypatch.setattr("rbdkit.trace.run.company.CHUNK", 0.0)
    own = [rod(damping) for damping in (0.1, 1e4, 0.0, 2.0, 0.5, 1e3, 0.2, 0.3, 0.4)]
    times, ones = 0.1 * np.arange(401), np.ones((9, 1))
    runs = engine.simulate_many(own, ones, ones, times, RK, np.zeros(1), every=every)
    same(runs, [engine.simulate(x, ones[0], ones[0], times, RK, np.zeros(1), every=every) for x in own])
    assert [run.ran_away for run in runs] == [k in (1, 5) for k in range(9)]
    assert runs[1].at[-1] == runs[1].steps < 400 and runs[0].steps == 400
    assert all(np.isfinite(run.q).all() and np.isfinite(run.v).all() for run in runs)


def test_all_motions_may_run_away():
    own, ones = [rod(1e4)] * 4, np.ones((4, 1))
    runs = engine.simulate_many(own, ones, np.arange(4.0)[:, None], 0.1 * np.arange(401), RK, np.zeros(1))
    assert all(run.ran_away and 0 < run.steps < 400 for run in runs)


def test_models_of_another_make_are_computed_apart(tree):
    """A rotor makes another kind of link, so the two sorts cannot be lanes of one program."""
    plain = tree("plain")
    name = next(name for name in plain.parameters if name.endswith(".armature"))
    models = [plain.with_parameters({name: 0.1 * (k % 2)}) for k in range(8)]
    own = [Kernels(model, "llvm") for model in models]
    assert len({x.likeness for x in own}) == 2
    q, v, times = start(plain, 8)
    tau = np.zeros(plain.nv)
    expected = [engine.simulate(own[k], q[k], v[k], times, RK, tau) for k in range(8)]
    same(engine.simulate_many(own, q, v, times, RK, tau), expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_and_threads(threads, tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, _ = start(model, 20)
    times, tau, heard = 1e-3 * np.arange(301), np.zeros(model.nv), list[float]()
    runs = engine.simulate_many([own] * 20, q, v, times, RK, tau, every=10, progress=heard.append, threads=threads)
    assert heard == sorted(heard) and heard[-1] == 1.0
    same(runs, engine.simulate_many([own] * 20, q, v, times, RK, tau, every=10))


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_call_keeps_what_it_has(threads, tree, kernels):
    model, own = tree("plain"), kernels("plain", "llvm")
    q, v, _ = start(model, 20)

    def stop(done: float) -> None:
        raise KeyboardInterrupt

    times: Any = 1e-3 * np.arange(100_001)
    runs = engine.simulate_many(
        [own] * 20, q, v, times, RK, np.zeros(model.nv), every=1000, progress=stop, threads=threads
    )
    assert len(runs) == 20 and all(run.interrupted and not run.ran_away and run.steps < 100_000 for run in runs)
    assert all(run.at[-1] <= run.steps and np.isfinite(run.q).all() for run in runs)


def test_no_motions():
    assert engine.simulate_many([], np.zeros((0, 1)), np.zeros((0, 1)), np.arange(3.0), RK, np.zeros(1)) == []
