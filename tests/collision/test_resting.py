"""Shapes that lie on each other touch at the places that hold them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from rbdkit.collision import FAR, Pose, kind_of

LYING = Rotation.from_rotvec([0.0, np.pi / 2, 0.0]).as_matrix()  # the axis z along x
UP = np.array([0.0, 0.0, 1.0])


def touching(first, p_lengths, second, s_lengths, pose_p, pose_s, margin=1e-6):
    """Gaps (n,), places (n, 3) and normals (n, 3) that are not farther apart than the margin."""
    kind, turned = kind_of(first, second)
    assert not turned
    found = kind.function(pose_p, np.array(p_lengths), pose_s, np.array(s_lengths))
    near = np.asarray(found.gap) <= margin
    return np.asarray(found.gap)[near], np.asarray(found.point)[near], np.asarray(found.normal)[near]


def turned_about_z(angle):
    return Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()


def at(x, y, z, R=None):
    return Pose(np.eye(3) if R is None else R, np.array([x, y, z], dtype=float))


def area(points):
    """Of the polygon of points in a plane, by their angles around the middle."""
    from_middle = points[:, :2] - points[:, :2].mean(axis=0)
    x, y = from_middle[np.argsort(np.arctan2(from_middle[:, 1], from_middle[:, 0]))].T
    return 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def test_a_box_on_a_larger_one_touches_with_its_corners():
    gaps, points, normals = touching("box", [2, 2, 1], "box", [0.4, 0.6, 1], at(0, 0, 0), at(0.3, -0.2, 0.99))
    assert_allclose(gaps, -0.01, atol=1e-15)
    assert_allclose(normals, [UP] * 4, atol=0)
    expected = {(0.5, 0.1), (0.1, 0.1), (0.1, -0.5), (0.5, -0.5)}
    assert {tuple(point) for point in points[:, :2].round(12).tolist()} == expected
    assert_allclose(points[:, 2], 0.495, atol=1e-15)


def test_a_larger_box_on_one_touches_with_the_corners_below():
    gaps, points, normals = touching("box", [0.4, 0.6, 1], "box", [2, 2, 1], at(0, 0, 0), at(0.3, -0.2, 1.0))
    assert_allclose(gaps, [0.0] * 4, atol=1e-15)
    assert_allclose(normals, [UP] * 4, atol=0)
    assert {tuple(p) for p in points[:, :2].round(12).tolist()} == {(0.2, 0.3), (-0.2, 0.3), (-0.2, -0.3), (0.2, -0.3)}


def test_a_box_that_overhangs_touches_where_it_leaves():
    _, points, _ = touching("box", [1, 1, 1], "box", [1, 0.5, 0.2], at(0, 0, 0), at(0.7, 0, 0.6))
    assert {tuple(p) for p in points[:, :2].round(12).tolist()} == {
        (0.5, 0.25),
        (0.5, -0.25),
        (0.2, 0.25),
        (0.2, -0.25),
    }


def test_equal_boxes_touch_with_four_corners():
    gaps, points, _ = touching("box", [1, 1, 1], "box", [1, 1, 1], at(0, 0, 0), at(0, 0, 1))
    assert len(gaps) == 4 and area(points) == pytest.approx(1.0)


def test_a_box_turned_by_an_eighth_touches_in_an_octagon():
    turn = turned_about_z(np.pi / 4)
    gaps, points, _ = touching("box", [1, 1, 1], "box", [1, 1, 1], at(0, 0, 0), at(0, 0, 1, turn))
    assert len(gaps) == 8
    assert area(points) == pytest.approx(2.0 * (np.sqrt(2.0) - 1.0), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    x=st.floats(-0.9, 0.9), y=st.floats(-0.9, 0.9), angle=st.floats(-4, 4), depth=st.floats(1e-9, 1e-3),
    a=st.floats(0.2, 1), b=st.floats(0.2, 1), swapped=st.booleans(),
)  # fmt: skip
def test_places_are_the_corners_of_what_two_faces_have_in_common(x, y, angle, depth, a, b, swapped):
    """Against the polygon by half-planes, for faces that lie on each other anyhow."""
    turn = turned_about_z(angle)
    below, above = at(0, 0, 0), at(x, y, 1.0 - depth, turn)
    expected = common_area([1.0, 1.0], [a, b], np.array([x, y]), turn[:2, :2])
    if swapped:
        gaps, points, normals = touching("box", [a, b, 1], "box", [1, 1, 1], above, below)
        normals = -normals
    else:
        gaps, points, normals = touching("box", [1, 1, 1], "box", [a, b, 1], below, above)
    if expected < 1e-3:  # they touch in a sliver, or sideways
        return
    assert_allclose(gaps, -depth, atol=1e-12)
    assert_allclose(normals, [UP] * len(gaps), atol=1e-12)
    assert area(points) == pytest.approx(expected, abs=1e-8)


def common_area(size, other, at, turn):
    """Area of two rectangles' intersection, one cut by the sides of the other."""
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    polygon = list(at + (0.5 * signs * other) @ turn.T)
    for n, c in (([1, 0], size[0]), ([-1, 0], size[0]), ([0, 1], size[1]), ([0, -1], size[1])):
        kept = []
        for p, r in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
            over_p, over_r = p @ n - 0.5 * c, r @ n - 0.5 * c
            kept += [p] if over_p <= 0 else []
            kept += [p + (r - p) * over_p / (over_p - over_r)] if over_p * over_r < 0 else []
        polygon = kept
    return area(np.array(polygon)) if len(polygon) > 2 else 0.0


