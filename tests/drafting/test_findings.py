"""What is wrong with a draft is said beside the field that mends it, and everything at once."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.drafting import (
    GROUND,
    AddBody,
    AddFrame,
    AddLoop,
    Draft,
    Follow,
    Rename,
    RenameJoint,
    SetDensity,
    SetGeometry,
    SetInertia,
    SetJoint,
    SetNumbers,
)
from rbdkit.errors import FormatError, ModelError
from rbdkit.joints import Fixed, Free, Revolute
from rbdkit.library import double_pendulum, random_tree
from rbdkit.model import Sphere
from rbdkit.spatial.inertia import Inertia


@pytest.fixture
def pair() -> tuple[Draft, int, int]:
    draft = Draft()
    return draft, draft.do(AddBody(name="a")), draft.do(AddBody(name="b"))


def fields(draft: Draft, key: int) -> set[tuple[str, str]]:
    return {(remark.field, remark.severity) for remark in draft.findings(key)}


def test_names_while_they_are_typed(pair):
    draft, a, b = pair
    draft.do(Rename(b, "a"))
    assert fields(draft, a) == fields(draft, b) == {("name", "blocking")}
    draft.do(Rename(b, ""), join=True)
    assert fields(draft, a) == set()
    assert "it has no name" in draft.findings(b)[0].message
    draft.do(Rename(b, "arm"), join=True)
    assert draft.findings() == ()
    draft.do(Rename(b, "world"))
    assert fields(draft, b) == {("name", "blocking")}


def test_names_of_joints_frames_and_loops(pair):
    draft, a, b = pair
    frame = draft.do(AddFrame(a, name="b"))
    assert fields(draft, frame) == {("name", "blocking")}
    draft.undo()
    loop = draft.do(AddLoop(a, b, name="a_joint"))
    assert fields(draft, loop) == {("name", "blocking")}
    draft.do(RenameJoint(a, "hinge"))
    assert [(remark.field, remark.severity) for remark in draft.findings()] == [("joint", "note")]
    draft.do(RenameJoint(b, "hinge"))
    assert fields(draft, b) == {("joint_name", "blocking")}


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [("damping", -1.0, "damping"), ("stiffness", -1.0, "stiffness"), ("effort", -1.0, "effort")],
)
def test_numbers_no_joint_can_have(pair, name, value, field):
    draft, a, _ = pair
    draft.do(SetNumbers(a, name, value))
    assert fields(draft, a) == {(field, "blocking")}
    assert str(value) in draft.findings(a)[0].message or "-1." in draft.findings(a)[0].message


def test_limits_that_cross(pair):
    draft, a, _ = pair
    draft.do(SetNumbers(a, "lower", 2.0))
    draft.do(SetNumbers(a, "upper", 1.0))
    assert fields(draft, a) == {("lower", "blocking")}
    assert "lies above" in draft.findings(a)[0].message
    draft.do(SetNumbers(a, "upper", 3.0))
    assert draft.findings() == ()


def test_a_quaternion_has_no_limits(pair):
    draft, a, _ = pair
    draft.do(SetJoint(a, Free()))
    draft.do(SetNumbers(a, "upper", 1.0))
    assert fields(draft, a) == {("upper", "blocking")}


def test_what_validate_finds_stands_at_the_inertia(pair):
    draft, a, _ = pair
    draft.do(SetInertia(a, None))
    assert fields(draft, a) == {("inertia", "error")}
    assert draft.model().bodies[1].inertia is None  # the model can be made, and looked at
    draft.do(SetInertia(a, Inertia(1.0, (0, 0, 0.1), np.diag([1.0, 1.0, 9.0]), check=False)))
    assert fields(draft, a) == {("inertia", "warning")}
    draft.do(SetInertia(a, Inertia(-1.0, check=False)))
    assert ("inertia", "error") in fields(draft, a)


def test_a_density_without_a_solid(pair):
    draft, a, _ = pair
    for shapes, words in (([], "no shape"), ([Sphere(0.0)], "")):
        draft.do(SetGeometry(a, shapes))
        assert ("density", "error") in fields(draft, a)
        assert words in draft.findings(a)[0].message
        assert ("inertia", "error") not in fields(draft, a)  # said once, where it is mended
    draft.undo()
    draft.undo()
    for density in (-1.0, 0.0):
        draft.do(SetDensity(a, density))
        assert f"density {density:g} kg/m3 must be positive" in draft.findings(a)[0].message
    draft.do(SetDensity(a, None))
    assert draft.sheet.part(a).inertia is None


def test_following(pair):
    draft, a, b = pair
    c = draft.do(AddBody(a, name="c"))
    draft.do(Follow(a, b))
    draft.do(Follow(b, c))
    assert fields(draft, a) == {("follows", "blocking")}  # b follows too
    assert "itself follows 'c_joint'; let this joint follow 'c_joint'" in draft.findings(a)[0].message
    draft.undo()
    draft.undo()
    draft.do(Follow(a, c))
    assert "on the branch that this joint carries" in draft.findings(a)[0].message
    draft.undo()
    draft.do(Follow(a, b))
    draft.do(SetJoint(b, Fixed()))
    assert "'b_joint' has 0 coordinates" in draft.findings(a)[0].message


def test_everything_is_said_at_once_and_the_last_model_stays(pair):
    draft, a, b = pair
    good = draft.model()
    draft.do(Rename(a, ""))
    draft.do(SetNumbers(b, "damping", -1.0))
    with pytest.raises(ModelError, match=r"(?s)body '': name: it has no name.*body 'b': damping: .*damping \[-1"):
        draft.model()
    with pytest.raises(ModelError, match="no model can be made"):
        draft.code()
    assert draft.last_model is good
    assert "cannot be made yet" in repr(draft)
    draft.undo()
    draft.undo()
    assert draft.findings() == ()
    assert draft.findings(GROUND) == ()


def test_files(tmp_path, pair):
    draft, a, b = pair
    for name in ("draft.json", "draft.urdf"):
        draft.save(tmp_path / name)
        again = Draft.load(tmp_path / name)
        assert [part.name for part in again.sheet.parts] == ["a", "b"]
        assert again.model().mass == pytest.approx(draft.model().mass)
    assert Draft.load(draft.to_json()).to_json() == draft.to_json()
    assert Draft.load(draft.to_urdf()).model().nv == 2
    draft.do(AddLoop(a, b))
    with pytest.raises(FormatError, match="URDF cannot express"):
        draft.to_urdf()


def test_a_draft_leaves_the_model_it_came_from_alone():
    model = double_pendulum()
    draft = Draft.from_model(model)
    draft.do(SetJoint(draft.sheet.parts[0].key, Revolute("x")))
    assert model.joints[1].type != draft.model().joints[1].type
    assert len(random_tree(1, 18).bodies) == len(Draft.from_model(random_tree(1, 18)).sheet.parts) + 1
