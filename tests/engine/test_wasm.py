"""Programs as WebAssembly, run by wasmtime, against LLVM's code, Python's and the readable algorithms.

WebAssembly rounds every multiplication and every addition, LLVM's code where it can both at once: results differ by
round-off, 1e-12 of the largest for the reasons given in test_kernels.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from rbdkit import algorithms, engine
from rbdkit.engine import Kernels
from rbdkit.engine.links.layout import layout
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.recordings import record
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.integrators import RK4, Adaptive, Heun, SymplecticEuler, Variational
from rbdkit.library import random_tree
from rbdkit.model import Model
from rbdkit.trace import equal, select, trace, wasm_bytes
from rbdkit.trace.emit.wasm import ARITHMETIC, _Writer
from rbdkit.trace.emit.wasm_encoding import signed, unsigned
from rbdkit.trace.program import Lanes, Program
from rbdkit.trace.tracing import OPERATIONS

ROUND_OFF = 1e-12
METHODS = {method.name: method for method in (RK4(), Heun(), SymplecticEuler(), Variational(), Adaptive("dop853"))}


def state(model: Model, seed: int = 5) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """q, v, a third vector of nv numbers, and forces on all bodies."""
    rng = np.random.default_rng(seed)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    return q, v, x, rng.normal(size=(len(model.bodies), 6))


# --- programs ---------------------------------------------------------------------------------------------------------


def test_whole_numbers_as_the_specification_has_them():
    assert unsigned(624485) == bytes([0xE5, 0x8E, 0x26])
    assert signed(-123456) == bytes([0xC0, 0xBB, 0x78])
    assert [signed(n) for n in (0, 63, 64, -64, -65)] == [b"\0", b"\x3f", b"\xc0\0", b"\x40", b"\xbf\x7f"]
    assert [unsigned(n) for n in (0, 127, 128)] == [b"\0", b"\x7f", b"\x80\1"]


def test_every_operation_of_a_traced_function(run):
    def function(x, y):
        a, b = x
        turned = np.array([np.cos(y) * a - np.sin(y) * b, np.sin(y) * a + np.cos(y) * b])
        smaller, same = select(a < b, a, b), select(equal(a, 0.3), 1.0, -2.5)
        return [*turned, a / b, -a, np.sqrt(turned @ turned), smaller, same, abs(b), 4.0]

    traced = trace(function, 2, (), names=("x", "y"))
    x, y, result = np.array([0.3, -1.7]), np.array([0.4]), np.zeros(9)
    run(traced, "wasm", {"x": x, "y": y, "result": result})
    assert result == pytest.approx(traced(x, y[0]).astype(float), rel=4e-16)


def test_it_knows_all_operations():
    assert {*ARITHMETIC, "select", "sin", "cos"} == {*OPERATIONS}


def test_sines_and_cosines_are_good_to_the_last_digit_up_to_a_hundred_thousand_radians(run):
    program = Program("angles")
    with program.loop(0, program.count("n")) as i:
        program.store("s", i, 0, program.load("x", i).sin())
        program.store("c", i, 0, program.load("x", i).cos())
    x = np.random.default_rng(7).uniform(-1e5, 1e5, 300)
    s, c = np.zeros_like(x), np.zeros_like(x)
    run(program, "wasm", {"x": x, "s": s, "c": c}, n=len(x))
    with mpmath.workdps(40):
        for found, function in ((s, mpmath.sin), (c, mpmath.cos)):
            exact = [function(mpmath.mpf(float(angle))) for angle in x]
            assert max(abs(a - b) / np.spacing(abs(float(b))) for a, b in zip(found, exact, strict=True)) < 1.6


def test_a_module_holds_many_programs(host):
    both = wasm_bytes(*(trace(lambda x, k=k: k * x, (), names=("x",)).program(f"times{k}") for k in (2, 3)))
    store, memory, exports = host.instance(both, 100)
    memory.write(store, np.array([8, 16], dtype=np.int32).tobytes())
    memory.write(store, np.array([5.0]).tobytes(), 8)
    for name, expected in (("times2", 10.0), ("times3", 15.0)):
        exports[name](store, 0)
        assert np.frombuffer(memory.read(store, 16, 24)) == expected


def test_two_programs_of_one_name_are_refused():
    double = trace(lambda x: x + x, (), names=("x",))
    with pytest.raises(ValueError, match=r"different names, not \['traced', 'traced'\]"):
        wasm_bytes(double, double)


def test_programs_for_many_lanes_are_refused():
    with pytest.raises(ValueError, match="WebAssembly of 'wide' for 4 states at once is not made"):
        wasm_bytes(Program("wide", Lanes(4)))


def test_large_functions_use_their_variables_again():
    model = random_tree(4, bodies=20)
    plan = layout(model)
    program = Program("aba")
    record(Task("aba"), UnrolledTree(program, plan.links, plan.nq, plan.nv, {}))
    operations = engine.operations(model, "aba", generic=True).total
    writer = _Writer(program)
    writer.function(program)
    assert len(writer.types) < 0.25 * operations


# --- kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all joints", "plain", "welded"])
def test_the_loop_over_links(name, wasm, tree, kernels, off):
    model, own = tree(name), kernels(name, "wasm")
    q, v, x, f = state(model)
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(algorithms.crba(model, q).H)) if model.nv else ROUND_OFF
    for forces in (None, f):
        assert off(own.rnea(q, v, x, forces), algorithms.rnea(model, q, v, x, f_ext=forces).tau) < ROUND_OFF
        assert off(own.aba(q, v, x, forces), algorithms.aba(model, q, v, x, f_ext=forces).qdd) < conditioned
        expected = algorithms.forward_dynamics(model, q, v, x, f_ext=forces)
        assert off(own.forward_dynamics(q, v, x, forces), expected) < conditioned
    for other in (kernels(name, "llvm"), kernels(name, "python")):
        assert off(own.aba(q, v, x), other.aba(q, v, x)) < conditioned
        assert off(own.crba(q), other.crba(q)) < ROUND_OFF
        assert off(own.energy(q, v), other.energy(q, v)) < ROUND_OFF
        for found, expected in zip(own.forward_kinematics(q, v), other.forward_kinematics(q, v), strict=True):
            assert off(found, expected) < ROUND_OFF
        assert off(own.forward_kinematics(q)[0], other.forward_kinematics(q)[0]) < ROUND_OFF


def test_straight_line_code(wasm, small_trees, unrolled, off):
    for model in small_trees:
        own = Kernels(model, "wasm")
        q, v, x, f = state(model)
        # a stack, because one state at a time runs the loop
        assert (
            off(own.rnea(q[None], v[None], x[None], f[None])[0], algorithms.rnea(model, q, v, x, f_ext=f).tau)
            < ROUND_OFF
        )
        expected = algorithms.forward_dynamics(model, q, v, x, f_ext=f)
        assert off(own.forward_dynamics(q[None], v[None], x[None], f[None])[0], expected) < ROUND_OFF
        assert off(own.crba(q[None])[0], algorithms.crba(model, q).H) < ROUND_OFF


def test_derivatives_whose_loops_run_wide_elsewhere(wasm, kernels, tree, off):
    q, v, x, f = state(tree("plain"))
    ours, theirs = (kernels("plain", backend) for backend in ("wasm", "llvm"))
    for found, expected in zip(ours.rnea_jacobian(q, v, x, f), theirs.rnea_jacobian(q, v, x, f), strict=True):
        assert off(found, expected) < ROUND_OFF
    blocks, qdd = ours.aba_jacobian(q, v, x, f)
    expected_blocks, expected_qdd = theirs.aba_jacobian(q, v, x, f)
    for found, expected in zip([*blocks, qdd], [*expected_blocks, expected_qdd], strict=True):
        assert off(found, expected) < ROUND_OFF
    assert off(ours.center_of_mass(q), theirs.center_of_mass(q)) < ROUND_OFF


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["all joints", "plain"])
def test_simulations(name, method, wasm, tree, kernels, off):
    model = tree(name)
    q, v, x, f = state(model)
    times = np.cumsum(np.random.default_rng(1).uniform(1e-3, 2e-3, 10))
    ours, theirs = (
        engine.simulate(kernels(name, backend), q, 0.3 * v, times, METHODS[method], x, f, every=2)
        for backend in ("wasm", "llvm")
    )
    assert ours.at.tolist() == theirs.at.tolist() == [0, 2, 4, 6, 8, 9]
    assert off(ours.q, theirs.q) < 1e-13 and off(ours.v, theirs.v) < 1e-12  # a few roundings a step


def test_a_simulation_stops_before_it_runs_away(wasm, tree, kernels):
    model = tree("plain")
    q, v, x, _ = state(model)
    times = np.linspace(0.0, 1e3, 60)
    ours, theirs = (
        engine.simulate(kernels("plain", backend), q, v, times, SymplecticEuler(), 1e9 * x)
        for backend in ("wasm", "llvm")
    )
    assert ours.ran_away and ours.steps == theirs.steps < 59
    assert np.all(np.isfinite(ours.q))
