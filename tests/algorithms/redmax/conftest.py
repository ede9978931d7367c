"""Random trees of all joint types with everything that may act in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import joint_gallery, random_tree, uncommon_joints

OWN = ("armature", "damping", "stiffness")


def all_joints(seed: int, follows: bool) -> rbd.Model:
    """Rotors, springs and dampers in the joints, two springs between bodies, one joint that moves as time says."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 24, [*joint_gallery(rng), *uncommon_joints(rng)])
    motion = lambda t: (0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t))  # noqa: E731
    ball = rbd.Inertia.sphere(0.2, mass=1.0)
    model.add_body("driven", "b7", rbd.Prescribed(rbd.Revolute("x"), motion), inertia=ball)
    model.add_body("carried", "driven", rbd.Universal(), [0.2, 0, 0.1], rbd.Inertia.box([0.1, 0.2, 0.3], mass=0.7))
    model.add_body("leader", "b3", rbd.Revolute("y"), [0.1, 0, 0.3], ball, joint_name="leads")
    after = rbd.Mimic("leads", multiplier=-1.7, offset=0.2) if follows else None
    model.add_body("follower", "leader", rbd.Prismatic("x"), [0.0, 0.2, 0], ball, mimic=after)
    model.add_force("band", rbd.Spring("b5", "b9", stiffness=30.0, damping=2.0, at_b=(0.1, 0.2, 0.0)))
    model.add_force("rope", rbd.Spring("carried", "world", stiffness=12.0, rest_length=0.4))
    model.add_force("brake", rbd.JointDamper("leads", (0.7,)))
    free = [joint for joint in model.joints if joint.nv and joint.mimic is None]
    return model.with_parameters({f"{j.name}.{what}": rng.uniform(0, 0.5, j.nv) for j in free for what in OWN})


@pytest.fixture(scope="session")
def make_tree() -> Callable[[int, bool], rbd.Model]:
    return all_joints
