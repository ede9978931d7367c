"""A damper between two points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rbdkit.forces.described import not_negative
from rbdkit.forces.element import End, ForceElement
from rbdkit.forces.spring import line, require_two_ends
from rbdkit.forces.surroundings import ORIGIN, Surroundings


class Damper(ForceElement):
    """A straight viscous damper between two points, with the tension ``damping d(length)/dt``.

    Parameters
    ----------
    a, b : str
        Frames or bodies that it ties together; 'world' is one.
    damping : float
        N s/m.
    at_a, at_b : tuple of float (3,), optional
        Where it is fastened, in coordinates of a and of b, m.

    Raises
    ------
    ModelError
        If a number is negative or not finite.

    Examples
    --------
    A lift falls as fast as it lets it:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("lift", gravity=(0, 0, -10))
    >>> _ = model.add_body("lift", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0))
    >>> _ = model.add_force("brake", rbd.Damper("lift", "world", 40.0, at_b=(0, 0, -9)))
    >>> float(rbd.simulate(model, duration=2.0).v[-1, 0].round(9))  # m g / damping
    -0.5
    """

    units: ClassVar[Mapping[str, str]] = {"damping": "N s/m", "at_a": "m", "at_b": "m"}

    a: str
    b: str
    damping: float
    at_a: tuple[float, float, float] = ORIGIN
    at_b: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        not_negative(self, "damping")
        require_two_ends(self, self.a, self.b)

    def act(self, at: Surroundings) -> None:
        along, _ = line(at, (self.a, self.at_a), (self.b, self.at_b))
        tension = self.damping * (along @ (at.velocity(self.b, self.at_b) - at.velocity(self.a, self.at_a)))
        at.apply_force(self.a, tension * along, self.at_a)
        at.apply_force(self.b, -tension * along, self.at_b)

    def ends(self) -> tuple[End, End]:
        return (self.a, self.at_a), (self.b, self.at_b)
