"""The pictures of chapter 8 show what they say: their numbers by other routes, without a browser."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import divide_and_conquer
from rbdkit.algorithms.loops import actuated_freedoms, loop_constraint, loop_mobility
from rbdkit_course.featherstone.four_bar import CRANK, MODEL, closed, dead_centres, velocities
from rbdkit_course.featherstone.pictures import cut_loop, dead_centre, five_bar, flat_linkage, loop_error


def number(text: str) -> float:
    return float(text.split()[0])


@pytest.mark.source("F8.16")
@pytest.mark.parametrize("motor", dead_centre.MOTORS)
def test_the_ghost_is_the_other_assembly_mode(motor):
    picture = dead_centre.draw(50.0, motor)
    at = closed(np.radians(50.0))
    modes = rbd.assembly_modes(MODEL, at, fix=f"{motor}_joint", starts=24)
    assert len(modes) == 2
    for q, poses in zip(modes, (picture.poses[:4], picture.poses[4:]), strict=True):
        np.testing.assert_allclose(poses, rbd.forward_kinematics(MODEL, q).poses, atol=1e-9)


def test_at_a_dead_centre_the_ways_meet_and_the_motor_holds_nothing():
    for phi in np.degrees(dead_centres()):
        picture = dead_centre.draw(float(phi), "rocker")
        np.testing.assert_allclose(picture.poses[:4], picture.poses[4:], atol=1e-7)
        readout = dict(picture.readout)
        assert readout["rocker : crank, speeds"] == "+0.000"
        assert readout["1 N m at the rocker holds"] == "0.00 N m at the crank"
        assert dict(dead_centre.draw(float(phi), "crank").readout)["1 N m at the crank holds"].startswith("any torque")


def test_the_pushes_keep_each_other_in_balance():
    """Virtual work: what the orange push does on the allowed motion, the blue one takes back."""
    for motor in dead_centre.MOTORS:
        picture = dead_centre.draw(-35.0, motor)
        q = closed(np.radians(-35.0))
        v = velocities(q)
        power = 0.0
        for arrow in picture.arrows:
            bar = "crank" if np.linalg.norm(arrow.start) == pytest.approx(CRANK) else "rocker"
            foot = dead_centre.FEET[bar]
            omega = v[0] if bar == "crank" else v[2]
            power += np.cross([0.0, omega, 0.0], np.array(arrow.start) - foot) @ arrow.vector
        assert power == pytest.approx(0.0, abs=1e-12)


def test_dragging_the_crank_turns_it():
    playground = dead_centre.dead_centre()
    pose = np.eye(4)
    pose[:3, 3] = -0.3, 0.1, 0.3
    playground._dragged(pose, done=True)
    assert playground.values["crank"] == pytest.approx(135.0)
    assert playground.picture.handle[:3, 3] == pytest.approx(CRANK * np.array([-1, 0, 1]) / np.sqrt(2))
    assert dead_centre.dragged(np.eye(4)) == {}
    playground.close()


@pytest.mark.source("F8.07", "F8.10")
@pytest.mark.parametrize("joint", cut_loop.JOINTS)
def test_the_motion_does_not_depend_on_the_cut(joint):
    """The judge assembles the bars in pairs and knows no cut."""
    now = cut_loop.instant(joint, crank=1.0, speed=3.0, torque=2.0)
    q = closed(1.0)
    judge = divide_and_conquer(MODEL, q, -3.0 * velocities(q), np.array([-2.0, 0.0, 0.0]))
    for name, turning in now.turning.items():
        assert turning == pytest.approx(-judge.a[MODEL.body(name).index][1], rel=1e-9)
    assert now.constraint.names == (joint,) and now.constraint.K.shape == (5, 3)


def test_the_pin_carries_what_holds_the_rocker_on_its_way():
    """Newton and Euler for the rocker alone, about its foot."""
    now = cut_loop.instant("pin", crank=1.0, speed=3.0, torque=2.0)
    rocker = MODEL.body("rocker")
    R = rbd.forward_kinematics(MODEL, closed(1.0)).pose("rocker")[:3, :3]
    weight = rocker.inertia.mass * R.T @ MODEL.gravity
    moment = now.motion.f["pin"][1] + np.cross(rocker.inertia.com, weight)[1]
    assert moment == pytest.approx(-rocker.inertia.matrix[1, 1] * now.turning["rocker"], rel=1e-9)


def test_a_cut_that_is_pulled_apart_is_open():
    picture = cut_loop.draw("rocker_joint", 70.0, 0.0, 1.0, 0.25)
    readout = dict(picture.readout)
    assert readout["angular accelerations"] == "the loop is open" and not picture.arrows
    foot = picture.poses[3, :3, 3]
    assert number(readout["the loop is open by"]) == pytest.approx(1e3 * np.linalg.norm(foot - [0.4, 0, 0]), abs=0.6)
    closed_one = cut_loop.draw("rocker_joint", 70.0, 0.0, 1.0, 0.0)
    assert dict(closed_one.readout)["the loop is open by"] == "nothing" and len(closed_one.arrows) == 2
    np.testing.assert_allclose(
        closed_one.poses, rbd.forward_kinematics(MODEL, closed(np.radians(70.0))).poses, atol=1e-12
    )


@pytest.mark.source("F8.03")
def test_the_valley_of_the_loop_error(monkeypatch):
    monkeypatch.setattr(loop_error, "TIMES", np.array([0.003, 0.03, 1.0]))
    monkeypatch.setattr(loop_error, "DURATION", 1.0)
    loop_error.motions.cache_clear()
    try:
        without, stiff, valley, slow = loop_error.worst(loop_error.motions(0.01))
        assert np.isnan(stiff) and valley < 0.3 * slow and valley < 0.1 * without
        readout = dict(loop_error.draw(0.03, "10 ms", 1.0).readout)
        assert readout["T_stab / step"] == "3" and "µm" in readout["loop error at 1.00 s"]
        assert dict(loop_error.draw(0.003, "10 ms", 1.0).readout)["loop error at 1.00 s"] == "came apart"
        picture = loop_error.draw(0.03, "10 ms", 0.5)
        q = loop_error.motions(0.01).q[50]
        np.testing.assert_allclose(picture.poses[:4], rbd.forward_kinematics(MODEL, q[2]).poses)
        np.testing.assert_allclose(picture.poses[4:], rbd.forward_kinematics(MODEL, q[0]).poses)
    finally:
        loop_error.motions.cache_clear()


@pytest.mark.source("F8.14")
@pytest.mark.parametrize("way", flat_linkage.WAYS)
def test_mobility_jumps_where_the_bars_lie_flat(way):
    model = flat_linkage.MODEL
    for crank, mobility in ((40.0, 1), (0.0, 2), (-71.0, 1)):
        q = flat_linkage.coordinates(np.radians(crank), way)
        assert np.abs(loop_constraint(model, q, np.zeros(3)).delta).max() < 1e-15
        assert dict(flat_linkage.draw(crank, way).readout)["n − r, the truth here"].endswith(f"= {mobility}")
        assert loop_mobility(model, q).mobility == mobility


def test_the_two_ways_are_two_and_meet_flat():
    both = [np.array([flat_linkage.coordinates(a, way) for a in (0.0, 0.8)]) for way in flat_linkage.WAYS]
    assert both[0][0] == pytest.approx(both[1][0], abs=1e-12)
    assert np.abs(both[0][1] - both[1][1]).max() > 0.5
    assert both[0][1][0] == pytest.approx(both[0][1][2])  # a parallelogram: the rocker turns as the crank does


@pytest.mark.source("F8.20")
@pytest.mark.parametrize("motors", [m for m in five_bar.MOTORS if m != "left shoulder"])
def test_the_map_is_the_condition_of_the_actuation(motors):
    drawn = five_bar.evenness(five_bar.MOTORS[motors])
    for i, j in ((45, 60), (50, 40), (30, 70)):
        tip = five_bar.X[j], five_bar.Z[i]
        q = five_bar.coordinates(tip)
        assert np.abs(loop_constraint(five_bar.MODEL, q, np.zeros(4)).delta).max() < 1e-15
        names = [five_bar.JOINTS[k] for k in five_bar.MOTORS[motors]]
        order = sorted(names, key=[joint.name for joint in five_bar.MODEL.joints].index)
        assert drawn[i, j] == pytest.approx(1.0 / actuated_freedoms(five_bar.MODEL, q, order).condition, rel=1e-9)
    assert np.isnan(drawn[-1, 0])


def test_the_motors_hold_the_arms_against_their_weight():
    """The change of potential energy along both freedoms, from differences of the closed form."""
    for motors, preload in (("both shoulders", 0.0), ("shoulders and left elbow", 1.5), ("all four", -1.0)):
        picture = five_bar.draw(0.28, 0.5, motors, preload)
        held = dict(picture.readout)["torques against the weight"].removesuffix(" N m")
        tau, mass = np.zeros(4), sum(body.inertia.mass for body in five_bar.MODEL.bodies[1:])
        tau[[JOINT.index(five_bar.JOINTS[k]) for k in five_bar.MOTORS[motors]]] = [
            float(text) for text in held.split(",")
        ]
        for step in ((1e-4, 0.0), (0.0, 1e-4)):
            ends = [five_bar.coordinates(np.array([0.28, 0.5]) + sign * np.array(step)) for sign in (0.5, -0.5)]
            risen = 9.81 * mass * np.subtract(*(rbd.center_of_mass(five_bar.MODEL, q)[2] for q in ends))
            assert tau @ (ends[0] - ends[1]) == pytest.approx(risen, abs=3e-6)  # torques are read to 0.01 N m


JOINT = [joint.name for joint in five_bar.MODEL.joints[1:]]


def test_too_few_motors_and_far_tips_are_said():
    readout = dict(five_bar.draw(0.28, 0.5, "left shoulder", 0.0).readout)
    assert readout["actuation"] == "too few motors" and readout["torques against the weight"] == "cannot hold it"
    playground = five_bar.five_bar()
    pose = np.eye(4)
    pose[:3, 3] = -2.0, 0.0, 0.3
    playground._dragged(pose, done=True)
    assert "does not reach the tip" in playground.panel.fault
    playground._dragged(five_bar.draw(0.1, 0.55, "all four", 0.0).handle, done=True)
    assert playground.panel.fault == "" and playground.values["x"] == pytest.approx(0.1)
    playground.close()


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (dead_centre.dead_centre, {"crank": 28.0, "motor at": "crank"}),
        (cut_loop.cut_loop, {"cut at": "coupler_joint", "pull apart": 0.0, "speed": 2.0}),
        (flat_linkage.flat_linkage, {"crank": 0.0, "way": "antiparallelogram"}),
        (five_bar.five_bar, {"motors at": "all four", "preload": 1.0}),
    ],
)
def test_playgrounds_start_and_move(make, values):
    playground = make()
    before = playground.panel.drawing
    playground.set(**values)
    assert playground.panel.fault == "" and playground.panel.drawing != before
    assert playground.picture.note and all(row[1] for row in playground.picture.readout)
    playground.close()
