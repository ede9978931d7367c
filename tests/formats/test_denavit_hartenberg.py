"""Denavit-Hartenberg parameters against 4x4 products written out, printed arms, and their own way back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import forward_kinematics
from rbdkit.errors import FormatError
from rbdkit.formats import DHParameters, DHRow, from_dh, to_dh
from rbdkit.formats.common_normal import Line, common_normal
from rbdkit.library import puma_560, random_tree, scara_arm, stanford_arm
from rbdkit.library.random_tree import unit_vector
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.inertia import Inertia

pytestmark = pytest.mark.source("F4.09")
exact = settings(max_examples=40, deadline=None, derandomize=True)
KINDS = ("revolute", "prismatic", "cylindrical", "helical")


def craig(alpha, a, theta, d):
    """The 4x4 matrix of Craig (2005), Eq 3.6, entry by entry."""
    ca, sa, ct, s = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array([
        [ct, -s, 0, a],
        [s * ca, ct * ca, -sa, -sa * d],
        [s * sa, ct * sa, ca, ca * d],
        [0, 0, 0, 1],
    ])  # fmt: skip


def product(parameters, q):
    """Poses of all links and of the tool by products of these, the coordinates put in by hand."""
    d_0, theta_0 = parameters.base
    poses, k = [craig(0, 0, theta_0, d_0)], 0
    for row in parameters.rows:
        theta, d = row.theta, row.d
        if row.kind in ("revolute", "cylindrical", "helical"):
            theta, k = theta + q[k], k + 1
        if row.kind == "helical":
            d = d + row.pitch * theta
        if row.kind in ("prismatic", "cylindrical"):
            d, k = d + q[k], k + 1
        poses.append(poses[-1] @ craig(row.alpha, row.a, theta, d))
    assert k == len(q)
    a, alpha, d, theta = parameters.tool
    return poses[1:], poses[-1] @ craig(alpha, a, theta, d)


def in_model(model, q):
    poses, frame = forward_kinematics(model, q).poses, model.frame("tool")
    return poses[1:], poses[frame.body] @ frame.placement


lengths = st.floats(0.05, 1.0)
angles = st.floats(-3.1, 3.1)
skew = st.one_of(st.floats(0.1, 3.0), st.floats(-3.0, -0.1))


@st.composite
def arms(draw):
    """Any kinds of joints; no two axes parallel and none that intersect, so that the parameters are unique."""
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(KINDS))
        pitch = draw(st.floats(-0.3, 0.3)) if kind == "helical" else 0.0
        rows.append(DHRow(draw(lengths), draw(skew), draw(angles), draw(angles), kind, pitch))
    return DHParameters(
        tuple(rows), (draw(angles), draw(angles)), (draw(lengths), draw(skew), draw(angles), draw(angles))
    )


@exact
@given(arms(), st.integers(0, 1000))
def test_links_stand_where_the_products_say(arm, seed):
    model = from_dh(arm)
    q = model.random_q(seed)
    found, expected = in_model(model, q), product(arm, q)
    assert_allclose(found[0], expected[0], atol=1e-14)
    assert_allclose(found[1], expected[1], atol=1e-14)
    assert arm.count == 4 * len(arm.rows) + 6


@exact
@given(arms())
def test_parameters_come_back(arm):
    """DH to model to DH; axes at 0.1 rad or more lose a digit or two."""
    again = to_dh(from_dh(arm))
    for row, found in zip(arm.rows, again.rows, strict=True):
        assert (found.kind, found.pitch) == (row.kind, row.pitch)
        assert_allclose([found.a, found.alpha, found.theta], [row.a, row.alpha, row.theta], atol=1e-12)
        assert_allclose(found.d, row.d, atol=1e-11)
    assert_allclose(again.base, arm.base, atol=1e-11)
    assert_allclose(again.tool, arm.tool, atol=1e-11)
    assert_allclose(again.offsets, np.broadcast_to(np.eye(4), again.offsets.shape), atol=1e-11)


def serial(seed):
    """A chain of such joints about any axes, with any placements."""
    rng = np.random.default_rng(seed)
    joints = [
        rbd.Revolute(unit_vector(rng)), rbd.Prismatic(unit_vector(rng)), rbd.Helical(unit_vector(rng), 0.2),
        rbd.Cylindrical(unit_vector(rng)), rbd.Revolute("-x"),
    ]  # fmt: skip
    model = random_tree(seed, 7, joints, branching=0.0)
    model.add_frame("tool", model.bodies[-1], se3.random(rng))
    return model


@pytest.mark.parametrize("seed", range(5))
def test_any_serial_arm_has_parameters(seed):
    """Model to DH to model: the same pose of the end effector for the same coordinates, links up to the offsets."""
    model = serial(seed)
    parameters = to_dh(model)
    again = from_dh(parameters)
    assert all(row.a >= 0.0 for row in parameters.rows)
    for k in range(3):
        q = model.random_q(k)
        (links, tool), (links_again, tool_again) = in_model(model, q), in_model(again, q)
        assert_allclose(tool_again, tool, atol=1e-12)
        assert_allclose(links_again, links @ parameters.offsets, atol=1e-12)


def test_dynamics_of_an_arm_and_of_its_parameters_are_the_same():
    """Inertias moved to the frames F_i: the same H and the same accelerations."""
    model = serial(3)
    parameters = to_dh(model)
    inertias = [
        body.inertia.transformed(se3.inverse(offset))
        for body, offset in zip(model.bodies[1:], parameters.offsets, strict=True)
    ]
    again = from_dh(parameters, inertias=inertias).with_parameters({"gravity": model.gravity})
    rng = np.random.default_rng(1)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    H = rbd.crba(model, q)
    assert_allclose(rbd.crba(again, q), H, atol=1e-12 * np.abs(H).max())
    assert_allclose(rbd.aba(again, q, v, tau), rbd.aba(model, q, v, tau), rtol=1e-9)


def test_tree_transforms_as_printed():
    """X_T(1) = xlt(a1 0 d1) rotx(alpha1) rotz(theta0) xlt(0 0 d0) and X_T(i) = xlt(ai 0 di) rotx(alphai)."""
    a1, alpha1, d1, a2, alpha2, d2, d0, theta0 = np.random.default_rng(4).normal(size=8)
    model = from_dh([(a1, alpha1, d1, 0.0), (a2, alpha2, d2, 0.0)], base=(d0, theta0))

    def rot(E):
        return np.block([[E, np.zeros((3, 3))], [np.zeros((3, 3)), E]])

    def xlt(x, y, z):
        r = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.block([[np.eye(3), np.zeros((3, 3))], [-r, np.eye(3)]])

    X_1 = xlt(a1, 0, d1) @ rot(plucker.rx(alpha1)) @ rot(plucker.rz(theta0)) @ xlt(0, 0, d0)
    assert_allclose(model.X_tree[1], X_1, atol=1e-14)
    assert_allclose(model.X_tree[2], xlt(a2, 0, d2) @ rot(plucker.rx(alpha2)), atol=1e-14)


def test_the_puma_of_the_textbook():
    """Craig (2005), Eq 3.14: the wrist's pose in closed form."""
    model = from_dh(puma_560())
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15, 0.4318
    for seed in range(5):
        q = model.random_q(seed)
        (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = np.cos(q), np.sin(q)
        c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
        r11 = c1 * (c23 * (c4 * c5 * c6 - s4 * s6) - s23 * s5 * c6) + s1 * (s4 * c5 * c6 + c4 * s6)
        r33 = s23 * c4 * s5 - c23 * c5
        p = [
            c1 * (a2 * c2 + a3 * c23 - d4 * s23) - d3 * s1,
            s1 * (a2 * c2 + a3 * c23 - d4 * s23) + d3 * c1,
            -a3 * s23 - a2 * s2 - d4 * c23,
        ]
        wrist = forward_kinematics(model, q).poses[6]
        assert_allclose(wrist[:3, 3], p, atol=1e-15)
        assert_allclose([wrist[0, 0], wrist[2, 2]], [r11, r33], atol=1e-15)


def test_an_arm_with_axes_that_meet_comes_back():
    """The choice of x follows the frame before at q = 0, so that the table comes back as it is."""
    given, again = puma_560(), to_dh(from_dh(puma_560()))
    for row, found in zip(given.rows, again.rows, strict=True):
        numbers = [[getattr(r, name) for name in ("a", "alpha", "d", "theta")] for r in (row, found)]
        assert_allclose(numbers[1], numbers[0], atol=1e-15)
    assert_allclose([*again.base, *again.tool], [*given.base, *given.tool], atol=1e-15)


def test_an_arm_with_axes_in_one_line_comes_back_as_a_motion():
    """The slide of the Stanford arm and the axis after it are one line, so that where x_3 stands is open."""
    arm = from_dh(stanford_arm())
    again = from_dh(to_dh(arm))
    for seed in range(3):
        q = arm.random_q(seed)
        assert_allclose(in_model(again, q)[1], in_model(arm, q)[1], atol=1e-15)


def test_a_scara_arm_lowers_its_quill():
    """Written down by hand: two arms in the plane, the quill down and turned against them."""
    q = np.array([0.3, 0.5, 0.2, 0.04])
    tool = in_model(from_dh(scara_arm()), q)[1]
    x = 0.4 * np.cos(0.3) + 0.3 * np.cos(0.8), 0.4 * np.sin(0.3) + 0.3 * np.sin(0.8)
    assert_allclose(tool[:3, 3], [*x, 0.35 - 0.05 - 0.04 - 0.1], atol=1e-15)
    assert_allclose(np.arctan2(tool[1, 0], tool[0, 0]), 0.8 - 0.2, atol=1e-15)
    again = from_dh(to_dh(from_dh(scara_arm())))  # all heights end up in one d, as the axes are parallel
    assert_allclose(in_model(again, q)[1], tool, atol=1e-15)


def test_up_to_five_numbers_go_where_the_base_is_aligned_with_the_first_axis():
    model = rbd.Model("aligned")
    model.add_body("a", joint=rbd.Revolute("z"))
    model.add_body("b", "a", rbd.Revolute("x"), [0.3, 0.2, 0.1])
    parameters = to_dh(model)
    first = parameters.rows[0]
    assert (*parameters.base, first.a, first.alpha) == (0.0, 0.0, 0.0, 0.0)
    assert parameters.tool is None and parameters.count == 4 * 2 + 2
    assert_allclose([parameters.rows[1].d, parameters.rows[1].theta], 0.0, atol=1e-16)  # the last frame stands anywhere


def test_the_common_normal_is_the_shortest_way_between_two_lines():
    """By least squares over both lines; and it stands at right angles to them."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = (Line(rng.normal(size=3), unit_vector(rng)) for _ in range(2))
        normal = common_normal(first, second, np.array([1.0, 0.0, 0.0]), np.zeros(3))
        A = np.column_stack([first.z, -second.z])
        s, t = np.linalg.lstsq(A, second.point - first.point, rcond=None)[0]
        assert_allclose(normal.foot, first.point + s * first.z, atol=1e-11)
        assert_allclose(normal.end, second.point + t * second.z, atol=1e-11)
        assert_allclose([normal.x @ first.z, normal.x @ second.z], 0.0, atol=1e-14)
        assert (normal.end - normal.foot) @ normal.x >= 0.0


def test_an_arm_stands_in_the_world_frame_if_no_base_is_given():
    arm = from_dh([(0.0, 0.0, 0.0, 0.0), (0.3, 0.4, 0.1, 0.2)])
    assert_allclose(forward_kinematics(arm, np.zeros(2)).poses[1], np.eye(4), atol=0.0)
    assert to_dh(arm).base == (0.0, 0.0)


def test_where_lines_meet_the_normal_goes_with_the_direction_given():
    """Either way would do; with a direction at right angles to both ways it is z1 x z2, on any machine."""
    first, second = Line(np.zeros(3), np.eye(3)[2]), Line(np.zeros(3), np.eye(3)[0])
    across = np.cross(first.z, second.z)
    for direction, sign in ((across, 1.0), (-across, -1.0), (np.eye(3)[2], 1.0), (-np.eye(3)[0], 1.0)):
        assert_allclose(common_normal(first, second, direction, np.ones(3)).x, sign * across, atol=0.0)


def test_of_the_normals_of_parallel_lines_the_one_nearest_to_a_point_is_taken():
    """Wherever on the lines the points are by which these are given; lines in one also keep the foot there."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        z, first_point, near = unit_vector(rng), *rng.normal(size=(2, 3))
        for offset in (np.cross(z, rng.normal(size=3)), np.zeros(3)):
            first = Line(first_point, z)
            second = Line(first_point + offset + rng.normal() * z, z * rng.choice([-1.0, 1.0]))
            normal = common_normal(first, second, np.array([1.0, 0.0, 0.0]), near)
            (s,) = np.linalg.lstsq(z[:, None], near - first_point, rcond=None)[0]
            assert_allclose(normal.foot, first_point + s * z, atol=1e-14)
            assert_allclose(normal.end, normal.foot + offset - z * (z @ offset), atol=1e-13)
            assert_allclose([normal.x @ z, np.linalg.norm(normal.x)], [0.0, 1.0], atol=1e-13)


def test_joint_offsets_of_parallel_axes_are_as_small_as_can_be():
    """Hinges at any height of their axes: every d can be zero but the last, which ends where the link is."""
    model = rbd.Model("parallel")
    for k, place in enumerate(([0.2, 0.0, 0.1], [0.5, 0.0, 0.3], [0.4, 0.0, -0.2])):
        model.add_body(f"link{k}", model.bodies[-1], rbd.Revolute("z"), place, Inertia.sphere(0.1, mass=1.0))
    table = to_dh(model)
    assert_allclose([row.d for row in table.rows], 0.0, atol=1e-15)


def model_of(*joints, loop=False):
    model = rbd.Model("m")
    for k, (joint, parent) in enumerate(joints):
        model.add_body(f"b{k}", parent, joint, inertia=Inertia.sphere(0.1, mass=1.0))
    if loop:
        model.add_loop("pin", "b0", "b1", rbd.Revolute())
    return model


@pytest.mark.parametrize(("model", "message"), [
    (model_of(), "has no bodies"),
    (model_of((rbd.Revolute(), "world"), (rbd.Revolute(), "world")), "body 'b1' is a branch"),
    (model_of((rbd.Revolute(), "world"), (rbd.Spherical(), "b0")), r"joint 'b1_joint' \(spherical\) has no axis"),
    (model_of((rbd.Revolute(), "world"), (rbd.Fixed(), "b0")), "merge the bodies"),
    (model_of((rbd.Revolute(), "world"), (rbd.Revolute(), "b0"), loop=True), r"close\(s\) a loop"),
])  # fmt: skip
def test_models_without_parameters_are_refused(model, message):
    with pytest.raises(FormatError, match=message):
        to_dh(model)


@pytest.mark.parametrize(("rows", "options", "message"), [
    ([(0.1, 0.2, 0.3)], {}, r"row 1 \(a, alpha, d, theta\) must be 4 finite numbers"),
    ([(0, 0, 0, 0), DHRow(a=float("nan"))], {}, "row 2 must be 5 finite numbers"),
    ([DHRow(kind="ball")], {}, "row 1: joint kind 'ball' has no Denavit-Hartenberg parameters"),
    ([DHRow(pitch=0.1)], {}, "row 1: a revolute joint has no pitch"),
    ([DHRow()], {"base": (1.0,)}, "base .* must be 2 finite numbers"),
    ([DHRow()], {"tool": (1.0, 2.0)}, "tool .* must be 4 finite numbers"),
    ([DHRow()], {"inertias": []}, "0 inertias are given for 1 rows"),
])  # fmt: skip
def test_parameters_that_make_no_sense_are_refused(rows, options, message):
    with pytest.raises(FormatError, match=message):
        from_dh(rows, **options)


def test_the_tool_must_be_on_the_last_link():
    model = serial(1)
    model.add_frame("elbow", model.bodies[1])
    with pytest.raises(FormatError, match="frame 'elbow' is not on the last body"):
        to_dh(model, tool="elbow")
