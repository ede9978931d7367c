"""A model as links, and its numbers in arrays."""

from itertools import pairwise

import numpy as np
import pytest

from rbdkit.engine import NotCovered
from rbdkit.engine.links import layout, pack
from rbdkit.engine.run.tables import fixed_numbers, kinds_of, tables
from rbdkit.joints import Cylindrical, Free, Reversed, Revolute, Spherical
from rbdkit.model import Mimic, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@pytest.fixture
def robot() -> Model:
    """A lift and turn table on a post, with a plate welded to it and a ball hanging from the plate."""
    model = Model("robot")
    model.add_body("post", placement=[0.0, 0.0, 1.0], inertia=Inertia(10.0, com=[0.0, 0.0, -0.5]))
    model.add_body("table", "post", Cylindrical("x"), [0.1, 0.0, 0.0], Inertia(2.0, com=[0.0, 0.1, 0.0]), armature=0.3)
    model.add_body("plate", "table", placement=[0.0, 0.5, 0.0], inertia=Inertia(1.0))
    model.add_body("ball", "plate", Spherical(), [0.0, 0.0, -0.2], Inertia.sphere(0.1, mass=3.0), stiffness=1.0)
    return model


def test_welded_bodies_are_part_of_the_link_that_carries_them(robot):
    plan = layout(robot)
    assert [(link.kind.motion_name, link.parent, link.q, link.v) for link in plan.links] == [
        ("revolute", 0, 0, 0),
        ("prismatic", 1, 1, 1),
        ("spherical", 2, 2, 2),
    ]
    assert plan.link_of_body.tolist() == [0, 0, 2, 2, 3]
    numbers = pack(robot, plan)
    masses = numbers["rows"][:, 12]
    assert masses.tolist() == [10.0, 0.0, 3.0, 3.0]
    # the first moment of table and plate about the table's origin, in axes that have z along x
    assert np.allclose(numbers["rows"][2, 13:16], [2.0 * 0.1 + 1.0 * 0.5, 0.0, 0.0])
    assert numbers["fixed_energy"][0] == pytest.approx(10.0 * 9.81 * 0.5)


def test_kinds_tell_rotors_and_costly_springs_apart(robot):
    kinds = {kind.motion_name: kind for kind in kinds_of(layout(robot))}
    assert kinds["revolute"].geared and kinds["prismatic"].geared and not kinds["spherical"].geared
    assert kinds["spherical"].sprung  # it has one
    assert kinds["revolute"].sprung  # it has none, but costs nothing either


def test_a_reversed_joint_with_several_freedoms_becomes_two_links():
    model = Model("reversed")
    model.add_body("body", joint=Reversed(Free()), inertia=Inertia(1.0), armature=0.5)
    axes, pose = layout(model).links
    assert (axes.kind.motion_name, pose.kind.motion_name) == ("reversed_free_axes", "reversed_free_pose")
    assert (axes.q, axes.v, pose.q, pose.v, pose.parent) == (0, 0, 0, 0, 1)
    assert axes.kind.geared and not pose.kind.geared


def test_tables_of_supports(robot):
    plan = layout(robot)
    made = tables(plan, kinds_of(plan))
    starts, supports = made["first_support"], made["supports"]
    assert [supports[a:b].tolist() for a, b in pairwise(starts)] == [
        [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4],
    ]  # fmt: skip


def test_what_straight_line_code_takes_for_granted(robot):
    plan = layout(robot)
    rows = pack(robot, plan)["rows"]
    fixed = dict(fixed_numbers(plan, rows))
    assert all(rows.flat[k] == value for k, value in fixed.items())
    assert set(fixed.values()) <= {0.0, 1.0, -1.0}
    width = rows.shape[1]
    assert width + 12 in fixed  # the link between turning and lifting has no mass and is no body
    assert 2 * width + 12 not in fixed
    assert 2 * width + 9 in fixed  # no offset between them
    assert (
        3 * width + 9 not in fixed and 3 * width + 11 in fixed
    )  # the ball hangs aside, but not along the table's axis


def test_the_same_shape_is_laid_out_once(robot):
    moved = robot.with_parameters({"table.mass": 5.0, "table_joint.placement": se3.pose(position=[1.0, 2.0, 3.0])})
    assert layout(moved) is layout(robot)


def test_mimic_joints_are_not_covered_and_named():
    model = Model("gripper")
    model.add_body("left", joint=Revolute("z"), inertia=Inertia(1.0))
    model.add_body("right", joint=Revolute("z"), inertia=Inertia(1.0), mimic=Mimic("left_joint"))
    with pytest.raises(NotCovered, match="'right_joint' mimics 'left_joint'"):
        layout(model)
