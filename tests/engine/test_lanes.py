"""Code that computes several states at once, against code for one state and against the readable form.

A lane does the operations of the code for one state in the same order; a compiler may choose otherwise which products
it rounds before it adds them. So results agree to the round-off that is left of some thousand operations, 1e-12 of the
largest, times what the condition of H makes of it where accelerations are solved for.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from rbdkit import algorithms
from rbdkit.engine import Kernels
from rbdkit.model import Model
from rbdkit.trace import compile_python, llvm_source, python_source
from rbdkit.trace.program import Lanes, Program
from rbdkit.trace.run.backend import executable
from rbdkit.trace.run.lanes import Apart, blank, woven
from rbdkit.trace.run.native import machine, widest
from rbdkit.trace.scalar import cos, select, sin, sqrt

ROUND_OFF = 1e-12
WIDTHS = (2, 4, 8)
SIZES = (1, 3, 8, 13)


@pytest.fixture
def lanes(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Ask for so many lanes, for stacks of any size."""
    monkeypatch.setattr("rbdkit.engine.run.states.LANE_STATES", 1)
    return lambda width: monkeypatch.setattr(machine(), "lanes", width)


# --- programs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_shared_apart_and_woven_arrays(width):
    program = Program("arrays", Lanes(width, frozenset({"scale"}), frozenset({"x", "y"})))
    with program.loop(0, program.count("n"), width) as i:
        for k in range(3):
            total = program.load("sum", k) + program.load("scale", k) * program.load("x", i * 3, k)
            program.store("sum", k, 0, total)
            program.store("y", i * 3, k, total)
    n = 4 * width
    rng = np.random.default_rng(0)
    x, scale, y, total = rng.normal(size=(n, 3)), rng.normal(size=3), np.zeros((n, 3)), blank(3, width)
    rows = np.arange(width)
    apart = {name: Apart(width).point(stack, rows, width) for name, stack in (("x", x), ("y", y))}
    arrays = {**apart, "scale": scale, "sum": total}
    executable(program, "llvm").bind(arrays, {"n": n})()
    expected = np.cumsum((scale * x).reshape(4, width, 3), axis=0)
    assert np.allclose(y.reshape(4, width, 3), expected, rtol=1e-14, atol=1e-15)
    assert np.array_equal(total, y[-width:].T)


@pytest.mark.parametrize("width", WIDTHS)
def test_woven_numbers_stand_where_the_processor_reads_them_at_once(width):
    x = np.random.default_rng(3).normal(size=(width, 5))
    together = woven(list(x))
    assert np.array_equal(together, x.T) and together.flags.c_contiguous
    assert together.ctypes.data % 64 == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_every_operation_in_every_lane(width):
    def record(program: Program) -> None:
        a, b = program.load("x", 0), program.load("x", 1)
        values = [a + b, a - b, a * b, a / b, -a, sqrt(a * a), sin(a), cos(a), select(a < b, a, b), 1.0 + 0.0 * a]
        for k, value in enumerate(values):
            program.store("y", 0, k, value)

    rng = np.random.default_rng(1)
    wide, narrow = Program("operations", Lanes(width)), Program("operations")
    record(wide)
    record(narrow)
    x, y = rng.normal(scale=30.0, size=(width, 2)), blank(10, width)
    executable(wide, "llvm").bind({"x": woven(list(x)), "y": y}, {})()
    for lane in range(width):
        expected = np.zeros(10)
        executable(narrow, "llvm").bind({"x": x[lane].copy(), "y": expected}, {})()
        assert y[:, lane] == pytest.approx(expected, rel=4e-16, abs=0.0)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_program_leaves_when_all_lanes_ask_for_it(width):
    program = Program("until", Lanes(width))
    with program.loop(0, 10):
        program.store("x", 0, 0, program.load("x", 0) + 1.0)
        program.leave_if(program.load("limit", 0) < program.load("x", 0))
    x, limit = blank(1, width), blank(1, width)
    limit[0] = np.linspace(2.0, 5.0, width)
    executable(program, "llvm").bind({"x": x, "limit": limit}, {})()
    assert np.array_equal(x[0], np.full(width, 6.0))


