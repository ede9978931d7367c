"""Shapes for tests: random ones, formulas of their surfaces, and the same shapes for the library coal."""

import coal
import numpy as np
import pytest
from numpy.linalg import norm
from scipy.spatial.transform import Rotation

from rbdkit.collision.components import Pose

FLAT = 1e3
"""m; a half-space for coal is a box so large."""


def random_lengths(rng, name, size=1.0):
    """Lengths that tell a shape of that name."""
    match name:
        case "half-space":
            return np.zeros(0)
        case "point":
            return size * rng.normal(size=3)
        case "sphere":
            return size * rng.uniform(0.2, 1.0, 1)
        case "box" | "ellipsoid":
            return size * rng.uniform(0.2, 1.0, 3)
        case _:
            return size * rng.uniform(0.2, 1.0, 2)


def random_pose(rng, spread=1.0):
    return Pose(Rotation.random(random_state=rng).as_matrix(), spread * rng.normal(size=3))


def depth_in(name, lengths, x):
    """How deep a point in the axes of a shape is in it; 0 on its surface. Not a distance, but of its sign."""
    match name:
        case "half-space":
            return -x[2]
        case "point":
            return -norm(x - lengths)
        case "sphere":
            return lengths[0] - norm(x)
        case "ellipsoid":
            return 1.0 - norm(x / lengths)
        case "box":
            return (0.5 * lengths - np.abs(x)).min()
        case "cylinder":
            return min(lengths[0] - norm(x[:2]), 0.5 * lengths[1] - abs(x[2]))
        case "capsule":
            return lengths[0] - norm(x - [0.0, 0.0, np.clip(x[2], -0.5 * lengths[1], 0.5 * lengths[1])])
        case "cone":
            radius, length = lengths
            return min(x[2] + 0.5 * length, radius * (0.5 - x[2] / length) - norm(x[:2]))


def of_coal(name, lengths, pose):
    """The same shape for coal, and where it is."""
    R, p = np.array(pose.R), np.array(pose.p)
    match name:
        case "half-space":
            shape, p = coal.Box(FLAT, FLAT, FLAT), p - 0.5 * FLAT * R[:, 2]
        case "point":
            shape, p = coal.Sphere(1e-9), p + R @ lengths
        case "sphere":
            shape = coal.Sphere(*lengths)
        case "ellipsoid":
            shape = coal.Ellipsoid(*lengths)
        case "box":
            shape = coal.Box(*lengths)
        case "cylinder":
            shape = coal.Cylinder(*lengths)
        case "capsule":
            shape = coal.Capsule(*lengths)
        case "cone":
            shape = coal.Cone(*lengths)
    return shape, coal.Transform3s(R, p)


def signed_distance(kind, pose_p, shape_p, pose_s, shape_s):
    """By coal: distance, and the normal from the first shape to the second."""
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    first, second = of_coal(kind.first, shape_p, pose_p), of_coal(kind.second, shape_s, pose_s)
    return coal.distance(*first, *second, request, result), np.array(result.normal)


@pytest.fixture
def shapes():
    """What is above, for tests."""
    return random_lengths, random_pose, depth_in


@pytest.fixture
def by_coal():
    return signed_distance
