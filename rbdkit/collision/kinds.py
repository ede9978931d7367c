"""Which shapes can touch which, and at how many places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from rbdkit.collision.balls import (
    box_on_sphere,
    capsule_on_sphere,
    cone_on_sphere,
    cylinder_on_sphere,
    sphere_on_sphere,
)
from rbdkit.collision.boxes import box_on_box
from rbdkit.collision.capsules import box_on_capsule, capsule_on_capsule
from rbdkit.collision.components import Pose, Slots
from rbdkit.collision.half_space import (
    box_on_half_space,
    capsule_on_half_space,
    cone_on_half_space,
    cylinder_on_half_space,
    ellipsoid_on_half_space,
    point_on_half_space,
    sphere_on_half_space,
)

NUMBERS = {
    "half-space": 0, "point": 3, "sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "cone": 2, "ellipsoid": 3,
}  # fmt: skip
"""Of a shape: how many lengths tell it. A point has its place in its frame, all others are named as the shapes are."""


@dataclass(frozen=True)
class Kind:
    """Two kinds of shapes, and where they touch.

    Attributes
    ----------
    first, second : str
        Shapes, in the order in which the function takes them.
    slots : int
        At how many places they may touch.
    function : callable
        ``function(pose_p, shape_p, pose_s, shape_s) -> Slots`` of poses in the world and the lengths of the shapes; on
        numbers, on arrays of them whose last axis goes over many pairs, and on symbols.
    """

    first: str
    second: str
    slots: int
    function: Callable[[Pose, Any, Pose, Any], Slots]

    @cached_property
    def numbers(self) -> tuple[int, int]:
        """How many lengths tell the first shape, and the second."""
        return NUMBERS[self.first], NUMBERS[self.second]

    def __str__(self) -> str:
        return f"{self.second} on {self.first}"


KINDS = (
    Kind("half-space", "point", 1, point_on_half_space),
    Kind("half-space", "sphere", 1, sphere_on_half_space),
    Kind("half-space", "capsule", 2, capsule_on_half_space),
    Kind("half-space", "box", 8, box_on_half_space),
    Kind("half-space", "cylinder", 6, cylinder_on_half_space),
    Kind("half-space", "cone", 6, cone_on_half_space),
    Kind("half-space", "ellipsoid", 1, ellipsoid_on_half_space),
    Kind("sphere", "sphere", 1, sphere_on_sphere),
    Kind("sphere", "capsule", 1, capsule_on_sphere),
    Kind("sphere", "box", 1, box_on_sphere),
    Kind("sphere", "cylinder", 1, cylinder_on_sphere),
    Kind("sphere", "cone", 1, cone_on_sphere),
    Kind("capsule", "capsule", 5, capsule_on_capsule),
    Kind("capsule", "box", 3, box_on_capsule),
    Kind("box", "box", 12, box_on_box),
)
"""All that is known in closed form."""


@cache
def kind_of(first: str, second: str) -> tuple[Kind, bool] | None:
    """The kind of two shapes, and whether its function takes them the other way round; None if there is none."""
    for kind in KINDS:
        if (kind.first, kind.second) == (first, second):
            return kind, False
        if (kind.second, kind.first) == (first, second):
            return kind, True
    return None
