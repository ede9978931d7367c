"""Springs, dampers, friction, rotors and limits of MJCF's joints."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd

BALL = '<geom size="0.1" pos="0.2 0 -0.3"/>'


def one(joint: str) -> str:
    return f'<body name="a" pos="0 0 1" euler="0.1 0.2 0.3">{joint}{BALL}</body>'


@pytest.mark.parametrize("joint", [
    '<joint axis="0 1 0" stiffness="3" springref="0.4" damping="0.5" armature="0.02"/>',
    '<joint axis="0 1 0" stiffness="3" springref="0.4" ref="0.3"/>',
    '<joint type="slide" stiffness="30" springref="-0.1" ref="0.2" damping="2" armature="0.5"/>',
    '<joint type="ball" stiffness="2" damping="0.3" armature="0.04"/>',
    '<joint type="free" stiffness="5" damping="0.7"/>',
    '<joint axis="0 1 0" springdamper="0.1 1"/>',
])  # fmt: skip
def test_springs_dampers_and_rotors(tree, joint):
    both = tree(one(joint))
    for seed in range(3):
        both.state(seed).check()


def test_numbers_of_a_hinge(tree):
    model = tree(
        one('<joint stiffness="3" springref="0.4" ref="0.3" damping="2" frictionloss="0.6" armature="5"/>')
    ).model
    joint = model.joint("a_joint")
    found = [getattr(joint, name).tolist() for name in ("stiffness", "damping", "friction", "armature")]
    assert found == [[3.0], [2.0], [0.6], [5.0]] and joint.rest.tolist() == pytest.approx([0.1])


def test_actuators_add_armature_and_damping_to_joints(read):
    motor = '<actuator><motor joint="j" gear="3" armature="0.2" damping="0.4"/></actuator>'
    body = one('<joint name="j" axis="0 1 0" damping="1"/>')
    both = read(f"<worldbody>{body}</worldbody>{motor}")
    assert both.model.joint("j").armature.tolist() == pytest.approx([1.8])
    assert both.model.joint("j").damping.tolist() == pytest.approx([4.6])
    both.state().check()


def test_limits(tree):
    joint = tree(one('<joint ref="0.3" range="-1 2" actuatorfrcrange="-5 5"/>')).model.joint("a_joint")
    bounds = [np.ravel(bound).tolist() for bound in (joint.limits.lower, joint.limits.upper, joint.limits.effort)]
    assert np.allclose(bounds, [[-1.3], [1.7], [5.0]])
    free = tree(one('<joint range="-1 2" limited="false"/>')).model.joint("a_joint")
    assert not free.limits.bounded


@pytest.mark.parametrize(("flag", "name"), [
    ("spring", "stiffness"), ("damper", "damping"), ("frictionloss", "friction"), ("constraint", "friction"),
])  # fmt: skip
def test_what_a_file_switches_off(tree, flag, name):
    joint = '<joint axis="0 1 0" stiffness="3" springref="0.4" damping="0.5" frictionloss="0.2"/>'
    both = tree(one(joint), f'<option><flag {flag}="disable"/></option>')
    assert not getattr(both.model.joint("a_joint"), name).any()
    both.state().check()


def test_limits_that_a_file_switches_off(tree):
    both = tree(one('<joint range="-1 2"/>'), '<option><flag limit="disable"/></option>')
    assert not both.model.joint("a_joint").limits.bounded


def test_a_hinge_stops_where_mujoco_stops_it(tree):
    model = tree(one('<joint axis="0 1 0" range="-0.2 0.1"/>')).model
    motion = rbd.simulate(model, duration=1.0, limits="stop")
    assert motion.q.min() > -0.2 - 1e-6 and motion.q.max() < 0.1 + 1e-6


@pytest.mark.parametrize(("joint", "says"), [
    ('<joint stiffness="1 2 3"/>', "1 joint springs that are not linear"),
    ('<joint damping="1 2 3"/>', "1 joint dampers that are not linear"),
    ('<joint stiffness="1" springyield="0.1"/>', "1 joint springs that yield"),
    ('<joint type="ball" range="0 1"/>', "1 limits of ball joints"),
    ('<joint type="free" frictionloss="1"/>', "1 friction loss of free joints"),
    ('<joint type="free" armature="1"/>', "1 armature of free joints along the world's axes"),
    ('<joint actuatorfrcrange="-1 2"/>', "1 unequal limits of actuator forces on joints"),
])  # fmt: skip
def test_what_joints_cannot_hold_is_told(read, joint, says):
    told = read(f"<worldbody>{one(joint)}</worldbody>").told
    assert told == f"text: left out, as rbdkit has no place for it:\n  {says}"


@pytest.mark.parametrize(("given", "says"), [
    ('frictionloss="-1"', "1 negative friction losses of joints"),
    ('armature="-0.001"', "1 joint rotors of negative inertia"),
])  # fmt: skip
def test_negative_numbers_are_left_out_by_name(read, given, says):
    hinge = one(f'<joint {given} damping="2"/>')
    both = read(f"<worldbody>{hinge}</worldbody>")
    joint = both.model.joint("a_joint")
    assert says in both.told
    assert [joint.friction.tolist(), joint.armature.tolist(), joint.damping.tolist()] == [[0.0], [0.0], [2.0]]
