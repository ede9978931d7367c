"""How far a point is from a solid, inside and outside, and which way is out."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbdkit.collision import Pose
from rbdkit.collision.distance import from_box, from_capsule, from_cone, from_cylinder

SIZES = {from_box: (0.6, 0.5, 0.4), from_capsule: (0.2, 0.5), from_cylinder: (0.3, 0.5), from_cone: (0.3, 0.5)}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("distance", SIZES, ids=lambda function: function.__name__)
def test_the_way_out_is_the_slope_of_the_distance(distance, seed):
    """Which has length 1; and a step along it, as long as the distance, ends on the surface from both sides."""
    rng = np.random.default_rng(seed)
    pose = Pose(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3))
    x, size, h = pose.p + 0.2 * rng.normal(size=3), SIZES[distance], 1e-6

    def gap(at):
        return float(distance(pose, size, at)[0])

    found, out = distance(pose, size, x)
    slope = np.array([gap(x + h * e) - gap(x - h * e) for e in np.eye(3)]) / (2 * h)
    np.testing.assert_allclose(np.array(out, dtype=float), slope, atol=1e-8)  # rounding over 2 h, and curvature h**2
    assert np.linalg.norm(slope) == pytest.approx(1.0, abs=1e-8)
    assert gap(x - float(found) * np.array(out, dtype=float)) == pytest.approx(0.0, abs=1e-14)


def test_points_are_in_and_out_of_a_box_by_each_of_its_faces():
    pose, size = Pose(np.eye(3), np.zeros(3)), (0.6, 0.5, 0.4)
    for axis in range(3):
        for side in (-1.0, 1.0):
            face = side * np.eye(3)[axis]
            for gap in (-0.01, 0.02):
                found, out = from_box(pose, size, (0.5 * size[axis] + gap) * face)
                assert float(found) == pytest.approx(gap, abs=1e-15)
                np.testing.assert_array_equal(np.array(out, dtype=float), face)
