"""Models of the library to start from, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rbdkit.formats import load
from rbdkit.joints import Revolute
from rbdkit.library import (
    chain_pendulum,
    double_pendulum,
    pendulum,
    random_tree,
    robot_file,
    spherical_pendulum,
    three_bar_linkage,
    tumbling_box,
)
from rbdkit.model import Model


def _robot(name: str) -> Model:
    return load(robot_file(name))


EXAMPLES: dict[str, Callable[[], Model]] = {
    "pendulum": pendulum,
    "double pendulum": double_pendulum,
    "chain of six": lambda: chain_pendulum(6),
    "spherical pendulum": spherical_pendulum,
    "three-bar linkage": lambda: three_bar_linkage().model,
    "tumbling box": tumbling_box,
    "random tree": lambda: random_tree(7, 12),
    "random arm": lambda: random_tree(3, 6, [Revolute(axis) for axis in "xyz"], branching=0.0),
    "robot: panda": partial(_robot, "panda"),
    "robot: ur5": partial(_robot, "ur5_robot"),
}
"""Name and how to make it. The robots need the package `example-robot-data`."""
