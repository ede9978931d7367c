"""The sphere in a cylinder (Featherstone 2008, section 8.10); that it is consistent is shown with all other joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.algorithms import aba, crba
from rbdkit.errors import StateError
from rbdkit.formulations import SE3
from rbdkit.joints import Prismatic, Revolute, SphereInCylinder, Spherical
from rbdkit.library import planar_four_bar
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

pytestmark = pytest.mark.source("F4.21")


def test_it_holds_the_centre_on_the_axis_and_nothing_else(rng):
    """delta is where the centre is off the axis, to the last digit and far from it, whatever the rotation."""
    joint = SphereInCylinder("z")
    for _ in range(5):
        pose = se3.random(rng)
        delta, T = joint.calc_loop(rbd.spatial.plucker.from_pose(pose))
        assert T.shape == (6, 2)
        assert_allclose(T.T @ T, np.eye(2), atol=1e-15)
        assert_allclose(delta, pose[:2, 3], atol=1e-14)


def test_the_forces_that_it_resists_go_through_the_centre_across_the_bore(rng):
    joint = SphereInCylinder([0.0, 0.6, 0.8])
    q = joint.random(rng)
    T = joint.constraint_subspace(q)
    assert_array_equal(T[:3], np.zeros((3, 2)))
    in_predecessor = joint.pose(q)[:3, :3] @ T[3:]
    assert_allclose(joint.axis @ in_predecessor, [0, 0], atol=1e-15)


def test_it_is_a_slider_and_a_ball(rng):
    """As a tree joint: the same accelerations as a prismatic joint, a body without mass, and a spherical joint."""
    axis, inertia = [0.6, 0.0, 0.8], Inertia.box([0.3, 0.1, 0.2], mass=1.5).transformed(se3.random(rng))
    placement = se3.random(rng)
    one, two = rbd.Model("one", gravity=[1.0, 2.0, 3.0]), rbd.Model("two", gravity=[1.0, 2.0, 3.0])
    one.add_body("ball", joint=SphereInCylinder(axis), placement=placement, inertia=inertia)
    two.add_body("cart", joint=Prismatic(axis), placement=placement, inertia=Inertia(0.0))
    two.add_body("ball", "cart", Spherical(), inertia=inertia)
    q, (v, tau) = one.random_q(rng), rng.normal(size=(2, 4))
    other = [3, 0, 1, 2]  # the slider comes first in the chain
    assert_allclose(crba(one, q).H[np.ix_(other, other)], crba(two, q[[4, 0, 1, 2, 3]]).H, atol=1e-14)
    found, expected = aba(one, q, v, tau).qdd, aba(two, q[[4, 0, 1, 2, 3]], v[other], tau[other]).qdd
    assert_allclose(found[other], expected, rtol=1e-12)


def constraints(joint):
    """How many constraints a four-bar linkage has that this joint closes, and how many of them are independent."""
    model = planar_four_bar(closing=joint)
    system = SE3(model)
    x, w = system.state(model.neutral(), np.zeros(model.nv))
    assert_allclose(system.constraint_error(x), 0.0, atol=1e-14)
    equations = system.index1(0.0, x, w)
    return len(equations.eta), equations.rank


def test_it_closes_a_planar_loop_without_redundant_constraints():
    """n^c = 5 and r = 2 for the revolute joint, n^c = r = 2 for this one (the tree's three hinges take 15 more)."""
    tree = 3 * 5
    assert constraints(Revolute("y")) == (tree + 5, tree + 2)
    assert constraints(SphereInCylinder("y")) == (tree + 2, tree + 2)


def test_a_four_bar_moves_the_same_whichever_joint_closes_it():
    """Redundant constraints do not change the motion; both runs are right to the step's error."""
    runs = []
    for joint in (Revolute("y"), SphereInCylinder("y")):
        model = planar_four_bar(closing=joint)
        runs.append(rbd.simulate(model, model.neutral(), np.zeros(3), duration=0.4, dt=1e-3, formulation="se3"))
    start = runs[0].poses()[0]
    assert np.abs(runs[0].poses()[-1] - start).max() > 0.1
    assert_allclose(runs[0].poses()[-1], runs[1].poses()[-1], atol=1e-9)


def test_a_quaternion_off_the_sphere_is_refused():
    with pytest.raises(StateError, match="sphere-in-cylinder joint: quaternion"):
        SphereInCylinder().check(np.array([1.0, 0.1, 0.0, 0.0, 0.3]))
