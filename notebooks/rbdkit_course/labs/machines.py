"""Mechanisms on which labs try an algorithm: from one hinge to trees with all kinds of joints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import (
    Cylindrical,
    Free,
    Helical,
    JointType,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from rbdkit.library.pendulums import pendulum
from rbdkit.library.random_tree import random_state, random_tree
from rbdkit.library.revolute_trees import general_unbranched
from rbdkit.model import Model
from rbdkit_course.labs.judging import Case

HINGES: tuple[JointType, ...] = (Revolute("z"), Prismatic("x"), Revolute([0.6, 0.0, 0.8]), Helical("y", pitch=0.2))
SEVERAL: tuple[JointType, ...] = (Universal(), Spherical(), Cylindrical(), Planar(), Free(), Revolute("y"))
BODIES = 7


@cache
def chains() -> tuple[tuple[str, Model], ...]:
    """Return a pendulum and unbranched arms, with one freedom per joint."""
    arms = [(f"an arm of {n} hinges", general_unbranched(n, seed=n)) for n in (2, 4)]
    mixed = random_tree(3, bodies=5, joints=HINGES, branching=0.0)
    return (("a pendulum", pendulum()), *arms, ("a chain of five hinges, screws and sliders", mixed))


@cache
def trees() -> tuple[tuple[str, Model], ...]:
    """Return branched trees with one freedom per joint."""
    found = [random_tree(seed, bodies=BODIES, joints=HINGES, branching=0.7) for seed in range(3)]
    return tuple((f"a tree with parents {list(model.parent)}", model) for model in found)


@cache
def machines() -> tuple[tuple[str, Model], ...]:
    """Return trees whose joints have up to six freedoms, some with a configuration-dependent S."""
    found = [random_tree(seed, bodies=BODIES, joints=SEVERAL, branching=0.5) for seed in range(3)]
    return tuple((f"a tree of {BODIES} bodies with all kinds of joints", model) for model in found)


def in_motion(models: Sequence[tuple[str, Model]], count: int = 2, vectors: int = 2) -> list[Case]:
    """Return cases of each model in `count` random states: arguments are the model, q, and `vectors` vectors (nv,)."""
    cases = []
    for name, model in models:
        for seed in range(count):
            q, *rates = random_state(model, seed)
            cases.append(Case(name, (model, q, *rates[:vectors])))
    return cases


def pushed(cases: Sequence[Case]) -> list[Case]:
    """Add to each case an external force on every body, (n, 6) in world coordinates."""
    found = []
    for k, case in enumerate(cases):
        model: Model = case.arguments[0]
        f_ext: NDArray = np.random.default_rng(k).normal(size=(len(model.bodies), 6))
        f_ext[0] = 0.0
        found.append(Case(f"{case.name}, pushed at every body", (*case.arguments, f_ext)))
    return found


def joint_of(case: Case, index: tuple[int, ...]) -> str:
    """Name the joint that a row of the result belongs to."""
    model: Model = case.arguments[0]
    for i, joint in enumerate(model.joints):
        if joint.v_slice.start <= index[0] < joint.v_slice.stop:
            return f"joint {joint.name!r} of body {i}"
    return ""
