"""A spring of rest length zero between two points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rbdkit.forces.described import not_negative
from rbdkit.forces.element import End, ForceElement
from rbdkit.forces.spring import require_two_ends
from rbdkit.forces.surroundings import ORIGIN, Surroundings


class ZeroLengthSpring(ForceElement):
    """A spring that pulls two points together with ``stiffness`` times their distance (Sueda Eqs 1.35, 1.36).

    Its damper resists every relative motion of the points, not only that along the line between them. So it is regular
    where the points meet, where a `Spring` has no direction. It can model a compliant joint (a bushing).

    Parameters
    ----------
    a, b : str
        Frames or bodies that it ties together; 'world' is one.
    stiffness : float
        N/m.
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
    A mass on it swings through the point with the period ``2 pi sqrt(m / k)``, here 1 s:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.Model("ball", gravity=(0, 0, 0))
    >>> _ = model.add_body("ball", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0))
    >>> _ = model.add_force("band", rbd.ZeroLengthSpring("ball", "world", (2 * np.pi) ** 2))
    >>> float(rbd.simulate(model, [0.1], duration=1.0).q[-1, 0].round(6))
    0.1
    """

    units: ClassVar[Mapping[str, str]] = {"stiffness": "N/m", "damping": "N s/m", "at_a": "m", "at_b": "m"}

    a: str
    b: str
    stiffness: float
    damping: float = 0.0
    at_a: tuple[float, float, float] = ORIGIN
    at_b: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        not_negative(self, "stiffness", "damping")
        require_two_ends(self, self.a, self.b)

    def act(self, at: Surroundings) -> None:
        dx = at.position(self.b, self.at_b) - at.position(self.a, self.at_a)
        rate = at.velocity(self.b, self.at_b) - at.velocity(self.a, self.at_a)
        pull = self.stiffness * dx + self.damping * rate
        at.apply_force(self.a, pull, self.at_a)
        at.apply_force(self.b, -pull, self.at_b)

    def energy(self, at: Surroundings) -> Any:
        dx = at.position(self.b, self.at_b) - at.position(self.a, self.at_a)
        return 0.5 * self.stiffness * (dx @ dx)

    def ends(self) -> tuple[End, End]:
        return (self.a, self.at_a), (self.b, self.at_b)

    @property
    def conservative(self) -> bool:
        return self.damping == 0.0
