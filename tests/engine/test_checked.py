"""Checked mode: planted faults are named by body, array and line of the text; what is sound goes through.

Values are compared with those of machine code, which adds in the same order, but for fused products: round-off.
"""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.engine import Kernels, kernels_for, source
from rbdkit.errors import CheckError
from rbdkit.integrators import OneStep, State
from rbdkit.joints.joint_type import VectorJoint

OPTIONS = {"dt": 1e-3, "progress": False, "backend": "checked"}


class Root(rbd.ForceElement):
    """No number where the body is not in front of a wall."""

    body: str
    wall: float
    conservative = False

    def act(self, at):
        ahead = at.position(self.body)[0] - self.wall
        strength = np.sqrt(ahead)
        at.apply_force(self.body, np.array([strength, 0.0, 0.0]))


class Quotient(rbd.ForceElement):
    """0 / 0 while nothing moves."""

    body: str
    drag: float
    conservative = False

    def act(self, at):
        v = at.velocity(self.body)
        direction = v[0] / np.sqrt(v @ v)
        at.apply_force(self.body, np.array([-self.drag * direction, 0.0, 0.0]))


def line_of(function, text):
    """File and number of the line in a function where a text stands."""
    lines, first = inspect.getsourcelines(function)
    return inspect.getsourcefile(function), first + next(k for k, line in enumerate(lines) if text in line)


def place(error):
    return error.line.file, error.line.number


def with_force(element):
    model = rbd.library.double_pendulum()
    model.add_force("planted", element)
    return model


def test_a_root_of_less_than_nothing_in_a_force_names_body_and_line():
    model = with_force(Root("rod2", 0.1))
    assert np.isfinite(rbd.forward_dynamics(model, [-0.3, -0.3], np.zeros(2), np.zeros(2), backend="checked")).all()
    with pytest.raises(
        CheckError, match=r"body 'rod2', joint 'hinge2': own_force\[\d+\] becomes nan, of sqrt\(-"
    ) as caught:
        rbd.forward_dynamics(model, [0.3, 0.3], np.zeros(2), np.zeros(2), backend="checked")
    assert place(caught.value) == line_of(Root.act, "strength =")
    assert "strength = np.sqrt(ahead)" in str(caught.value)


def test_zero_by_zero_in_a_force_ends_a_motion_by_its_line():
    model = with_force(Quotient("rod2", 1.0))
    with pytest.raises(CheckError, match=r"own_force.*of 0\.0 / 0\.0") as caught:
        rbd.simulate(model, [0.5, 0.2], duration=0.01, **OPTIONS)
    assert place(caught.value) == line_of(Quotient.act, "direction =")


def test_the_same_force_in_other_coordinates():
    model = with_force(Quotient("rod2", 1.0))
    with pytest.raises(CheckError, match=r"of 0\.0 / 0\.0") as caught:
        rbd.simulate(model, [0.5, 0.2], duration=0.01, formulation="se3", **OPTIONS)
    assert place(caught.value) == line_of(Quotient.act, "direction =")


def later(t, q, v):
    """A controller that gives no number after half of the motion."""
    ahead = 0.005 - t
    return np.array([np.sqrt(ahead), 0.0])


def test_a_controller_is_named_by_its_line():
    with pytest.raises(CheckError, match=r"nan, of sqrt\(-") as caught:
        rbd.simulate(rbd.library.double_pendulum(), [0.5, 0.2], duration=0.01, tau=rbd.traced(later), **OPTIONS)
    assert place(caught.value) == line_of(later, "np.sqrt(ahead)")


class Reach(VectorJoint):
    """A slider whose pose is a root of its coordinate."""

    kind = "reach"
    nq = nv = 1
    q_names, q_units = ("reach",), ("m",)

    def pose(self, q, t=0.0):
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        T[..., 0, 0] = T[..., 1, 1] = T[..., 2, 2] = T[..., 3, 3] = 1.0
        T[..., 0, 3] = np.sqrt(8.0 + q[..., 0])
        return T

    def motion_subspace(self, q):
        return np.array([[0.0, 0.0, 0.0, 0.5 / np.sqrt(8.0 + q[0]), 0.0, 0.0]]).T

    def project(self, pose):
        return np.array([pose[0, 3] ** 2 - 8.0])

    def constraint_subspace(self, q):
        return np.eye(6)[:, [0, 1, 2, 4, 5]]


