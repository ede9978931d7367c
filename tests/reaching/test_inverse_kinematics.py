"""Inverse kinematics against forward kinematics, closed forms of planar arms, SciPy's optimisers and differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import rbdkit as rbd
from rbdkit.formats import from_dh
from rbdkit.library import puma_560, quadruped, random_tree, robot_file
from rbdkit.reaching import ReachWarning
from rbdkit.reaching.targets import Place, Whole

REACHED = 1e-8


def planar_arm(*lengths: float) -> rbd.Model:
    model, parent = rbd.Model("planar arm"), "world"
    for k, length in enumerate(lengths):
        placement = (lengths[k - 1], 0, 0) if k else None
        rod = rbd.Inertia.box((length, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(length / 2, 0, 0)))
        parent = model.add_body(f"rod{k}", parent, rbd.Revolute("z"), placement=placement, inertia=rod).name
    model.add_frame("tip", parent, (lengths[-1], 0, 0))
    return model


def pose_of(model, q, frame):
    return rbd.forward_kinematics(model, q).pose(frame)


@pytest.mark.robots
@pytest.mark.parametrize(
    ("make", "frame", "limits"),
    [
        (lambda: rbd.load(robot_file("ur5_robot")), "tool0", True),
        (lambda: rbd.load(robot_file("panda")), "panda_hand", True),
        (lambda: from_dh(puma_560()), "link6", False),
    ],
    ids=["ur5", "panda", "puma"],
)
def test_random_reachable_poses_of_arms(make, frame, limits):
    model, rng = make(), np.random.default_rng(11)
    for _ in range(60):
        wanted = pose_of(model, model.random_q(rng), frame)
        q = rbd.inverse_kinematics(model, {frame: wanted}, limits=limits)
        assert_allclose(pose_of(model, q, frame), wanted, atol=REACHED)
        if limits:
            for joint in model.joints[1:]:
                assert (joint.coordinates(q) >= joint.limits.lower).all()
                assert (joint.coordinates(q) <= joint.limits.upper).all()


@pytest.mark.robots
def test_all_eight_solutions_of_an_arm_with_six_joints():
    """Shoulder left or right, elbow up or down, wrist turned or not: Hawkins (2013) derives eight for the UR5."""
    model = rbd.load(robot_file("ur5_robot"))
    wanted = pose_of(model, [-1.4, -1.0, 1.3, 0.6, 1.1, -0.4], "tool0")
    found = rbd.inverse_kinematics(model, {"tool0": wanted}, solutions="all", limits=False)
    assert len(found) == 8
    for q in found:
        assert_allclose(pose_of(model, q, "tool0"), wanted, atol=REACHED)
    turns = np.exp(1j * found)
    apart = np.abs(turns[:, None] - turns[None]).max(axis=2) + 9.0 * np.eye(8)
    assert apart.min() > 0.1


def test_two_rods_by_the_law_of_cosines():
    model, (x, y) = planar_arm(1.0, 0.7), (0.9, 0.8)
    elbow = np.arccos((x * x + y * y - 1.0 - 0.49) / (2 * 0.7))
    expected = [[np.arctan2(y, x) - np.arctan2(0.7 * np.sin(b), 1.0 + 0.7 * np.cos(b)), b] for b in (elbow, -elbow)]
    found = rbd.inverse_kinematics(model, {"tip": (x, y, 0.0)}, [0.5, 0.5], solutions="all")
    assert_allclose(found, expected, atol=1e-9)
    near = rbd.inverse_kinematics(model, {"tip": (x, y, 0.0)}, expected[1], solutions="nearest")
    assert_allclose(near, expected[1], atol=1e-9)
    above = rbd.inverse_kinematics(model, {"tip": (x, y, 0.0)}, expected[0], accept=lambda q: q[1] < 0)
    assert_allclose(above, expected[1], atol=1e-9)


def test_what_is_out_of_reach_is_told_and_the_nearest_place_is_given_on_request():
    model = planar_arm(1.0, 0.7)
    with pytest.raises(rbd.StateError, match=r"at best 'tip' misses its target by 0\.3 m"):
        rbd.inverse_kinematics(model, {"tip": (0.0, 2.0, 0.0)})
    q = rbd.inverse_kinematics(model, {"tip": (0.0, 2.0, 0.0)}, required=False)
    assert_allclose(pose_of(model, q, "tip")[:3, 3], [0.0, 1.7, 0.0], atol=1e-6)  # stretched: a double root


def test_weights_share_out_what_cannot_be_reached():
    """Two sliders on one rail are to be at two places, and a rod holds them together: the mean by weights."""
    model = rbd.Model("rail")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    model.add_frame("other end", "cart", (1.0, 0, 0))
    wanted = {"cart": (0.0, 0, 0), "other end": (3.0, 0, 0)}
    for weights, x in (({}, 1.0), ({"other end": 3.0}, 1.8)):  # (0 + w^2 2) / (1 + w^2)
        q = rbd.inverse_kinematics(model, wanted, weights=weights, required=False)
        assert_allclose(q, [x], atol=1e-9)


def test_limits_and_held_joints_in_the_way_are_named():
    model = planar_arm(1.0, 0.7)
    with pytest.raises(rbd.StateError, match="They are reached if 'rod0_joint' may move"):
        rbd.inverse_kinematics(model, {"tip": (-1.0, 0.5, 0.0)}, fix={"rod0_joint": 0.0})
    short = rbd.Model("short")
    rod = rbd.Inertia(1.0, (0.5, 0, 0))
    short.add_body("rod", joint=rbd.Revolute("z"), inertia=rod, limits=rbd.Limits(-0.5, 0.5))
    short.add_frame("tip", "rod", (1.0, 0, 0))
    with pytest.raises(rbd.StateError, match="beyond the limits of joints"):
        rbd.inverse_kinematics(short, {"tip": (0.0, 1.0, 0.0)})
    q = rbd.inverse_kinematics(short, {"tip": (0.0, 1.0, 0.0)}, limits=False)
    assert_allclose(q, [np.pi / 2], atol=1e-9)


def test_freedoms_that_are_left_go_to_what_is_preferred():
    """Against SciPy's constrained minimiser."""
    model, rest, place = planar_arm(1.0, 0.8, 0.6, 0.4), np.array([0.3, 0.4, 0.5, 0.6]), np.array([1.2, 1.1, 0.0])
    q = rbd.inverse_kinematics(model, {"tip": place}, rest, prefer=rest)
    assert_allclose(pose_of(model, q, "tip")[:3, 3], place, atol=REACHED)
    reach = {"type": "eq", "fun": lambda x: pose_of(model, x, "tip")[:2, 3] - place[:2]}
    best = minimize(lambda x: np.sum((x - rest) ** 2), q, constraints=[reach], tol=1e-14)
    assert_allclose(q, best.x, atol=1e-6)  # SciPy's differences
    assert np.linalg.norm(q - rest) <= np.linalg.norm(rbd.inverse_kinematics(model, {"tip": place}, rest) - rest)


