"""Motions that use the arrays of the one before, and calls for a few states that wait for the next one."""

import numpy as np
import pytest
from numpy.typing import NDArray

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.run.states import MOST_WAITING
from rbdkit.integrators import INTEGRATORS, RK4, RungeKutta
from rbdkit.simulation.compiled import lasting
from rbdkit.trace import Beginning
from rbdkit.trace.run import company
from rbdkit.trace.run.company import Company, Pace

METHODS = ("rk4", "symplectic_euler", "implicit_midpoint", "rk5")


def state(model: rbd.Model, seed: int) -> tuple[NDArray, NDArray]:
    rng = np.random.default_rng(seed)
    return model.random_q(rng), 0.3 * rng.normal(size=model.nv)


def schedules(model: rbd.Model) -> list[tuple[NDArray, NDArray, int]]:
    """Times, joint forces and how many steps a record: constant, held, sampled; longer, shorter."""
    rng, nv = np.random.default_rng(3), model.nv
    long, short = 1e-3 * np.arange(121), 2e-3 * np.arange(8)
    return [
        (long, rng.normal(size=nv), 1), (short, rng.normal(size=nv), 3), (long, rng.normal(size=(120, nv)), 7),
        (short, rng.normal(size=(8, nv)), 1), (long, rng.normal(size=(121, nv)), 1), (short, np.zeros(nv), 2),
    ]  # fmt: skip


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("name", METHODS)
def test_runs_in_the_same_arrays_are_those_in_new_ones(name, backend, tree, kernels):
    model, method = tree("plain"), INTEGRATORS[name]
    own = Kernels(model, backend)
    done = []
    for seed, (times, tau, every) in enumerate(schedules(model) * 2):
        given = *state(model, seed), times, method, tau
        new = engine.simulate(own, *given, every=every)
        run = engine.simulate(own, *given, every=every, kind=name)
        done.append((run, new))
    assert [len(idle) for idle in own.idle_motions.values()] == [1, 1]  # of constant and of other forces
    for run, new in done:  # after all of them: no run has the memory of another
        for part in ("at", "q", "v"):
            assert np.array_equal(getattr(run, part), getattr(new, part))
        assert (run.steps, run.ran_away) == (new.steps, new.ran_away)
        if run.solves is not None:
            assert np.array_equal(run.solves, new.solves)


def test_a_motion_that_ran_away_leaves_nothing_behind():
    model = rbd.library.pendulum()
    own, times, tau = Kernels(model, "llvm"), 0.1 * np.arange(400), np.zeros(1)
    method = INTEGRATORS["explicit_euler"]
    alone = engine.simulate(own, np.ones(1), np.zeros(1), times[:5], method, tau)
    assert engine.simulate(own, np.ones(1), np.full(1, 1e99), times, method, tau, kind="").ran_away
    after = engine.simulate(own, np.ones(1), np.zeros(1), times[:5], method, tau, kind="")
    assert np.array_equal(alone.q, after.q) and not after.ran_away


def test_two_runs_at_once_have_arrays_of_their_own():
    model = rbd.library.double_pendulum()
    own, times, tau = Kernels(model, "llvm"), 1e-3 * np.arange(501), np.zeros(2)
    inner: list[company.Run] = []

    def run(q: float, progress: object = None) -> company.Run:
        start = np.full(2, q), np.zeros(2)
        return engine.simulate(own, *start, times, RK4(), tau, progress=progress, kind="rk4")

    outer = run(0.1, lambda done: inner.append(run(0.7)))
    assert np.array_equal(outer.q, run(0.1).q) and np.array_equal(inner[0].q, run(0.7).q)


def test_what_a_run_brings_is_not_held():
    model = rbd.library.double_pendulum()
    own = Kernels(model, "llvm")
    engine.simulate(own, np.ones(2), np.zeros(2), 1e-3 * np.arange(11), RK4(), np.zeros((10, 2)), kind="rk4")
    ((motion,),) = own.idle_motions.values()
    assert not {"times", "tau"} & motion.arrays.keys()


