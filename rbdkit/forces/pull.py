"""A hand that pulls a body at a point towards a target, as dragging with the mouse does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rbdkit.forces.described import not_negative
from rbdkit.forces.element import End, ForceElement
from rbdkit.forces.surroundings import ORIGIN, Surroundings


class Pull(ForceElement):
    """A hand that holds a body at a point: the force ``stiffness (target - point) - damping velocity``.

    As a hand does, it gives and takes energy; nothing is stored in it.

    Parameters
    ----------
    body : str
        Frame or body that is held.
    stiffness : float, optional
        N/m.
    damping : float, optional
        Of the point's motion in space, N s/m.
    point : tuple of float (3,), optional
        Where it is held, in coordinates of the body, m.
    target : tuple of float (3,), optional
        Where the hand is, in the world, m.

    Raises
    ------
    ModelError
        If a number is negative or not finite.

    Examples
    --------
    A weight on a hand's spring hangs ``m g / stiffness`` below the hand:

    >>> import rbdkit as rbd
    >>> lift = rbd.Model("lift", gravity=(0, 0, -10))
    >>> _ = lift.add_body("cabin", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0))
    >>> _ = lift.add_force("hand", rbd.Pull("cabin", stiffness=200.0, damping=40.0, target=(0.0, 0.0, 1.0)))
    >>> float(rbd.simulate(lift, duration=3.0).q[-1, 0].round(6))
    0.9
    """

    units: ClassVar[Mapping[str, str]] = {"stiffness": "N/m", "damping": "N s/m", "point": "m", "target": "m"}

    body: str
    stiffness: float = 0.0
    damping: float = 0.0
    point: tuple[float, float, float] = ORIGIN
    target: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        not_negative(self, "stiffness", "damping")

    def act(self, at: Surroundings) -> None:
        at.apply_force(self.body, self.force(at), self.point)

    def force(self, at: Surroundings) -> Any:
        """Return its force (3,) in world axes, N."""
        away = np.asarray(self.target) - at.position(self.body, self.point)
        return self.stiffness * away - self.damping * at.velocity(self.body, self.point)

    def ends(self) -> tuple[End, End]:
        return (self.body, self.point), ("world", self.target)


class MeasuredPull(Pull):
    """A `Pull` that counts the work it does on the body, J, in a state of its own."""

    units: ClassVar[Mapping[str, str]] = {**Pull.units, "work": "J"}
    states: ClassVar[tuple[str, ...]] = ("work",)

    work: float = 0.0

    def act(self, at: Surroundings) -> None:
        super().act(at)
        at.set_rate("work", self.force(at) @ at.velocity(self.body, self.point))
