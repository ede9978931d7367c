"""Table of the pairs of shape kinds with a closed-form contact function, and their numbers of contact points."""

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
"""Number of dimensions of each kind of shape; those of a point, a mesh vertex, are its coordinates in its frame."""


@dataclass(frozen=True)
class Kind:
    """A pair of shape kinds with its contact function.

    Attributes
    ----------
    first, second : str
        Names of the kinds, in the argument order of the function.
    slots : int
        Largest number of contact points.
    function : callable
        ``function(pose_p, shape_p, pose_s, shape_s) -> Slots`` of poses in the world and dimensions of the shapes; it
        takes numbers, arrays whose last axis runs over pairs, and symbols.
    """

    first: str
    second: str
    slots: int
    function: Callable[[Pose, Any, Pose, Any], Slots]

    @cached_property
    def numbers(self) -> tuple[int, int]:
        """Numbers of dimensions of the first and the second shape."""
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
"""All pairs with a closed form."""


@cache
def kind_of(first: str, second: str) -> tuple[Kind, bool] | None:
    """Return the `Kind` of two shapes, and whether its function takes them in reverse order; None if there is none."""
    for kind in KINDS:
        if (kind.first, kind.second) == (first, second):
            return kind, False
        if (kind.second, kind.first) == (first, second):
            return kind, True
    return None
