"""Keywords that other libraries have: the message says ours, and what it says exists."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ArgumentError
from rbdkit.joints.joint_type import ELSEWHERE
from rbdkit.model.methods import building
from rbdkit.reaching import inverse_kinematics as reaching
from rbdkit.simulation.foreign_keywords import KEYWORDS
from rbdkit.simulation.interruption import OWN

reach = inspect.getmodule(reaching).KEYWORDS


def calls():
    pendulum = rbd.library.pendulum()
    return {
        "simulate": (KEYWORDS, rbd.simulate, lambda **more: rbd.simulate(pendulum, **more)),
        "inverse_kinematics": (
            reach, rbd.inverse_kinematics, lambda **more: rbd.inverse_kinematics(pendulum, {"rod": np.eye(4)}, **more)
        ),
        "add_body": (building.KEYWORDS, rbd.Model.add_body, lambda **more: rbd.Model("m").add_body("a", **more)),
        "Revolute": (ELSEWHERE, rbd.Model.add_body, lambda **more: rbd.Revolute("y", **more)),
    }  # fmt: skip


CALLS = calls()


@pytest.mark.parametrize(("name", "word"), [(name, word) for name, (table, *_) in CALLS.items() for word in table])
def test_ours_is_named_and_exists(name, word):
    _, function, call = CALLS[name]
    for spelled in {word, word.upper()}:
        with pytest.raises(ArgumentError, match=f"{name} has no argument '{spelled}'; ") as told:
            call(**{spelled: 1.0})
    own = {*inspect.signature(function).parameters, *inspect.signature(rbd.simulate).parameters, "axis"}
    own |= {"rtol", "atol"}  # of rbdkit.integrators.Adaptive
    assert word not in inspect.signature(rbd.Revolute if name == "Revolute" else function).parameters
    assert {*re.findall(r"(\w+)=", str(told.value))} <= own


def test_misspelt_keywords_are_told():
    with pytest.raises(ArgumentError, match="simulate has no argument 'duraton'; did you mean 'duration'"):
        rbd.simulate(rbd.library.pendulum(), duraton=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour_of_the_sky'"):
        rbd.simulate(rbd.library.pendulum(), colour_of_the_sky=1.0)


def test_faults_in_a_law_are_the_laws_own():
    with pytest.raises(TypeError, match="unsupported operand"):
        rbd.simulate(rbd.library.pendulum(), duration=0.01, tau=lambda t, q, v: [q[0] + {}], progress=False)


def test_warnings_point_at_the_call():
    with pytest.warns(rbd.simulation.SimulationWarning, match="STEP TOO LONG") as told:
        rbd.simulate(rbd.library.pendulum(), [3.0], dt=0.1, integrator="explicit_euler", progress=False)
    assert {warning.filename for warning in told} == {__file__}
    assert inspect.unwrap(rbd.simulate) is not rbd.simulate and "rbdkit.spatial.check_arguments" in OWN
