"""Rigid contact from event to event, with blows one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rbdkit.laws.blows import Strike, one_by_one
from rbdkit.laws.event_driven import EventDriven


@dataclass(frozen=True)
class Impulse(EventDriven):
    """Blows that run from body to body, each with its restitution; between them motion is smooth.

    A collision sticks where friction can arrest it, and slides on its cone where not. A cradle of balls swings as on
    the table.

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
    >>> from rbdkit.laws import Impulse
    >>> Impulse().name
    'impulse'
    """

    name: ClassVar[str] = "impulse"
    assumes: ClassVar[str] = "rigid bodies; blows take no time and run from pair to pair, the hardest first"
    conserves: ClassVar[tuple[str, ...]] = ("momentum of bodies that touch each other only", "energy where e = 1")
    solutions: ClassVar[str] = "blows always one; forces as 'rigid'"
    strike: ClassVar[Strike] = staticmethod(one_by_one)
