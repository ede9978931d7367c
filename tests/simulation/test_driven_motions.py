"""What is said of motions with joints that move as time says, at the time of each state."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import SE3, GearedSystem, JointSystem
from rbdkit.integrators import RK4
from rbdkit.stepping import Walk


def swing(t):
    return [np.sin(3 * t)], [3 * np.cos(3 * t)], [-9 * np.sin(3 * t)]


@pytest.fixture(scope="module")
def swung():
    """An arm that swings as told, with a rod on it."""
    model = rbd.Model()
    arm = rbd.Inertia(1.0, [0.1, 0.2, 0.3], 0.1 * np.eye(3))
    model.add_body("arm", joint=rbd.Prescribed(rbd.Revolute("x"), swing), inertia=arm)
    model.add_body("rod", "arm", rbd.Revolute("y"), [0.3, 0, 0], rbd.Inertia(1.0, [0, 0, -0.3], 0.01 * np.eye(3)))
    return model


@pytest.mark.parametrize("formulation", ["joint", "se3", GearedSystem])
def test_motions_in_every_formulation(swung, formulation):
    run = rbd.simulate(swung, [0.3], [0.0], 0.1, 1e-3, formulation=formulation)
    np.testing.assert_allclose(run.poses("arm")[:, 2, 1], np.sin(np.sin(3 * run.t)), atol=1e-9)
    by_hand = [rbd.energy(swung, q, v, t=t).total for t, q, v in zip(run.t, run.q, run.v, strict=True)]
    np.testing.assert_allclose(run.energy().total, by_hand, atol=1e-9)
    np.testing.assert_allclose(run.velocities()[:, 1, 0], 3 * np.cos(3 * run.t), atol=1e-9)
    assert "energy" not in run.invariants()  # a motor brings it in and out
    assert np.abs(run.constraint_error()).max(initial=0.0) < 1e-9
    assert run.report.constraint_error < 1e-9


@pytest.mark.parametrize("formulation", [JointSystem, SE3])
def test_walks(swung, formulation):
    walk = Walk(formulation(swung), RK4(), np.array([0.3]), np.array([0.0]), 0.01)
    state = walk.state(5)
    pose = walk.system.poses(state.x, state.t)[1]
    np.testing.assert_allclose(np.arctan2(pose[2, 1], pose[1, 1]), np.sin(0.15), atol=1e-7)
    assert walk.drift(5).get("constraint error", 0.0) < 1e-7
    q, v = (part[0] for part in _joint_state(walk, state))
    np.testing.assert_allclose(walk.invariants(5)["energy"], rbd.energy(swung, [q], [v], t=0.05).total, rtol=1e-9)


def _joint_state(walk, state):
    return (state.x, state.v) if isinstance(walk.system, JointSystem) else walk.system.joint_state(state.x, state.v)


def test_momentum_of_a_model_that_floats_with_a_motor_inside():
    model = rbd.Model(gravity=(0, 0, 0))
    ball = rbd.Inertia(1.0, [0.1, 0.0, 0.2], 0.05 * np.eye(3))
    model.add_body("hull", joint=rbd.Free(), inertia=ball)
    model.add_body("arm", "hull", rbd.Prescribed(rbd.Revolute("x"), swing), inertia=ball)
    for formulation in ("joint", "se3"):
        run = rbd.simulate(model, v0=[0.1, 0.2, 0.3, 1, 0, 0], duration=0.2, dt=1e-3, formulation=formulation)
        kept = run.invariants()
        assert set(kept) == {"angular momentum", "linear momentum"}
        for values in kept.values():
            assert np.ptp(values, axis=0).max() < 1e-8


@pytest.mark.parametrize("held", ["damping", "stiffness", "armature"])
@pytest.mark.parametrize("formulation", [JointSystem, SE3])
def test_what_ties_a_free_joint_to_the_world_keeps_no_momentum(formulation, held):
    model = rbd.Model(gravity=(0, 0, 0))
    ball = rbd.Inertia(1.0, [0.1, 0.0, 0.2], 0.05 * np.eye(3))
    model.add_body("ball", joint=rbd.Free(), inertia=ball, **{held: 0.5})
    system = formulation(model)
    x, v = system.state(model.neutral(), np.ones(6))
    assert "linear momentum" not in system.invariants(x, v)
    assert ("energy" in system.invariants(x, v)) == (held != "damping")
