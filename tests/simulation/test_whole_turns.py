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
    with pytest.raises(rbd.SimulationError, match="springs, force elements or tau do something else"):
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
