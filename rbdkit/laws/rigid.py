"""The contact law 'rigid': event-driven rigid contact with impacts at all points at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rbdkit.laws.blows import Strike, at_once
from rbdkit.laws.event_driven import EventDriven


@dataclass(frozen=True)
class Rigid(EventDriven):
    """Event-driven rigid contact after Featherstone (2008), Table 11.1, with Coulomb friction and simultaneous impacts.

    Parameters
    ----------
    slowest : float, optional
        Approach speed, m/s, below which collisions are inelastic, so that bouncing comes to an end. If not given,
        1e-4 of the speed after a fall over the length of the model; without gravity, of the largest initial speed.

    Raises
    ------
    SimulationError
        If an option makes no sense.

    Examples
    --------
    >>> from rbdkit.laws import Rigid
    >>> Rigid().name
    'rigid'
    """

    name: ClassVar[str] = "rigid"
    assumes: ClassVar[str] = "rigid bodies; blows take no time and act at all points at once; Coulomb friction"
    conserves: ClassVar[tuple[str, ...]] = ("momentum of bodies that touch each other only", "energy between blows")
    solutions: ClassVar[str] = (
        "none or two where what slides is pulled in by its own friction (Painleve); forces, not motions, are many "
        "where points are more than needed"
    )
    strike: ClassVar[Strike] = staticmethod(at_once)
