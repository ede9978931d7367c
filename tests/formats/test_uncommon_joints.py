"""Files, programs and drafts of models with the joints that few other programs have."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.drafting import Draft, joint_of_kind
from rbdkit.errors import FormatError
from rbdkit.joints import RackAndPinion, Reversed, SphereInCylinder
from rbdkit.library import uncommon_joints


def gallery(loop=True):
    model = rbd.Model("uncommon")
    for k, joint in enumerate(uncommon_joints(np.random.default_rng(0))):
        model.add_body(f"b{k}", "world", joint, inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    if loop:
        model.add_loop("closing", "b0", "b1", SphereInCylinder("y"))
    return model


@pytest.mark.source("F4.20", "F4.21", "F4.27")
def test_json_keeps_them(tmp_path):
    model = gallery()
    rbd.save(model, tmp_path / "model.json")
    read = rbd.load(tmp_path / "model.json")
    assert [joint.type for joint in read.joints] == [joint.type for joint in model.joints]
    assert read.loops[0].joint.type == SphereInCylinder("y")


def test_urdf_refuses_them_by_name(tmp_path):
    with pytest.raises(FormatError, match=r"URDF cannot express a rack_and_pinion joint.*save the model as JSON"):
        rbd.save(gallery(loop=False), tmp_path / "model.urdf")


def test_a_draft_builds_them_and_writes_its_program():
    draft = Draft.from_model(gallery())
    made: dict = {}
    exec(draft.code(), made)  # the program that was written
    again = next(value for value in made.values() if isinstance(value, rbd.Model))
    assert [joint.type for joint in again.joints] == [joint.type for joint in gallery().joints]


def test_they_are_offered_by_name():
    assert joint_of_kind("rack_and_pinion", rbd.Revolute("x")) == RackAndPinion("x")
    assert joint_of_kind("sphere_in_cylinder", Reversed(rbd.Prismatic("y"))) == SphereInCylinder("y")
    assert joint_of_kind("rack_and_pinion", radius=0.3).radius == 0.3
