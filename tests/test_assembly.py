"""Closing loops: coordinates from anywhere, all ways to do it, and velocities that keep them closed."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import ModelError, StateError
from rbdkit.library import (
    andrews_squeezer,
    crank_slider,
    n_four_bar,
    planar_four_bar,
    rectangular_bricard,
    sarrus_linkage,
    spatial_slider_crank,
    stewart_coordinates,
    stewart_platform,
    three_bar_linkage,
)
from rbdkit.model.closing import require_closed
from rbdkit.spatial import se3, so3

ROUND_OFF = 2e-14
MECHANISMS = {
    model.name: model
    for model in (
        planar_four_bar(), crank_slider(), spatial_slider_crank(), stewart_platform(), n_four_bar(4).model,
        andrews_squeezer().model, rectangular_bricard(), sarrus_linkage(), three_bar_linkage().model,
    )
}  # fmt: skip


def open_by(model, q, t=0.0):
    """The largest entry by which a loop joint's frames differ from where it can hold them."""
    C = algorithms.forward_kinematics(model, q, t=t).poses
    off = 0.0
    for loop in model.loops:
        X = se3.inverse(C[loop.predecessor] @ loop.joint.placement) @ C[loop.successor] @ loop.successor_placement
        off = max(off, np.abs(loop.joint.type.pose(loop.joint.type.project(X), t) - X).max())
    return off


@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_close_from_anywhere(name):
    """Near, at random, and turns and metres away; the same again when asked again."""
    model, rng = MECHANISMS[name], np.random.default_rng(4)
    starts = [model.random_q(rng) for _ in range(3)]
    starts += [model.integrate(start, 30.0 * rng.normal(size=model.nv)) for start in starts[:2]]
    starts.append(model.integrate(rbd.assemble(model), 0.1 * rng.normal(size=model.nv)))
    for start in starts:
        q = rbd.assemble(model, start)
        model.check_q(q)
        assert open_by(model, q) < ROUND_OFF * max(1.0, np.abs(q).max())
        np.testing.assert_array_equal(rbd.assemble(model, start), q)
    near = rbd.assemble(model, starts[-1])
    assert np.linalg.norm(model.difference(starts[-1], near)) < 0.5 * np.sqrt(model.nv)
    np.testing.assert_array_equal(rbd.assemble(model, near), near)
    np.testing.assert_array_equal(
        rbd.assemble(model, np.array(starts[:2])), [rbd.assemble(model, q) for q in starts[:2]]
    )


@pytest.mark.source("F8.16")
def test_both_modes_of_a_four_bar_are_those_of_the_two_circles():
    """The crank's angle does not determine the configuration: the closed form knows two, and so does the search."""
    lengths = {"crank": 0.2, "coupler": 0.5, "base": 0.45, "rocker": 0.4}
    model = planar_four_bar(**lengths, angle=0.7)
    for turn in (0.0, 1.1, -2.0):
        found = rbd.assembly_modes(model, fix={"crank_joint": turn}, starts=16)
        assert found.shape == (2, 3)
        np.testing.assert_array_equal(found[:, 0], turn)
        poses = [rbd.forward_kinematics(model, q).pose("rocker")[:3, :3] for q in found]
        expected = []
        for crossed in (False, True):
            other = planar_four_bar(**lengths, angle=0.7 - turn, crossed=crossed)  # counterclockwise
            tip = other.loops[0].successor_placement[:3, 3]
            expected.append(tip)
        own = model.loops[0].successor_placement[:3, 3]
        tips = [R @ own for R in poses]
        for tip in expected:
            assert min(np.abs(tip - other).max() for other in tips) < 1e-14
    short = planar_four_bar(crank=0.5, coupler=0.2)
    assert rbd.assembly_modes(short, fix={"crank_joint": -2.0}, starts=4).shape == (0, 3)


def test_legs_of_given_lengths_hold_a_platform_in_several_places():
    """The pose they were computed from is among them, and the nearest to it."""
    model = stewart_platform()
    pose = se3.pose(so3.exp(np.array([0.1, -0.2, 0.3])), [0.05, -0.1, 1.1])
    q = stewart_coordinates(model, pose)
    slides = [f"slide{k}" for k in range(1, 7)]
    found = rbd.assembly_modes(model, q, slides, starts=12)
    assert len(found) > 2
    np.testing.assert_allclose(found[0], q, atol=1e-13)
    for mode in found:
        assert open_by(model, mode) < ROUND_OFF
        for name in slides:
            np.testing.assert_array_equal(mode[model.joint(name).q_slice], q[model.joint(name).q_slice])
    with pytest.raises(StateError, match=r"no joint held, model 'Stewart platform' still has 6 freedom"):
        rbd.assembly_modes(model, q, starts=2)