def test_several_frames_at_once_on_a_floating_base():
    model, q, _ = quadruped()
    feet = [name for name in model._frame_index if "foot" in name] or [b.name for b in model.bodies[1:]][-4:]
    rng = np.random.default_rng(4)
    moved = model.integrate(q, 0.2 * rng.standard_normal(model.nv))
    wanted = {foot: pose_of(model, moved, foot)[:3, 3] for foot in feet}
    found = rbd.inverse_kinematics(model, wanted, q)
    for foot in feet:
        assert_allclose(pose_of(model, found, foot)[:3, 3], wanted[foot], atol=REACHED)


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_targets_are_derivatives(seed):
    rng, model = np.random.default_rng(seed), random_tree(seed, bodies=6)
    frame, q = model.bodies[-1].name, model.random_q(np.random.default_rng(seed))
    R = pose_of(model, model.integrate(q, 1e-4 * rng.standard_normal(model.nv)), frame)  # A is right for small e
    wanted = [
        Place(rng.standard_normal(3)),
        Whole(R),
        rbd.Orientation(R[:3, :3]),
        rbd.Pointing(rng.standard_normal(3), axis=rng.standard_normal(3)),
        rbd.LookAt(rng.standard_normal(3) * 3.0, axis="x"),
    ]
    h, dq = 1e-6, rng.standard_normal(model.nv)
    for target in wanted:
        ahead, behind = (
            target.error(pose_of(model, p, frame), rbd.jacobian(model, p, frame, "aligned"))[0]
            for p in (model.integrate(q, h * dq), model.integrate(q, -h * dq))
        )
        e, A = target.error(pose_of(model, q, frame), rbd.jacobian(model, q, frame, "aligned"))
        slope = -(ahead - behind) / (2 * h)
        if isinstance(target, rbd.Pointing | rbd.LookAt):  # two rows of three count: those along and across e differ
            along = e / np.linalg.norm(e)
            assert_allclose(along @ slope, along @ A @ dq, atol=1e-6 * (1 + np.abs(A @ dq).max()))
        else:
            assert_allclose(slope, A @ dq, atol=1e-6 * (1 + np.abs(A @ dq).max()))


