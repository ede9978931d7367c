"""<loop_joint>: an extension of URDF that closes kinematic loops."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.formats import from_urdf
from rbdkit.joints import Fixed, Prismatic, Revolute, Spherical

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ENDS = '<link1 link="tip" xyz="0.1 0 0" rpy="0 0 1.5"/><link2 link="b" xyz="0 1 0"/>'


def document(urdf, loop: str, root: str = "base") -> str:
    """Two pendulums on a base, one with a tip that a fixed joint holds."""
    links = "".join(
        f'<link name="{name}">{INERTIAL if name in "ab" else ""}</link>' for name in (root, "a", "b", "tip")
    )
    joints = (
        f'<joint name="ja" type="continuous"><parent link="{root}"/><child link="a"/><axis xyz="0 1 0"/></joint>'
        f'<joint name="jb" type="continuous"><parent link="{root}"/><child link="b"/><axis xyz="0 1 0"/>'
        '<origin xyz="1 0 0"/></joint>'
        '<joint name="jt" type="fixed"><parent link="a"/><child link="tip"/><origin xyz="0 0 -1"/></joint>'
    )
    return urdf(links, joints, loop)


@pytest.mark.parametrize(("kind", "type_"), [
    ("spherical", Spherical()), ("fixed", Fixed()), ("revolute", Revolute("y")), ("continuous", Revolute("y")),
    ("prismatic", Prismatic("y")),
])  # fmt: skip
def test_every_type(urdf, kind, type_):
    loop = f'<loop_joint name="pin" type="{kind}">{ENDS}<axis xyz="0 1 0"/></loop_joint>'
    for merge in (True, False):
        model = from_urdf(document(urdf, loop), merge_fixed=merge)
        (found,) = model.loops
        assert found.joint.name == "pin" and found.joint.type == type_
        assert model.bodies[found.successor].name == "b"
        poses = rbd.forward_kinematics(model, model.neutral()).poses
        first = poses[found.predecessor] @ found.joint.placement
        np.testing.assert_allclose(first[:3, 3], [0.1, 0, -1], atol=1e-15)  # on the tip
        np.testing.assert_allclose(first[:2, 0], [np.cos(1.5), np.sin(1.5)], atol=1e-15)
        assert found.successor_placement[:3, 3].tolist() == [0, 1, 0]


def test_an_end_on_the_world(urdf):
    loop = '<loop_joint name="pin" type="spherical"><link1 link="world" xyz="0 0 -2"/><link2 link="b"/></loop_joint>'
    (found,) = from_urdf(document(urdf, loop, root="world")).loops
    assert found.predecessor == 0 and found.joint.placement[2, 3] == -2.0


def test_a_parallelogram_is_one_machine(urdf):
    bar = f'<link name="bar">{INERTIAL}</link><joint name="jc" type="continuous"><parent link="a"/><child link="bar"/>'
    bar += '<origin xyz="0 0 -1"/><axis xyz="0 1 0"/></joint>'
    ends = '<link1 link="bar" xyz="1 0 0"/><link2 link="b" xyz="0 0 -1"/><axis xyz="0 1 0"/>'
    model = from_urdf(document(urdf, f'{bar}<loop_joint name="pin" type="revolute">{ends}</loop_joint>'))
    motion = rbd.simulate(model, v0=[1.0, -1.0, 1.0], duration=0.1)
    np.testing.assert_allclose(motion.q[:, 0], motion.q[:, -1], atol=1e-8)  # ja and jb turn alike


@pytest.mark.parametrize(("loop", "says"), [
    ('<loop_joint name="p" type="ball"/>', "line 4: loop joint 'p': type 'ball' is unknown; known: 'continuous'"),
    ('<loop_joint name="p" type="fixed"><link1 link="a"/></loop_joint>', "it lacks the element <link2"),
    ('<loop_joint name="p" type="fixed"><link1 link="a"/><link2 link="bb"/></loop_joint>', "link 'bb' does not exist"),
    ('<loop_joint name="p" type="fixed"><link1 link="a"/><link2 link="tip"/></loop_joint>', "'a' and 'tip' are one"),
    ('<loop_joint name="ja" type="fixed"><link1 link="a"/><link2 link="b"/></loop_joint>', "joint name 'ja' is taken"),
])  # fmt: skip
def test_what_is_refused(urdf, loop, says):
    with pytest.raises(FormatError, match=says):
        from_urdf(document(urdf, loop))


def test_what_is_left_out_is_told(urdf, told):
    with told() as texts:
        from_urdf(document(urdf, f'<loop_joint name="p" type="spherical">{ENDS}<dynamics damping="1"/></loop_joint>'))
    assert texts == ["URDF text, line 4: loop joint 'p': <dynamics> is left out"]
