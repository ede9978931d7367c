"""Which backend is chosen, and what happens where LLVM does not work."""

import sys
import warnings

import numpy as np
import pytest

from rbdkit import engine
from rbdkit.engine.run import backend as backend_module
from rbdkit.engine.run.backend import available
from rbdkit.joints import Prescribed, Revolute
from rbdkit.library import double_pendulum
from rbdkit.model import Mimic, Model
from rbdkit.spatial.inertia import Inertia


@pytest.fixture
def fresh():
    """As in a process that has asked for nothing yet."""
    available.cache_clear()
    yield
    available.cache_clear()


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
    driven = Model("driven")
    driven.add_body("a", joint=Prescribed(Revolute("z"), lambda t: (np.zeros(1),) * 3), inertia=Inertia(1.0))
    assert engine.kernels_for(driven) is None
    name, why = engine.backend(driven)
    assert name == "book" and "'a_joint'" in why and "prescribed" in why

    gripper = Model("gripper")
    gripper.add_body("a", joint=Revolute("z"), inertia=Inertia(1.0))
    gripper.add_body("b", joint=Revolute("z"), inertia=Inertia(1.0), mimic=Mimic("a_joint"))
    assert engine.backend(gripper) == ("book", "joint 'b_joint' mimics 'a_joint'")


@pytest.mark.parametrize("cause", ["missing", "failing", "wrong"])
def test_without_llvm_python_computes_and_says_so_once(cause, fresh, monkeypatch):
    if cause == "missing":
        monkeypatch.setitem(sys.modules, "llvmlite", None)
        monkeypatch.delitem(sys.modules, "rbdkit.engine.run.native", raising=False)
    else:

        def broken(program, backend):
            if cause == "failing":
                raise RuntimeError("no target for this processor")
            return type("Code", (), {"bind": lambda self, arrays, counts: lambda: None})()

        monkeypatch.setattr(backend_module, "executable", broken)
    with pytest.warns(RuntimeWarning, match="pip install llvmlite") as caught:
        name, why = available()
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
