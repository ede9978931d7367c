"""SRDF: named poses, end effectors and disabled pairs, against Pinocchio's reader where it reads them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning, load_srdf

ARM = """<robot name="arm"><link name="base"/><link name="upper"/><link name="hand"/><link name="tool"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="hand"/></joint>
<joint name="flange" type="fixed"><parent link="hand"/><child link="tool"/></joint></robot>"""


def said(text: str, model=None):
    return load_srdf(f'<robot name="arm">{text}</robot>', rbd.load(ARM) if model is None else model)


ROBOTS = {"panda": ("panda.srdf", False), "anymal": ("anymal.srdf", True), "talos_full_v2": ("talos.srdf", True)}


@pytest.mark.robots
@pytest.mark.parametrize("name", ROBOTS)
def test_robots_against_pinocchio(name):
    urdf, (file, floating) = Path(rbd.library.robot_file(name)), ROBOTS[name]
    path = next(parent / "srdf" / file for parent in urdf.parents if (parent / "srdf" / file).exists())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        model = rbd.load(urdf, floating=floating)
        found = load_srdf(path, model)
    other = pin.buildModelFromUrdf(str(urdf), *([pin.JointModelFreeFlyer()] if floating else []))
    pin.loadReferenceConfigurations(other, str(path))
    assert {*found.states} == {item.key() for item in other.referenceConfigurations}
    data = other.createData()
    for pose, q in found.states.items():
        theirs = other.referenceConfigurations[pose]
        pin.framesForwardKinematics(other, data, theirs)
        ours = rbd.forward_kinematics(model, q)
        for body in (body for body in model.bodies[2:] if model.joints[body.index].mimic is None):
            expected = data.oMf[other.getFrameId(body.name)].homogeneous
            np.testing.assert_allclose(ours.pose(body.name), expected, rtol=0, atol=1e-9)
    names = {*(body.name for body in model.bodies), *(frame.name for frame in model.frames)}
    assert found.end_effectors and {*found.end_effectors.values()} <= names
    model.add_contacts(except_=found.disabled)
    touching = {frozenset((pair.predecessor, pair.successor)) for pair in model.contact_pairs}
    assert found.disabled and not touching & {frozenset(pair) for pair in found.disabled}


def test_poses_in_groups_and_what_the_model_does_not_have():
    text = """<group name="all"><joint name="elbow"/></group><virtual_joint name="v" type="fixed"/>
    <group_state name="home" group="a"><joint name="shoulder" value="0.5"/></group_state>
    <group_state name="home" group="b"><joint name="elbow" value="-1"/><joint name="root" value="0 0 1 0 0 0 1"/>
    </group_state>"""
    assert said(text).states["home"].tolist() == [0.5, -1.0]
    missing = (
        '<group_state name="x"><joint name="wrist" value="1"/></group_state><end_effector name="e" parent_link="y"/>'
    )
    with pytest.warns(FormatWarning, match=r"no joint 'wrist'\n.*no body or frame 'y'"):
        found = said(missing)
    assert found.states["x"].tolist() == [0.0, 0.0] and not found.end_effectors


def test_a_free_base_has_its_quaternion_scalar_last():
    model = rbd.load(ARM, floating=True)
    s = np.sqrt(0.5)
    found = said(f'<group_state name="a"><joint name="root" value="1 2 3 0 0 {s} {s}"/></group_state>', model)
    np.testing.assert_allclose(found.states["a"], [s, 0, 0, s, 1, 2, 3, 0, 0], rtol=0, atol=1e-15)
    with pytest.raises(FormatError, match="has norm 2, not 1"):
        said('<group_state name="a"><joint name="root" value="1 2 3 0 0 0 2"/></group_state>', model)


def test_bodies_of_several_links_are_disabled_when_all_of_these_are():
    pair = '<disable_collisions link1="{}" link2="{}"/>'
    with pytest.warns(FormatWarning, match=r"'base' and 'hand' may touch, since of their links 'base' with 'tool'"):
        found = said(pair.format("base", "hand") + pair.format("tool", "upper") + pair.format("upper", "hand"))
    assert found.disabled == (("upper", "hand"),)
    whole = said(pair.format("hand", "base") + pair.format("base", "tool") + pair.format("hand", "tool"))
    assert whole.disabled == (("base", "hand"),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('<group_state name="a"><joint name="elbow" value="1 2"/></group_state>', "has 1 coordinates, not 2"),
        ('<group_state name="a"><joint name="elbow" value="up"/></group_state>', "'up' is not finite numbers"),
        ('<group_state name="a"><joint name="elbow"/></group_state>', "lacks the attribute 'value'"),
        ('<link name="a"/>', "this is a URDF, the robot itself; rbdkit.load reads it"),
    ],
)
def test_faults_are_named(text, says):
    with pytest.raises(FormatError, match=says):
        said(text)


def test_other_files_are_refused():
    with pytest.raises(FormatError, match="that of an SRDF is <robot>"):
        load_srdf("<mujoco/>", rbd.load(ARM))