def test_methods_that_may_change_are_not_taken_for_the_same():
    assert lasting(INTEGRATORS["rk4"]) != lasting(INTEGRATORS["rk5"]) and lasting(INTEGRATORS["rk4"]) is not None
    assert lasting(RK4()) is None
    model, method = rbd.library.double_pendulum(), RungeKutta([[0.0]], [1.0])
    first = rbd.simulate(model, [1.0, 0.5], duration=0.05, integrator=method)
    method.A, method.b = RK4.A, RK4.b
    second = rbd.simulate(model, [1.0, 0.5], duration=0.05, integrator=method)
    again = rbd.simulate(model, [1.0, 0.5], duration=0.05)
    assert not np.array_equal(first.q, second.q) and np.array_equal(second.q, again.q)


def test_the_pace_of_a_run_is_that_of_the_next(monkeypatch):
    bound: list[int] = []
    of_company = Company.bound

    def counted(self, records, every):
        bound.append(records * every)
        return of_company(self, records, every)

    monkeypatch.setattr(Company, "bound", counted)
    monkeypatch.setattr(company, "CHUNK", 1e3)  # whatever this machine does besides
    own, times, tau = Kernels(rbd.library.double_pendulum(), "llvm"), 1e-3 * np.arange(1001), np.zeros(2)
    for _ in range(2):
        engine.simulate(own, np.ones(2), np.zeros(2), times, RK4(), tau, kind="rk4")
    assert bound == [company.FIRST_STEPS, 1000 - company.FIRST_STEPS, 1000]


@pytest.mark.parametrize("seconds, steps", [(1e-9, 16 * 64), (1e-2, 2 * 64), (4e-2, 64), (1.0, 3), (30.0, 2)])
def test_a_chunk_is_longer_where_time_is_left_and_shorter_where_it_took_long(seconds, steps, monkeypatch):
    monkeypatch.setattr(company, "FIRST_STEPS", 2)
    pace = Pace()
    pace.at_once = 64
    one = Company.__new__(Company)
    one._pace, one._every = pace, 4
    one._learn(one._chunk, seconds)
    assert pace.at_once == steps


def test_arrays_hold_again_what_they_began_with():
    table, numbers = np.arange(3), np.linspace(0.0, 1.0, 5)
    arrays = {"numbers": numbers.copy(), "table": table.copy(), "own": np.ones(2), "none": np.zeros(0)}
    apart = arrays["own"]
    beginning = Beginning(arrays, ("own",))
    for x in arrays.values():
        x[...] = 7
    beginning.restore()
    assert np.array_equal(arrays["numbers"], numbers) and np.array_equal(arrays["table"], table)
    assert arrays["own"] is apart and apart.tolist() == [7.0, 7.0]


@pytest.mark.parametrize("states", [1, 2, 4])
def test_few_states_are_those_of_many_and_belong_to_the_caller(states, tree, kernels):
    model, own = tree("all joints"), kernels("all joints", "llvm")
    q, v = (np.array(x) for x in zip(*(state(model, k) for k in range(9)), strict=True))
    tau, many = np.ones_like(v), own.aba_jacobian(q, v, np.ones_like(v), passive=True)
    found = [own.aba_jacobian(q[k : k + states], v[k : k + states], tau[:states], passive=True) for k in (0, 3)]
    for k, (blocks, qdd) in zip((0, 3), found, strict=True):
        assert np.array_equal(qdd, many[1][k : k + states])
        for one, other in zip(blocks, many[0], strict=True):
            assert np.array_equal(one, other[k : k + states])
    assert np.array_equal(own.crba(q[:states]), own.crba(q)[:states])


def test_few_sizes_of_stacks_wait():
    model = rbd.library.double_pendulum()
    own, q = Kernels(model, "llvm"), np.random.default_rng(0).normal(size=(90, 2))
    found = [own.energy(q[:n], q[:n]) for n in range(1, 90)]
    assert len(own._idle_few) <= MOST_WAITING
    assert all(np.array_equal(x, found[-1][: len(x)]) for x in found)
