"""The steps towards closed loops: their derivative, and joints that others wrote."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints import VectorJoint
from rbdkit.library import joint_gallery, random_tree, uncommon_joints
from rbdkit.model.closing import LoopKinematics, closest, gaps, require_closed
from rbdkit.model.closing.closest import Bounds, Residual


class Cam(VectorJoint):
    """A hinge that lifts, whose `project` is the steps that every joint type has."""

    kind, nq, nv, q_names, q_units = "cam", 1, 1, ("angle",), ("rad",)

    def pose(self, q, t=0.0):
        T = rbd.Revolute("z").pose(q)
        T[..., 2, 3] = 0.2 * np.sin(q[..., 0])
        return T

    def motion_subspace(self, q):
        return np.array([[0, 0, 1, 0, 0, 0.2 * np.cos(q[0])]]).T


def looped(kind, seed):
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 6, joint_gallery(rng))
    model.add_loop("loop", "world", model.bodies[-1].name, kind, rng.normal(size=3), rng.normal(size=3))
    return model, rng


@pytest.mark.parametrize(
    "kind", [*joint_gallery(np.random.default_rng(1)), *uncommon_joints(np.random.default_rng(1)), Cam()]
)
def test_the_derivative_is_exact_far_from_closed_loops(kind):
    """Of e by q and z, by differences."""
    model, rng = looped(kind, 3)
    own = Residual(model, 0.0)
    q, z = model.random_q(rng), [kind.random(rng)]
    X, J = own.motion.poses_and_jacobians(q)
    E, e = own.left_over(X, z)
    A = own.jacobian(J, E, e, z)

    def residual(x):
        moved, turned = own.moved(q, z, x)
        return own.row * own.left_over(own.motion.poses(moved), turned)[1].ravel()

    h = 1e-5
    for k, unit in enumerate(np.eye(A.shape[1])):
        np.testing.assert_allclose((residual(h * unit) - residual(-h * unit)) / (2 * h), A[:, k], atol=2e-8)


def test_a_joint_type_of_ones_own_closes_a_loop():
    model, rng = looped(Cam(), 5)
    found = closest(model, model.random_q(rng), np.ones(model.nv, dtype=bool), Bounds(model))
    assert found.is_closed and gaps(model, found.q).max() < 1e-13
    require_closed(model, found.q, np.zeros(model.nv))


def test_velocities_across_loops_are_those_of_the_jacobian():
    model, rng = looped(rbd.Revolute("x"), 7)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    motion = LoopKinematics(model)
    np.testing.assert_allclose(motion.velocities(q, v)[1], motion.poses_and_jacobians(q)[1] @ v, atol=1e-13)


def test_limits_of_followers_are_limits_of_their_leaders():
    model = rbd.Model("gripper")
    bar = rbd.Inertia(0.1)
    model.add_body("a", joint=rbd.Prismatic("x"), inertia=bar, joint_name="jaw", limits=rbd.Limits(-1.0, 1.0))
    after = rbd.Mimic("jaw", -2.0, 0.5)
    model.add_body("b", joint=rbd.Prismatic("x"), inertia=bar, mimic=after, limits=rbd.Limits(0.0, 4.5))
    bounds = Bounds(model)
    assert (bounds.lower.tolist(), bounds.upper.tolist()) == ([-1.0], [0.25])
    assert bounds.within(np.array([0.7])).tolist() == [0.25]
    assert not Bounds(model, limited=False).any
