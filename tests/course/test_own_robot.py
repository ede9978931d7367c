"""A machine from measurements: that it is what was measured, and what is said of odd numbers and of answers."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course import own_robot


def test_links_swing_as_they_were_timed():
    for link in own_robot.LAMP:
        alone = rbd.Model("alone")
        alone.add_body(link.name, joint=rbd.Revolute("y"), inertia=own_robot.inertia_of(link))
        small = 1e-4  # rad from hanging: pulled back by omega² times that, to its third power
        omega = np.sqrt(-rbd.aba(alone, [np.pi + small], [0.0], [0.0])[0] / small)
        assert 20 * np.pi / omega == pytest.approx(link.ten_swings, rel=1e-6)


def test_the_lamp_is_in_order():
    lamp = own_robot.desk_lamp()
    assert lamp.validate() == [] and lamp.nv == 4
    assert lamp.mass == pytest.approx(0.15 + sum(link.grams for link in own_robot.LAMP) / 1000)
    top = rbd.forward_kinematics(lamp, lamp.neutral()).poses[-1][2, 3]
    assert top == pytest.approx(0.08 + 0.40 + 0.34)


def test_odd_numbers_are_named():
    rows = own_robot.plausible(own_robot.doubtful_arm()).rows
    assert {name for name, cells in rows.items() if cells[-1]} == {"upper arm", "elbow", "hand"}
    assert "100 % of all mass" in rows["upper arm"][-1] and "triangle" in rows["elbow"][-1]
    assert not any(cells[-1] for cells in own_robot.plausible(own_robot.desk_lamp()).rows.values())


@pytest.mark.robots
def test_a_mesh_is_weighed():
    ur5 = rbd.load(rbd.library.robot_file("ur5_robot"))
    found = own_robot.from_mesh(ur5.body("upper_arm_link"))
    assert found.mass == pytest.approx(8.393) and found.com[2] == pytest.approx(0.2126, abs=1e-3)
    with pytest.raises(LookupError, match="'lower arm' has no mesh"):
        own_robot.from_mesh(own_robot.desk_lamp().body("lower arm"))


def test_a_mesh_of_two_materials_is_weighed_as_one(tmp_path):
    """A cube of which a material covers the top and another the rest; its mass is spread over the whole of it."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sides = ["1 3 7 5", "1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["usemtl red"] + [f"f {side}" for side in sides]
    (tmp_path / "cube.obj").write_text("\n".join([*lines, "usemtl blue", "f 2 6 8 4"]))
    shape = rbd.Geometry(rbd.Mesh(str(tmp_path / "cube.obj"), found=str(tmp_path / "cube.obj")), role="collision")
    model = rbd.Model("cube")
    body = model.add_body("cube", joint=rbd.Free(), inertia=rbd.Inertia.box((1, 1, 1), mass=6.0), geometry=shape)
    found = own_robot.from_mesh(body)
    assert found.com == pytest.approx([0.5, 0.5, 0.5], rel=1e-14)  # rounding: sums of a dozen tetrahedra
    assert found.inertia_com == pytest.approx(np.eye(3), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(
    "answer, said",
    [
        (0.003705, ""),
        ("3.705e-3", ""),
        (3.705, "other units"),
        (0.0173, "about the hinge"),
        (0.05, "is off"),
        ("heavy", "is not a number"),
    ],
)
def test_what_is_said_of_an_inertia(answer, said):
    verdict = own_robot.from_a_swing(answer)
    assert bool(verdict) == (not said) and said in verdict.why


def test_a_tube_by_any_way():
    motor = rbd.Inertia(0.5, [0, 0, 0.4])
    for tube in (rbd.Inertia.cylinder(0.004, 0.4, mass=0.2), rbd.Inertia.box([0.01, 0.01, 0.4], mass=0.2)):
        assert own_robot.tube_with_motor(tube.transformed(rbd.pose(position=[0, 0, 0.2])) + motor)
    assert "next to nothing" in own_robot.tube_with_motor(rbd.Inertia(0.7, [0, 0, 12 / 35], np.eye(3) * 0.008381)).why
    assert "along +z" in own_robot.tube_with_motor(rbd.Inertia(0.7, [0, 0, -12 / 35])).why