def test_python_has_one_lane():
    with pytest.raises(ValueError, match="8 states at once"):
        executable(Program("wide", Lanes(8)), "python")


def test_a_program_for_one_state_has_no_vectors():
    program = Program("plain", Lanes(1, frozenset({"x"}), frozenset({"y"})))
    program.store("y", 0, 0, 2.0 * program.load("x", 0))
    assert "<" not in llvm_source(program)
    assert compile_python(python_source(program), "plain")([3.0], y := [0.0]) is None and y == [6.0]


def test_lanes_of_processors():
    assert widest("x86-64", {"sse2", "avx", "avx2", "avx512f"}) == 8
    assert widest("x86-64", {"sse2", "avx"}) == 4
    assert widest("x86-64", {"sse2"}) == widest("aarch64", {"neon"}) == 2
    assert widest("riscv64", set()) == 1


# --- kernels --------------------------------------------------------------------------------------------------------


def states(model: Model, n: int, seed: int = 0) -> tuple[NDArray, ...]:
    """q, v, a third vector of nv numbers, and forces on all bodies, of n states."""
    rng = np.random.default_rng(seed)
    q = np.array([model.random_q(rng) for _ in range(n)]).reshape(n, model.nq)
    return q, rng.normal(size=(n, model.nv)), rng.normal(size=(n, model.nv)), rng.normal(size=(n, len(model.bodies), 6))


def results(own: Kernels, q: NDArray, v: NDArray, x: NDArray, f: NDArray) -> dict[str, NDArray]:
    """Of the algorithms, with and without external forces."""
    poses, velocities = own.forward_kinematics(q, v)
    assert velocities is not None
    return {
        "rnea": own.rnea(q, v, x),
        "rnea with forces": own.rnea(q, v, x, f),
        "aba": own.aba(q, v, x),
        "forward dynamics with forces": own.forward_dynamics(q, v, x, f),
        "crba": own.crba(q),
        "poses alone": own.forward_kinematics(q)[0],
        "poses": poses,
        "velocities": velocities,
        "energy": own.energy(q, v),
    }


def one_by_one(own: Kernels, *stacks: NDArray) -> dict[str, NDArray]:
    """The results of the code for one state."""
    each = [results(own, *state) for state in zip(*stacks, strict=True)]
    return {name: np.array([found[name] for found in each]) for name in each[0]}


def allowed(model: Model, q: NDArray, name: str) -> float:
    """Of the largest result."""
    if not model.nv or not name.startswith(("aba", "forward")):
        return ROUND_OFF
    return ROUND_OFF * max(1.0, *(1e-2 * np.linalg.cond(algorithms.crba(model, x).H) for x in q))


@pytest.mark.parametrize(("name", "width"), [("plain", 4), ("plain", 8), ("all joints", 8), ("welded", 8)])
def test_stacks_of_any_size(name, width, tree, kernels, lanes, off):
    model, own = tree(name), kernels(name, "llvm")
    every = states(model, max(SIZES))
    expected = one_by_one(own, *every)
    lanes(width)
    for n in SIZES:
        for what, found in results(own, *(x[:n] for x in every)).items():
            assert off(found, expected[what][:n]) < allowed(model, every[0][:n], what), (what, n)


def test_frames_and_derivatives(tree, kernels, lanes, off):
    model, own = tree("plain"), kernels("plain", "llvm")
    placement = model.bodies[3].joint.placement
    algorithms_of: dict[str, Callable[..., object]] = {
        "jacobian": lambda q, v, x, f: own.jacobian(q, 3, placement, "body"),
        "bias acceleration": lambda q, v, x, f: own.bias_acceleration(q, v, 3, placement, "world"),
        "centre of mass": lambda q, v, x, f: own.center_of_mass(q),
        "momentum": lambda q, v, x, f: own.momentum(q, v, "com"),
        "rnea jacobian": lambda q, v, x, f: np.stack(own.rnea_jacobian(q, v, x, f), axis=-1),
        "aba jacobian": lambda q, v, x, f: np.stack(own.aba_jacobian(q, v, x, f)[0], axis=-1),
    }
    every = states(model, 11)
    expected = {
        what: np.array([compute(*state) for state in zip(*every, strict=True)])
        for what, compute in algorithms_of.items()
    }
    lanes(8)
    for what, compute in algorithms_of.items():
        assert off(compute(*every), expected[what]) < allowed(model, every[0], what), what


