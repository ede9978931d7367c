"""The implicit form of jcalc: position errors of loop joints, to first order those of Table 8.1 and Eqs 8.25-8.27."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from rbdkit.joints import Cylindrical, Fixed, Prescribed, Prismatic, Revolute, Spherical


def zero_freedom(X):
    return 0.5 * np.array([X[2, 3] - X[3, 2], X[3, 1] - X[1, 3], X[1, 2] - X[2, 1],
                           X[5, 3] - X[6, 2], X[6, 1] - X[4, 3], X[4, 2] - X[5, 1]])  # fmt: skip


def revolute(X):
    return np.array([X[2, 3], -X[1, 3], X[5, 3], -X[4, 3], X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2]])


def prismatic(X):
    turned = 0.5 * np.array([X[2, 3] - X[3, 2], X[3, 1] - X[1, 3], X[1, 2] - X[2, 1]])
    return np.array([*turned, X[5, 3], -X[4, 3]])


def cylindrical(X):
    return np.array([X[2, 3], -X[1, 3], X[5, 3], -X[4, 3]])


def spherical(X):
    return np.array([
        X[5, 1] * X[3, 1] + X[5, 2] * X[3, 2] + X[5, 3] * X[3, 3],
        X[6, 1] * X[1, 1] + X[6, 2] * X[1, 2] + X[6, 3] * X[1, 3],
        X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2] + X[4, 3] * X[2, 3],
    ])  # fmt: skip


class OneBased:
    """Entries numbered from 1, as printed."""

    def __init__(self, X):
        self.X = X

    def __getitem__(self, place):
        return self.X[place[0] - 1, place[1] - 1]


TABLE = {
    "zero-dof": (Fixed(), zero_freedom, "F4.19"),
    "revolute": (Revolute("z"), revolute, "F4.11"),
    "prismatic": (Prismatic("z"), prismatic, "F4.12"),
    "cylindrical": (Cylindrical("z"), cylindrical, "F4.14"),
    "spherical": (Spherical(), spherical, "F4.16"),
}


@pytest.fixture
def off_by(cross_motion):
    """X_err X_J(q) with X_err = exp(-d x): the successor sits a displacement d off the pose at q."""
    return lambda joint, q, d: expm(-cross_motion(d)) @ joint.transform(q)


@pytest.mark.source("F4.10")
@pytest.mark.parametrize("row", [pytest.param(row, marks=pytest.mark.source(TABLE[row][2])) for row in TABLE])
def test_table_8_1_to_first_order(row, rng, off_by):
    """The difference from the printed entries falls with the square of the displacement."""
    made, printed, _ = TABLE[row]
    for _ in range(3):
        q, d = made.random(rng), rng.normal(size=6)
        gaps = []
        for size in (1e-3, 1e-5):
            X = off_by(made, q, size * d)
            delta, T = made.calc_loop(X)
            gaps.append(np.abs(delta - printed(OneBased(X))).max())
            assert T.shape == (6, 6 - made.nv)
        assert gaps[0] < 20 * 1e-6
        assert gaps[1] < 20 * 1e-10


@pytest.mark.source("F4.10", "F4.13", "F4.15", "F4.17", "F4.18")
def test_position_error_is_the_constrained_part_of_the_displacement(joint, rng, off_by):
    """delta = T.T d up to |d|^2, for the joints that Table 8.1 leaves out too."""
    for _ in range(3):
        q, d = joint.random(rng), rng.normal(size=6)
        delta, T = joint.calc_loop(off_by(joint, q, 1e-6 * d))
        assert_allclose(delta, 1e-6 * joint.constraint_subspace(q).T @ d, atol=3e-10)
        assert T.shape == (6, 6 - joint.nv)


@pytest.mark.source("F4.10")
def test_no_error_where_the_joint_can_be(joint, rng):
    for _ in range(3):
        q = joint.random(rng)
        delta, T = joint.calc_loop(joint.transform(q))
        assert_allclose(delta, np.zeros(6 - joint.nv), atol=2e-14)
        closed = joint.constraint_subspace(joint.project(joint.pose(q)))
        assert_allclose(T, closed, atol=1e-14)


@pytest.mark.source("F4.10", "F4.22")
def test_a_prescribed_loop_joint_is_measured_at_its_time(off_by, rng):
    moving = Prescribed(Revolute("x"), lambda t: (2.0 * t, 2.0, 0.0))
    q = np.zeros(0)
    for t in (0.0, 0.3):
        X = moving.transform(q, t)
        assert_allclose(moving.calc_loop(X, t)[0], np.zeros(6), atol=1e-15)
        d = 1e-6 * rng.normal(size=6)
        assert_allclose(moving.calc_loop(X_off(X, d, off_by), t)[0], d, atol=1e-11)
    assert_allclose(moving.calc_loop(moving.transform(q, 0.3), 0.0)[0], [0.6, 0, 0, 0, 0, 0], atol=1e-15)


def X_off(X, d, off_by):
    return off_by(Fixed(), np.zeros(0), d) @ X
