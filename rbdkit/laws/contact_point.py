"""A place where two bodies touch, or may touch, as a law of force sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbdkit.errors import SimulationError
from rbdkit.spatial.read_numbers import shown


class ContactPoint:
    """What `ContactForce.act` is told of a place, and what takes its forces.

    All of it is numbers, or symbols, or arrays whose last axis runs over many places. Vectors have their three
    components along the first axis.

    Attributes
    ----------
    gap : float
        Distance of the surfaces, m, negative where they overlap; infinite where the shapes are out of reach.
    velocity : ndarray (3,)
        Of the second body against the first one at the place, m/s: along the normal, where it is positive while they
        part, and along both tangents.
    normal : ndarray (3,)
        Unit vector in world axes, from the first body to the second.
    tangents : tuple of two ndarray (3,)
        Unit vectors in world axes, which complete it. They jump where a normal passes through the horizontal.
    friction, restitution : float
        Of the materials.
    time : float
        s.
    since : float
        s, since the present step began; its length in `ContactForce.settle`.
    """

    def __init__(self, known: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        """known : the attributes, `first` and `second` for the tangents. own : states and what is kept, by name."""
        self.gap, self.velocity, self.normal = known["gap"], known["velocity"], known["normal"]
        self.tangents = known["first"], known["second"]
        self.friction, self.restitution = known["friction"], known["restitution"]
        self.time, self.since = known["time"], known["since"]
        self._own = dict(own)
        self.force: list[Any] = [0.0, 0.0, 0.0]
        self.rates: dict[str, Any] = {}
        self.kept: dict[str, Any] = {}

    def state(self, name: str) -> Any:
        """A state of the law at this place, or what it keeps there: a number, or a vector (n,)."""
        self._require(name)
        return self._own[name]

    def apply_force(self, normal: Any, first: Any = 0.0, second: Any = 0.0) -> None:
        """Add a force on the second body, N, along the normal and both tangents; the first one gets its opposite."""
        self.force = [a + b for a, b in zip(self.force, (normal, first, second), strict=True)]

    def set_rate(self, name: str, rate: Any) -> None:
        """Say how fast a state changes."""
        self._require(name)
        self.rates[name] = rate

    def keep(self, name: str, value: Any) -> None:
        """Set a state, or what is kept at this place, at the end of a step."""
        self._require(name)
        self.kept[name] = value

    def _require(self, name: str) -> None:
        if name not in self._own:
            known = ", ".join(map(repr, self._own)) or "none"
            raise SimulationError(f"the law has no state {shown(name)} at its contacts; it names {known}")


def sizes_of(law: Any) -> dict[str, int]:
    """How many numbers states of a law and what it keeps are of, by name.

    Raises
    ------
    SimulationError
        If that is no mapping of names to whole numbers, or two have one name.
    """
    found: dict[str, int] = {}
    for what in ("states", "kept"):
        own = getattr(law, what)
        if not (isinstance(own, Mapping) and all(type(size) is int and size > 0 for size in own.values())):
            raise SimulationError(
                f"{what} of law {law.name!r} are {shown(own)}; give how many numbers there are, by name: {{'slip': 3}}"
            )
        if both := found.keys() & own.keys():
            raise SimulationError(f"law {law.name!r} has {shown(both.pop())} among its states and among what it keeps")
        found |= own
    return found


def flat(value: Any, size: int, what: str) -> list[Any]:
    """The numbers of a state one by one, each of which may be an array over places.

    Raises
    ------
    SimulationError
        If there are more or fewer.
    """
    if size == 1:
        return [value]
    if np.ndim(value) == 0 or len(value) != size:
        raise SimulationError(f"{what} has {size} numbers, not {shown(value)}")
    return [value[k] for k in range(size)]


def is_users_own(law: object) -> bool:
    """Whether the class of a law is a user's."""
    return type(law).__module__.split(".")[0] != "rbdkit"
