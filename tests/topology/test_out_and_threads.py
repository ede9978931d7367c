"""Results written into arrays that are there, and stacks shared among threads."""

import os
import subprocess
import sys
import threading
import time
from copy import deepcopy
from dataclasses import fields
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.derivatives import DynamicsDerivatives, RneaDerivatives
from rbdkit.engine.run import helpers, states
from rbdkit.errors import StateError
from rbdkit.library import double_pendulum, random_tree, stewart_platform

TREE = random_tree(3, 9)
FUNCTIONS = {
    "rnea": (rbd.rnea, 3),
    "aba": (rbd.aba, 3),
    "forward_dynamics": (rbd.forward_dynamics, 3),
    "crba": (rbd.crba, 1),
    **{f"jacobian_{x}": (partial(lambda x, m, q, **more: rbd.jacobian(m, q, m.bodies[-1].name, x, **more), x), 1)
       for x in ("body", "world", "aligned")},
}  # fmt: skip


@pytest.fixture
def eager():
    """Threads take stacks that are not worth one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(states, "LINKS_A_THREAD", 0)
        yield


def stack(model, n, given, seed=0):
    rng = np.random.default_rng(seed)
    vectors = [rng.normal(size=(n, model.nv)) for _ in range(given - 1)]
    return [np.array([model.random_q(rng) for _ in range(n)]), *vectors]


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("n", [None, 3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_go_where_they_are_sent(name, n, backend):
    function, given = FUNCTIONS[name]
    state = stack(TREE, n or 1, given)
    if n is None:
        state = [x[0] for x in state]
    expected = function(TREE, *state, backend=backend)
    out = np.full(expected.shape, np.nan)
    assert function(TREE, *state, backend=backend, out=out) is out
    assert np.array_equal(out, expected)
    assert function(TREE, *map(np.ndarray.tolist, state), backend=backend, out=out) is out  # by the longer way
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_threads_change_no_bit(eager, name, threads, monkeypatch):
    """Of stacks in lanes, with states left over in every part, and of such as straight-line code serves."""
    function, given = FUNCTIONS[name]
    for model, n in ((TREE, 1559), (double_pendulum(), 10_007)):
        state = stack(model, 60, given)
        state = [np.tile(x, (n // 60 + 1, 1))[:n] + 0.0 for x in state]
        alone = function(model, *state)
        parts = []
        run = states.StateComputer._run_lanes
        monkeypatch.setattr(
            states.StateComputer, "_run_lanes", lambda *a, run=run, parts=parts: (parts.append(len(a[2][0])), run(*a))
        )
        out = np.full(alone.shape, np.nan)
        function(model, *state, threads=threads, out=out)
        monkeypatch.undo()
        assert len(parts) == threads and sum(parts) == n
        assert np.array_equal(alone, out)


@pytest.mark.parametrize(("links", "n", "parts"), [(2, 11_000, 1), (2, 12_000, 2), (20, 1_100, 1), (20, 1_300, 2)])
def test_a_thread_is_taken_where_it_is_worth_it(links, n, parts, monkeypatch):
    """To wake one takes as long as some ten thousand links."""
    model = random_tree(3, links, [rbd.Revolute("z")])
    state = [np.tile(x, (n, 1)) for x in stack(model, 1, 3)]
    seen, run = [], states.StateComputer._run_lanes
    monkeypatch.setattr(states.StateComputer, "_run_lanes", lambda *a: (seen.append(len(a[2][0])), run(*a)))
    rbd.aba(model, *state, threads=2)
    assert len(seen) == parts and sum(seen) == n


def test_loops_in_threads(eager):
    model = stewart_platform()
    q = rbd.assemble(model)
    state = [np.tile(q, (1100, 1)), np.zeros((1100, model.nv)), np.random.default_rng(1).normal(size=(1100, model.nv))]
    alone, two = (rbd.forward_dynamics(model, *state, threads=k) for k in (1, 2))
    assert np.array_equal(alone, two)


@pytest.mark.parametrize("n", [None, 5, 2000])
def test_errors_in_threads_are_those_of_one(eager, n):
    q, v, tau = stack(TREE, n or 1, 3)
    q, v, tau = (x if n else x[0] for x in (q, v, tau))
    tau[..., 2] = np.inf
    for threads in (1, 2):
        with pytest.raises(StateError, match="tau"):
            rbd.aba(TREE, q, v, tau, threads=threads)
    tau[..., 2] = 1e300
    said = []
    for threads in (1, 2):
        with pytest.raises(StateError) as told:
            rbd.aba(TREE, q, v, tau, threads=threads, out=np.zeros(v.shape))
        said.append(str(told.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("many", [False, True], ids=["one state", "a stack"])
@pytest.mark.parametrize("backend", ["auto", "book"])
def test_places_that_cannot_be_written_to(many, backend):
    state = stack(TREE, 4, 3)
    q, v, tau = state if many else [x[0] for x in state]
    shape = v.shape
    locked = np.zeros(shape)
    locked.flags.writeable = False
    gaps = np.zeros((*shape[:-1], 2 * shape[-1]))[..., ::2]
    for out, words in (
        (np.zeros((7, 7)), rf"out has shape \(7, 7\); the result has shape \({shape[0]}"),
        (np.zeros(shape, dtype=np.float32), "float32"),
        (np.zeros(shape, dtype=int), "int64"),
        (gaps, "gaps"),
        (locked, "read-only"),
        (tau, "shares memory"),
        (v, "shares memory"),
        ([0.0] * TREE.nv, "not an array"),
    ):
        kept = np.array(out)
        with pytest.raises(StateError, match=words):
            rbd.aba(TREE, q, v, tau, out=out, backend=backend)
        assert np.array_equal(out, kept)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", None])
def test_numbers_of_threads(threads):
    q, v, tau = (x[0] for x in stack(TREE, 1, 3))
    for states_ in ((q, v, tau), (q[None], v[None], tau[None])):
        with pytest.raises(StateError, match="threads"):
            rbd.aba(TREE, *states_, threads=threads)


def test_an_error_in_a_thread_reaches_the_caller(eager, monkeypatch):
    run = states.StateComputer._run_lanes
    state = stack(TREE, 1100, 3)

    def broken(self, job, stacks, *rest):
        if stacks[0][0, 0] == state[0][550, 0]:
            raise MemoryError("no room")
        return run(self, job, stacks, *rest)

    monkeypatch.setattr(states.StateComputer, "_run_lanes", broken)
    with pytest.raises(MemoryError, match="no room"):
        rbd.aba(TREE, *state, threads=2)
    monkeypatch.undo()
    assert np.array_equal(rbd.aba(TREE, *state, threads=2), rbd.aba(TREE, *state))


DERIVATIVES = {
    "rnea": (rbd.rnea_derivatives, RneaDerivatives),
    "aba": (rbd.aba_derivatives, DynamicsDerivatives),
    "forward_dynamics": (rbd.forward_dynamics_derivatives, DynamicsDerivatives),
}
LIMBED = random_tree(12, 4)
SPRUNG = double_pendulum()
SPRUNG.add_spring("band", SPRUNG.bodies[-1].name, "world", stiffness=30.0, at_b=(0.5, 0.0, 0.2))


def arrays_of(result):
    return [getattr(result, field.name) for field in fields(result)]


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("n", [None, 3])
@pytest.mark.parametrize("model", [LIMBED, SPRUNG], ids=["tree", "force element"])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_are_written_over_earlier_ones(name, model, n, backend):
    """Of those in one piece, which are taken as they are, and of separate arrays, which a copy has."""
    function, _ = DERIVATIVES[name]
    state, other = ([x if n else x[0] for x in stack(model, n or 1, 3, seed)] for seed in (0, 1))
    expected, earlier = function(model, *state, backend=backend), function(model, *other, backend=backend)
    for out in (earlier, deepcopy(earlier)):
        own = arrays_of(out)
        for x in own:
            x[...] = np.nan
        assert function(model, *state, backend=backend, out=out) is out
        for x, y, z in zip(arrays_of(out), arrays_of(expected), own, strict=True):
            assert x is z and np.array_equal(x, y)


@pytest.mark.parametrize("name", DERIVATIVES)
def test_threads_change_no_bit_of_derivatives(name):
    function, _ = DERIVATIVES[name]
    state = [np.tile(x, (37, 1)) for x in stack(LIMBED, 41, 3)]
    alone, out = function(LIMBED, *state), function(LIMBED, *state[:1], *(0.0 * x for x in state[1:]))
    assert function(LIMBED, *state, threads=3, out=out) is out
    for x, y in zip(arrays_of(alone), arrays_of(out), strict=True):
        assert np.array_equal(x, y)


@pytest.mark.parametrize("name", DERIVATIVES)
def test_places_for_derivatives_that_cannot_be_written_to(name):
    function, kind = DERIVATIVES[name]
    state = stack(LIMBED, 4, 3)
    v, nv = state[1], LIMBED.nv
    good = [np.zeros(x.shape) for x in arrays_of(function(LIMBED, *state))]
    locked = function(LIMBED, *state)
    arrays_of(locked)[-1].flags.writeable = False
    last = fields(kind)[-1].name
    for out, words in (
        (good[0], "is not .*Derivatives|not .*Derivatives"),
        (function(LIMBED, *(x[:3] for x in state)), "has shape"),
        (kind(*good[:-1], np.zeros((4, nv, nv), dtype=int)), rf"{last}.*int64"),
        (kind(*good[:-1], good[-2]), "share memory"),
        (kind(*good[:-1], np.broadcast_to(v[:, None], (4, nv, nv))), last),
        (locked, "read-only"),
    ):
        with pytest.raises(StateError, match=words):
            function(LIMBED, *state, out=out)
    for threads in (0, 1.5, "2"):
        with pytest.raises(StateError, match="threads"):
            function(LIMBED, *state, threads=threads)


def test_threads_wait_for_the_next_call_and_children_have_their_own():
    """A child that is forked has none of its parent's: it would wait for them for ever."""
    state = [np.tile(x, (13_000, 1)) for x in stack(double_pendulum(), 1, 3)]
    model = double_pendulum()
    first = rbd.aba(model, *state, threads=2)
    names = {thread.name for thread in threading.enumerate() if thread.name.startswith("rbdkit")}
    assert np.array_equal(rbd.aba(model, *state, threads=2), first) and names
    assert names == {thread.name for thread in threading.enumerate() if thread.name.startswith("rbdkit")}
    if hasattr(os, "fork"):
        program = (
            "import os, numpy as np, rbdkit as rbd\n"
            "model = rbd.library.double_pendulum()\n"
            "state = [np.zeros((13_000, 2))] * 3\n"
            "first = rbd.aba(model, *state, threads=2)\n"
            "if child := os.fork():\n"
            "    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
            "os._exit(0 if np.array_equal(rbd.aba(model, *state, threads=2), first) else 1)\n"
        )
        ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=600)
        assert ended.returncode == 0


def test_parts_end_before_a_fault_of_one_is_raised():
    ended = []

    def compute(first: int, end: int) -> None:
        if first < 2:
            raise ValueError(f"part {first}")
        time.sleep(0.05)
        ended.append(first)

    with pytest.raises(ValueError, match="part 0"):
        helpers.in_parts(compute, [0, 2, 4, 6])
    assert sorted(ended) == [2, 4]
    with pytest.raises(ValueError, match="part 1"):
        helpers.in_parts(compute, [2, 1, 4])