def test_a_platform_put_somewhere_takes_its_legs_along():
    model = stewart_platform()
    pose = se3.pose(so3.exp(np.array([0.3, 0.2, -0.1])), [0.1, 0.2, 0.9])
    q = stewart_coordinates(model, pose)
    own = {"platform_joint": q[model.joint("platform_joint").q_slice]}
    np.testing.assert_allclose(rbd.assemble(model, fix=own), q, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_a_row_of_four_bars_closes_at_its_singular_pose(angle):
    """Flat, all constraints but one direction lose their hold: errors fall by halves there, to half the digits in q."""
    model = n_four_bar(3).model
    flat = np.array([0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5]) * np.pi
    q = rbd.assemble(model, flat + angle * np.array([1.0, 0.3, -0.7, 0.2, 0.4, -0.5, 0.1]))
    assert open_by(model, q) < ROUND_OFF


def test_bars_too_short_say_which_loop_stays_open_and_by_how_much():
    """Stretched towards each other, crank, coupler and rocker leave the rest of the base between them."""
    model = planar_four_bar().with_parameters({"rocker_joint.placement": [3.0, 0.0, 0.0]})
    rocker = np.linalg.norm(model.loops[0].successor_placement[:3, 3])
    with pytest.raises(
        StateError, match=r"no coordinates.*loop joint 'pin' stays open by ([\d.]+) m.*Check lengths"
    ) as caught:
        rbd.assemble(model)
    assert float(str(caught.value).split("open by ")[1].split(" m")[0]) == pytest.approx(3.0 - 0.7 - rocker, rel=5e-3)
    with pytest.raises(StateError, match=r"They close if 'crank_joint' may move"):
        rbd.assemble(planar_four_bar(crank=0.5, coupler=0.2), fix={"crank_joint": -2.0})


def limited(upper, joint="rocker_joint"):
    plain, model = planar_four_bar(), rbd.Model("limited")
    for body in plain.bodies[1:]:
        limits = rbd.Limits(lower=-0.5, upper=upper) if body.joint.name == joint else None
        parent, placed = plain.bodies[body.parent].name, body.joint.placement
        model.add_body(
            body.name, parent, body.joint.type, placed, body.inertia, joint_name=body.joint.name, limits=limits
        )
    (loop,) = plain.loops
    model.add_loop("pin", "coupler", "rocker", loop.joint.type, loop.joint.placement, loop.successor_placement)
    return model


def test_limits_are_respected_and_named_when_they_are_in_the_way():
    model, rng = limited(0.3), np.random.default_rng(2)
    for _ in range(5):
        q = rbd.assemble(model, rng.uniform(-3.0, 3.0, 3))
        assert open_by(model, q) < ROUND_OFF and -0.5 <= q[2] <= 0.3
    assert rbd.assemble(model, fix={"rocker_joint": 0.35})[2] == 0.35  # as told
    with pytest.raises(StateError, match=r"or beyond limits, joint 'rocker_joint' at 0\.\d+ rad, limits -0\.5 to 0\.3"):
        rbd.assemble(model, fix={"crank_joint": 1.0})


def test_followers_and_driven_joints_close_with_the_rest():
    """A gripper whose jaws follow one screw, tied by a bar; and a crank that is where time has it."""
    plain, model = planar_four_bar(), rbd.Model("driven")
    drive = rbd.Prescribed(rbd.Revolute("y"), lambda t: (0.4 * t, 0.4, 0.0))
    for body in plain.bodies[1:]:
        kind = drive if body.name == "crank" else body.joint.type
        model.add_body(body.name, plain.bodies[body.parent].name, kind, body.joint.placement, body.inertia)
    (loop,) = plain.loops
    model.add_loop("pin", "coupler", "rocker", loop.joint.type, loop.joint.placement, loop.successor_placement)
    q = rbd.assemble(model, t=2.0)
    np.testing.assert_allclose(q, rbd.assemble(plain, fix={"crank_joint": 0.8})[1:], atol=1e-14)
    v = rbd.project_velocity(model, q, t=2.0)
    np.testing.assert_allclose(
        v, (rbd.assemble(model, q, t=2.0001) - rbd.assemble(model, q, t=1.9999)) / 2e-4, atol=1e-7
    )
    rod = rbd.Inertia.box([0.1, 0.1, 1.0], mass=1.0)
    follower = rbd.Model("follower")
    follower.add_body("a", joint=rbd.Revolute("y"), inertia=rod, joint_name="first")
    follower.add_body("b", "a", rbd.Revolute("y"), [0, 0, 1.0], rod, mimic=rbd.Mimic("first", -2.0, 0.1))
    follower.add_body("c", joint=rbd.Prismatic("x"), inertia=rod)
    follower.add_loop("eye", "b", "c", rbd.Cylindrical("y"), [0, 0, 1.0])
    too_high = follower.with_parameters({"c_joint.placement": [0, 0, 2.5]})
    with pytest.raises(StateError, match="'eye' stays open by"):  # its end is at cos(a) + cos(0.1 - a)
        rbd.assemble(too_high)
    follower = follower.with_parameters({"c_joint.placement": [0, 0, 2.0 * np.cos(0.05)]})
    q = rbd.assemble(follower)  # a double root: both lean alike
    np.testing.assert_allclose(np.cos(q[0]) + np.cos(0.1 - q[0]), 2.0 * np.cos(0.05), atol=1e-15)
    with pytest.raises(ModelError, match="joint 'b_joint' follows 'first'; name that one"):
        rbd.assemble(follower, fix="b_joint")


@pytest.mark.parametrize("norm", ["energy", "plain", "own"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_velocities_keep_loops_closed_and_are_the_nearest(name, norm):
    """By kinematics: moved on by h they open loops by h^2; and the change is orthogonal to all that may be."""
    model, rng = MECHANISMS[name], np.random.default_rng(5)
    q, v = rbd.assemble(model, model.random_q(rng)), rng.normal(size=model.nv)
    root = rng.normal(size=(model.nv, model.nv))
    W = {"energy": rbd.crba(model, q), "plain": np.eye(model.nv), "own": root @ root.T + np.eye(model.nv)}[norm]
    found = rbd.project_velocity(model, q, v, norm=W if norm == "own" else norm)
    gaps = [open_by(model, model.integrate(q, h * found)) for h in (1e-3, 1e-4)]
    assert gaps[1] < 0.02 * gaps[0] + 1e-13
    other = rbd.project_velocity(model, q, rng.normal(size=model.nv), norm="plain")
    # to the conditioning: Newton's method leaves rows that vanish in flat poses at the root of the rounding error there
    said = np.linalg.svd(algorithms.loops.loop_constraint(model, q, v).K, compute_uv=False)
    near = 2e-15 * np.linalg.norm(W) / said[said > 1e-12].min()
    assert abs((found - v) @ W @ other) < near * max(1.0, np.abs(v).max())
    np.testing.assert_allclose(rbd.project_velocity(model, q, found), found, atol=max(near, 1e-13))


def test_a_driven_crank_gives_the_speeds_of_the_rest():
    model = planar_four_bar()
    q = rbd.assemble(model, fix={"crank_joint": 0.5})
    v = rbd.project_velocity(model, q, fix={"crank_joint": 3.0})
    ahead, back = (rbd.assemble(model, q, fix={"crank_joint": 0.5 + 3.0 * h}) for h in (1e-5, -1e-5))
    np.testing.assert_allclose(v, (ahead - back) / 2e-5, atol=1e-8)
    tree = rbd.library.double_pendulum()
    np.testing.assert_array_equal(rbd.project_velocity(tree, [0.1, 0.2], [1.0, 2.0]), [1.0, 2.0])
    np.testing.assert_array_equal(rbd.assemble(tree, [0.1, 0.2], fix={"hinge2": 1.0}), [0.1, 1.0])


def test_at_a_dead_centre_the_rocker_cannot_be_turned():
    """Crank and coupler in a line: whatever the crank does, the rocker stands still."""
    model = planar_four_bar(crank=0.2, coupler=0.5, base=0.45, rocker=0.4)
    cosine = (0.7**2 + 0.45**2 - 0.4**2) / (2.0 * 0.7 * 0.45)
    dead = 0.5 * np.pi - np.arccos(cosine)  # of the crank, which points up at neutral, clockwise
    q = rbd.assemble(model, fix={"crank_joint": dead})
    np.testing.assert_allclose(rbd.project_velocity(model, q, fix={"crank_joint": 1.0})[2], 0.0, atol=1e-9)
    with pytest.raises(StateError, match=r"while 'rocker_joint' keep\(s\).*loop joint 'pin' is opened by"):
        rbd.project_velocity(model, q, fix={"rocker_joint": 1.0})


def test_what_is_refused():
    model = planar_four_bar()
    q = model.neutral()
    with pytest.raises(ModelError, match=r"joint 'crank' is not in model .*did you mean 'crank_joint'"):
        rbd.assemble(model, fix=["crank"])
    with pytest.raises(ModelError, match="fix = 3 must be names"):
        rbd.assemble(model, fix=3)
    with pytest.raises(StateError, match=r"fix\['crank_joint'\] = \[1, 2\] must hold 1 number"):
        rbd.assemble(model, fix={"crank_joint": [1, 2]})
    with pytest.raises(StateError, match="not finite"):
        rbd.assemble(model, fix={"crank_joint": np.nan})
    with pytest.raises(StateError, match=r"q leaves loop joint 'pin' open by 0\.0.* m\. `q = rbdkit.assemble"):
        rbd.project_velocity(model, q + [0.1, 0.0, 0.0])
    with pytest.raises(ModelError, match="norm 'mass' must be"):
        rbd.project_velocity(model, q, norm="mass")
    with pytest.raises(ModelError, match="not positive definite is the norm given"):
        rbd.project_velocity(model, q, norm=-np.eye(3))
    with pytest.raises(ModelError, match=r"shape \(2, 2\)"):
        rbd.project_velocity(model, q, norm=np.eye(2))
    with pytest.raises(StateError, match="the modes of one state"):
        rbd.assembly_modes(model, [q, q])
    with pytest.raises(ModelError, match="starts = 0"):
        rbd.assembly_modes(model, starts=0)
    with pytest.raises(StateError, match=r"v has shape \(2, 3\); one state"):
        rbd.project_velocity(model, q, np.zeros((2, 3)))


@pytest.mark.parametrize("size", [1e-7, 1e-3, 1e3])
def test_a_mechanism_of_any_size_is_judged_by_its_own_length(size):
    """Open by a hundredth of its size it is open, in micrometres as in kilometres; and so are its velocities."""
    model = planar_four_bar(crank=0.2 * size, coupler=0.5 * size, base=0.45 * size, rocker=0.4 * size)
    q = rbd.assemble(model, fix={"crank_joint": 0.5})
    v = rbd.project_velocity(model, q, fix={"crank_joint": 1.0})
    one = planar_four_bar(crank=0.2, coupler=0.5, base=0.45, rocker=0.4)
    np.testing.assert_allclose(v, rbd.project_velocity(one, q, fix={"crank_joint": 1.0}), rtol=1e-9)
    np.testing.assert_allclose(rbd.project_velocity(model, q, v), v, rtol=1e-9)
    with pytest.raises(StateError, match="q leaves loop joint 'pin' open by"):
        rbd.project_velocity(model, q + [0.01, 0.0, 0.0])
    for speed in (1.0, 1e-8):
        with pytest.raises(StateError, match="loop joint 'pin' is opened by"):
            rbd.project_velocity(model, q, fix={"crank_joint": speed, "rocker_joint": speed})
    require_closed(model, q, v)
    with pytest.raises(StateError, match="q leaves loop joint 'pin' open by"):
        require_closed(model, q + [0.01, 0.0, 0.0], v)
    with pytest.raises(StateError, match="v opens loop joint 'pin' by"):
        require_closed(model, q, v + [0.01, 0.0, 0.0])
    short = planar_four_bar(crank=0.5 * size, coupler=0.2 * size, base=0.4 * size)
    with pytest.raises(StateError, match=r"at best loop joint 'pin' stays open by .* m\. They close if 'crank_joint'"):
        rbd.assemble(short, fix={"crank_joint": -2.0})


def test_norms_are_looked_at_in_every_model():
    tree = rbd.library.double_pendulum()
    with pytest.raises(ModelError, match="norm 'mass' must be"):
        rbd.project_velocity(tree, [0.0, 0.0], norm="mass")
    with pytest.raises(ModelError, match=r"norm .*inf.* symmetric matrix of finite numbers"):
        rbd.project_velocity(planar_four_bar(), np.zeros(3), norm=np.diag([np.inf, 1.0, 1.0]))
