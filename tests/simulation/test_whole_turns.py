"""Springs by the angle of a joint, in formulations that know poses only."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.simulation import SimulationWarning

ELEMENTS = {
    "number": None,
    "spring": rbd.JointSpring("a_joint", 2.0),
    "servo": rbd.Servo("a_joint", 0.4, 8.0, 0.5, 0.1),
}


def wheel(joint: rbd.JointType | None = None, element: rbd.ForceElement | None = None) -> rbd.Model:
    model, body = rbd.Model("wheel"), rbd.Inertia(1.0, com=[0.1, 0.2, 0.3], inertia_com=np.diag([0.1, 0.2, 0.25]))
    model.add_body("a", joint=joint or rbd.Revolute("y"), inertia=body, stiffness=0.0 if element else 2.0)
    if element:
        model.add_force("drive", element)
    return model


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_start_beyond_half_a_turn_is_refused(formulation, element):
    """A spring that is wound up by a turn pulls otherwise than one that is not; poses are the same."""
    model = wheel(element=ELEMENTS[element])
    options = {"duration": 0.05, "dt": 5e-3}
    with pytest.raises(rbd.SimulationError, match=r"joint 'a_joint' is at \[0\.7168\], not at \[7\.0\]"):
        rbd.simulate(model, [7.0], formulation=formulation, **options)
    near = rbd.simulate(model, [3.0], formulation=formulation, **options)
    assert near.q == pytest.approx(rbd.simulate(model, [3.0], **options).q, abs=1e-9)


def test_what_asks_for_no_angle_takes_any():
    """Gravity, damping, and torques that repeat after a turn; a torque law by the angle itself is refused."""
    model = wheel(element=rbd.JointDamper("a_joint", 0.3))
    options = {"duration": 0.05, "dt": 5e-3, "formulation": "se3"}
    for tau in (None, [0.2], lambda t, q, v: np.sin(q)):
        run = rbd.simulate(model, [7.0], tau=tau, **options)
        there = rbd.simulate(model, [7.0 - 2.0 * np.pi], tau=tau, **options)
        assert run.poses() == pytest.approx(there.poses(), abs=1e-12)
    with pytest.raises(rbd.SimulationError, match="springs, force elements, tau or f_ext do something else"):
        rbd.simulate(model, [7.0], tau=lambda t, q, v: -q, **options)
    ball = wheel(rbd.Spherical(), rbd.JointSpring("a_joint", 2.0))
    q = ball.random_q(1)
    assert rbd.simulate(ball, -q, **options).poses() == pytest.approx(
        rbd.simulate(ball, q, **options).poses(), abs=1e-12
    )


def test_euler_angles_beyond_their_range():
    model = wheel(rbd.EulerSpherical(), rbd.JointSpring("a_joint", 2.0))
    with pytest.raises(rbd.SimulationError, match="'a_joint' cannot be told from poses"):
        rbd.simulate(model, [0.3, 2.0, 0.3], duration=0.05, dt=5e-3, formulation="se3")


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_motion_past_half_a_turn_warns(element):
    model = wheel(element=ELEMENTS[element])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rbd.simulate(model, [3.0], [10.0], duration=0.05, dt=1e-3)
        rbd.simulate(wheel(element=rbd.JointDamper("a_joint", 0.3)), [3.0], [10.0], 0.05, formulation="se3")
    with pytest.warns(
        SimulationWarning, match=r"WHOLE TURNS LOST: joint 'a_joint' turned past half a turn about t = 0\.01"
    ):
        run = rbd.simulate(model, [3.0], [10.0], duration=0.05, dt=1e-3, formulation="se3")
    assert "WHOLE TURNS LOST" in repr(run)


def test_forces_along_axes_that_poses_do_not_tell_are_refused():
    """Euler angles beyond a right angle of pitch are told by others: the axis of pitch points the other way there."""
    model = rbd.Model("gimbal")
    model.add_body("a", joint=rbd.EulerSpherical(), inertia=rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0), damping=0.1)
    beyond, near, v0, pitch = [0.3, 2.0, 0.4], [0.3, 1.0, 0.4], [0.3, 0.2, 0.1], [0.0, 0.02, 0.0]
    with pytest.raises(rbd.SimulationError, match="'a_joint'"):
        rbd.simulate(model, beyond, v0, duration=0.05, tau=pitch, formulation="se3")
    # what does the same along both stays as it is: dampers, and forces along the other two axes
    for q0, tau in ((near, pitch), (beyond, None), (beyond, [0.01, 0.0, 0.03])):
        found, exact = (rbd.simulate(model, q0, v0, duration=0.05, tau=tau, formulation=f) for f in ("se3", "joint"))
        assert found.poses() == pytest.approx(exact.poses(), abs=1e-9)


def gimbal(element: rbd.ForceElement | None = None, joint: rbd.JointType | None = None, **numbers: float) -> rbd.Model:
    """A body that pitches about y, with nothing that would turn it out of the plane."""
    model, body = rbd.Model("gimbal"), rbd.Inertia(1.0, com=[0.0, 0.0, 0.1], inertia_com=np.diag([0.1, 0.2, 0.25]))
    model.add_body("a", joint=joint or rbd.EulerSpherical(), inertia=body, **numbers)
    if element:
        model.add_force("own", element)
    return model


PASSED = r"WHOLE TURNS LOST: joint 'a_joint' turned beyond the angles that poses tell about t = 0\.0[45]"
UP, PITCHING = [0.0, 1.4, 0.0], [0.0, 4.0, 0.0]


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
@pytest.mark.parametrize("how", ["stiffness", "spring", "tau", "law", "f_ext", "reversed"])
def test_a_motion_past_a_right_angle_of_pitch_warns(formulation, how):
    """Beyond, poses are told by another triple of angles, whose axis of pitch points the other way."""
    numbers, options, q0, v0 = {}, {}, UP, PITCHING
    element = rbd.JointSpring("a_joint", 2.0) if how in ("spring", "reversed") else None
    joint = rbd.Reversed(rbd.EulerSpherical()) if how == "reversed" else None
    if how == "stiffness":
        numbers["stiffness"] = 2.0
    if how == "tau":
        options["tau"] = [0.0, 0.5, 0.0]
    if how == "law":
        options["tau"] = lambda t, q, v: np.array([0.0, -0.3 * q[1], 0.0])
    if how == "f_ext":
        options["f_ext"] = lambda t, q, v: {"a": [0.0, 0.2 * q[1], 0.0, 0.0, 0.0, 0.0]}
    model = gimbal(element, joint, **numbers)
    options |= {"duration": 0.1, "dt": 1e-3}
    with pytest.warns(SimulationWarning, match=PASSED):
        found = rbd.simulate(model, q0, v0, formulation=formulation, **options)
    assert "WHOLE TURNS LOST" in repr(found)
    exact = rbd.simulate(model, q0, v0, **options)  # where angles go on, and nothing jumps
    assert exact.q[-1, 1] > np.pi / 2 + 0.1
    assert np.abs(found.poses() - exact.poses())[:40].max() < 1e-9 < 1e-6 < np.abs(found.poses() - exact.poses()).max()


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
@pytest.mark.parametrize("tau", [None, lambda t, q, v: np.array([0.0, -0.3 * v[1], 0.0])], ids=["gravity", "damping"])
def test_what_does_the_same_past_it_warns_of_nothing(formulation, tau):
    """A law by the rate of pitch, for example: that changes its sign with the axis."""
    model, options = gimbal(), {"tau": tau, "duration": 0.1, "dt": 1e-3}
    found = rbd.simulate(model, UP, PITCHING, formulation=formulation, **options)
    assert not found.report.lost_turns
    assert np.ptp(found.q[:, 0]) > 3.0  # it was told by the other triple


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
def test_to_pass_by_a_right_angle_of_pitch_is_no_jump(formulation):
    """Yaw and roll turn fast there, but go on; so they do in joint coordinates."""
    model, options = gimbal(stiffness=0.5), {"duration": 0.15, "dt": 5e-4}
    q0, v0 = [0.3, 1.3, 0.35], [0.0, 4.0, 1.0]
    found, exact = (rbd.simulate(model, q0, v0, formulation=f, **options) for f in (formulation, "joint"))
    assert not found.report.lost_turns
    assert np.abs(exact.q[:, 1]).max() > 1.4 and np.ptp(exact.q[:, 0]) > 1.0
    assert found.poses() == pytest.approx(exact.poses(), abs=2e-5)  # rates of angles are large


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "quaternion", "local_velocity"])
def test_a_law_by_the_entries_of_a_quaternion_warns_where_its_sign_changes(formulation):
    """Poses tell a quaternion up to its sign; laws that do not mind go on."""
    model = rbd.Model("flyer", gravity=[0.0, 0.0, 0.0])
    model.add_body("a", joint=rbd.Free(), inertia=rbd.Inertia(1.0, inertia_com=np.diag([0.1, 0.2, 0.25])))
    q0, v0 = np.array([np.cos(1.5), 0.0, np.sin(1.5), 0.0, 0.0, 0.0, 0.0]), [0.0, 6.0, 0.0, 0.0, 0.0, 0.0]
    options = {"duration": 0.1, "dt": 1e-3, "formulation": formulation}

    def spring(t, q, v):
        return np.concatenate([-0.5 * q[1:4], np.zeros(3)])

    def even(t, q, v):
        return np.concatenate([-0.5 * q[0] * q[1:4], np.zeros(3)])

    with pytest.warns(SimulationWarning, match=r"joint 'a_joint' turned past half a turn about t = 0\.02"):
        rbd.simulate(model, q0, v0, tau=spring, **options)
    assert not rbd.simulate(model, q0, v0, tau=even, **options).report.lost_turns
    with pytest.raises(rbd.SimulationError, match="'a_joint' cannot be told from poses"):
        rbd.simulate(model, -q0, v0, tau=spring, **options)


def test_external_forces_by_an_angle_are_asked_as_well():
    model, options = wheel(), {"duration": 0.05, "dt": 1e-3, "formulation": "se3"}
    model = model.with_parameters({"a_joint.stiffness": 0.0})

    def push(t, q, v):
        return {"a": [0.0, -0.5 * q[0], 0.0, 0.0, 0.0, 0.0]}

    with pytest.raises(rbd.SimulationError, match="tau or f_ext do something else"):
        rbd.simulate(model, [7.0], f_ext=push, **options)
    with pytest.warns(SimulationWarning, match="WHOLE TURNS LOST"):
        rbd.simulate(model, [3.0], [10.0], f_ext=push, **options)
