"""What each step does, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.algorithms import forward_kinematics
from rbdkit.drafting import (
    GROUND,
    KINDS,
    AddBody,
    AddFrame,
    AddLoop,
    Delete,
    Draft,
    Follow,
    MoveFrame,
    MoveLoop,
    PlaceLoop,
    Rename,
    Reparent,
    SetDensity,
    SetGeometry,
    SetInertia,
    SetJoint,
    SetNumbers,
    SetPlacement,
    joint_of_kind,
)
from rbdkit.errors import ModelError
from rbdkit.joints import Free, Helical, Planar, Prescribed, Prismatic, Revolute, Universal
from rbdkit.library import random_tree
from rbdkit.model import Box, Mesh, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@pytest.fixture
def chain() -> tuple[Draft, int, int, int]:
    """a carries b carries c, each turned and set off."""
    draft = Draft("chain")
    rng = np.random.default_rng(4)
    a = draft.do(AddBody(name="a", placement=se3.random(rng)))
    b = draft.do(AddBody(a, name="b", placement=se3.random(rng)))
    return draft, a, b, draft.do(AddBody(b, name="c", placement=se3.random(rng)))


def world_poses(draft: Draft) -> dict[str, np.ndarray]:
    model = draft.model()
    poses = forward_kinematics(model, model.neutral()).poses
    return {body.name: poses[body.index] for body in model.bodies}


def test_a_new_body_stands_on_the_end_of_its_parent_and_can_swing():
    draft = Draft()
    a = draft.do(AddBody())
    draft.do(AddBody(a))
    model = draft.model()
    assert [body.name for body in model.bodies] == ["world", "body1", "body2"]
    np.testing.assert_array_equal(model.joint("body2_joint").placement[:3, 3], [0.0, 0.0, 0.3])
    assert model.body("body1").inertia.mass == pytest.approx(1000.0 * 0.05 * 0.05 * 0.3)  # density times volume
    assert draft.findings() == ()


@pytest.mark.parametrize("seed", range(4))
def test_keeping_the_place_keeps_every_world_pose(seed):
    draft = Draft.from_model(random_tree(seed, 18))
    keys = [part.key for part in draft.sheet.parts]
    rng = np.random.default_rng(seed)
    before = world_poses(draft)
    moved = 0
    for key in rng.permutation(keys):
        outside = [GROUND, *(k for k in keys if k not in draft.sheet.subtree(int(key)))]
        draft.do(Reparent(int(key), int(rng.choice(outside))))
        moved += 1
    after = world_poses(draft)
    assert moved == 18
    for name, pose in before.items():
        np.testing.assert_allclose(after[name], pose, atol=1e-13)  # some twenty products of matrices of order one


def test_a_driven_joint_stands_where_its_motion_begins(chain):
    """Which is not where the two frames of the joint coincide."""
    draft, a, b, c = chain
    draft.do(SetJoint(b, Prescribed(Revolute("x"), lambda t: (0.7 + t, 1.0, 0.0))))
    before = world_poses(draft)
    draft.do(Reparent(c, GROUND))
    draft.do(Reparent(b, GROUND))
    draft.do(Reparent(c, b))
    draft.do(Reparent(c, a))
    after = world_poses(draft)
    for name, pose in before.items():
        np.testing.assert_allclose(after[name], pose, atol=1e-14)


def test_a_body_cannot_hang_on_what_it_carries(chain):
    draft, a, b, c = chain
    with pytest.raises(ModelError, match="'a' cannot hang on 'c', which it carries"):
        draft.do(Reparent(a, c))
    with pytest.raises(ModelError, match="'b' cannot hang on itself"):
        draft.do(Reparent(b, b))
    assert len(draft.operations) == 3


def test_deleting_takes_the_branch_with_what_hangs_on_it(chain):
    draft, a, b, c = chain
    draft.do(AddLoop(c, GROUND))
    draft.do(AddFrame(b, name="tool"))
    kept = draft.do(AddFrame(a, name="base"))
    d = draft.do(AddBody(name="d"))
    draft.do(Follow(d, c))
    draft.do(Delete(b))
    sheet = draft.sheet
    assert [part.key for part in sheet.parts] == [a, d]
    assert sheet.closures == ()
    assert [mark.key for mark in sheet.marks] == [kept]
    assert sheet.part(d).follows is None
    draft.undo()
    assert draft.sheet.part(d).follows.leader == c


def test_splicing_keeps_the_children_in_their_places(chain):
    draft, a, b, c = chain
    before = world_poses(draft)
    draft.do(Delete(b, splice=True))
    after = world_poses(draft)
    assert draft.sheet.part(c).parent == a
    np.testing.assert_allclose(after["c"], before["c"], atol=1e-14)


def test_another_joint_type_keeps_what_fits():
    draft = Draft()
    key = draft.do(AddBody(joint=Revolute([0.6, 0.0, 0.8])))
    draft.do(SetNumbers(key, "damping", 0.5))
    draft.do(SetNumbers(key, "lower", -1.0))
    draft.do(SetJoint(key, joint_of_kind("helical", draft.sheet.part(key).joint)))
    part = draft.sheet.part(key)
    assert part.joint == Helical([0.6, 0.0, 0.8], 0.05)
    assert (part.damping, part.lower) == ((0.5,), (-1.0,))
    draft.do(SetJoint(key, joint_of_kind("prismatic", part.joint)))  # metres now: 0.5 N m s and -1 rad have no meaning
    part = draft.sheet.part(key)
    assert part.joint == Prismatic([0.6, 0.0, 0.8])
    assert (part.damping, part.lower) == ((0.0,), (-np.inf,))
    draft.undo()
    assert draft.sheet.part(key).damping == (0.5,)


def test_every_kind_from_every_kind():
    gallery = [joint_of_kind(kind) for kind in KINDS] + [Universal("z", [0.6, 0.8, 0.0]), Planar("x", "successor")]
    for old in gallery:
        for kind in KINDS:
            new = joint_of_kind(kind, old)
            assert new.kind == kind
            assert joint_of_kind(kind, new) == new
    assert joint_of_kind("free", Free("successor")) == Free("successor")
    assert joint_of_kind("revolute", axis=[3.0, 0.0, 4.0]) == Revolute([0.6, 0.0, 0.8])
    with pytest.raises(ModelError, match="no direction"):
        joint_of_kind("revolute", axis=[0, 0, 0])
    with pytest.raises(ModelError, match="argument of a revolute joint 'pitch' is unknown"):
        joint_of_kind("revolute", pitch=1.0)
    with pytest.raises(ModelError, match="kind of joint 'ball' is unknown"):
        joint_of_kind("ball")


def test_a_loop_joint_closes_where_the_bodies_are(chain):
    draft, a, _, c = chain
    loop = draft.do(AddLoop(c, a, placement=[0.1, 0.2, 0.3]))
    poses, model = world_poses(draft), draft.model()
    closure = model.loops[0]
    np.testing.assert_allclose(
        poses["c"] @ closure.joint.placement, poses["a"] @ closure.successor_placement, atol=1e-14
    )
    draft.do(MoveLoop(loop, a, GROUND))
    assert (draft.model().loops[0].predecessor, draft.model().loops[0].successor) == (1, 0)
    with pytest.raises(ModelError, match="both its ends are on 'a'"):
        draft.do(MoveLoop(loop, a, a))
    draft.do(SetPlacement(loop, [0.0, 0.0, 1.0], successor=True))
    np.testing.assert_array_equal(draft.model().loops[0].successor_placement[:3, 3], [0.0, 0.0, 1.0])
    draft.do(PlaceLoop(loop, [0.0, 0.0, 0.3], [0.1, 0.0, 0.0]))
    assert draft.model().loops[0].joint.placement[2, 3] == 0.3
    assert draft.model().loops[0].successor_placement[0, 3] == 0.1
    draft.do(Delete(loop))
    assert draft.model().loops == ()


def test_frames_are_named_moved_and_deleted(chain):
    draft, a, b, _ = chain
    frame = draft.do(AddFrame(a, [0.1, 0.0, 0.0]))
    draft.do(MoveFrame(frame, b))
    draft.do(Rename(frame, "tool"))
    assert draft.model().frame("tool").body == 2
    with pytest.raises(ModelError, match="frame 'tool' has no joint"):
        draft.do(SetJoint(frame, Revolute("z")))
    draft.do(Delete(frame))
    assert draft.model().frames == ()


def test_density_and_hand():
    draft = Draft()
    key = draft.do(AddBody())
    draft.do(SetGeometry(key, [Sphere(0.1)]))
    ball = Inertia.sphere(0.1, density=1000.0)
    assert draft.model().bodies[1].inertia == ball
    draft.do(SetDensity(key, None))
    assert draft.sheet.part(key).inertia == ball
    draft.do(SetGeometry(key, [Box((1, 1, 1))]))
    assert draft.model().bodies[1].inertia == ball  # by hand: a shape does not change it
    draft.do(SetDensity(key, 500.0))
    assert draft.model().bodies[1].inertia == Inertia.box((1, 1, 1), density=500.0)
    draft.do(SetInertia(key, Inertia(2.0, (0, 0, 0.1))))
    assert draft.sheet.part(key).density is None


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda key: SetNumbers(key, "damping", np.nan), "damping of joint 'body1_joint' must be finite"),
        (lambda key: SetNumbers(key, "damping", [1, 2]), "give one number or 1"),
        (lambda key: SetNumbers(key, "damping", "much"), "must be a number, not 'much'"),
        (lambda key: SetNumbers(key, "mass", 1), "'mass' is unknown; known: damping"),
        (lambda key: SetPlacement(key, np.diag([1, 1, -1, 1])), "is not a pose"),
        (lambda key: SetJoint(key, "hinge"), "'hinge' is not a joint type"),
        (lambda key: SetGeometry(key, ["ball"]), "neither a shape"),
        (lambda key: SetInertia(key, 1.0), "must be an Inertia"),
        (lambda key: SetDensity(key, np.inf), "density of body 'body1' must be finite"),
        (lambda key: Rename(key, 3), "must be a text, not 3"),
        (lambda key: Follow(key, key), "cannot follow itself"),
        (lambda key: Delete(GROUND), "nothing in the draft has the key 0"),
        (lambda key: SetJoint(GROUND, Revolute("z")), "nothing in the draft has the key 0"),
        (lambda key: SetNumbers(GROUND, "damping", 1), "the world is fixed"),
        (lambda key: AddBody(99), "nothing in the draft has the key 99"),
        (lambda key: AddLoop(key, key), "must connect two bodies"),
    ],
)
def test_a_refused_step_leaves_the_draft_as_it_was(step, words):
    draft = Draft()
    key = draft.do(AddBody())
    sheet = draft.sheet
    with pytest.raises(ModelError, match=words.replace("(", r"\(")):
        draft.do(step(key))
    assert draft.sheet is sheet
    assert len(draft.operations) == 1


def test_steps_of_one_drag_are_one_step():
    draft = Draft()
    a = draft.do(AddBody())
    b = draft.do(AddBody())
    for x in (0.1, 0.2, 0.3):
        draft.do(SetPlacement(a, [x, 0, 0]), join=x > 0.1)
    draft.do(SetPlacement(b, [1, 0, 0]), join=True)  # another body: a step of its own
    assert len(draft.operations) == 4
    draft.undo()
    draft.undo()
    np.testing.assert_array_equal(draft.sheet.part(a).placement, np.eye(4))
    draft.redo()
    assert draft.sheet.part(a).placement[0, 3] == 0.3
    assert len(draft.undone) == 1
    draft.do(Rename(a, "arm"))
    assert draft.undone == ()
    with pytest.raises(ModelError, match="nothing to redo"):
        draft.redo()


def test_a_mesh_without_triangles_has_no_density():
    draft = Draft()
    key = draft.do(AddBody())
    draft.do(SetGeometry(key, [Mesh("arm.stl")]))
    assert any("triangles of 'arm.stl'" in remark.message for remark in draft.findings(key))
