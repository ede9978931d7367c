"""A motion keeps the model that moved: later changes of the model are changes of another one."""

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.engine import kernels_for
from rbdkit.errors import ModelError
from rbdkit.formulations import FORMULATIONS
from rbdkit.library import double_pendulum
from rbdkit.model.kept import snapshot

HANGING = ("joint", "se3", "so3xr3", "bodywise")
FLYING = ("quaternion", "local_velocity")
TURNING = tuple(name for name in FORMULATIONS if name not in (*HANGING, *FLYING))


def flyer(joint):
    model = rbd.Model("flyer")
    model.add_body("top", joint=joint, inertia=rbd.Inertia(1.5, [0.0, 0.0, 0.3], np.diag([0.1, 0.12, 0.05])))
    return model


def moved(formulation, backend="auto"):
    """A model, and a run of it in that formulation."""
    if formulation in HANGING:
        return (model := double_pendulum()), rbd.simulate(
            model, [1.0, 0.5], duration=0.05, formulation=formulation, backend=backend
        )
    model = flyer(rbd.Free() if formulation in FLYING else rbd.Spherical())
    v0 = np.linspace(0.2, 1.0, model.nv)
    v0[2] = 0.0  # bodies without twist do not turn about their axis
    return model, rbd.simulate(model, None, v0, duration=0.01, formulation=formulation)


def asked(run):
    """What a trajectory computes when it is asked, though its report asked some of it before."""
    fresh = run.with_report(run.report)
    energy = fresh.energy()
    return energy.kinetic, energy.total, fresh.poses(), fresh.velocities(), *fresh.invariants().values()


def add_force(model):
    model.add_force("pull", rbd.Spring("world", model.bodies[-1].name, stiffness=30.0, at_a=(0.3, 0.2, 0.1)))


def add_body(model):
    model.add_body("rider", model.bodies[-1], rbd.Revolute("x"), inertia=rbd.Inertia(1.0, [0.0, 0.1, 0.0]))


def add_constraint(model):
    model.add_constraint("rod", rbd.Distance("world", model.bodies[-1].name, 3.0, at_a=(0.0, 0.0, 4.0)))


def change_gravity(model):
    model.gravity = (0.3, 0.2, -1.0)


@pytest.mark.parametrize("change", [change_gravity, add_force, add_body, add_constraint])
@pytest.mark.parametrize("formulation", [*HANGING, *FLYING, *TURNING])
def test_a_motion_is_of_the_model_that_moved(formulation, change):
    model, run = moved(formulation)
    _, twin = moved(formulation)
    expected = asked(twin)
    change(model)
    for found, wanted in zip(asked(run), expected, strict=True):
        assert_array_equal(found, wanted)
    assert_array_equal(run.model.gravity, twin.model.gravity)
    assert len(run.model.bodies) == len(twin.model.bodies) and not run.model.elements


def test_the_readable_form_as_well():
    model, run = moved("joint", "book")
    model.gravity = (0.0, 0.0, -1.0)
    error = run.energy_error()
    assert np.abs(error).max() < 1e-8  # of 20 J; the change is worth 17 J


def test_members_of_a_sweep_are_of_the_model_that_was_varied():
    model = double_pendulum()
    runs = rbd.sweep(model, {"hinge1.angle": [0.5, 1.0], "rod1.mass": [1.0, 2.0]}, duration=0.05, progress=False)
    model.gravity = np.zeros(3)
    for values in ({"hinge1.angle": 0.5, "rod1.mass": 1.0}, {"hinge1.angle": 1.0, "rod1.mass": 2.0}):
        assert np.ptp(runs.sel(values).energy().total) < 1e-9
    assert np.ptp(runs.energy().total, axis=-1).max() < 1e-9
    again = runs.simulate((1, 1))
    assert_allclose(again.q, runs[1, 1].q, rtol=0, atol=1e-12)
    assert_array_equal(runs.model.gravity, [0.0, 0.0, -9.81])


def test_systems_are_of_the_model_that_they_were_made_of():
    model = double_pendulum()
    equation, x = rbd.StateEquation(model), np.array([1.0, 0.5, 0.0, 0.0])
    rate = equation(0.0, x)
    systems = [FORMULATIONS[name](model) for name in HANGING]
    starts = [system.state(np.array([1.0, 0.5]), np.zeros(2)) for system in systems]
    energies = [float(system.energy(*start).total) for system, start in zip(systems, starts, strict=True)]
    model.gravity = np.zeros(3)
    assert_array_equal(equation(0.0, x), rate)
    for system, start, energy in zip(systems, starts, energies, strict=True):
        assert float(system.energy(*start).total) == energy


