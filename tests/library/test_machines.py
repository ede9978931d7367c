"""Machines with loops: where their points go, and what is known in closed form."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.library import (
    delta_robot,
    excavator,
    five_bar,
    flyball_governor,
    ladder,
    linear_actuator,
    parallelogram_robot,
    peaucellier,
)
from rbdkit.spatial import se3


# model, mobility, redundant constraints
@pytest.mark.parametrize(
    ("make", "freedom", "redundant"),
    [
        (peaucellier, 1, 9), (five_bar, 2, 3), (parallelogram_robot, 3, 3), (lambda: ladder(2), 6, 0),
        (excavator, 4, 12), (lambda: excavator(rbd.SphereInCylinder("y")), 4, 0), (delta_robot, 3, 0),
        (lambda: flyball_governor().model, 2, 6),
    ],
)  # fmt: skip
def test_machines_are_closed_at_neutral_and_move_as_they_should(make, freedom, redundant, loop_gap):
    model = make()
    assert loop_gap(model, model.neutral()) < 1e-15
    assert [finding.severity for finding in model.validate()] == (["note"] if redundant else [])
    found = rbd.mobility(model, model.neutral())
    assert (found.instantaneous, found.finite, found.redundant) == (freedom, (freedom,), redundant)
    q = rbd.assemble(model, model.integrate(model.neutral(), 0.1 * np.random.default_rng(1).normal(size=model.nv)))
    assert loop_gap(model, q) < 2e-14


def test_peaucelliers_pen_draws_a_straight_line():
    model = peaucellier(long=1.1, short=0.45, crank=0.4)
    q, heights = model.neutral(), []
    for angle in np.linspace(0.0, 0.5, 6):
        q = rbd.assemble(model, q, fix={"crank_joint": angle})
        x, y, z = rbd.forward_kinematics(model, q).pose("pen")[:3, 3]
        assert x == pytest.approx((1.1**2 - 0.45**2) / 0.8, abs=1e-14) and y == 0.0
        heights.append(z)
    assert np.ptp(heights) > 0.3
    with pytest.raises(ModelError, match="with the crank at 3 rad its end is"):
        peaucellier(angle=3.0)


@pytest.mark.source("F8.18")
def test_a_linear_actuator_is_a_triangle(loop_gap):
    """Of Figure 8.3: d and theta_2 from the sides l1, l2 and the angle between them, for all angles."""
    for y1 in (-2.0, 0.4, 1.7):
        model, q, _ = linear_actuator(l1=0.7, l2=0.5, y1=y1, y2=0.3)
        assert loop_gap(model, q) < 1e-15
        start = [y1, q[1] + 0.1, q[2] + 0.1, 0.3]
        np.testing.assert_allclose(rbd.assemble(model, start, fix=["J1", "J4"]), q, atol=1e-14)
    mobility = rbd.mobility(model, q)
    assert (mobility.counted, mobility.instantaneous) == (2, 2)
    with pytest.raises(ModelError, match="leave the actuator no length"):
        linear_actuator(l1=0.5, l2=0.5, y1=0.0)


def test_a_governor_keeps_the_angle_of_its_speed():
    """From the slopes of potential energy and moment of inertia; faster, it opens; light arms have Watt's formula."""
    model, q, v = flyball_governor(angle=0.7)
    steady = rbd.simulate(model, q, v, duration=1.0, formulation="se3")
    assert np.ptp(steady.q[:, 1:], axis=0).max() < 1e-11
    faster = rbd.simulate(
        model, q, rbd.project_velocity(model, q, fix={"spindle_joint": 1.1 * v[0]}), duration=0.2, formulation="se3"
    )
    assert faster.q[-1, model.joint("slide").q_slice][0] > 0.01
    heavy = flyball_governor(0.7, arm=0.4, ball=1e4, collar=2e4).v[0]
    assert heavy == pytest.approx(np.sqrt(3.0 * 9.81 / (0.4 * np.cos(0.7))), rel=1e-4)  # (m + M) g / (m a cos)