def test_directions_and_points_to_look_at():
    model = rbd.Model("head")
    model.add_body("neck", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0, (0, 0, 0.1)))
    model.add_body("head", "neck", rbd.Revolute("y"), placement=(0, 0, 0.3), inertia=rbd.Inertia(1.0, (0.1, 0, 0)))
    model.add_frame("eye", "head", (0.1, 0.05, 0.1))
    q = rbd.inverse_kinematics(model, {"eye": rbd.LookAt((2.0, 1.0, 0.5), axis="x")})
    eye = pose_of(model, q, "eye")
    assert np.linalg.norm(np.cross(eye[:3, 0], [2.0, 1.0, 0.5] - eye[:3, 3])) < REACHED
    assert eye[:3, 0] @ ([2.0, 1.0, 0.5] - eye[:3, 3]) > 0.0
    q = rbd.inverse_kinematics(model, {"eye": rbd.Pointing((-1.0, 0.0, 0.0), axis="x")})  # opposite at the start
    assert_allclose(pose_of(model, q, "eye")[:3, 0], [-1.0, 0.0, 0.0], atol=REACHED)
    both = (np.array([0.1, 0.05, 0.4]), rbd.Pointing((1.0, 0.0, 0.0), axis="x"))
    assert_allclose(rbd.inverse_kinematics(model, {"eye": both}, [0.3, 0.2]), [0.0, 0.0], atol=REACHED)


def test_loops_constraints_and_followers_hold():
    model = rbd.library.planar_four_bar()
    crank = rbd.assemble(model, fix={"crank_joint": 1.0})
    coupler = next(body.name for body in model.bodies[1:] if "coupler" in body.name)
    wanted = pose_of(model, crank, coupler)[:3, 3]
    q = rbd.inverse_kinematics(model, {coupler: wanted}, rbd.assemble(model))
    assert_allclose(pose_of(model, q, coupler)[:3, 3], wanted, atol=REACHED)
    assert_allclose(rbd.assemble(model, q), q, atol=1e-9)  # it is closed already
    belt = planar_arm(1.0, 0.7)
    belt.add_constraint("belt", rbd.Tie("rod1_joint", "rod0_joint", ratio=2.0))
    place = pose_of(belt, [0.4, 0.8], "tip")
    assert_allclose(rbd.inverse_kinematics(belt, {"tip": place}, [0.1, 0.2]), [0.4, 0.8], atol=REACHED)
    with pytest.raises(rbd.StateError, match="are for trees"):
        rbd.inverse_kinematics(belt, {"tip": place}, required=False)


def test_all_solutions_of_a_mechanism_heed_limits_only_if_asked_to():
    """Elbow up and elbow down, of which a limit forbids the second; a belt to a wheel makes it a mechanism."""
    rod = rbd.Inertia.box((1.0, 0.1, 0.1), mass=1.0).transformed(rbd.pose(position=(0.5, 0, 0)))
    model = rbd.Model("belted")
    model.add_body("rod0", joint=rbd.Revolute("z"), inertia=rod)
    model.add_body("rod1", "rod0", rbd.Revolute("z"), placement=(1, 0, 0), inertia=rod, limits=rbd.Limits(0.0, 3.0))
    model.add_body("wheel", joint=rbd.Revolute("z"), inertia=rod)
    model.add_frame("tip", "rod1", (1.0, 0, 0))
    model.add_constraint("belt", rbd.Tie("wheel_joint", "rod0_joint", ratio=-1.0))
    target = {"tip": (1.0, 1.0, 0.0)}  # a square of two rods: the elbow is turned by a quarter, either way
    for limits, elbows in ((True, [np.pi / 2]), (False, [-np.pi / 2, np.pi / 2])):
        found = rbd.inverse_kinematics(model, target, [0.1, 1.0, -0.1], solutions="all", limits=limits)
        assert_allclose(np.sort(np.angle(np.exp(1j * found[:, 1]))), elbows, atol=1e-8)


