"""Runs through the general path of formulations, against the one that joint coordinates have of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.formulations import JointSystem
from rbdkit.integrators import RK4
from rbdkit.library import double_pendulum, random_state, random_tree
from rbdkit.simulation import Motion


def general(model, tau, f_ext):
    """Joint coordinates as if they were any formulation."""
    return JointSystem(model, tau, f_ext)


FORCES = {
    "nothing": {},
    "constant torque": {"tau": [0.3, -0.2]},
    "held torque": {"tau": np.random.default_rng(1).normal(size=(50, 2))},
    "feedback": {"tau": lambda t, q, v: np.sin(5.0 * t) - q - 0.1 * v},
    "external force": {"f_ext": lambda t, q, v: {"rod2": rbd.wrench(force=[t, 0.0, q[0]], point=[0.1, 0.0, 0.0])}},
}


@pytest.mark.parametrize("name", FORCES)
@pytest.mark.parametrize("integrator", ["rk4", "symplectic_euler", "dop853"])
def test_both_paths_take_the_same_steps(name, integrator):
    """Forces reach the formulation with the joint coordinates recovered from its poses, to round-off."""
    model = double_pendulum()
    forces = FORCES[name]
    arguments = {"q0": [0.5, -0.4], "v0": [1.0, 2.0], "duration": 0.5, "dt": 0.01, "integrator": integrator}
    one = rbd.simulate(model, **arguments, **forces)
    other = rbd.simulate(model, **arguments, **forces, formulation=general)
    assert isinstance(other, Motion) and not isinstance(one, Motion)
    tolerance = 1e-7 if integrator == "dop853" else 1e-11  # an adaptive method may choose other steps
    assert_allclose(other.q, one.q, atol=tolerance)
    assert_allclose(other.v, one.v, atol=10 * tolerance)
    assert_allclose(other.poses(), one.poses(), atol=tolerance)
    assert_allclose(other.energy().total, one.energy().total, atol=10 * tolerance)
    assert_allclose(other.work(), one.work(), atol=10 * tolerance)
    if one.tau is not None:
        assert_allclose(other.tau, one.tau, atol=10 * tolerance)
    assert other.report.steps == one.report.steps or integrator == "dop853"
    assert "formulation 'joint'" in repr(other)


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
def test_feedback_is_given_joint_coordinates_whatever_the_state_is_made_of(formulation):
    """Other equations of the same motion: both miss it by what steps of fourth order do."""
    model, arguments = double_pendulum(), {"q0": [0.5, -0.4], "v0": [1.0, 2.0], "duration": 0.1, "dt": 1e-3}
    one = rbd.simulate(model, **arguments, **FORCES["feedback"])
    other = rbd.simulate(model, **arguments, **FORCES["feedback"], formulation=formulation)
    assert_allclose(other.q, one.q, atol=1e-9)
    assert_allclose(other.tau, one.tau, atol=1e-8)


def test_a_motion_has_states_invariants_and_columns_of_its_own():
    model = random_tree(3, 4, [rbd.Free(), rbd.Revolute("x"), rbd.Spherical()])
    q, v = random_state(model, 3)[:2]
    motion = rbd.simulate(model, q, v, duration=0.02, formulation=general, every=5)
    assert motion.x.shape == (5, model.nq) and motion.w.shape == (5, model.nv)
    assert motion.constraint_error().shape == (5, 0)
    assert_allclose(motion.invariants()["energy"], motion.invariants()["energy"][0], rtol=1e-9)
    assert set(motion.columns()) == set(rbd.simulate(model, q, v, duration=0.01).columns())


class OfItsOwn(RK4):
    """Steps a kind of system that there is none of."""

    requires = float


def test_an_integrator_that_does_not_fit_is_refused_with_those_that_do():
    with pytest.raises(SimulationError, match=r"does not step formulation 'joint', nor any other by name; .* by 'rk4'"):
        rbd.simulate(double_pendulum(), formulation=general, integrator=OfItsOwn())
