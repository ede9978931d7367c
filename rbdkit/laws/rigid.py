"""Rigid contact from event to event, with blows at all points at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rbdkit.laws.blows import Strike, at_once
from rbdkit.laws.event_driven import EventDriven


@dataclass(frozen=True)
class Rigid(EventDriven):
    """Bodies that nothing dents: what Table 11.1 of Featherstone (2008) describes, with Coulomb friction.

    Parameters
    ----------
    slowest : float, optional
        Approach, m/s, below which restitution has nothing to give back: so that bounces come to an end. If not given,
        1e-4 of the speed of what falls over the length of the model; without gravity, of the largest one at the start.

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
