"""All kinds of pairs: places lie on both surfaces, rates are slopes, and arrays and compiled code give the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from rbdkit.collision import FAR, KINDS, Pose, kind_of, recorded, with_rates
from rbdkit.collision.boxes import box_on_box
from rbdkit.trace import executable

CASES = 12
KIND = pytest.mark.parametrize("kind", KINDS, ids=str)


def motion(pose, w, v):
    return np.concatenate([pose.R.ravel(), pose.p, w, v])


def table(places):
    """Gap, point and normal of each place, (k, 7)."""
    return np.concatenate([np.asarray(places.gap)[:, None], places.point, places.normal], axis=1)


def near_each_other(kind, shapes, rng, spread=0.6):
    """Two shapes, the second somewhere around the first."""
    random_lengths, random_pose, _ = shapes
    first, second = random_pose(rng), random_pose(rng, spread)
    lengths = random_lengths(rng, kind.first), random_lengths(rng, kind.second)
    return first, lengths[0], Pose(second.R, first.p + second.p), lengths[1]


@KIND
def test_places_are_of_both_shapes(kind, shapes):
    """Half the gap along the normal: nowhere outside the shapes, and of the nearest place on the surfaces of both."""
    *_, depth_in = shapes
    rng, seen = np.random.default_rng(1), 0
    for _ in range(5 * CASES):
        pose_p, shape_p, pose_s, shape_s = case = near_each_other(kind, shapes, rng)
        places = table(kind.function(*case))
        deep = kind.first == "capsule" and is_deep(kind, case, places[:, 0].min())
        for gap, *rest in places[places[:, 0] < 0.5 * FAR]:
            point, normal = np.split(np.array(rest), 2)
            assert_allclose(normal @ normal, 1.0, atol=1e-14)
            for name, lengths, pose, sign in ((kind.first, shape_p, pose_p, -1.0), (kind.second, shape_s, pose_s, 1.0)):
                depth = depth_in(name, lengths, pose.R.T @ (point + 0.5 * sign * gap * normal - pose.p))
                assert depth > -1e-13
                if gap == places[:, 0].min() and not deep:
                    assert depth < 1e-13
            seen += 1
    assert seen >= 5 * CASES


@KIND
def test_rates_are_slopes(kind, shapes):
    rng, worst, n = np.random.default_rng(2), [], 0
    for _ in range(CASES):
        pose_p, shape_p, pose_s, shape_s = near_each_other(kind, shapes, rng)
        w, v = rng.normal(size=(2, 2, 3))

        def later(h, poses=(pose_p, pose_s), w=w, v=v, p=shape_p, s=shape_s):
            a, b = (
                Pose(Rotation.from_rotvec(h * w[k]).as_matrix() @ poses[k].R, poses[k].p + h * v[k]) for k in (0, 1)
            )
            return table(kind.function(a, p, b, s))

        found = with_rates(kind)(motion(pose_p, w[0], v[0]), motion(pose_s, w[1], v[1]), shape_p, shape_s)
        values, rates = found[:, 0], found[:, 1]
        assert_allclose(values, later(0.0), rtol=1e-14, atol=1e-14)
        there = values[:, 0] < 0.5 * FAR
        h = 1e-4
        slopes = (8.0 * (later(h) - later(-h)) - later(2 * h) + later(-2 * h))[there] / (12.0 * h)
        worst.append(np.abs(rates[there] - slopes).max(initial=0.0))
        n += there.sum()
    assert n >= CASES
    # h^4, and 1e-16 / h; a place that changes over between the four states is no slope of either side
    assert np.sort(worst)[-3] < 1e-9


@KIND
def test_arrays_give_what_pairs_give_one_by_one(kind, shapes):
    rng = np.random.default_rng(3)
    cases = [near_each_other(kind, shapes, rng) for _ in range(CASES)]
    one_by_one = np.array([table(kind.function(*case)) for case in cases])

    def last(k, of=lambda x: x):
        return np.moveaxis(np.array([of(case[k]) for case in cases]), 0, -1)

    poses = [Pose(last(k, lambda pose: pose.R), last(k, lambda pose: pose.p)) for k in (0, 2)]
    together = kind.function(poses[0], last(1), poses[1], last(3))
    assert together.gap.shape == (kind.slots, CASES) and together.point.shape == (kind.slots, 3, CASES)
    assert_allclose(together.gap.T, one_by_one[:, :, 0], rtol=1e-14, atol=1e-14)
    assert_allclose(np.moveaxis(together.point, -1, 0), one_by_one[:, :, 1:4], atol=1e-14)
    assert_allclose(np.moveaxis(together.normal, -1, 0), one_by_one[:, :, 4:], atol=1e-14)


@KIND
def test_compiled_code_gives_the_same(kind, shapes):
    """Recorded once, for shapes of any lengths: in LLVM every number to round-off."""
    rng = np.random.default_rng(4)
    n_p, n_s = kind.numbers
    arrays = {name: np.zeros(n) for name, n in (("motion_p", 18), ("motion_s", 18), ("shape_p", n_p), ("shape_s", n_s))}
    arrays["result"] = np.zeros(kind.slots * 14)
    program = recorded(kind).program()
    run = executable(program, "llvm").bind({name: arrays[name] for name in program.arrays}, {})
    for _ in range(CASES):
        pose_p, shape_p, pose_s, shape_s = near_each_other(kind, shapes, rng)
        w, v = rng.normal(size=(2, 2, 3))
        arrays["motion_p"][:], arrays["motion_s"][:] = motion(pose_p, w[0], v[0]), motion(pose_s, w[1], v[1])
        arrays["shape_p"][:], arrays["shape_s"][:] = shape_p, shape_s
        run()
        found = arrays["result"].reshape(kind.slots, 2, 7)
        readable = table(kind.function(pose_p, shape_p, pose_s, shape_s))
        assert_allclose(found[:, 0], readable, rtol=1e-13, atol=1e-13)  # the order of sums may differ
        rates = with_rates(kind)(arrays["motion_p"], arrays["motion_s"], shape_p, shape_s)[:, 1]
        assert_allclose(found[:, 1], rates, rtol=1e-11, atol=1e-11)


@KIND
def test_shapes_without_size_and_places_without_direction_are_numbers_too(kind, shapes):
    """Nothing is infinite or no number: lengths zero, one shape in the middle of the other, axes along each other."""
    random_lengths, random_pose, _ = shapes
    rng = np.random.default_rng(6)
    turned = random_pose(rng)
    for first in (Pose(np.eye(3), np.zeros(3)), turned):
        for second in (first, Pose(first.R, first.p + 0.2 * first.R[:, 2]), Pose(turned.R, first.p)):
            for size in (0.0, 1.0):
                shape_p, shape_s = (random_lengths(rng, name, size) for name in (kind.first, kind.second))
                w, v = rng.normal(size=(2, 2, 3))
                numbers = motion(first, w[0], v[0]), motion(second, w[1], v[1]), shape_p, shape_s
                found = with_rates(kind)(*numbers)
                assert np.isfinite(found).all()
                assert_allclose((found[:, 0, 4:] ** 2).sum(axis=1), 1.0, atol=1e-13)
                with np.errstate(all="raise", under="ignore"):
                    assert_allclose(table(kind.function(first, shape_p, second, shape_s)), found[:, 0], atol=1e-12)


@KIND
def test_the_smallest_gap_is_the_distance(kind, shapes, by_coal):
    """To what coal's iterations find."""
    rng, seen = np.random.default_rng(5), 0
    for _ in range(4 * CASES):
        case = near_each_other(kind, shapes, rng)
        distance, normal = by_coal(kind, *case)
        found = table(kind.function(*case))
        nearest = found[np.argmin(found[:, 0])]
        if is_deep(kind, case, distance):
            continue
        if kind.function is box_on_box:  # faces are taken for edges by a twentieth, and corners apart are not seen
            assert nearest[0] > distance * (1.0 if distance > 0.0 else 1.0 / 0.95) - 1e-6
            if abs(nearest[0] - distance) > 1e-6:
                continue
        seen += 1
        assert_allclose(nearest[0], distance, atol=1e-6)
        assert normal @ nearest[4:] > 1.0 - 1e-5
    assert seen >= CASES


