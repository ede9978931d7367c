"""Force elements of every sort on trees of all joint types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints.joint_type import VectorJoint
from rbdkit.library import random_tree


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests neither use nor fill the user's cache of compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDKIT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


class Drag(rbd.ForceElement):
    """Quadratic drag on a point, and a couple against turning."""

    body: str
    coefficient: float
    point: tuple[float, float, float] = (0.1, 0.2, -0.3)

    def act(self, at):
        v = at.velocity(self.body, self.point)
        at.apply_force(self.body, -self.coefficient * np.sqrt(v @ v) * v, self.point)
        at.apply_couple(self.body, -self.coefficient * at.angular_velocity(self.body))


class Well(rbd.ForceElement):
    """A torque that pulls each coordinate of a joint into a well of its cosine."""

    joint: str
    depth: float

    def act(self, at):
        at.apply_torque(self.joint, -self.depth * np.sin(at.coordinates(self.joint)))

    def energy(self, at):
        return self.depth * np.sum(1.0 - np.cos(at.coordinates(self.joint)))

    @property
    def conservative(self):
        return True


def with_forces(model: rbd.Model, seed: int = 0) -> rbd.Model:
    """The model with one of each force element, on bodies and joints that are drawn."""
    rng = np.random.default_rng(seed)
    names = [body.name for body in model.bodies[1:]]
    straight = [j.name for j in model.joints if j.nv and isinstance(j.type, VectorJoint)]
    joints = [j.name for j in model.joints if j.nv]
    a, b, c = (str(rng.choice(names)) for _ in range(3))
    model.add_frame("hook", a, [0.3, -0.2, 0.1])
    model.add_force("band", rbd.Spring("hook", b, 30.0, 0.2, 0.7, at_b=(0.1, 0.0, 0.4)))
    model.add_force("rope", rbd.Spring("world", c, 12.0, 0.5, at_a=(0.5, 1.0, -0.2)))
    model.add_force("air", Drag(c, 0.3))
    model.add_force("grease", rbd.JointFriction(str(rng.choice(joints)), 0.4, creep=0.2))
    if straight:
        model.add_force("magnet", Well(str(rng.choice(straight)), 1.3))
    return model


@lru_cache
def forced_tree(seed: int, bodies: int = 9) -> rbd.Model:
    """A random tree of all joint types, with dampers and dry friction in some joints, and force elements."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, bodies=bodies)
    values: dict[str, object] = {}
    for joint in tree.joints[:: max(bodies // 4, 1)]:
        if joint.nv:
            values |= {f"{joint.name}.damping": rng.uniform(0.1, 1.0, joint.nv)}
            values |= {f"{joint.name}.friction": rng.uniform(0.1, 1.0, joint.nv)}
    return with_forces(tree.with_parameters(values), seed)


@pytest.fixture(scope="session")
def forced():
    """`forced_tree`."""
    return forced_tree


@pytest.fixture(scope="session")
def dressed():
    """`with_forces`."""
    return with_forces
