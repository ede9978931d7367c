"""The Maxwell element: a spring and a dashpot in series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rbdkit.errors import ModelError
from rbdkit.forces.described import not_negative
from rbdkit.forces.element import End, ForceElement
from rbdkit.forces.spring import line, require_two_ends
from rbdkit.forces.surroundings import ORIGIN, Surroundings
from rbdkit.spatial.read_numbers import shown


class Maxwell(ForceElement):
    """A spring in series with a dashpot between two points: stiff in fast motion, yielding under lasting load.

    Both carry the same tension, ``stiffness (length - rest_length - dashpot) = damping d(dashpot)/dt``, where the state
    `dashpot` is the extension of the dashpot. At constant length the tension relaxes with the time constant
    damping / stiffness.

    Parameters
    ----------
    a, b : str
        Frames or bodies that it ties together; 'world' is one.
    stiffness : float
        Of the spring, N/m.
    damping : float
        Of the dashpot, N s/m; not zero.
    rest_length : float, optional
        Length without tension while the dashpot is not extended, m.
    dashpot : float, optional
        Initial extension of the dashpot, m.
    at_a, at_b : tuple of float (3,), optional
        Attachment points, in coordinates of a and of b, m.

    Raises
    ------
    ModelError
        If a number is not finite, negative where that makes no sense, or `damping` is zero.

    Examples
    --------
    A weight on it sinks as fast as the dashpot gives way, in the end with m g / damping:

    >>> import rbdkit as rbd
    >>> lift = rbd.Model("lift", gravity=(0, 0, -10))
    >>> _ = lift.add_body("cabin", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0))
    >>> rope = rbd.Maxwell("cabin", "world", stiffness=400.0, damping=40.0, at_b=(0.0, 0.0, 5.0), rest_length=5.0)
    >>> _ = lift.add_force("rope", rope)
    >>> motion = rbd.simulate(lift, duration=4.0)
    >>> float(motion.v[-1, 0].round(6)), motion.state("rope.dashpot").shape
    (-0.5, (4001,))
    """

    units: ClassVar[Mapping[str, str]] = {
        "stiffness": "N/m", "damping": "N s/m", "rest_length": "m", "dashpot": "m", "at_a": "m", "at_b": "m",
    }  # fmt: skip
    states: ClassVar[tuple[str, ...]] = ("dashpot",)

    a: str
    b: str
    stiffness: float
    damping: float
    rest_length: float = 0.0
    dashpot: float = 0.0
    at_a: tuple[float, float, float] = ORIGIN
    at_b: tuple[float, float, float] = ORIGIN

    def __post_init__(self) -> None:
        not_negative(self, "stiffness", "damping", "rest_length")
        if self.damping == 0.0:
            raise ModelError(f"Maxwell: damping {shown(self.damping)} must be more than zero; else it carries nothing")
        require_two_ends(self, self.a, self.b)

    def act(self, at: Surroundings) -> None:
        along, length = line(at, (self.a, self.at_a), (self.b, self.at_b))
        tension = self.stiffness * (length - self.rest_length - self.dashpot)
        at.apply_force(self.a, tension * along, self.at_a)
        at.apply_force(self.b, -tension * along, self.at_b)
        at.set_rate("dashpot", tension / self.damping)

    def energy(self, at: Surroundings) -> Any:
        _, length = line(at, (self.a, self.at_a), (self.b, self.at_b))
        stretch = length - self.rest_length - self.dashpot
        return 0.5 * self.stiffness * stretch * stretch

    def ends(self) -> tuple[End, End]:
        return (self.a, self.at_a), (self.b, self.at_b)
