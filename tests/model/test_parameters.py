import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from rbdkit.errors import ModelError
from rbdkit.joints import Helical, Revolute
from rbdkit.library import random_tree
from rbdkit.model import Mimic, Model
from rbdkit.spatial.inertia import Inertia

TURN = np.eye(4)
TURN[:3, :3] = Rotation.from_rotvec([0.1, -0.2, 0.3]).as_matrix()


def other(name, value):
    """Another value that is physically possible in the place of this one."""
    kind = name.rsplit(".", 1)[-1]
    if kind.endswith("placement"):
        return TURN @ value
    if kind == "inertia":
        return 1.5 * value
    if kind == "rest" and np.shape(value) in ((4,), (7,)):
        return np.r_[0.6, 0.0, 0.8, 0.0, np.asarray(value)[4:] + 0.1]
    return value + 0.25


@pytest.mark.source("F4.27")
def test_every_parameter_of_a_random_tree_can_be_changed():
    """One at a time: that one is new, all others and the topology are as before, and the given model is untouched."""
    model = random_tree(1, 17)
    model.add_frame("tool", "b3", TURN)
    model.add_loop("ring", "b2", "b9", Helical("x", 0.1), TURN, [0.1, 0.2, 0.3])
    before = model.parameters
    assert {name.rsplit(".", 1)[-1] for name in before} == {
        "mass", "com", "inertia", "placement", "frame_placement", "successor_placement", "damping", "friction",
        "stiffness", "rest", "armature", "pitch", "gravity",
    }  # fmt: skip
    for name, value in before.items():
        new = other(name, value)
        changed = model.with_parameters({name: new})
        after = changed.parameters
        assert_array_equal(after.pop(name), new)
        assert after.keys() == before.keys() - {name}
        for rest, kept in after.items():
            assert np.array_equal(kept, before[rest]), (name, rest)
        assert [b.name for b in changed.bodies] == [b.name for b in model.bodies]
        assert (changed.parent, changed.nq, changed.nv) == (model.parent, model.nq, model.nv)
    for name, value in model.parameters.items():
        assert_array_equal(value, before[name])


def test_all_parameters_at_once_and_back(arm):
    """The look-up tables follow: X_tree, I, and the objects found by name."""
    news = {name: other(name, value) for name, value in arm.parameters.items()}
    changed = arm.with_parameters(news)
    for name, value in changed.parameters.items():
        assert_array_equal(value, news[name])
    assert_array_equal(changed.I[2], changed.body("upper").inertia.matrix)
    assert not np.array_equal(changed.I[2], arm.I[2])
    assert_allclose(changed.X_tree[3], changed.joint("slide").X_tree, atol=0)
    assert not np.array_equal(changed.X_tree[3], arm.X_tree[3])
    assert_array_equal(changed.frame("tool").placement, news["tool.frame_placement"])
    assert changed.joint("screw").type == Helical("z", 0.26)
    again = changed.with_parameters(arm.parameters)
    for name, value in arm.parameters.items():
        assert_array_equal(again.parameters[name], value)


def test_single_numbers_are_numbers(arm):
    assert arm.parameters["upper.mass"] == 1.5
    assert arm.parameters["shoulder.damping"] == 0.2
    assert isinstance(arm.parameters["shoulder.damping"], float)
    assert_array_equal(arm.parameters["wrist.damping"], [0.1, 0.2, 0.3])
    assert_array_equal(arm.with_parameters({"wrist.damping": 0.5}).joint("wrist").damping, [0.5] * 3)


def test_unchanged_parts_are_shared(arm):
    """Cheap enough for a slider: only what changed is made anew."""
    changed = arm.with_parameters({"upper.mass": 2.0})
    assert changed.bodies[1] is arm.bodies[1]
    assert changed.bodies[2] is not arm.bodies[2]
    assert changed.bodies[2].joint is arm.bodies[2].joint
    assert changed.bodies[2].geometry is arm.bodies[2].geometry


def test_nothing_changed_is_the_same_model_again(arm, snapshot):
    same = arm.with_parameters({})
    assert same is not arm
    assert snapshot(same) == snapshot(arm)
    same.add_body("new")
    assert len(arm.bodies) == len(same.bodies) - 1


def test_limits_mimicry_and_slices_stay(arm):
    arm.add_body("second", "base", Revolute("y"), inertia=Inertia.sphere(0.1, mass=1.0), mimic=Mimic("shoulder", 2.0))
    changed = arm.with_parameters({"shoulder.damping": 1.0, "second_joint.placement": [0, 0, 1]})
    assert_array_equal(changed.joint("shoulder").limits.velocity, [3.0])
    assert changed.joint("second_joint").mimic == Mimic("shoulder", 2.0)
    assert changed.joint("second_joint").q_slice == arm.joint("shoulder").q_slice


def test_a_frame_and_a_joint_may_share_a_name():
    model = Model()
    model.add_body("a", joint=Revolute(), inertia=Inertia(1.0, [1, 0, 0]), joint_name="tool")
    model.add_frame("tool", "a", [0, 0, 1])
    changed = model.with_parameters({"tool.placement": [1, 0, 0]})
    assert_array_equal(changed.frame("tool").placement[:3, 3], [0, 0, 1])
    assert_array_equal(changed.joint("tool").placement[:3, 3], [1, 0, 0])


@pytest.mark.parametrize("values, says", [
    ({"uper.mass": 1.0}, "parameter 'uper.mass' is not one of model 'arm'; did you mean 'upper.mass'?"),
    ({"upper.weight": 1.0}, "parameter 'upper.weight' is not one of model 'arm'"),
    ({"wrist.pitch": 0.1}, "parameter 'wrist.pitch' is not one of model 'arm'"),
    ({"upper.mass": -1.0}, "body 'upper': impossible inertia: the mass is negative: -1 kg"),
    ({"upper.mass": np.nan}, "body 'upper': impossible inertia: not finite"),
    ({"upper.mass": "heavy"}, "body 'upper': inertia: mass must hold numbers"),
    ({"upper.inertia": np.diag([1.0, 1.0, 3.0])}, "body 'upper': impossible inertia: the principal moments"),
    ({"upper.com": [0, 0]}, "body 'upper': inertia: com has shape (2,), it must be (3,)"),
    ({"shoulder.damping": -0.1}, "joint 'shoulder': damping [-0.1] must be finite and not negative"),
    ({"shoulder.placement": np.ones((4, 4))}, "placement of joint 'shoulder' is not a pose"),
    ({"wrist.rest": [2.0, 0, 0, 0]}, "joint 'wrist': rest of the spring: spherical joint: quaternion"),
    ({"screw.pitch": np.inf}, "pitch inf of a helical joint is not a finite number"),
    ({"tool.frame_placement": [1, 2]}, "placement of frame 'tool' has shape (2,)"),
    ({"gravity": [0, 0, np.nan]}, "gravity must be three finite numbers (m/s2), not [0, 0, nan]"),
])  # fmt: skip
def test_wrong_values_are_refused(arm, snapshot, values, says):
    before = snapshot(arm)
    with pytest.raises(ModelError, match=re.escape(says)):
        arm.with_parameters(values)
    assert snapshot(arm) == before
