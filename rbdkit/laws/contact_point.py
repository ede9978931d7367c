"""A place where two bodies touch or may touch, as the `act` method of a contact force law sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbdkit.errors import SimulationError
from rbdkit.spatial.read_numbers import shown


class ContactPoint:
    """The argument of `ContactForce.act`: gap, velocity and material at one place; it also takes the force there.

    Every value is a number, a symbol, or an array whose last axis runs over many places. Vectors have their three
    components along the first axis.

    Attributes
    ----------
    gap : float
        Distance of the surfaces, m, negative where they overlap; infinite where the shapes are out of reach.
    velocity : ndarray (3,)
        Velocity of the second body relative to the first one at the place, m/s: along the normal, positive while they
        part, then along both tangents.
    normal : ndarray (3,)
        Unit vector in world axes, from the first body to the second.
    tangents : tuple of two ndarray (3,)
        Unit vectors in world axes, orthogonal to the normal. They jump where a normal passes through the horizontal.
    friction, restitution : float
        Coefficients of friction and restitution of the pair of materials.
    time : float
        Time, s.
    since : float
        Time since the present step began, s; in `ContactForce.settle` the length of the step.
    """

    def __init__(self, known: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        """Set the attributes from known (`first` and `second` for the tangents), the law's states from own, by name."""
        self.gap, self.velocity, self.normal = known["gap"], known["velocity"], known["normal"]
        self.tangents = known["first"], known["second"]
        self.friction, self.restitution = known["friction"], known["restitution"]
        self.time, self.since = known["time"], known["since"]
        self._own = dict(own)
        self.force: list[Any] = [0.0, 0.0, 0.0]
        self.rates: dict[str, Any] = {}
        self.kept: dict[str, Any] = {}

    def state(self, name: str) -> Any:
        """Return a state of the law at this place, or a value that it keeps there: a number, or a vector (n,)."""
        self._require(name)
        return self._own[name]

    def apply_force(self, normal: Any, first: Any = 0.0, second: Any = 0.0) -> None:
        """Add a force on the second body, N, along the normal and both tangents; the first one gets its opposite."""
        self.force = [a + b for a, b in zip(self.force, (normal, first, second), strict=True)]

    def set_rate(self, name: str, rate: Any) -> None:
        """Set the time derivative of a state."""
        self._require(name)
        self.rates[name] = rate

    def keep(self, name: str, value: Any) -> None:
        """Set a state or a kept value of this place at the end of a step."""
        self._require(name)
        self.kept[name] = value

    def _require(self, name: str) -> None:
        if name not in self._own:
            known = ", ".join(map(repr, self._own)) or "none"
            raise SimulationError(f"the law has no state {shown(name)} at its contacts; it names {known}")


def sizes_of(law: Any) -> dict[str, int]:
    """Return the sizes of a law's states and kept values, by name.

    Raises
    ------
    SimulationError
        If `states` or `kept` is no mapping of names to positive whole numbers, or if they share a name.
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
    """Return the components of a state as a list of the given size; each may be an array over places.

    Raises
    ------
    SimulationError
        If the number of components is another.
    """
    if size == 1:
        return [value]
    if np.ndim(value) == 0 or len(value) != size:
        raise SimulationError(f"{what} has {size} numbers, not {shown(value)}")
    return [value[k] for k in range(size)]


def is_users_own(law: object) -> bool:
    """Whether the class of a law is defined outside of rbdkit."""
    return type(law).__module__.split(".")[0] != "rbdkit"
