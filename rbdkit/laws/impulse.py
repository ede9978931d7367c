"""The contact law 'impulse': event-driven rigid contact with impacts that travel from pair to pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rbdkit.laws.blows import Strike, one_by_one
from rbdkit.laws.event_driven import EventDriven


@dataclass(frozen=True)
class Impulse(EventDriven):
    """Event-driven rigid contact with successive impacts between two bodies each; motion between them is smooth.

    A collision sticks where friction can arrest the sliding, else its impulse lies on the cone. Newton's cradle
    behaves as in experiments.

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
    >>> from rbdkit.laws import Impulse
    >>> Impulse().name
    'impulse'
    """

    name: ClassVar[str] = "impulse"
    assumes: ClassVar[str] = "rigid bodies; blows take no time and run from pair to pair, the hardest first"
    conserves: ClassVar[tuple[str, ...]] = ("momentum of bodies that touch each other only", "energy where e = 1")
    solutions: ClassVar[str] = "blows always one; forces as 'rigid'"
    strike: ClassVar[Strike] = staticmethod(one_by_one)
