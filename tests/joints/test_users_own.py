"""A user's joint class that is made from one of ours has its kind, but is never taken for it."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import equivalence, floating_base
from rbdkit.errors import FormatError, ModelError
from rbdkit.formats import to_dh, to_urdf


class Hinge(rbd.Revolute):
    """It might turn about something else."""


class Backwards(rbd.Revolute):
    """It turns the other way."""

    def pose(self, q, t=0.0):
        return super().pose(-q)

    def motion_subspace(self, q):
        return -super().motion_subspace(q)


class Drifting(rbd.Free):
    """It might be held by something."""


class Ball(rbd.Spherical):
    """It might turn about one axis only."""


def model_on(joint):
    model = rbd.Model("own")
    model.add_body("arm", joint=joint, inertia=rbd.Inertia(1.0, [0, 0.1, -1.0], 0.1 * np.eye(3)), joint_name="own")
    return model


def two(model):
    """With one body more, before the joint in question."""
    longer = rbd.Model("two")
    inertia = rbd.Inertia(1.0, [0, 0.1, -1.0], 0.1 * np.eye(3))
    longer.add_body("base", joint=rbd.Revolute("x"), inertia=inertia)
    longer.add_body("arm", "base", model.joints[1].type, [0, 0, -1], inertia, joint_name="own")
    return longer


REFUSALS = {
    "URDF": (Hinge("y"), to_urdf, FormatError, "'own': its type Hinge is not one of rbdkit.joints"),
    "URDF, reversed": (rbd.Reversed(Hinge("y")), to_urdf, FormatError, "'own': its type Hinge"),
    "Denavit-Hartenberg": (Hinge("z"), to_dh, FormatError, "'own': its type Hinge"),
    "Luh, Walker and Paul": (
        Hinge("z"), lambda model: algorithms.luh_walker_paul(model, *np.zeros((3, 1))), ModelError, "'own' is Hinge",
    ),
    "augmented bodies": (
        Hinge("y"), lambda model: equivalence.augmented_bodies(two(model)), ModelError, "'own' is Hinge",
    ),
    "floating base": (Drifting(), floating_base.to_floating_base, ModelError, "does not float"),
    "quaternion": (Drifting(), rbd.formulations.FORMULATIONS["quaternion"], ModelError, "by a Drifting joint"),
    "local_velocity": (Drifting(), rbd.formulations.FORMULATIONS["local_velocity"], ModelError, "by a Drifting joint"),
    "directors": (Ball(), rbd.formulations.FORMULATIONS["directors"], ModelError, "its joints are: Ball"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_what_knows_our_classes_alone_refuses_it_by_name(name):
    joint, asked, error, message = REFUSALS[name]
    with pytest.raises(error, match=message):
        asked(model_on(joint))


def test_whose_class_it_is():
    assert Hinge("z").is_users_own and not rbd.Revolute("z").is_users_own


def test_nothing_is_known_of_what_it_can_exchange():
    assert equivalence.table_9_7(rbd.Revolute("y")).size and not equivalence.table_9_7(Hinge("y")).size
    assert not equivalence.table_9_7(rbd.Reversed(Hinge("y"))).size


def test_it_computes_by_its_own_formulas():
    """A hinge that says nothing of its own is a revolute joint; one that goes the other way is not."""
    back, there = model_on(Backwards("y")), model_on(Hinge("y"))
    assert rbd.engine.backend(back) == rbd.engine.backend(there) == rbd.engine.backend(model_on(rbd.Revolute("y")))
    for model, turn in ((there, 0.3), (back, -0.3)):
        expected = rbd.Revolute("y").pose(np.array([turn]))
        np.testing.assert_allclose(rbd.forward_kinematics(model, [0.3]).poses[-1], expected, atol=1e-15)