def test_a_trajectory_made_by_hand_keeps_its_model():
    model, t = double_pendulum(), np.zeros(1)
    run = rbd.Trajectory(model, t, np.array([[1.0, 0.5]]), np.zeros((1, 2)))
    expected = rbd.energy(model, [1.0, 0.5], [0.0, 0.0]).total
    model.gravity = np.zeros(3)
    assert run.energy().total[0] == expected


@pytest.mark.parametrize("again", [lambda run: run, copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))])
def test_the_model_of_a_motion_cannot_be_changed(again):
    model = again(moved("joint")[1]).model
    for change in (change_gravity, add_force, add_body, add_constraint):
        with pytest.raises(ModelError, match="belongs to that motion"):
            change(model)
    with pytest.raises(ModelError, match="belongs to that motion"):
        model.add_loop("pin", "world", model.bodies[-1], rbd.Spherical())
    assert len(model.bodies) == 3 and not (*model.elements, *model.loops)
    other = copy.copy(model)
    for change in (change_gravity, add_force, add_body):
        change(other)
    assert len(other.bodies) == 4
    assert model.with_parameters({"gravity": [0.0, 0.0, -2.0]}).gravity[2] == -2.0


def test_frames_may_be_added_on_either_side():
    """One name for two frames: what is kept of both models must not mix them up."""
    model, run = moved("joint")
    model.add_frame("tip", "rod2", [0.0, 0.0, -1.0])
    run.model.add_frame("tip", "rod2", [0.0, 0.0, -0.5])
    q = np.array([0.2, 0.3])
    here, there = (rbd.jacobian(m, q, "tip", "aligned") for m in (model, run.model))
    assert_allclose(here, rbd.jacobian(model, q, "tip", "aligned", backend="book"), atol=1e-14)
    assert_allclose(there, rbd.jacobian(run.model, q, "tip", "aligned", backend="book"), atol=1e-14)
    assert np.abs(here - there).max() > 0.1
    assert_array_equal(run.poses("tip")[:, :3, 3], (run.poses("rod2") @ [0.0, 0.0, -0.5, 1.0])[:, :3])


def test_a_snapshot_shares_what_is_known_both_ways():
    model = double_pendulum()
    first, second = snapshot(model), snapshot(model)
    assert first is not second and snapshot(first) is first
    assert kernels_for(first) is kernels_for(model) is kernels_for(second)
    model.gravity = np.zeros(3)
    assert kernels_for(first) is kernels_for(second) is not kernels_for(model)
    q, v = np.array([0.3, 0.2]), np.zeros(2)
    assert_allclose(rbd.aba(first, q, v, v), rbd.aba(first, q, v, v, backend="book"), atol=1e-13)
    assert_allclose(rbd.aba(model, q, v, v), 0.0, atol=1e-14)


def test_gravity_is_looked_at_and_copied_when_it_is_assigned():
    model, given = double_pendulum(), np.array([0.0, 0.0, -2.0])
    model.gravity = given
    energy = rbd.energy(model, [1.0, 0.5], [0.0, 0.0]).total
    given[2] = 5.0
    assert rbd.energy(model, [1.0, 0.5], [0.0, 0.0]).total == energy
    with pytest.raises(ValueError, match="read-only"):
        model.gravity[2] = 1.0
    for wrong in ([1.0, 2.0], "down", [0.0, np.nan, 0.0]):
        with pytest.raises(ModelError, match="gravity"):
            model.gravity = wrong
    assert model.gravity[2] == -2.0


def test_a_joint_that_was_changed_under_a_motion_is_named():
    """The numbers of a user's joint that is no frozen class may change; the motion cannot know what they were."""

    @dataclass
    class Slope(rbd.Revolute):
        factor: float = 1.0

        def __init__(self, factor):
            super().__init__("y")
            self.__dict__["factor"] = factor

        def pose(self, q, t=0.0):
            return super().pose(self.factor * np.asarray(q))

        def motion_subspace(self, q, t=0.0):
            return self.factor * super().motion_subspace(q)

    joint = Slope(1.0)
    model = rbd.Model("m")
    model.add_body("rod", joint=joint, inertia=rbd.Inertia(1.0, [0.0, 0.0, -1.0]))
    run = rbd.simulate(model, [0.5], duration=0.01)
    joint.__dict__["factor"] = 2.0
    with pytest.raises(ModelError, match="changed after the motion, or during it; simulate again"):
        run.energy()
