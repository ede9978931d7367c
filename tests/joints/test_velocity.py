"""For every joint type: S, T, v_J, c_J and qdot are consistent with the pose, by differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import null_space

from rbdkit.joints import EulerSpherical, Fixed, Free, Universal
from rbdkit.spatial import plucker

ALL_TYPES = ("F4.11", "F4.12", "F4.13", "F4.14", "F4.15", "F4.16", "F4.17", "F4.18", "F4.19")


@pytest.mark.source(*ALL_TYPES, "F3.02", "F4.24")
def test_transform_moves_with_the_joint_velocity(joint, rng, slope, cross_motion):
    """dX_J/dt = -(v_J x) X_J along qdot = rate(q, v); the difference quotient rounds at eps / h = 1e-13."""
    for _ in range(3):
        q, v = joint.random(rng), rng.normal(size=joint.nv)
        qdot = joint.rate(q, v)
        X, S, v_J, _ = joint.calc(q, v)
        assert_allclose(slope(joint.transform, q, qdot), -cross_motion(v_J) @ X, atol=3e-12)
        assert_allclose(v_J, S @ v, atol=1e-15)


@pytest.mark.source(*ALL_TYPES, "F4.24")
def test_velocity_product_is_the_rate_of_v_J_at_constant_v(joint, rng, slope):
    """c_J is the apparent derivative of S, times v: the componentwise rate in successor coordinates (Eq 3.41)."""
    for _ in range(3):
        q, v = joint.random(rng), rng.normal(size=joint.nv)
        qdot = joint.rate(q, v)
        c_J = joint.calc(q, v)[3]
        assert_allclose(slope(joint.motion_subspace, q, qdot) @ v, c_J, atol=2e-12)


@pytest.mark.source(*ALL_TYPES, "F4.24")
def test_motion_and_constraint_subspaces_are_complements(joint, rng):
    """T.T S = 0, and the columns of both together span all of space."""
    for _ in range(3):
        q = joint.random(rng)
        S, T = joint.motion_subspace(q), joint.constraint_subspace(q)
        assert S.shape == (6, joint.nv)
        assert T.shape == (6, 6 - joint.nv)
        assert_allclose(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), atol=1e-15)
        assert np.linalg.matrix_rank(T) == 6 - joint.nv
        if not (isinstance(joint, EulerSpherical) and abs(np.cos(q[1])) < 1e-2):
            assert np.linalg.matrix_rank(np.hstack([S, T])) == 6


@pytest.mark.source("F4.10")
def test_calc_gathers_what_the_single_methods_give(joint, rng):
    q, v = joint.random(rng), rng.normal(size=joint.nv)
    X, S, v_J, c_J = joint.calc(q, v)
    assert_allclose(X, joint.transform(q), atol=2e-15)
    assert_allclose(X, plucker.from_pose(joint.pose(q)), atol=2e-15)
    assert_allclose(S, joint.motion_subspace(q), atol=2e-15)
    assert_allclose(v_J, joint.velocity(q, v), atol=1e-14)
    assert_allclose(c_J, joint.velocity_product(q, v), atol=1e-14)


def test_returned_matrices_can_not_spoil_the_joint(joint, rng):
    """Writing into a returned S or T either fails or changes a copy."""
    q = joint.random(rng)
    for matrix in (joint.motion_subspace, joint.constraint_subspace):
        before = matrix(q).copy()
        given = matrix(q)
        if given.flags.writeable:
            given[...] = 7.0
        assert_array_equal(matrix(q), before)


@pytest.mark.source("F4.17")
def test_euler_joint_loses_rank_only_at_gimbal_lock(rng):
    joint = EulerSpherical()
    for pitch in (0.0, 1.0, 1.57):
        singular = np.linalg.svd(joint.motion_subspace(np.array([0.3, pitch, 0.4])), compute_uv=False)
        assert_allclose(singular[-1], np.sqrt(1 - np.sin(pitch)), rtol=1e-6)  # S.T S has eigenvalues 1, 1 +- sin
    locked = joint.motion_subspace(np.array([0.3, np.pi / 2, 0.4]))
    assert np.linalg.matrix_rank(locked) == 2
    assert_allclose(np.abs(null_space(locked)[:, 0] @ [1, 0, 1]), np.sqrt(2), rtol=1e-14)  # yaw and roll are one


@pytest.mark.source("F4.17")
def test_euler_velocity_product_as_printed(rng):
    """Eq 4.9, six rows (the scan repeats one)."""
    q, qd = rng.normal(size=(2, 3))
    (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
    printed = [
        -c2 * qd[0] * qd[1],
        -s2 * s3 * qd[0] * qd[1] + c2 * c3 * qd[0] * qd[2] - s3 * qd[1] * qd[2],
        -s2 * c3 * qd[0] * qd[1] - c2 * s3 * qd[0] * qd[2] - c3 * qd[1] * qd[2],
        0, 0, 0,
    ]  # fmt: skip
    assert_allclose(EulerSpherical().velocity_product(q, qd), printed, atol=1e-15)


def test_universal_joint_refuses_parallel_axes():
    with pytest.raises(ValueError, match="of a universal joint are parallel; use a revolute joint"):
        Universal("y", "-y")
    Universal("x", [np.sqrt(1 - 0.01), 0.1, 0.0])


@pytest.mark.source("F4.19")
def test_zero_freedom_matrices_have_zero_columns():
    """Products with 6x0 matrices are zeros, as the algorithms rely on."""
    X, S, v_J, c_J = Fixed().calc(np.zeros(0), np.zeros(0))
    assert_array_equal(X, np.eye(6))
    assert S.shape == (6, 0)
    assert_array_equal(v_J, np.zeros(6))
    assert_array_equal(c_J, np.zeros(6))
    assert_array_equal(Fixed().constraint_subspace(np.zeros(0)), np.eye(6))


@pytest.mark.source("F4.18")
def test_six_freedoms_leave_no_constraint():
    joint = Free()
    assert_array_equal(joint.motion_subspace(joint.neutral()), np.eye(6))
    assert joint.constraint_subspace(joint.neutral()).shape == (6, 0)
