"""The joints of the engine against those of rbdkit.joints, and the chains that stand for the others."""

import numpy as np
import pytest

from rbdkit.engine.links.pieces import NotCovered, pieces
from rbdkit.engine.steps.motions import MOTIONS, motion_of
from rbdkit.joints import (
    Free,
    Helical,
    JointType,
    Planar,
    Prescribed,
    Prismatic,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)

SAME: dict[str, JointType] = {
    "revolute": Revolute("z"),
    "prismatic": Prismatic("z"),
    "helical": Helical("z", pitch=0.3),
    "planar": Planar("z"),
    "planar_successor": Planar("z", translation="successor"),
    "spherical": Spherical(),
    "free": Free(),
    "free_successor": Free(translation="successor"),
}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def numbers(x: np.ndarray) -> list[float]:
    return [float(value) for value in x]


@pytest.mark.parametrize("name", SAME)
def test_pose_and_axes(name, rng):
    motion, joint = MOTIONS[name], SAME[name]
    q = joint.random(rng)
    R, p = motion.pose(numbers(q), [0.3])
    assert np.allclose(np.block([[np.array(R), np.array(p)[:, None]]]), joint.pose(q)[:3], atol=1e-15)
    assert np.array_equal(np.array(motion.axes(numbers(q), [0.3])).T, joint.motion_subspace(q))


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 3.0])
def test_manifold(name, rng, size):
    motion, joint = MOTIONS[name], SAME[name]
    q, u, v = joint.random(rng), rng.normal(size=joint.nv), rng.normal(size=joint.nv)
    u *= size / np.linalg.norm(u)
    moved = joint.integrate(q, u)
    assert np.allclose(motion.move(numbers(q), numbers(u)), moved, rtol=1e-14, atol=1e-14)
    assert np.allclose(
        motion.difference(numbers(q), numbers(moved)), joint.difference(q, moved), rtol=1e-14, atol=1e-14
    )
    A = joint.local_rate(u)
    assert np.allclose(motion.local_rate(numbers(u), numbers(v)), A @ v, rtol=1e-13, atol=1e-13)
    assert np.allclose(motion.local_force(numbers(u), numbers(v)), A.T @ v, rtol=1e-13, atol=1e-13)


def test_the_shortest_way_round(rng):
    """A planar joint several turns away, as its springs measure it."""
    q0, q1 = np.array([0.3, 0.1, -0.2]), np.array([0.3 + 5 * 2 * np.pi + 1.0, 0.4, 0.5])
    found = MOTIONS["planar"].difference(numbers(q0), numbers(q1))
    assert np.allclose(found, Planar("z").difference(q0, q1), atol=1e-14)


def test_a_reversed_joint_is_its_axes_and_then_its_pose(rng):
    joint = Free()
    q = joint.random(rng)
    axes, pose = motion_of(("reversed_axes", "free")), motion_of(("reversed_pose", "free"))
    assert np.array_equal(np.array(axes.axes([], [])), -np.eye(6)) and pose.axes([], []) == []
    R, p = pose.pose(numbers(q), [])
    assert np.allclose(np.block([[np.array(R), np.array(p)[:, None]]]), Reversed(joint).pose(q)[:3], atol=1e-15)
    assert axes.move(numbers(q), [0.0] * 6) == MOTIONS["free"].move(numbers(q), [0.0] * 6)


def test_chains_of_simple_joints():
    assert [piece.motion for piece in pieces(Universal("x", "y"), "")] == ["revolute", "revolute"]
    assert [(piece.motion, piece.q) for piece in pieces(Reversed(Universal("x", "y")), "")] == [
        ("revolute", 1),
        ("revolute", 0),
    ]
    assert [piece.motion for piece in pieces(Reversed(Reversed(Planar("x"))), "")] == ["planar"]
    twice = pieces(Reversed(Reversed(Helical([0.6, 0.0, 0.8], pitch=0.1))), "")
    assert np.allclose(twice[0].basis[:, 2], [0.6, 0.0, 0.8], atol=1e-15) and twice[0].numbers == (0.1,)


def test_a_prescribed_joint_is_the_chain_of_the_joint_inside_it():
    def motion(t):
        return np.zeros(2), np.zeros(2), np.zeros(2)

    joint = Prescribed(Universal("x", "y"), motion)
    assert [(piece.motion, piece.q) for piece in pieces(joint, "")] == [
        (("driven", "revolute"), 0),
        (("driven", "revolute"), 1),
    ]
    inside_out = Prescribed(Reversed(Universal("x", "y")), motion)
    for back in (Reversed(joint), Reversed(Reversed(Reversed(joint))), inside_out):
        assert [(piece.motion, piece.q) for piece in pieces(back, "")] == [
            (("driven", "revolute"), 1),
            (("driven", "revolute"), 0),
        ]


class Screwdriver(Revolute):
    """A joint type of a user's own, which looks at numbers."""

    kind = "screwdriver"

    def pose(self, q, t=0.0):
        return super().pose(q if q[0] > 0.0 else 0.0 * q)


def test_joints_that_are_not_known_are_named():
    with pytest.raises(NotCovered, match="'drive': Screwdriver cannot be compiled: a traced function cannot branch"):
        pieces(Screwdriver(), "drive")
    twice = Prescribed(Prescribed(Revolute(), lambda t: (0.0, 0.0, 0.0)), lambda t: ([], [], []))
    with pytest.raises(NotCovered, match="'drive' is of type 'prescribed'"):
        pieces(twice, "drive")
