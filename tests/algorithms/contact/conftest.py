"""Models with bodies that may touch, and slopes by differences."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints import Prescribed
from rbdkit.library import joint_gallery, random_state, random_tree
from rbdkit.spatial import se3


def free_body(inertia, name="body", gravity=(0.0, 0.0, -9.81)):
    model = rbd.Model("one body", gravity=gravity)
    model.add_body(name, "world", rbd.Free(), inertia=inertia)
    return model


def tree_with_everything(seed):
    """A tree of all joint types; a joint follows another one and one is driven. With a state."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 7, joint_gallery(rng), 0.3)
    box, at = rbd.Inertia.box([0.3, 0.2, 0.4], mass=1.5), se3.random(rng)
    leader = next((joint for joint in model.joints if joint.nq == 1), None)
    after = None if leader is None else rbd.Mimic(leader.name, -1.3, 0.2)
    model.add_body("follower", model.bodies[-1].name, rbd.Revolute("y"), at, box, mimic=after)
    drive = Prescribed(rbd.Cylindrical("x"), lambda t: ([t, 0.2 * t**2], [1.0, 0.4 * t], [0.0, 0.4]))
    model.add_body("driven", model.bodies[2].name, drive, at, box)
    model.add_body("hinged", "driven", rbd.Revolute("y"), at, box)
    q, v = random_state(model, seed)[:2]
    return model, q, v, rng


def rates(f, h=2e-3):
    """First and second derivative of f(s) at s = 0, by five places."""
    e = [f(k * h) for k in (-2, -1, 0, 1, 2)]
    return (e[0] - 8 * e[1] + 8 * e[3] - e[4]) / (12 * h), (-e[0] + 16 * e[1] - 30 * e[2] + 16 * e[3] - e[4]) / (
        12 * h**2
    )


@pytest.fixture
def body_of():
    return free_body


@pytest.fixture
def everything():
    return tree_with_everything


@pytest.fixture
def differences():
    return rates