def test_a_path_goes_from_each_place_to_the_next_and_tells_of_jumps():
    model, s = planar_arm(1.0, 0.7), np.linspace(0.0, 1.0, 40)
    path = np.stack([0.5 + 0.8 * s, 0.6 - 0.2 * s, 0 * s], axis=1)
    q = rbd.inverse_kinematics(model, {"tip": path}, [0.0, 1.5])
    assert q.shape == (40, 2) and np.abs(np.diff(q, axis=0)).max() < 0.2
    assert_allclose(rbd.forward_kinematics(model, q).pose("tip")[:, :3, 3], path, atol=REACHED)
    around = np.array([[0.3, 0.0, 0], [-0.3, 0.1, 0], [0.3, 0.0, 0], [-0.3, -0.1, 0]])
    with pytest.warns(ReachWarning, match=r"first places 0 and 1: joint 'rod0_joint'"):
        rbd.inverse_kinematics(model, {"tip": around}, [0.0, 2.5])
    with pytest.raises(rbd.StateError, match=r"place 1 of the path: .*'tip' misses"):
        rbd.inverse_kinematics(model, {"tip": [[1.0, 0, 0], [3.0, 0, 0]]})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"targets": {}}, "must be a mapping from names"),
        ({"targets": {"tipp": (0, 0, 0)}}, "did you mean 'tip'"),
        ({"targets": {"tip": (0, 0)}}, "of shape"),
        ({"targets": {"tip": "there"}}, "must be a point"),
        ({"targets": {"tip": (0, np.nan, 0)}}, "must be a point"),
        ({"targets": {"tip": np.eye(3)}}, "rotation or three points"),
        ({"targets": {"tip": 2 * np.eye(4)}}, "no pose"),
        ({"targets": {"tip": np.diag([1, 1, -1, 1])}}, "not a rotation matrix"),
        ({"targets": {"tip": (1, 0, 0)}, "solutions": "best"}, "'one', 'nearest' or 'all'"),
        ({"targets": {"tip": (1, 0, 0)}, "weights": {"tip": 0.0}}, "positive number"),
        ({"targets": {"tip": np.zeros((4, 3)), "rod0": np.zeros((5, 3))}}, "places"),
        ({"targets": {"rod1": (1, 0, 0)}, "solutions": "all"}, "1 freedom"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, says):
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.inverse_kinematics(planar_arm(1.0, 0.7), **arguments)


def test_followers_and_prescribed_joints_move_as_they_must():
    """A gripper's second finger follows the first; a turntable turns as time says."""
    rod = rbd.Inertia.box((1.0, 0.1, 0.1), mass=1.0).transformed(rbd.pose(position=(0.5, 0, 0)))
    model = rbd.Model("pair")
    model.add_body("first", joint=rbd.Revolute("z"), inertia=rod, joint_name="leader")
    follower = rbd.Mimic("leader", multiplier=-2.0, offset=0.1)
    model.add_body("second", "first", rbd.Revolute("z"), placement=(1, 0, 0), inertia=rod, mimic=follower)
    model.add_frame("tip", "second", (1.0, 0, 0))
    wanted = pose_of(model, [0.7], "tip")
    assert_allclose(rbd.inverse_kinematics(model, {"tip": wanted}, [0.4]), [0.7], atol=REACHED)
    bounded = rbd.Model("bounded")
    bounded.add_body("first", joint=rbd.Revolute("z"), inertia=rod, joint_name="leader")
    limits = rbd.Limits(-0.5, 0.5)  # of the follower: the leader stays within (-0.2, 0.3)
    bounded.add_body(
        "second", "first", rbd.Revolute("z"), placement=(1, 0, 0), inertia=rod, mimic=follower, limits=limits
    )
    q = rbd.inverse_kinematics(bounded, {"second": rbd.Pointing((0, 1, 0), axis="x")}, required=False)
    assert -0.2 - 1e-12 <= q[0] <= 0.3 + 1e-12

    table = rbd.Model("turntable")
    motion = rbd.Prescribed(rbd.Revolute("z"), lambda t: (0.5 * t, 0.5, 0.0))
    table.add_body("plate", joint=motion, inertia=rod)
    table.add_body("arm", "plate", rbd.Revolute("z"), placement=(1, 0, 0), inertia=rod)
    table.add_frame("hand", "arm", (1.0, 0, 0))
    for t in (0.0, 1.2):
        wanted = rbd.forward_kinematics(table, [0.8], t=t).pose("hand")
        assert_allclose(rbd.inverse_kinematics(table, {"hand": wanted}, t=t), [0.8], atol=REACHED)
    with pytest.raises(rbd.StateError, match="misses"):
        rbd.inverse_kinematics(table, {"hand": wanted}, t=0.0)
