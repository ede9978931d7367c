"""A spring and damper between two points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces.described import not_negative
from rbdkit.forces.element import End, ForceElement
from rbdkit.forces.surroundings import ORIGIN, Surroundings
from rbdkit.spatial.read_numbers import shown

SHORTEST = 1e-12
"""Length below which a spring has no direction, m; its force then goes to zero with its length."""


class Spring(ForceElement):
    """A straight spring with a parallel damper: tension ``stiffness (length - rest_length) + damping d(length)/dt``.

    Parameters
    ----------
    a, b : str
        Frames or bodies that it ties together; 'world' is one.
    stiffness : float
        N/m.
    rest_length : float, optional
        Length at which it is slack, m.
    damping : float, optional
        N s/m.
    at_a, at_b : tuple of float (3,), optional
        Where it is fastened, in coordinates of a and of b, m.

    Raises
    ------
    ModelError
        If a number is negative or not finite.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> rod = model.bodies[1].name
    >>> _ = model.add_force("band", rbd.Spring(rod, "world", stiffness=20.0, rest_length=0.3, at_b=(1.0, 0.0, 0.0)))
    >>> rbd.simulate(model, duration=0.1).report.stopped
    ''
    """

    units: ClassVar[Mapping[str, str]] = {
        "stiffness": "N/m", "rest_length": "m", "damping": "N s/m", "at_a": "m", "at_b": "m",
    }  # fmt: skip

    a: str
    b: str
    stiffness: float
    rest_length: float = 0.0
    damping: float = 0.0
    at_a: tuple[float, float, float] = ORIGIN
    at_b: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        not_negative(self, "stiffness", "rest_length", "damping")
        require_two_ends(self, self.a, self.b)

    def act(self, at: Surroundings) -> None:
        along, length = self._line(at)
        lengthening = along @ (at.velocity(self.b, self.at_b) - at.velocity(self.a, self.at_a))
        tension = self.stiffness * (length - self.rest_length) + self.damping * lengthening
        at.apply_force(self.a, tension * along, self.at_a)
        at.apply_force(self.b, -tension * along, self.at_b)

    def energy(self, at: Surroundings) -> Any:
        stretch = self._line(at)[1] - self.rest_length
        return 0.5 * self.stiffness * stretch * stretch

    def ends(self) -> tuple[End, End]:
        return (self.a, self.at_a), (self.b, self.at_b)

    @property
    def conservative(self) -> bool:
        return self.damping == 0.0

    def _line(self, at: Surroundings) -> tuple[NDArray, Any]:
        return line(at, (self.a, self.at_a), (self.b, self.at_b))


def line(at: Surroundings, a: End, b: End) -> tuple[NDArray, Any]:
    """Return the direction (3,) from one point to another, and their distance, m."""
    d = at.position(*b) - at.position(*a)
    length = np.sqrt(d @ d)
    return d / np.maximum(length, SHORTEST), length


def require_two_ends(element: ForceElement, a: str, b: str) -> None:
    """Raise `ModelError` if both ends of an element are on the same body or frame."""
    if a == b:
        raise ModelError(f"{element.known_as}: both ends are on {shown(a)}, where it pulls at nothing; name two bodies")