def test_crossing_edges_touch_at_one_place():
    """Two cubes stand on an edge each, one along x, the other along y."""
    along_x = Rotation.from_rotvec([np.pi / 4, 0, 0]).as_matrix()
    along_y = Rotation.from_rotvec([0, np.pi / 4, 0]).as_matrix()
    apart = np.sqrt(2.0) - 0.01
    gaps, points, normals = touching(
        "box", [1, 1, 1], "box", [1, 1, 1], at(0, 0, 0, along_x), at(0.1, 0.2, apart, along_y)
    )
    assert_allclose(gaps, [-0.01], atol=1e-15)
    assert_allclose(points, [[0.1, 0.0, 0.5 * apart]], atol=1e-15)
    assert_allclose(normals, [UP], atol=1e-15)


def test_a_tilt_does_not_take_the_support_away():
    """A box that stands in another one by 0.1 mm, tilted a little about any axis, is held on more than one side."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        tilt = Rotation.from_rotvec(1e-5 * rng.normal(size=3)).as_matrix() @ turned_about_z(rng.uniform(0, 6))
        gaps, points, _ = touching("box", [2, 2, 1], "box", [1, 1, 1], at(0, 0, 0), at(0, 0, 0.9999, tilt))
        assert len(gaps) == 4 and area(points) == pytest.approx(1.0, abs=1e-3)


def test_logs_hold_each_other_where_they_lie_side_by_side():
    log = at(0, 0, 0, LYING)
    for shift, ends in ((0.0, (-0.5, 0.5)), (0.3, (-0.2, 0.5)), (-0.7, (-0.5, -0.2))):
        gaps, points, normals = touching("capsule", [0.1, 1], "capsule", [0.1, 1], log, at(shift, 0, 0.2, LYING))
        lying = points[np.abs(points[:, 0]) < 0.5 + 1e-9]
        assert {round(x, 9) for x in (lying[:, 0].min(), lying[:, 0].max())} == set(ends)
        assert_allclose(gaps, 0.0, atol=1e-15)
        assert_allclose(normals, [UP] * len(gaps), atol=1e-15)


def test_logs_that_cross_touch_once():
    other = at(0.1, 0.2, 0.19, Rotation.from_rotvec([np.pi / 2, 0, 0]).as_matrix())
    gaps, points, normals = touching("capsule", [0.1, 1], "capsule", [0.1, 1], at(0, 0, 0, LYING), other)
    assert_allclose(gaps, [-0.01], atol=1e-15)
    assert_allclose(points, [[0.1, 0.0, 0.095]], atol=1e-15)
    assert_allclose(normals, [UP], atol=1e-15)


@pytest.mark.parametrize(("x", "length", "ends"), [
    (0.0, 0.5, (-0.25, 0.25)), (0.0, 3.0, (-0.5, 0.5)), (0.4, 0.5, (0.15, 0.5)), (-0.6, 1.0, (-0.5, -0.1)),
])  # fmt: skip
def test_a_log_on_a_box_is_held_where_it_lies_on_it(x, length, ends):
    for tilt in (0.0, 1e-7):
        R = Rotation.from_rotvec([0.0, tilt, 0.0]).as_matrix() @ LYING
        gaps, points, normals = touching("capsule", [0.1, length], "box", [1, 1, 1], at(x, 0.1, 0.599, R), at(0, 0, 0))
        assert_allclose(gaps, -0.001, atol=2e-7)
        assert_allclose(normals, [-UP] * len(gaps), atol=2e-7)
        assert_allclose([points[:, 0].min(), points[:, 0].max()], ends, atol=1e-6)
        assert_allclose(points[:, 2], 0.4995, atol=2e-7)


def test_places_that_are_not_there_are_far():
    kind, _ = kind_of("box", "box")
    found = kind.function(at(0, 0, 0), np.ones(3), at(9, 9, 9), np.ones(3))
    assert (np.asarray(found.gap) == FAR).all() and np.isfinite(found.point).all() and np.isfinite(found.normal).all()


def test_faces_whose_edges_all_but_lie_on_each_other():
    """Turned by 1e-9 rad the places spanned half of what two faces had in common."""
    rng = np.random.default_rng(1)
    for _ in range(400):
        angle = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-12, -6)
        x, y = rng.choice([0.0, 1e-10, -3e-10, 1e-9, 2e-9, -1e-8], size=2)
        a, b = rng.choice([1.0, 0.5, 0.02], size=2)
        turn = turned_about_z(angle)
        below, above = at(0, 0, 0), at(x, y, 0.999, turn)
        expected = common_area([1.0, 1.0], [a, b], np.array([x, y]), turn[:2, :2])
        for points in (
            touching("box", [1, 1, 1], "box", [a, b, 1], below, above)[1],
            touching("box", [a, b, 1], "box", [1, 1, 1], above, below)[1],
        ):
            assert area(points) == pytest.approx(expected, abs=3e-8)
