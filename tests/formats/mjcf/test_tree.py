"""Bodies, joints and inertias of MJCF against MuJoCo: poses, mass matrices, accelerations."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd

ROD = '<geom type="capsule" fromto="0 0 0 0.3 0.1 -0.4" size="0.05"/>'
LUMP = '<inertial pos="0.1 -0.2 0.3" mass="2" fullinertia="0.4 0.5 0.6 0.05 -0.04 0.03"/>'


@pytest.mark.parametrize("joint", [
    '<joint axis="0 1 0"/>',
    '<joint axis="1 2 3" pos="0.1 0.2 -0.3"/>',
    '<joint type="slide" axis="1 -2 0.5" pos="0.3 0 0"/>',
    '<joint type="ball" pos="0 0.2 0.1"/>',
    "<freejoint/>",
    '<joint axis="0 1 0" ref="0.7" pos="0 0 0.4"/>',
    '<joint type="slide" ref="-0.3"/>',
    '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>',
    '<joint axis="1 0 0" pos="0 0 0.1"/><joint axis="0 1 0" pos="0.2 0 0"/><joint type="slide" axis="1 1 0"/>',
    '<joint type="slide" axis="0 0 1" ref="1.25"/><joint type="ball" pos="0.1 0.2 0.3"/>',
])  # fmt: skip
def test_every_joint_and_several_of_a_body(tree, joint):
    both = tree(
        f'<body name="a" pos="0.1 0.2 1" quat="0.9 0.1 -0.3 0.2">{joint}{ROD}'
        f'<body name="b" pos="0.3 0.1 -0.4" quat="0.2 0.9 0.1 0.3"><joint axis="0 1 1" pos="0 0.1 0"/>{LUMP}</body>'
        "</body>"
    )
    assert (both.model.nq, both.model.nv) == (both.compiled.nq, both.compiled.nv)
    for seed in range(3):
        both.state(seed).check()
    assert not [f for f in both.model.validate() if f.severity == "error"]


def test_neutral_coordinates_are_the_reference(tree):
    both = tree(f'<body name="a" pos="0 0 1"><joint ref="0.5" axis="1 0 0" pos="0 0 2"/>{ROD}</body>')
    state = both.state(size=0.0)
    assert state.data.qpos.tolist() == [0.5] and state.q.tolist() == [0.0]
    state.check()


def test_bodies_without_joints_and_without_names(tree):
    both = tree(
        f'<body><joint axis="1 0 0"/>{ROD}<body pos="0 0 1" euler="0.1 0.2 0.3">{LUMP}<body>{ROD}</body></body></body>'
        f'<body><geom size="0.1"/></body><geom name="wall" type="box" size="1 1 1"/>'
    )
    model = both.model
    assert [body.name for body in model.bodies] == ["world", "scenery", "body1", "body2", "body3", "body4"]
    assert [joint.nv for joint in model.joints] == [0, 0, 1, 0, 0, 0]
    assert model.body("scenery").geometry[0].name == "wall" and model.body("scenery").inertia is None
    both.state().check()


def test_massless_bodies_stand_between_the_joints_of_one(tree):
    both = tree(f'<body name="a"><joint name="x" type="slide"/><joint name="y" axis="0 1 0"/>{ROD}</body>')
    assert [body.name for body in both.model.bodies[1:]] == ["a_before_y", "a"]
    assert [joint.name for joint in both.model.joints[1:]] == ["x", "y"]
    unnamed = tree(f'<body name="a"><joint type="slide"/><joint axis="0 1 0"/>{ROD}</body>').model
    assert [joint.name for joint in unnamed.joints[1:]] == ["a_joint0", "a_joint1"]


def test_principal_axes_and_tiny_offsets_are_those_that_mujoco_takes(tree):
    inertial = '<inertial pos="1e-10 0 0" mass="5" diaginertia="1 2 2.5" quat="1 1e-9 0 0"/>'
    both = tree(f'<body name="a"><freejoint/>{inertial}</body>')
    both.state().check()
    assert both.model.body("a").inertia == rbd.Inertia(5.0, inertia_com=np.diag([1.0, 2.0, 2.5]))


def test_frames_of_bodies_and_sites(tree):
    tip = '<site name="tip" pos="0.3 0.1 -0.4" euler="0.1 0.2 0.3"/>'
    both = tree(
        f'<body name="a"><joint axis="0 1 0" pos="0 0 0.4"/>{ROD}{tip}<site pos="1 1 1"/></body>'
        '<site name="mark" pos="1 2 3"/>'
    )
    assert [frame.name for frame in both.model.frames] == ["a_origin", "mark", "tip"]
    state = both.state()
    for name in ("tip", "mark"):
        pose, site = rbd.forward_kinematics(both.model, state.q).pose(name), state.data.site(name)
        np.testing.assert_allclose(pose[:3, 3], site.xpos, atol=1e-12)
        np.testing.assert_allclose(pose[:3, :3].ravel(), site.xmat, atol=1e-12)


def test_a_site_with_the_name_of_a_body_is_renamed_and_told(read):
    both = read(f'<worldbody><body name="a"><joint/>{ROD}<site name="a"/></body></worldbody>')
    assert [frame.name for frame in both.model.frames] == ["a_2"]
    assert (
        both.told == "text: to be known:\n  sites are frames under other names where bodies have theirs: 'a' as 'a_2'"
    )


def test_gravity(tree):
    body = f"<body><joint/>{ROD}</body>"
    assert tree(body, '<option gravity="1 2 -3"/>').model.gravity.tolist() == [1, 2, -3]
    assert tree(body, '<option><flag gravity="disable"/></option>').model.gravity.tolist() == [0, 0, 0]


def test_gravity_compensation(tree):
    both = tree(f'<body name="a" gravcomp="0.7"><joint axis="0 1 0"/>{ROD}<body gravcomp="1.5">{LUMP}</body></body>')
    both.state().check()
    assert len(both.model.forces) == 2
