"""Results written into arrays that are there, and stacks shared among threads."""

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine.run import states
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
def test_threads_change_no_bit(name, threads, monkeypatch):
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


def test_loops_in_threads():
    model = stewart_platform()
    q = rbd.assemble(model)
    state = [np.tile(q, (1100, 1)), np.zeros((1100, model.nv)), np.random.default_rng(1).normal(size=(1100, model.nv))]
    alone, two = (rbd.forward_dynamics(model, *state, threads=k) for k in (1, 2))
    assert np.array_equal(alone, two)


@pytest.mark.parametrize("n", [None, 5, 2000])
def test_errors_in_threads_are_those_of_one(n):
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


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
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
