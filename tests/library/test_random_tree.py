import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.joints import Prescribed, RackAndPinion, Reversed, Revolute, SphereInCylinder, Spherical
from rbdkit.joints.joint_type import JointType, VectorJoint
from rbdkit.library import joint_gallery, led_joints, random_state, random_tree, uncommon_joints


def kinds(types):
    return {cls.kind for cls in types}


def all_types(base=JointType):
    for cls in base.__subclasses__():
        if cls.__module__.startswith("rbdkit."):
            if cls is not VectorJoint:
                yield cls
            yield from all_types(cls)


def test_gallery_has_every_joint_type():
    """All but the prescribed joint, which has no coordinates to be random; those few programs have stand apart."""
    gallery, uncommon = joint_gallery(np.random.default_rng(0)), uncommon_joints(np.random.default_rng(0))
    assert {type(joint) for joint in uncommon} == {RackAndPinion, SphereInCylinder, Reversed}
    gallery += uncommon + led_joints(np.random.default_rng(0))
    assert {type(joint) for joint in gallery} == set(all_types()) - {Prescribed}
    options = {getattr(joint, "translation", None) for joint in gallery}
    assert options == {None, "predecessor", "successor"}


def test_a_tree_has_every_joint_before_any_comes_twice():
    gallery = joint_gallery(np.random.default_rng(0))
    n = len(gallery)
    model = random_tree(8, 2 * n)
    expected = sorted(joint.kind for joint in gallery)
    assert sorted(body.joint.type.kind for body in model.bodies[1 : n + 1]) == expected
    assert sorted(body.joint.type.kind for body in model.bodies[n + 1 :]) == expected


def test_trees_are_determined_by_their_seed():
    a, b, c = random_tree(5, 12), random_tree(5, 12), random_tree(6, 12)
    assert a.describe() == b.describe()
    for name, value in a.parameters.items():
        assert_array_equal(b.parameters[name], value)
    assert a.describe() != c.describe()
    for x, y in zip(random_state(a, 1), random_state(b, 1), strict=True):
        assert_array_equal(x, y)
    assert not np.array_equal(random_state(a, 1)[0], random_state(a, 2)[0])


@pytest.mark.parametrize("seed", range(5))
def test_trees_are_physical(seed):
    """Regular numbering, no finding, gravity of the usual size in any direction, a state on the manifold."""
    model = random_tree(seed, 25)
    assert model.validate() == []
    assert all(p < i for i, p in enumerate(model.parent))
    assert_allclose(np.linalg.norm(model.gravity), 9.81, rtol=1e-15)
    q, v, a = random_state(model, seed)
    model.check_q(q)
    assert (v.shape, a.shape) == ((model.nv,), (model.nv,))


def test_branching():
    chain, bush = random_tree(0, 30, branching=0.0), random_tree(0, 30, branching=1.0)
    assert chain.parent == (-1, *range(30))
    assert max(len(bush.support(i)) for i in bush.outward) < 15


def test_own_joints_and_name():
    model = random_tree(0, 9, joints=[Revolute("x"), Spherical()], name="mine")
    assert kinds(type(joint.type) for joint in model.joints[1:]) == {"revolute", "spherical"}
    assert model.name == "mine"
    assert random_tree(3).name == "random tree 3"
