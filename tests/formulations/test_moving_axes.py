"""Joints whose axes move in their successor or in time, in trees and in loops: compiled steps of bodies are the steps
on arrays."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import joints
from rbdkit.formulations import SE3, Baumgarte, Bodywise, Maximal, SO3xR3
from rbdkit.formulations.formulation import Acting
from rbdkit.integrators import INTEGRATORS, VelocityEuler
from rbdkit.trace import Feedback, trace
from tests.joints.cams import Cam, CamWithAngle


def swing(t):
    return 0.2 + 0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t)


def tumble(t):
    """Turns about x faster and faster."""
    return np.array([np.cos(t * t), np.sin(t * t), 0.0, 0.0]), np.array([4.0 * t, 0, 0]), np.array([4.0, 0.0, 0.0])


def both(t):
    return (*(np.array([a, 0.5 * a]) for a in swing(t)),)


JOINTS = {
    "universal": joints.Universal("x", "y"),
    "Euler angles": joints.EulerAngles("zxz"),
    "Cardan angles": joints.EulerAngles("xyz"),
    "yaw, pitch, roll": joints.EulerSpherical(),
    "sphere in cylinder": joints.SphereInCylinder("x"),
    "rack and pinion": joints.RackAndPinion("z", 0.3),
    "free in plane": joints.FreeInPlane("y"),
    "translation in plane": joints.PlanarTranslation("z"),
    "translation": joints.Translational(),
    "rotation vector": joints.ExponentialSpherical(),
    "reversed universal": joints.Reversed(joints.Universal("x", "y")),
    "reversed spherical": joints.Reversed(joints.Spherical()),
    "cam": Cam(0.2),
    "reversed cam": joints.Reversed(Cam(0.2)),
    "cam of formulas": CamWithAngle(0.3),
    "prescribed": joints.Prescribed(joints.Revolute("y"), swing),
    "reversed prescribed": joints.Reversed(joints.Prescribed(joints.Helical("x", pitch=0.1), swing)),
    "prescribed cam": joints.Prescribed(Cam(0.2), swing),
    "tumbling": joints.Prescribed(joints.Spherical(), tumble),
    "curve": joints.SplineCurve(),
    "reversed curve": joints.Reversed(joints.SplineCurve(basis="catmull_rom")),
    "surface": joints.SplineSurface(),
    "two hinges": joints.Composite(rbd.Revolute("x"), rbd.Revolute("z")),
}


def chain(*types: joints.JointType) -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """Boxes on these joints, with springs, dampers and rotors, between two hinges; and a state in no special place."""
    model, box, rng = rbd.Model("chain"), rbd.Inertia.box([0.3, 0.2, 0.1], mass=2.0), np.random.default_rng(3)
    model.add_body("first", joint=rbd.Revolute("y"), inertia=box, placement=(0.1, 0.0, 0.2))
    place = rbd.pose(rbd.spatial.so3.exp([0.3, -0.4, 0.2]), [0.3, 0.1, 0.0])
    for k, joint in enumerate(types):
        numbers = {"stiffness": 2.0, "damping": 0.2, "armature": 0.1} if joint.nv else {}
        model.add_body(
            f"b{k}", model.bodies[-1].name, joint, place, box,
            joint_name=f"j{k}", **{name: np.full(joint.nv, x) for name, x in numbers.items()},
        )  # fmt: skip
    model.add_body("last", model.bodies[-1].name, rbd.Revolute("x"), (0.3, 0.0, 0.1), box, damping=0.1)
    return model, model.random_q(rng), rng.normal(size=model.nv)


def compare(system, method, q, v, *, opened=0.0, acts=None, readable=None):
    """Four unequal steps compiled, and by the readable form, to round-off of some hundred evaluations."""
    times = 0.3 + np.cumsum([0.0, 4e-3, 2e-3, 3e-3, 4e-3])
    x, w = system.project(*system.state(q, v), times[0])
    x = system.move(x, opened * np.sin(np.arange(len(w))))
    assert system.obstacle(acts) == ""
    run = system.compiled_run(method, times, x, w, 1, lambda done: None, acts)
    assert run is not None and run.steps == 4
    readable = readable or system
    state = method.init(readable, times[0], x, w)
    for t, end in pairwise(times):
        state = method.step(readable, replace(state, t=t), end - t)
    assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-11)
    assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-11 * max(1.0, np.abs(state.v).max()))
    return run


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_type(name):
    system = SE3 if len(name) % 2 else SO3xR3
    model, q, v = chain(JOINTS[name])
    compare(system(model), INTEGRATORS["rk4"], q, v)


MIXED = (Cam(0.2), joints.Prescribed(joints.Spherical(), tumble), joints.Universal("x", "y"))


@pytest.mark.parametrize("method", ["rk4_projected", "generalized_alpha", "implicit_midpoint", VelocityEuler(7.0)])
@pytest.mark.parametrize("formulation", [SE3, SO3xR3], ids=lambda kind: kind.name)
def test_methods_that_ask_for_more_than_accelerations(method, formulation):
    """From a state in which the joints stand a little open; what joints do in time is in their equations."""
    model, q, v = chain(*MIXED)
    system, method = formulation(model), INTEGRATORS[method] if isinstance(method, str) else method
    run = compare(system, method, q, v, opened=1e-4)
    if method.name == "rk4_projected":
        assert np.abs(system.constraint_error(run.q[-1], 0.313)).max() < 1e-13


def test_baumgarte_pulls_moving_joints_back():
    model, q, v = chain(*MIXED)
    compare(partial(SE3, baumgarte=Baumgarte(15.0, 20.0))(model), INTEGRATORS["rk4"], q, v, opened=1e-3)
    compare(Bodywise(model), INTEGRATORS["rk4"], q, v)
    compare(Maximal(model), VelocityEuler(), q, v, opened=1e-3)


def test_loops_and_constraints_beside_moving_joints():
    """The gaps of moving joints count in the decision on dependent rows, their coordinates in constraints."""
    model, q, v = chain(rbd.Universal("x", "y"), Cam(0.1), joints.Prescribed(rbd.Revolute("z"), swing))
    x = rbd.forward_kinematics(model, q, v, t=0.3)
    model.add_loop("rope", "world", "last", rbd.Spherical(), x.pose("last")[:3, 3])
    model.add_constraint("gear", rbd.Tie("j1", "first_joint", 0.5, float(q[3] - 0.5 * q[0])))
    compare(SE3(model), INTEGRATORS["rk4"], q, v)
    compare(SO3xR3(model), INTEGRATORS["rk4_projected"], q, v)


def test_torque_laws_see_their_coordinates():
    """Every integrator that makes trial steps asks at every stage."""
    model, q, v = chain(*MIXED)

    def law(t, q, v):
        return np.sin(q[: model.nv]) * t - 0.3 * v

    tau = Feedback.of(trace(law, (), model.nq, model.nv, names=("t", "q", "v")))
    bare = SE3(model)

    def on_states(t, x, w):
        return law(t, *rbd.formulations.joint_state(model, bare.poses(x), bare.velocities(x, w)))

    compare(SE3(model, on_states), INTEGRATORS["rk4"], q, v, acts=Acting(tau, None))


@pytest.mark.parametrize("name", ["cam", "prescribed cam", "universal"])
def test_motions_are_those_in_joint_coordinates(name):
    """Through `simulate`, adaptive steps as well."""
    model, q, v = chain(JOINTS[name])
    model = model.with_parameters({f"{j.name}.stiffness": np.zeros(j.nv) for j in model.joints if j.nv})
    options = {"duration": 0.1, "dt": 0.01, "progress": False}
    for method in ("dop853", "rk4"):
        found = rbd.simulate(model, q, v, formulation="se3", integrator=method, **options)
        assert "compiled loop" in found.report.backend
        exact = rbd.simulate(model, q, v, integrator="dop853", **options)
        assert_allclose(found.poses(), exact.poses(), rtol=0, atol=1e-8 if method == "dop853" else 1e-4)


def looped(*kinds: joints.JointType, at: float = 0.3) -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """Bodies with a loop of each kind, closed at a time: when `compare` begins."""
    of_tree = (rbd.Free(), rbd.Free()) if len(kinds) > 1 else (rbd.Planar("x"), rbd.Cylindrical("y"))
    model, q, _ = chain(rbd.Spherical(), *of_tree)
    rng, poses = np.random.default_rng(5), rbd.forward_kinematics(model, q).poses
    for k, (kind, (i, j)) in enumerate(zip(kinds, ((1, 5), (0, 3)), strict=False)):
        P = rbd.pose(rbd.spatial.so3.exp(rng.normal(size=3)), rng.uniform(-0.3, 0.3, 3))
        S = np.linalg.inv(poses[j]) @ poses[i] @ P @ kind.pose(near_neutral(kind, rng), at)
        model.add_loop(f"loop{k}", model.bodies[i], model.bodies[j], kind, P, S)
    return model, q, rbd.project_velocity(model, q, 0.3 * rng.normal(size=model.nv), t=at)


def near_neutral(kind: joints.JointType, rng: np.random.Generator) -> np.ndarray:
    """Coordinates not far from the neutral ones."""
    return kind.integrate(kind.neutral(), 0.4 * rng.uniform(0.2, 1.0, kind.nv))


@pytest.mark.parametrize(
    "name",
    [
        "universal", "rack and pinion", "translation in plane", "reversed cam", "cam of formulas",
        "reversed prescribed",
        "tumbling", "surface", "two hinges",
    ],
)  # fmt: skip
def test_types_of_loop_joints(name):
    system = SO3xR3 if len(name) % 2 else SE3
    model, q, v = looped(JOINTS[name])
    compare(system(model), INTEGRATORS["rk4"], q, v)


LOOPS = (Cam(0.2), joints.Prescribed(rbd.Cylindrical("z"), both))


@pytest.mark.parametrize(
    ("method", "formulation"),
    [("rk4_projected", SO3xR3), ("generalized_alpha", SE3), ("implicit_midpoint", SE3), (VelocityEuler(7.0), SO3xR3)],
)
def test_loops_by_methods_that_ask_for_more_than_accelerations(method, formulation):
    """From a state in which the loops stand a little open."""
    model, q, v = looped(*LOOPS)
    system, method = formulation(model), INTEGRATORS[method] if isinstance(method, str) else method
    run = compare(system, method, q, v, opened=1e-5)
    if method.name == "rk4_projected":
        assert np.abs(system.constraint_error(run.q[-1], 0.313)).max() < 1e-12


def test_baumgarte_pulls_moving_loops_back():
    model, q, v = looped(*LOOPS)
    compare(partial(SE3, baumgarte=Baumgarte(15.0, 20.0))(model), INTEGRATORS["rk4"], q, v, opened=1e-5)
    compare(Bodywise(model), INTEGRATORS["rk4"], q, v)
    compare(Maximal(model), VelocityEuler(), q, v, opened=1e-5)


@pytest.mark.parametrize("name", ["cam", "prescribed"])
def test_bodies_with_loops_move_as_in_joint_coordinates(name):
    """Three systems of equations, to the order of the method."""
    model, q, v = looped(JOINTS[name], at=0.0)
    options = {"duration": 0.02, "dt": 5e-3, "integrator": "rk4_projected", "progress": False}
    runs = [rbd.simulate(model, q, v, formulation=form, **options) for form in ("joint", "se3")]
    for run in runs:
        assert "compiled loop" in run.report.backend
        assert_allclose(run.poses(), runs[0].poses(), rtol=0, atol=1e-6)


def test_what_cannot_be_recorded_says_why():
    class Hidden(Cam):
        def project(self, pose):
            return np.array([np.arccos(pose[0, 0]) if pose[1, 0] > 0.0 else -np.arccos(pose[0, 0])])

    def looked_up(t):
        return float(np.interp(t, [0.0, 1.0], [0.0, 0.1])), 0.1, 0.0

    cases = {
        "cannot be recorded: project": Hidden(),
        "joints move as a Python function of time says": joints.Prescribed(rbd.Revolute("y"), looked_up),
    }
    for words, joint in cases.items():
        model, q, v = chain(joint)
        model = model.with_parameters({f"{j.name}.stiffness": np.zeros(j.nv) for j in model.joints if j.nv})
        run = rbd.simulate(model, q, v, duration=0.002, formulation="se3", progress=False)
        assert "stepped from Python" in run.report.backend and words in run.report.backend