def test_a_joint_is_named_by_its_line_and_name():
    model = rbd.Model("reach")
    model.add_body("first", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    model.add_body("arm", "first", Reach(), inertia=rbd.Inertia(1.0))
    assert kernels_for(model) is not None
    kernels = Kernels(model, "checked")
    assert_allclose(kernels.aba(*np.ones((3, 2))), kernels_for(model).aba(*np.ones((3, 2))), rtol=1e-14)
    with pytest.raises(
        CheckError, match=r"body 'arm', joint 'arm_joint': work\[\d+\] becomes nan, of sqrt\(-1\.0\)"
    ) as caught:
        kernels.aba(np.array([0.0, -9.0]), np.zeros(2), np.zeros(2))
    assert place(caught.value) == line_of(Reach.pose, "np.sqrt")


class Rough(OneStep):
    """A step that divides by what is zero at rest."""

    name, order = "rough", 1

    def step(self, system, state, h):
        v = state.v + h * system.rate(state.t, state.x, state.v)
        v = v + 1e-30 * (state.v / state.v)
        return State(state.t + h, system.move(state.x, h * v), v)


def test_a_step_is_refused_where_it_is_no_number():
    with pytest.raises(CheckError, match=r"of 0\.0 / 0\.0"):
        rbd.simulate(rbd.library.double_pendulum(), [0.5, 0.2], duration=0.01, integrator=Rough(), **OPTIONS)


def test_a_number_of_the_model_that_is_none_is_named_where_it_is_read():
    kernels = Kernels(rbd.library.double_pendulum(), "checked")
    kernels.numbers["rows"].reshape(-1)[2 * 22 + 12] = (
        np.nan
    )  # the mass of the second link; models refuse it themselves
    with pytest.raises(CheckError, match=r"body 'rod2', joint 'hinge2': rows\[56\] is read, and is nan"):
        kernels.aba(*np.ones((3, 2)))


@pytest.mark.parametrize("formulation", ["joint", "se3", "maximal", "redmax"])
def test_motions_have_no_finding_and_the_same_numbers(formulation):
    model = rbd.library.double_pendulum()
    run, expected = (
        rbd.simulate(model, [0.5, 0.2], duration=0.01, formulation=formulation, **OPTIONS | {"backend": backend})
        for backend in ("checked", "auto")
    )
    assert "checked Python" in run.report.backend and "LLVM" in expected.report.backend
    assert_allclose(run.q, expected.q, rtol=0, atol=1e-13)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.SimulationWarning")
@pytest.mark.parametrize("name", ["five_bar", "bouncing_ball", "block_on_slope", "rolling_wheel", "newtons_cradle"])
def test_models_with_loops_contacts_and_followers_have_no_finding(name):
    run = rbd.simulate(getattr(rbd.library, name)(), duration=0.004, **OPTIONS)
    assert "checked Python" in run.report.backend


def test_what_is_checked_is_kept_apart_from_what_is_not():
    model, zero = rbd.library.double_pendulum(), np.zeros(2)
    rbd.aba(model, zero, zero, zero, backend="checked")
    assert rbd.engine.backend(model)[0] == "llvm"
    assert kernels_for(model).backend == "llvm"


def test_the_environment_asks_for_it_everywhere():
    code = """
import rbdkit as rbd
model = rbd.library.double_pendulum()
print(rbd.engine.backend(model), rbd.simulate(model, [0.3, 0.1], duration=0.01, dt=1e-3).report.backend)
"""
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "RBDKIT_BACKEND": "checked"},
    )
    assert found.stdout.split("\n")[0] == "('checked', 'as asked for') compiled loop (checked Python)"


def test_the_code_of_an_algorithm_can_be_seen():
    model = rbd.library.double_pendulum()
    text = source(model, "rnea")
    assert text.startswith("def rnea(") and "# rnea.py:" in text
    assert "define" in source(model, "rnea", "llvm")


@pytest.mark.parametrize("odd", [None, 2.5, "", "x", [], {}, np.ones(3), rbd.Model, len, 1j, range(3)], ids=repr)
def test_odd_arguments_are_refused_in_our_words(odd):
    """AttributeErrors and bare TypeErrors came out of the depths."""
    model = rbd.library.double_pendulum()
    inertias = np.ones((2, 10))
    for call in (
        lambda: rbd.engine.source(odd, "aba"),
        lambda: rbd.engine.source(model, odd),
        lambda: rbd.engine.source(model, "aba", odd),
        lambda: rbd.costs.operations_with(odd, inertias, "aba"),
        lambda: rbd.costs.operations_with(model, odd, "aba"),
        lambda: rbd.costs.operations_with(model, inertias, odd),
    ):
        with pytest.raises(rbd.ModelError):
            call()
