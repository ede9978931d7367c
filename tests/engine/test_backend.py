"""Which backend is chosen, and what happens where LLVM does not work."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.errors import SimulationError
from rbdkit.joints import Revolute
from rbdkit.library import double_pendulum
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia
from rbdkit.trace.program import Program
from rbdkit.trace.run.backend import available, executable, fastest
from rbdkit.trace.run.native import Machine


@pytest.fixture
def fresh():
    """As in a process that has asked for nothing yet."""
    fastest.cache_clear()
    yield
    fastest.cache_clear()


def test_llvm_is_the_choice_here():
    assert engine.backend(double_pendulum()) == ("llvm", "compiled by LLVM")


def test_a_model_has_one_set_of_kernels_until_it_grows():
    model = double_pendulum()
    first = engine.kernels_for(model)
    assert engine.kernels_for(model) is first
    model.add_body("more", model.bodies[-1], Revolute("y"), inertia=Inertia(1.0, com=[0.1, 0.0, 0.0]))
    second = engine.kernels_for(model)
    assert second is not first and second.aba(np.zeros(3), np.zeros(3), np.zeros(3)).shape == (3,)
    model.gravity = np.zeros(3)
    assert np.array_equal(engine.kernels_for(model).rnea(np.ones(3), np.zeros(3), np.zeros(3)), np.zeros(3))


def test_a_model_without_kernels_says_why():
    class Sticky(Revolute):
        kind = "sticky"

        def pose(self, q, t=0.0):
            return super().pose(q if abs(q[0]) > 0.1 else 0.0 * q)

    model = Model("glue")
    model.add_body("a", joint=Sticky("z"), inertia=Inertia(1.0))
    assert engine.kernels_for(model) is None
    name, why = engine.backend(model)
    assert name == "book" and why.startswith(
        "joint 'a_joint': Sticky cannot be compiled: a traced function cannot branch"
    )


@pytest.mark.parametrize("cause", ["missing", "failing", "wrong"])
def test_without_llvm_python_computes_and_says_so_once(cause, fresh, monkeypatch):
    if cause == "missing":
        monkeypatch.setitem(sys.modules, "llvmlite", None)
        monkeypatch.delitem(sys.modules, "rbdkit.trace.run.native", raising=False)
    else:

        def broken(machine, source, name):
            if cause == "failing":
                raise RuntimeError("no target for this processor")
            return lambda frame: None

        monkeypatch.setattr(Machine, "linked", broken)
    with pytest.warns(RuntimeWarning, match="some 50 times slower. Mend it with") as caught:
        name, why = available()
    assert ("pip install llvmlite" in str(caught[0].message)) == (cause == "missing")  # what is there is not missing
    assert name == "python" and "llvmlite does not work here" in why and len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = double_pendulum()
        assert engine.backend(model) == (name, why)
    monkeypatch.undo()
    q, v, tau = np.array([0.3, -0.2]), np.array([1.0, 2.0]), np.zeros(2)
    expected = engine.Kernels(model, "llvm").aba(q, v, tau)
    assert np.allclose(engine.kernels_for(model).aba(q, v, tau), expected, rtol=1e-13)


def test_python_on_request(fresh, monkeypatch):
    monkeypatch.setenv("RBDKIT_BACKEND", "python")
    assert available() == ("python", "RBDKIT_BACKEND asks for it")


@pytest.mark.parametrize("asked", ["nonsense", "Python", "llvm ", "book"])
def test_a_backend_that_there_is_not_is_refused_by_name(asked, fresh, monkeypatch):
    monkeypatch.setenv("RBDKIT_BACKEND", asked)
    with pytest.raises(SimulationError, match=f"RBDKIT_BACKEND is {asked!r}, which there is not"):
        rbd.simulate(double_pendulum(), duration=0.05)


def test_llvm_on_request_is_llvm_or_an_error(fresh, monkeypatch):
    monkeypatch.setenv("RBDKIT_BACKEND", "llvm")
    assert available()[0] == "llvm"
    fastest.cache_clear()
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.delitem(sys.modules, "rbdkit.trace.run.native", raising=False)
    with pytest.raises(
        SimulationError, match=r"asks for 'llvm', but llvmlite does not work here .*pip install llvmlite"
    ):
        available()


def test_a_process_without_llvmlite_simulates_after_one_warning():
    code = """
import sys
sys.modules["llvmlite"] = None  # cannot be imported
import rbdkit as rbd
model = rbd.library.double_pendulum()
rbd.aba(model, [0.3, -0.2], [1.0, 2.0], [0.0, 0.0])
run = rbd.simulate(model, [0.3, -0.2], [1.0, 2.0], duration=0.05, dt=0.01)
print("Python" in run.report.backend, *run.q[-1])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.count("RuntimeWarning") == 1 and "pip install llvmlite" in result.stderr
    named, *q = result.stdout.split()
    here = rbd.simulate(double_pendulum(), [0.3, -0.2], [1.0, 2.0], duration=0.05, dt=0.01)
    assert named == "True" and np.allclose(np.array(q, dtype=float), here.q[-1], rtol=1e-13)


@pytest.mark.parametrize("backend", ["llvm", "python"])
def test_bound_by_a_binder_calls_have_their_own_room(backend):
    """What is said beforehand is the same in both calls; what they keep for themselves does not mix."""
    program = Program("two_steps")
    step = program.load("scale", 0, 0) * program.load("x", 0, 0) + program.load("kept", 0, 2)
    program.store("kept", 0, 2, step)
    with program.loop(0, program.count("times")):
        program.store("y", 0, 0, program.load("y", 0, 0) + program.load("kept", 0, 2))
    scale = np.array([2.0])
    bind = executable(program, backend).binder({"scale": scale, "unused": scale}, {"kept": 3, "spare": 9}, {"more": 1})
    places = [{"x": np.array([x]), "y": np.zeros(1)} for x in (1.0, 10.0)]
    runs = [bind(arrays, {"times": k}) for k, arrays in enumerate(places, 2)]
    for run in (*runs, runs[0]):
        run()
    # the first has run twice: 2 then 2 + 2, each added twice
    assert [arrays["y"].item() for arrays in places] == [2 * 2.0 + 2 * 4.0, 3 * 20.0]
