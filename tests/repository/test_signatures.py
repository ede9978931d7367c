"""Forces from outside, time and the way of computing are given by their names, in all public functions of a model."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from inspect import Parameter

import pytest

import rbdkit as rbd

NAMED = {"f_ext", "t", "backend"}


def functions() -> dict[str, Callable]:
    """What `rbdkit` and its packages of algorithms offer that is called with a model and a state, by full name."""
    faces = [rbd, rbd.accuracy, rbd.derivatives, rbd.algorithms]
    for found in pkgutil.walk_packages(rbd.algorithms.__path__, "rbdkit.algorithms."):
        if found.ispkg:
            faces.append(importlib.import_module(found.name))
    offered = [value for face in faces for value in (getattr(face, name) for name in face.__all__)]
    return {f"{f.__module__}.{f.__qualname__}": f for f in offered if inspect.isfunction(f)}


FUNCTIONS = functions()


def positional(function: Callable) -> list[str]:
    """The optional arguments among `NAMED` that can be given by their place."""
    found = inspect.signature(function).parameters.values()
    return [
        p.name for p in found if p.name in NAMED and p.default is not p.empty and p.kind is not Parameter.KEYWORD_ONLY
    ]


def test_the_list_is_complete():
    assert len(FUNCTIONS) > 100
    assert {
        "rbdkit.functions.accelerations.aba",
        "rbdkit.algorithms.aba.aba",
        "rbdkit.derivatives.jacobians.aba_derivatives",
    } <= set(FUNCTIONS)
    assert positional(lambda model, q, t=0.0: q) == ["t"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_of_a_state_go_by_their_names(name):
    """Third, fifth or sixth: nobody knows the place of t by heart, and another number there would be taken for it."""
    assert positional(FUNCTIONS[name]) == []


@pytest.mark.parametrize("maker", [rbd.StateEquation, rbd.simulate, rbd.sweep])
def test_loads_of_a_run_go_by_their_names(maker):
    assert positional(maker) == []


def test_a_time_in_the_wrong_place_is_refused():
    model = rbd.library.double_pendulum()
    with pytest.raises(TypeError, match="positional"):
        rbd.crba(model, [0.0, 0.0], 1.0)
    with pytest.raises(TypeError, match="positional"):
        rbd.aba(model, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], {})
