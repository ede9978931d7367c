"""Constraints of every sort on trees of all joint types."""

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


class Leash(rbd.ConstraintElement):
    """The square of a distance changes as time and an angle say; a user's class, with time and joints in it."""

    a: str
    b: str
    joint: str
    length: float
    rate: float

    def gap(self, at):
        d = at.position(self.b) - at.position(self.a, (0.1, 0.0, 0.2))
        swing = np.sum(np.sin(at.coordinates(self.joint)))
        return d @ d - self.length * self.length - self.rate * np.sin(2.0 * at.time) * swing


class Blade(rbd.ConstraintElement):
    """A body does not slide along its own y axis: a skate, and drifts with a wind besides."""

    body: str
    wind: float = 0.0

    def slip(self, at):
        return at.rotation(self.body)[:, 1] @ at.velocity(self.body, (0.2, 0.1, 0.0)) - self.wind


def with_constraints(model: rbd.Model, seed: int = 0) -> rbd.Model:
    """The model with one of each constraint, on bodies and joints that are drawn."""
    rng = np.random.default_rng(seed)
    names = [body.name for body in model.bodies[1:]]
    straight = [j.name for j in model.joints if j.nv and isinstance(j.type, VectorJoint)]
    single = [j.name for j in model.joints if j.nq == 1 and j.nv == 1]
    a, b, c, d = (str(x) for x in rng.choice(names, 4, replace=False))
    model.add_frame("hook", a, rbd.pose(np.linalg.qr(rng.normal(size=(3, 3)))[0] * [[1.0]], [0.3, -0.2, 0.1]))
    model.add_constraint("rod", rbd.Distance("hook", b, 0.7, at_b=(0.1, 0.0, 0.4)))
    model.add_constraint("table", rbd.PointOnPlane(c, "hook", (0.2, 0.1, 0.0), 0.3))
    model.add_constraint("rail", rbd.PointOnLine(d, "world", (0.2, 0.1, 0.0)))
    model.add_constraint("ball", rbd.Rolling(b, "hook", 0.4))
    model.add_constraint("wheel", rbd.Rolling(c, "world", 0.4, axle=(0.3, 1.0, -0.2)))
    model.add_constraint("skate", Blade(d, 0.7))
    if len(single) > 1:
        model.add_constraint("gears", rbd.Tie(single[1], single[0], -1.5, 0.2))
    if straight:
        model.add_constraint("leash", Leash(c, "world", straight[0], 0.8, 0.3))
    return model


@lru_cache
def tied_tree(seed: int, bodies: int = 8) -> rbd.Model:
    """A random tree of all joint types with constraints of all sorts."""
    return with_constraints(random_tree(seed, bodies=bodies), seed)


@pytest.fixture(scope="session")
def tied():
    """`tied_tree`."""
    return tied_tree