def test_the_platform_of_a_delta_robot_never_turns():
    """Inverse kinematics by hand: the rod's end is as far from the elbow as the rod is long, for every motor."""
    model = delta_robot()
    q = model.neutral()
    for place in ([0.05, -0.03, -0.45], [0.0, 0.1, -0.55]):
        rise = np.array(place) - model.joint("platform_joint").placement[:3, 3]
        q = rbd.assemble(model, q, fix={"platform_joint": [1.0, 0.0, 0.0, 0.0, *rise]})
        motors = {f"motor{k}": q[model.joint(f"motor{k}").q_slice][0] for k in (1, 2, 3)}
        back = rbd.assemble(model, model.neutral(), fix=motors)
        T = rbd.forward_kinematics(model, back).pose("platform")
        np.testing.assert_allclose(T, se3.pose(position=place), atol=1e-13)
        for k, angle in enumerate(motors.values()):
            c, s = np.cos(2.0 * np.pi * k / 3.0), np.sin(2.0 * np.pi * k / 3.0)
            out = 0.2 + 0.25 * np.cos(0.2 + angle)
            elbow = np.array([c * out, s * out, -0.25 * np.sin(0.2 + angle)])
            assert np.linalg.norm(np.array(place) + [c * 0.06, s * 0.06, 0.0] - elbow) == pytest.approx(0.5, abs=1e-13)


def test_a_five_bar_reaches_where_two_circles_meet():
    model = five_bar(base=0.3, proximal=0.4, distal=0.5)
    q = rbd.assemble(model, fix={"left_shoulder": -0.4, "right_shoulder": 0.3})
    tool = rbd.forward_kinematics(model, q).pose("tool")[:3, 3]
    for foot, angle in ((0.0, -0.4), (0.3, 0.3)):
        end = np.array([foot + 0.4 * np.sin(angle), 0.0, 0.4 * np.cos(angle)])
        assert np.linalg.norm(tool - end) == pytest.approx(0.5, abs=1e-14)
    with pytest.raises(ModelError, match="the upper arms do not meet"):
        five_bar(base=1.0, distal=0.4)


@pytest.mark.source("F8.18", "F8.19")
def test_an_excavator_is_held_by_its_cylinders():
    """By virtual work: each pushes with the slope of the potential energy by its own length, the others locked."""
    model = excavator()
    cylinders = [f"{name}_cylinder" for name in ("boom", "arm", "bucket")]
    lengths = dict.fromkeys([*cylinders, "swing"], 0.0) | {"boom_cylinder": 0.1, "arm_cylinder": -0.15}
    q, still = rbd.assemble(model, fix=lengths), np.zeros(model.nv)
    tau = rbd.inverse_dynamics(model, q, still, still, actuated=cylinders)
    for name in cylinders:
        h = 1e-4
        high, low = (rbd.assemble(model, q, fix=lengths | {name: lengths[name] + s * h}) for s in (1.0, -1.0))
        slope = (rbd.energy(model, high, still).potential - rbd.energy(model, low, still).potential) / (2.0 * h)
        assert tau[model.joint(name).v_slice][0] == pytest.approx(slope, rel=1e-6)
    assert np.abs(rbd.forward_dynamics(model, q, still, tau)).max() < 1e-11


def test_a_parallelogram_keeps_the_direction_of_the_forearm():
    """gamma in closed form: elbow = drive - shoulder, rod = shoulder - drive."""
    model = parallelogram_robot()
    for yaw, shoulder, drive in np.random.default_rng(3).uniform(-0.6, 0.6, (4, 3)):
        q = rbd.assemble(model, fix={"yaw": yaw, "shoulder": shoulder, "drive": drive})
        elbow, rod = (q[model.joint(name).q_slice][0] for name in ("elbow", "rod_joint"))
        np.testing.assert_allclose([elbow, rod], [drive - shoulder, shoulder - drive], atol=1e-14)


def test_what_they_refuse():
    with pytest.raises(ModelError, match=r"rod = 0\.1 of a delta robot is too short"):
        delta_robot(rod=0.1)
    with pytest.raises(ModelError, match="ball = -1 of a flyball governor must be a positive mass"):
        flyball_governor(ball=-1)
    with pytest.raises(ModelError, match="angle = 2 of a flyball governor"):
        flyball_governor(angle=2)
    with pytest.raises(ModelError, match=r"rungs = 1\.5"):
        ladder(1.5)