def is_deep(kind, case, distance):
    """Whether the middle of a ball, or the axis of a capsule, is in the other shape: farther than coal's iterations
    and the ball nearest to a box go."""
    return kind.first in ("sphere", "capsule") and distance < -case[1][0]


def test_every_two_shapes_are_one_kind_at_most():
    names = [frozenset((kind.first, kind.second)) for kind in KINDS]
    assert len(set(names)) == len(names)
    for kind in KINDS:
        assert kind_of(kind.first, kind.second) == (kind, False)
        if kind.first != kind.second:
            assert kind_of(kind.second, kind.first) == (kind, True)
    assert kind_of("cone", "cone") is None


@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-5])
def test_an_upright_cylinder_stands_on_all_sides(tilt):
    """Its support holds at least half of the disc, and no point runs around while it stands still."""
    kind, _ = kind_of("half-space", "cylinder")
    pose = Pose(Rotation.from_rotvec([tilt, 0.0, 0.0]).as_matrix(), np.array([0.0, 0.0, 0.5]))
    still = motion(Pose(np.eye(3), np.zeros(3)), np.zeros(3), np.zeros(3))
    found = with_rates(kind)(still, motion(pose, np.zeros(3), np.zeros(3)), np.zeros(0), np.array([0.3, 1.0]))
    touching = found[found[:, 0, 0] < 1e-4, 0]
    angles = np.sort(np.arctan2(touching[:, 2], touching[:, 1]))
    assert len(touching) == (5 if tilt > 1e-6 else 4)
    assert np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() < np.pi / 2 + 10.0 * tilt + 1e-12
    assert np.abs(found[:, 1]).max() == 0.0
