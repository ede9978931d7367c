"""Polarity reversal (Featherstone 2008, Table 4.2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.algorithms import energy
from rbdkit.joints import Fixed, Free, Helical, Planar, Prescribed, Prismatic, Reversed, Revolute, Spherical, Universal
from rbdkit.joints.joint_type import VectorJoint
from rbdkit.model import Limits, Model
from rbdkit.spatial.inertia import Inertia

pytestmark = pytest.mark.source("F4.24")


def test_table_4_2(joint, rng):
    """pXs, -pXs S, -pXs v_J, -pXs c_J, and the same qdot, with pXs a numerical inverse."""
    other = Reversed(joint)
    for _ in range(3):
        q, v = joint.random(rng), rng.normal(size=joint.nv)
        X, S, v_J, c_J = joint.calc(q, v)
        p_X_s = np.linalg.inv(X)
        table = (p_X_s, -p_X_s @ S, -p_X_s @ v_J, -p_X_s @ c_J)
        for found, expected in zip(other.calc(q, v), table, strict=True):
            assert_allclose(found, expected, atol=2e-14)
        assert_array_equal(other.rate(q, v), joint.rate(q, v))
        assert_allclose(other.motion_subspace(q), table[1], atol=2e-14)
        assert_allclose(other.velocity(q, v), table[2], atol=2e-14)
        assert_allclose(other.velocity_product(q, v), table[3], atol=2e-14)


class RackAndPinion(VectorJoint):
    """A pinion of radius r that rolls along x (Featherstone 2008, Example 4.6); a joint as a user would write one."""

    kind = "rack_and_pinion"
    nq = nv = 1
    q_names, q_units = ("angle",), ("rad",)
    r = 0.4

    def pose(self, q, t=0.0):
        T = Revolute("z").pose(q)
        T[..., 0, 3] = self.r * q[..., 0]
        return T

    def project(self, pose):
        return pose[:1, 3] / self.r

    def motion_subspace(self, q):
        return np.array([[0, 0, 1, self.r * np.cos(q[0]), -self.r * np.sin(q[0]), 0]]).T

    def constraint_subspace(self, q):
        T = np.eye(6)[:, [0, 1, 5, 3, 4]]
        T[2, 3:] = -self.r * np.cos(q[0]), self.r * np.sin(q[0])
        return T

    def velocity_product(self, q, v, t=0.0):
        return self.r * v[0] ** 2 * np.array([0, 0, 0, -np.sin(q[0]), -np.cos(q[0]), 0])


def test_constraint_forces_need_the_force_transform(slope, cross_motion):
    """-pXs* T keeps T.T S = 0. -pXs T, as the table reads, does not where the rotation shifts the origin."""
    joint, other = RackAndPinion(), Reversed(RackAndPinion())
    q, v = np.array([0.8]), np.array([1.2])
    for each in (joint, other):
        X, S, v_J, c_J = each.calc(q, v)
        T = each.constraint_subspace(q)
        assert_allclose(slope(each.transform, q, v), -cross_motion(v_J) @ X, atol=2e-12)
        assert_allclose(slope(each.motion_subspace, q, v) @ v, c_J, atol=2e-12)
        assert_allclose(T.T @ S, np.zeros((5, 1)), atol=1e-15)
        assert np.linalg.matrix_rank(np.hstack([S, T])) == 6
        assert_allclose(each.calc_loop(X)[0], np.zeros(5), atol=1e-15)
    p_X_s = np.linalg.inv(joint.transform(q))
    assert np.abs((-p_X_s @ joint.constraint_subspace(q)).T @ other.motion_subspace(q)).max() > 0.1


@pytest.mark.source("F4.23")
def test_a_joint_of_the_users_own_works_in_a_model(rng):
    """Nothing has to be registered: coordinates, rates, limits, description and algorithms know it at once."""
    model = Model()
    ball = Inertia.sphere(0.1, mass=2.0)
    model.add_body("pinion", joint=RackAndPinion(), inertia=ball, limits=Limits(-1.0, 1.0), joint_name="roll")
    q, v = model.check_q(model.random_q(rng)), np.array([1.5])
    assert abs(q[0]) <= 1.0
    assert_array_equal(model.rate(q, v), v)
    assert "rack_and_pinion" in model.describe()
    assert model.validate() == []
    rolling = 0.5 * (2.0 * RackAndPinion.r**2 + ball.inertia_com[2, 2]) * 1.5**2
    assert_allclose(energy(model, q, v).kinetic, rolling, rtol=1e-14)


def test_twice_reversed_is_the_joint(joint, rng):
    q, v = joint.random(rng), rng.normal(size=joint.nv)
    twice = Reversed(Reversed(joint))
    for found, expected in zip(twice.calc(q, v), joint.calc(q, v), strict=True):
        assert_allclose(found, expected, atol=1e-14)
    assert_allclose(twice.constraint_subspace(q), joint.constraint_subspace(q), atol=1e-14)


@pytest.mark.parametrize("symmetric", [Revolute("y"), Prismatic([0.0, 0.6, 0.8]), Helical("x", 0.3)])
def test_symmetric_joints_only_change_sign(symmetric, rng):
    """The sign of q, so that S stays while the pose is that at -q."""
    q, v = symmetric.random(rng), rng.normal(size=1)
    other = Reversed(symmetric)
    assert_allclose(other.pose(q), symmetric.pose(-q), atol=1e-15)
    assert_allclose(other.velocity(q, v), symmetric.velocity(-q, -v), atol=1e-15)


@pytest.mark.parametrize("asymmetric", [Planar(), Universal(), Free()])
def test_asymmetric_joints_become_others(asymmetric, rng):
    """The motion subspace of the reversed joint depends on q in another way."""
    q = asymmetric.random(rng)
    S = asymmetric.motion_subspace(asymmetric.project(np.linalg.inv(asymmetric.pose(q))))
    assert np.abs(Reversed(asymmetric).motion_subspace(q) + S).max() > 1e-2


def test_manifold_is_that_of_the_joint_inside(joint, rng):
    other = Reversed(joint)
    q, dv, u = joint.random(rng), rng.normal(size=joint.nv), rng.normal(size=joint.nv)
    assert (other.nq, other.nv, other.q_names, other.v_units) == (joint.nq, joint.nv, joint.q_names, joint.v_units)
    assert_array_equal(other.neutral(), joint.neutral())
    assert_array_equal(other.integrate(q, dv), joint.integrate(q, dv))
    assert_array_equal(other.difference(q, joint.integrate(q, dv)), joint.difference(q, joint.integrate(q, dv)))
    assert_array_equal(other.local_rate(u), joint.local_rate(u))
    assert_array_equal(other.random(np.random.default_rng(1)), joint.random(np.random.default_rng(1)))


@pytest.mark.source("F4.22")
def test_a_prescribed_motion_seen_from_the_other_end():
    driven = Prescribed(Spherical(), lambda t: ([np.cos(t), np.sin(t), 0, 0], [2, 0, 0], [0, 0, 0]))
    other, none = Reversed(driven), np.zeros(0)
    X, S, v_J, c_J = other.calc(none, none, 0.4)
    assert_allclose(X @ driven.transform(none, 0.4), np.eye(6), atol=1e-15)
    assert S.shape == (6, 0)
    assert_allclose(v_J, [-2, 0, 0, 0, 0, 0], atol=1e-15)
    assert_allclose(other.velocity(none, none, 0.4), v_J, atol=1e-15)
    assert_allclose(other.velocity_product(none, none, 0.4), c_J, atol=1e-15)
    assert_array_equal(Reversed(Fixed()).pose(none), np.eye(4))


def test_what_is_said_of_a_joint_holds_from_its_other_end():
    """A weld stays a weld, what is driven stays driven; welds that are driven go nowhere."""
    driven = Prescribed(Revolute("z"), lambda t: ([t], [1.0], [0.0]))
    still = Prescribed(Fixed(), lambda t: ([], [], []))
    for joint, fixed, moves_in_time in [
        (Fixed(), True, False),
        (still, True, False),
        (driven, False, True),
        (Revolute("z"), False, False),
        (RackAndPinion(), False, False),
    ]:
        for seen in (joint, Reversed(joint), Reversed(Reversed(joint))):
            assert (seen.is_fixed, seen.is_driven) == (fixed, moves_in_time), seen
    assert Prescribed(Reversed(Revolute("z")), driven.motion).is_driven
