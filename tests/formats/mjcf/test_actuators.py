"""Motors and servos of MJCF act as MuJoCo's do; all others are left out by name."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formats import to_mjcf

BODIES = """
  <site name="w" pos="0.5 0.3 2"/>
  <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos="0 0 0.1" ref="0.3" range="-1 1"/>
    <geom size="0.1" pos="0.3 0 0"/><site name="s" pos="0.2 0 0"/>
    <body name="b" pos="0.5 0 0"><joint name="k" type="slide" axis="1 0 0" ref="-0.1"/><geom size="0.1"/></body></body>
  <body name="c" pos="0 1 1"><joint name="ball" type="ball"/><geom size="0.1" pos="0.1 0 0"/></body>"""
TENDON = '<tendon><fixed name="t"><joint joint="j" coef="0.7"/><joint joint="k" coef="-2"/></fixed></tendon>'


def acting(*lines: str) -> str:
    return f"<actuator>{''.join(lines)}</actuator>"


@pytest.mark.parametrize("line", [
    '<motor joint="j"/>',
    '<motor joint="k" gear="-3" ctrlrange="-0.5 1"/>',
    '<motor joint="j" gear="2" forcerange="-0.1 0.3"/>',
    '<motor jointinparent="j" gear="2"/>',
    '<position joint="j" kp="30"/>',
    '<position joint="j" gear="2" kp="30" kv="0.4" ctrlrange="-1 1" forcerange="-2 2"/>',
    '<position joint="k" kp="3" kv="0.4" ctrlrange="0.2 1"/>',
    '<velocity joint="j" kv="4" gear="-0.5"/>',
    '<general joint="k" gainprm="2" biastype="affine" biasprm="0.3 -4 -0.5" forcerange="-3 5"/>',
    '<general joint="k" gaintype="affine" gainprm="2"/>',
    '<motor tendon="t" gear="1.5"/>',
    '<position tendon="t" kp="20" kv="0.3" forcerange="-4 4"/>',
])  # fmt: skip
def test_efforts_are_those_of_mujoco(tree, line):
    both = tree(BODIES, TENDON + acting(line) if "tendon" in line else acting(line))
    assert both.model.u_names == ("actuator0",)
    for seed in range(3):
        both.state(seed).check()


def test_several_with_names_and_limits_of_joints(tree):
    bodies = BODIES.replace('range="-1 1"', 'actuatorfrcrange="-0.4 0.4"')
    both = tree(bodies, acting('<motor name="one" joint="j" gear="-2"/>', '<velocity name="j" joint="k" kv="3"/>'))
    assert both.model.u_names == ("one", "j_servo")  # a joint has the name
    assert both.model.forces[0].element.effort == (-0.2, 0.2)
    for seed in range(3):
        both.state(seed).check()


def test_without_a_control_they_are_what_mujoco_makes_of_zero(tree):
    both = tree(BODIES, acting('<position joint="k" kp="3" ctrlrange="0.2 1"/>', '<motor joint="j"/>'))
    data = mujoco.MjData(both.compiled)
    mujoco.mj_forward(both.compiled, data)
    q = np.zeros(both.model.nq)
    q[both.model.joint("ball").q_slice] = [1.0, 0.0, 0.0, 0.0]
    ours = rbd.actuator_force(both.model, q, np.zeros(both.model.nv))
    np.testing.assert_allclose(ours, data.qfrc_actuator, rtol=1e-14)
    assert both.model.forces[0].element.u == 0.2


@pytest.mark.parametrize(("line", "says"), [
    ('<muscle joint="j" lengthrange="0 1"/>', "muscles"),
    ('<motor joint="ball"/>', "of ball and free joints"),
    ('<motor site="s"/>', "of a site"),
    ('<intvelocity joint="j" kp="2" actrange="-1 1"/>', "with an activation of their own"),
    ('<general joint="j" gainprm="2" biastype="affine" biasprm="0 4 0"/>', "with a feedback that adds energy"),
    ('<general joint="j" gaintype="affine" gainprm="2 1 0"/>', "with a gain that changes with the length"),
    ('<position joint="j" kp="2" timeconst="0.1"/>', "with an activation of their own"),
])  # fmt: skip
def test_all_others_are_left_out_by_name(read, line, says):
    both = read(f"<worldbody>{BODIES}</worldbody>{acting(line, line)}")
    assert both.told.splitlines()[1:] == [f"  2 actuators: {says}"] and not both.model.nu


def test_limits_of_sums_are_left_out_by_name(read):
    bodies = BODIES.replace('range="-1 1"', 'actuatorfrcrange="-0.4 0.4"')
    both = read(f"<worldbody>{bodies}</worldbody>" + acting('<motor joint="j"/>', '<motor joint="j"/>'))
    assert both.told.splitlines()[1:] == ["  1 limits of the sum of several actuators' forces on a joint"]
    assert both.model.nu == 2 and both.model.forces[0].element.effort is None


def test_those_that_a_file_switches_off(read):
    both = read(f'<option actuatorgroupdisable="2"/><worldbody>{BODIES}</worldbody>'
                + acting('<motor joint="j" group="2"/>', '<motor joint="k"/>'))  # fmt: skip
    assert both.told.splitlines()[1:] == ["  1 actuators that the file switches off"] and both.model.nu == 1


def test_they_come_back_from_the_file_that_is_written():
    """Through MuJoCo's parser and back, and MuJoCo's own forces of what was written."""
    model = rbd.library.double_pendulum()
    model.add_motor("hinge1", gear=2.0, limit=3.0, u_range=(-0.5, 1.0))
    model.add_servo("hinge2", kp=30.0, kd=0.4)
    model.add_servo("hinge1", "spin", kd=0.7, velocity=True, gear=-2.0)
    both = rbd.Actuator(("hinge1", "hinge2"), (0.5, -1.0), gain=2.0, stiffness=3.0, offset=0.1, effort=(-1.0, 4.0))
    model.add_force("cable", both)
    again = rbd.load(to_mjcf(model))
    assert again.u_names == model.u_names
    compiled = mujoco.MjModel.from_xml_string(to_mjcf(model))
    data, rng = mujoco.MjData(compiled), np.random.default_rng(0)
    for _ in range(5):
        q, v, u = rng.normal(size=2), rng.normal(size=2), rng.normal(size=4)
        u[0] = np.clip(u[0], -0.5, 1.0)
        expected = rbd.actuator_force(model, q, v, u)
        np.testing.assert_allclose(rbd.actuator_force(again, q, v, u), expected, rtol=1e-13)
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, u
        mujoco.mj_forward(compiled, data)
        np.testing.assert_allclose(data.qfrc_actuator, expected, rtol=1e-12)
