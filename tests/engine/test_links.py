"""A model as links, and its numbers in arrays."""

from itertools import pairwise

import numpy as np
import pytest

from rbdkit.engine import Kernels
from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.pack import pack
from rbdkit.engine.run.tables import Tables, fixed_numbers, kinds_of
from rbdkit.joints import Cylindrical, Free, Prescribed, Reversed, Revolute, Spherical
from rbdkit.library import random_tree
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
    assert [(link.kind.motion.name, link.parent, link.q, link.v) for link in plan.links] == [
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
    kinds = {kind.motion.name: kind for kind in kinds_of(layout(robot))}
    assert kinds["revolute"].geared and kinds["prismatic"].geared and not kinds["spherical"].geared
    assert kinds["spherical"].sprung  # it has one
    assert kinds["revolute"].sprung  # it has none, but costs nothing either


def test_a_reversed_joint_with_several_freedoms_becomes_two_links():
    model = Model("reversed")
    model.add_body("body", joint=Reversed(Free()), inertia=Inertia(1.0), armature=0.5)
    axes, pose = layout(model).links
    assert (axes.kind.motion.name, pose.kind.motion.name) == ("reversed_free_axes", "reversed_free_pose")
    assert (axes.q, axes.v, pose.q, pose.v, pose.parent) == (0, 0, 0, 0, 1)
    assert axes.kind.geared and not pose.kind.geared


def test_tables_of_supports(robot):
    plan = layout(robot)
    made = Tables(plan, kinds_of(plan))
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


@pytest.fixture
def gripper() -> Model:
    """A geared finger, one that follows it, and a joint of its own on that."""
    model = Model("gripper")
    springs = {"stiffness": 3.0, "damping": 0.5}
    model.add_body("left", joint=Revolute("z"), inertia=Inertia(1.0), rest=0.1, **springs)
    model.add_body("right", joint=Revolute("z"), inertia=Inertia(1.0), mimic=Mimic("left_joint", -2.0, 0.4), rest=0.2,
                   armature=0.1, **springs)  # fmt: skip
    model.add_body("tip", "right", Spherical(), [0.1, 0.0, 0.0], Inertia.sphere(0.1, mass=1.0))
    return model


def test_followers_have_the_numbers_of_their_leaders(gripper):
    plan = layout(gripper)
    assert [(link.kind.follows, link.q, link.v) for link in plan.links] == [(False, 0, 0), (True, 0, 0), (False, 1, 1)]
    assert plan.links[0].kind.geared and not plan.links[1].kind.geared  # the leader feels the follower's rotor
    assert (plan.nq, plan.nv) == (gripper.nq, gripper.nv) == (5, 4)
    numbers = pack(gripper, plan)
    assert numbers["following"].tolist() == [[1.0, 0.0], [1.0, 0.0], [-2.0, 0.4], [1.0, 0.0]]
    assert numbers["armature"].tolist() == pytest.approx([0.4, 0.0, 0.0, 0.0])
    assert numbers["damping"].tolist() == pytest.approx([0.5 + 4.0 * 0.5, 0.0, 0.0, 0.0])
    # one spring for both: its energy and that it cannot let go of are theirs
    K, rest, held = numbers["stiffness"][0], numbers["rest"][0], numbers["fixed_energy"][1]
    for q in (-1.0, 0.3, 2.0):
        both = 1.5 * (q - 0.1) ** 2 + 1.5 * (-2.0 * q + 0.4 - 0.2) ** 2
        assert 0.5 * K * (q - rest) ** 2 + held == pytest.approx(both, rel=1e-14)


def test_followers_freedoms_in_tables(gripper):
    plan = layout(gripper)
    made = Tables(plan, kinds_of(plan))
    assert made["first_slot"].tolist() == [0, 0, 1, 2, 5]
    assert made["velocity_of_slot"].tolist() == [0, 0, 1, 2, 3]
    starts = made["first_slot_support"]
    assert [made["slot_supports"][a:b].tolist() for a, b in pairwise(starts)] == [
        [0], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4],
    ]  # fmt: skip


def test_driven_joints_have_places_of_their_own():
    def still(t: float):
        return np.zeros(2), np.zeros(2), np.zeros(2)

    model = Model("driven")
    model.add_body("a", joint=Revolute("z"), inertia=Inertia(1.0))
    model.add_body("b", "a", Prescribed(Cylindrical("x"), still), inertia=Inertia(1.0))
    model.add_body("c", "b", Revolute("y"), inertia=Inertia(1.0))
    plan = layout(model)
    assert [(link.kind.motion.name, link.q, link.v) for link in plan.links] == [
        ("revolute", 0, 0), ("driven_revolute", 0, 0), ("driven_prismatic", 1, 1), ("revolute", 1, 1),
    ]  # fmt: skip
    assert plan.driven == (2,) and plan.welded == () and (plan.nq, plan.nv) == (2, 2)
    other = Model("another motion")
    other.add_body("a", joint=Revolute("z"), inertia=Inertia(1.0))
    other.add_body("b", "a", Prescribed(Cylindrical("x"), lambda t: still(t)), inertia=Inertia(1.0))
    other.add_body("c", "b", Revolute("y"), inertia=Inertia(1.0))
    assert layout(other) is plan


def test_what_goes_from_link_to_link_makes_no_tables_of_pairs():
    """Of a chain of twice as many joints it has twice as many numbers in its tables, not four times."""

    def numbers(n):
        chain = Model("chain")
        for k in range(n):
            parent = f"link{k - 1}" if k else "world"
            chain.add_body(f"link{k}", parent, joint=Revolute("xyz"[k % 3]), inertia=Inertia.sphere(0.1, mass=1.0))
        q = np.zeros(n)
        kernels = Kernels(chain, "llvm")
        kernels.rnea(q, q, kernels.aba(q, q, q))
        kernels.momentum(q, q, "com")
        kernels.energy(q, q)
        found = kernels._tables._found
        assert not {"paths", "supports", "pair_masks", "supporting_fours"} & {*found}
        return sum(x.size for x in found.values())

    assert numbers(100) < 2 * numbers(50)


def test_tables_of_pairs_are_made_when_they_are_asked_for():
    """All of them stand in the same mapping: made one by one in any order they are the same."""
    plan = layout(random_tree(3, 9, joints=[Revolute("x"), Spherical()]))
    at_once, others = {**Tables(plan, kinds_of(plan))}, Tables(plan, kinds_of(plan))
    assert len(at_once) == len(others) == len([*others])
    for name in reversed(at_once):
        np.testing.assert_array_equal(others[name], at_once[name])
