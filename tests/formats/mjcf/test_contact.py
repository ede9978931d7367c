"""What may touch, by MuJoCo's filters, exclusions and pairs: as many pairs, with as much friction, as MuJoCo finds."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import rbdkit as rbd

PLANE = '<geom name="floor" type="plane" size="0 0 1"/>'


def ball(name: str, geom: str = "", inside: str = "", joint: str = "<freejoint/>") -> str:
    return f'<body name="{name}">{joint}<geom name="{name}" size="0.1" {geom}/>{inside}</body>'


def pairs(model: rbd.Model) -> dict[frozenset[str], float]:
    """Friction of all pairs, by the names of geoms."""
    found = {}
    for pair in model.contact_pairs:
        ends = [getattr(shape, "name", "") for shape in (pair.shape_p, pair.shape_s)]
        found[frozenset(ends)] = pair.material.friction
    return found


def mujocos(compiled) -> dict[frozenset[str], float]:
    """The same, from MuJoCo, where all geoms are in one place and touch, but those whose bodies stand still."""
    m = compiled
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    names = [m.geom(g).name for g in range(m.ngeom)]
    return {
        frozenset(names[g] for g in contact.geom): 0.0 if contact.dim == 1 else float(contact.friction[0])
        for contact in data.contact
    }


@pytest.mark.parametrize("world", [
    PLANE + ball("a") + ball("b"),
    ball("a") + ball("b") + ball("c", 'friction="0.3 0 0"'),
    PLANE + ball("a", 'friction="1.5 0 0"') + ball("b", 'friction="0.2 0 0"'),
    PLANE + ball("a", 'friction="0.2 0 0" priority="1"') + ball("b") + ball("c", "priority='2' condim='1'"),
    ball("a", inside=ball("b", joint="<joint/>", inside=ball("c", joint="<joint/>"))) + PLANE,
    ball("a", joint="<joint/>", inside=ball("b", joint="<joint/><joint axis='1 0 0'/>")) + ball("c", joint=""),
    ball("a", 'contype="2" conaffinity="1"') + ball("b", 'contype="1" conaffinity="4"') + ball("c") + ball("d"),
    ball("a", 'contype="0" conaffinity="0"') + ball("b") + PLANE,
    ball("a", inside='<geom name="a2" size="0.1" contype="0" conaffinity="2"/>') + ball("b") + ball("c", 'contype="2"'),
    ball("a", inside='<geom name="a2" size="0.1" friction="3 0 0"/>') + ball("b", 'priority="1"') + PLANE,
    '<geom name="box" type="box" size="0.1 0.1 0.1"/>' + ball("a") + ball("b"),
])  # fmt: skip
def test_filters(tree, world):
    both = tree(world)
    assert pairs(both.model) == pytest.approx(mujocos(both.compiled)) and both.model.contact_pairs


@pytest.mark.parametrize("contact", [
    '<exclude body1="a" body2="b"/>',
    '<exclude body1="a" body2="b"/><exclude body1="a" body2="c"/><exclude body1="b" body2="c"/>',
    '<pair geom1="a" geom2="b" friction="0.7 0.7 0 0 0"/>',
    '<pair geom1="floor" geom2="a" friction="0.7 0.7 0 0 0"/><pair geom1="a" geom2="c" condim="1"/>',
])  # fmt: skip
def test_exclusions_and_pairs(tree, contact):
    both = tree(PLANE + ball("a") + ball("b") + ball("c"), f"<contact>{contact}</contact>")
    assert pairs(both.model) == pytest.approx(mujocos(both.compiled))


def test_mocap_bodies_stand_still(read):
    mocap = '<body name="m" mocap="true"><geom name="m" size="0.1"/></body>'
    box = '<geom name="box" type="box" size="0.1 0.1 0.1"/>'
    given = '<contact><pair geom1="m" geom2="box"/></contact><equality><weld body1="m"/></equality>'
    both = read(f"<worldbody>{PLANE}{box}{mocap}{ball('a')}</worldbody>{given}")
    assert set(pairs(both.model)) == {frozenset(("a", other)) for other in ("m", "box", "floor")}
    assert not both.model.loops


def test_ends_of_equalities_touch_as_they_do_in_mujoco(tree):
    both = tree(ball("a") + ball("b") + ball("c"), '<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>')
    assert pairs(both.model) == pytest.approx(mujocos(both.compiled)) and len(both.model.contact_pairs) == 3


def test_one_rule_is_enough_for_many_bodies(tree):
    both = tree(PLANE + "".join(ball(f"b{k}", f'friction="{k} 0 0"') for k in range(12)))
    assert len(both.model.contact_rules) == 2 and len(both.model.contact_pairs) == 12 + 66


def test_a_plane_is_a_ground(tree):
    ramp = '<geom name="ramp" type="plane" size="1 1 1" pos="0 0 1" euler="0.4 0 0"/>'
    static = f'<body pos="1 2 3" euler="0 0.3 0.2">{ramp}</body>'
    both = tree(static + ball("a"))
    (ground,) = both.model.contact_rules
    data = mujoco.MjData(both.compiled)
    mujoco.mj_forward(both.compiled, data)
    normal = data.geom("ramp").xmat.reshape(3, 3)[:, 2]
    np.testing.assert_allclose(ground.normal, normal, atol=1e-12)
    assert ground.height == pytest.approx(normal @ data.geom("ramp").xpos) and ground.name == "ramp"


def test_a_ground_that_some_shapes_do_not_touch_is_told(read):
    bodies = ball("a", "conaffinity='2' contype='2'") + ball("b")
    both = read(f"<worldbody>{PLANE}{bodies}</worldbody>")
    assert "1 filters that keep shapes from the ground 'floor', which all bodies touch" in both.told


@pytest.mark.parametrize("flag", ["contact", "constraint"])
def test_contacts_that_a_file_switches_off(tree, flag):
    both = tree(PLANE + ball("a"), f'<option><flag {flag}="disable"/></option>')
    assert not both.model.contact_rules


def test_rolling_friction_is_told(read):
    bodies = ball("a", "condim='6'")
    both = read(f"<worldbody>{PLANE}{bodies}</worldbody>")
    assert "1 torsional and rolling friction of geoms" in both.told


def test_a_ball_rests_on_the_plane(tree):
    both = tree(PLANE + ball("a").replace("<body ", '<body pos="0 0 0.3" '))
    motion = rbd.simulate(both.model, duration=0.5)
    height = rbd.forward_kinematics(both.model, motion.q[-1]).pose("a")[2, 3]
    assert height == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize("world", [
    PLANE + ball("a", 'friction="-1 0 0"') + ball("b"),
    PLANE.replace("/>", ' friction="-0.5 0 0"/>') + ball("a", 'friction="-1 0 0"') + ball("b", 'friction="0.3 0 0"'),
    PLANE + ball("a", 'friction="-1 0 0" priority="1"') + ball("b"),
])  # fmt: skip
def test_negative_friction_is_none(read, world):
    both = read(f"<worldbody>{world}</worldbody>")
    theirs = {ends: 0.0 if mu < 2e-5 else mu for ends, mu in mujocos(both.compiled).items()}  # MuJoCo's smallest: 1e-5
    assert "negative friction coefficients of geoms and pairs" in both.told
    assert pairs(both.model) == pytest.approx(theirs) and len(theirs) == 3