@pytest.mark.parametrize("width", (4, 8))
def test_lanes_of_straight_line_code(width, small_trees, unrolled, lanes, off):
    lanes(width)
    for model in small_trees[width % 3 :: 4]:
        own = Kernels(model, "llvm")
        q, v, x, f = states(model, 11)
        expected = one_by_one(own, q, v, x, f)
        for what, found in {
            "rnea with forces": own.rnea(q, v, x, f),
            "forward dynamics with forces": own.forward_dynamics(q, v, x, f),
            "crba": own.crba(q),
        }.items():
            assert off(found, expected[what]) < allowed(model, q, what), what


def test_lanes_against_the_readable_form(tree, kernels, lanes, off):
    model, own = tree("all joints"), kernels("all joints", "llvm")
    lanes(8)
    q, v, x, f = states(model, 9, seed=1)
    found = results(own, q, v, x, f)
    for k in range(9):
        state = model, q[k], v[k], x[k]
        assert off(found["rnea with forces"][k], algorithms.rnea(*state, f_ext=f[k]).tau) < ROUND_OFF
        assert off(found["aba"][k], algorithms.aba(*state).qdd) < allowed(model, q[k : k + 1], "aba")
        assert off(found["crba"][k], algorithms.crba(model, q[k]).H) < ROUND_OFF
        assert off(found["poses"][k], algorithms.forward_kinematics(model, q[k]).poses) < ROUND_OFF


def test_a_large_stack_takes_lanes_by_itself(tree, kernels, off, monkeypatch):
    model, own = tree("plain"), kernels("plain", "llvm")
    rng = np.random.default_rng(2)
    q = np.array([model.random_q(rng) for _ in range(64)])
    v, x = rng.normal(size=(2, 4096, model.nv))
    q = np.tile(q, (64, 1))
    in_lanes = own.aba(q, v, x)
    monkeypatch.setattr("rbdkit.engine.run.states.LANE_STATES", 5000)
    assert off(in_lanes, own.aba(q, v, x)) < allowed(model, q[:64], "aba")
    leading = own.aba(*(y.reshape(64, 8, 8, -1) for y in (q, v, x)))
    assert np.array_equal(leading.reshape(4096, -1), own.aba(q, v, x))


def test_threads_share_kernels_not_results(tree, kernels, lanes):
    model, own = tree("plain"), kernels("plain", "llvm")
    lanes(8)
    stacks = [states(model, 20 + seed % 3, seed) for seed in range(12)]
    expected = [own.aba(q, v, x) for q, v, x, _ in stacks]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            found = pool.map(lambda stack: own.aba(*stack[:3]), stacks)
            assert all(np.array_equal(*pair) for pair in zip(found, expected, strict=True))


def test_a_state_that_is_not_finite_spoils_no_other(tree, kernels, lanes):
    model, own = tree("plain"), kernels("plain", "llvm")
    lanes(8)
    q, v, x, _ = states(model, 16)
    good = own.aba(q, v, x)
    v[3], q[12] = np.nan, np.inf
    found = own.aba(q, v, x)
    bad = ~np.isfinite(found).all(axis=1)
    assert np.array_equal(np.flatnonzero(bad), [3, 12])
    assert np.array_equal(found[~bad], good[~bad])


def test_inputs_are_taken_as_they_are(tree, kernels, lanes):
    model, own = tree("plain"), kernels("plain", "llvm")
    lanes(8)
    q, v, x, f = states(model, 13)
    expected = own.rnea(q, v, x, np.broadcast_to(f[0], f.shape))
    assert np.array_equal(own.rnea(q, v, x, f[0]), expected)
    for given in (q, v, x):
        given.flags.writeable = False
    assert np.array_equal(own.rnea(np.asfortranarray(q), v[::1], x, f[0]), expected)
