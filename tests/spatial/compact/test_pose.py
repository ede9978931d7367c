"""Poses in twelve numbers against 4x4 matrices."""

import numpy as np

from rbdkit.spatial import plucker, se3
from rbdkit.spatial.compact import Pose, mv


def pose(T):
    return Pose.of([*T[:3, :3].ravel().tolist(), *T[:3, 3].tolist()])


def matrix(T):
    return np.vstack([np.column_stack([T.R, T.p]), [0.0, 0.0, 0.0, 1.0]])


def test_products_and_relative_poses_are_those_of_matrices():
    rng = np.random.default_rng(0)
    A, B = (se3.exp(rng.normal(size=6)) for _ in range(2))
    np.testing.assert_allclose(matrix(pose(A) @ pose(B)), A @ B, atol=1e-15)
    np.testing.assert_allclose(matrix(pose(A).to(pose(B))), np.linalg.solve(A, B), atol=1e-14)
    assert Pose.of(pose(A).flat()) == pose(A)


def test_the_transform_to_a_frame_is_that_of_its_pose():
    rng = np.random.default_rng(1)
    T, v = se3.exp(rng.normal(size=6)), rng.normal(size=6)
    np.testing.assert_allclose((pose(T).X @ mv.of(v)).flat(), plucker.from_pose(T) @ v, atol=1e-14)
