"""A model checked against itself: sound models pass, each kind of fault is found by the check made for it."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import library
from tests.joints.cams import Cam

module = import_module("rbdkit.accuracy.selfcheck")


def failed(found):
    return [check.what for check in found.checks if check.passed is False]


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_agree_with_themselves(seed):
    found = rbd.selfcheck(library.random_tree(seed, 6), seed=seed)
    assert found.passed and len(found.checks) == 11 and "all 11 agree" in repr(found), found


def quadruped():
    return library.quadruped().model


@pytest.mark.parametrize(
    "make", [library.planar_four_bar, library.crank_slider, library.shaken_pendulum, quadruped,
             library.three_discs, library.pendulum]
)  # fmt: skip
def test_machines_of_the_library_do(make):
    found = rbd.selfcheck(make())
    assert found.passed and all(check.passed for check in found.checks), found


def test_a_joint_of_ones_own_does():
    model = rbd.Model("cam")
    inertia = rbd.Inertia.box((0.1, 0.2, 0.3), mass=2.0).transformed(rbd.pose(position=(0.1, 0.2, 0.0)))
    model.add_body("shaft", joint=Cam(), inertia=inertia)
    model.add_body("arm", "shaft", rbd.Revolute("x"), placement=(0.0, 0.3, 0.0), inertia=inertia)
    assert rbd.selfcheck(model).passed


class Slipped(Cam):
    """Its velocity is not that of its pose: half the lift."""

    kind = "slipped"

    def motion_subspace(self, q):
        return np.array([[0, 0, 1, 0, 0, 0.5 * self.lift * np.cos(q[0])]]).T


def test_where_nothing_can_be_compared_nothing_passes():
    model = rbd.Model("slipped")
    model.add_body("shaft", joint=Slipped(), inertia=rbd.Inertia.box((0.1, 0.2, 0.3), mass=2.0))
    found = rbd.selfcheck(model, [0.3], [2.0])
    assert not found.passed and "nothing can be compared" in repr(found) and "but the pose moves by" in repr(found)


def by(factor, name):
    """What the function of that name returns, a little wrong."""
    right = getattr(module, name)

    def wrong(*args, **kwargs):
        found = right(*args, **kwargs)
        if name == "power_balance":
            return replace(found, energy_rate=factor * found.energy_rate)
        if name == "forward_dynamics_derivatives":
            return replace(found, da_dq=factor * found.da_dq)
        if name == "forward_kinematics":
            return replace(found, poses=found.poses @ rbd.pose(position=(0, 0, (factor - 1) * np.sum(args[1]))))
        if name == "forward_dynamics" and kwargs.get("backend", "auto") == "auto":
            return found
        return factor * found

    return wrong


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("rnea", "forward dynamics undoes inverse dynamics"),
        ("crba", "inertia matrix (CRBA), column by column from RNEA"),
        ("forward_dynamics", "compiled code and readable code: accelerations"),
        ("jacobian", "Jacobians and kinematics: velocities of all bodies"),
        ("forward_kinematics", "velocities and differences of poses"),
        ("power_balance", "rate of the energy and power"),
        ("forward_dynamics_derivatives", "derivatives of accelerations and their differences"),
    ],
)
def test_a_small_fault_is_found(monkeypatch, name, what):
    wrong = by(1.0 + 1e-5, name)  # the largest bound, of differences, is below that
    monkeypatch.setattr(module, name, wrong)
    found = rbd.selfcheck(library.double_pendulum(), [0.4, -0.7], [1.0, 2.0])
    assert not found.passed and what in failed(found), found


def test_a_formulation_that_moves_otherwise_is_found(monkeypatch):
    def heavier(model, q, v, formulation, **options):
        if formulation == "maximal":
            model = model.with_parameters({"gravity": 1.001 * model.gravity})
        return rbd.simulate(model, q, v, formulation=formulation, **options)

    monkeypatch.setattr(module, "simulate", heavier)
    found = rbd.selfcheck(library.double_pendulum(), [0.4, -0.7], [0.1, 0.2])
    assert failed(found) == ["short motions in joint coordinates and in 'maximal'"]
    assert "1 of 11 FAIL" in repr(found)


def test_states_may_be_given_and_are_checked():
    model = library.double_pendulum()
    found = rbd.selfcheck(model, [0.1, 0.2], [3.0, -1.0])
    np.testing.assert_array_equal(found.q, [0.1, 0.2])
    np.testing.assert_array_equal(found.v, [3.0, -1.0])
    with pytest.raises(rbd.errors.StateError, match="q has shape"):
        rbd.selfcheck(model, [0.1])
    with pytest.raises(rbd.ModelError):
        rbd.selfcheck("pendulum")


def test_completion_offers_what_is_public():
    names = {name for name in dir(rbd) if not name.startswith("_")}
    assert {"simulate", "library", "selfcheck"} <= names
    assert not names & {"Any", "TYPE_CHECKING", "annotations", "import_module"}
