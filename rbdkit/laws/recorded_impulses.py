"""A user's law of impulses at a point: asked with numbers, and traced for the compiled loop over time.

Its functions `friction` and `rebound` run once on symbols, see `rbdkit.laws.TimeStepping`. They are recorded only if
their code is pure and what it depends on does not change meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdkit.engine.contact.one_point import Friction, ImpulseLaw, Parts
from rbdkit.engine.contact.visits import OF_CONTACT
from rbdkit.laws.contact_point import ContactPoint, flat
from rbdkit.laws.recorded_force import traced, watched
from rbdkit.trace import Feedback, Graph, no_words, symbols

if TYPE_CHECKING:
    from rbdkit.laws.time_stepping import TimeStepping

VECTORS = ("velocity", "normal", "first", "second")


class Asked(Friction):
    """The friction of a user's law at one point, called with numbers."""

    def __init__(self, law: TimeStepping, at: ContactPoint) -> None:
        self.law, self.at = law, at

    def nearest(self, wanted: Parts, push: float) -> list[float]:
        return [float(x) for x in _tangential(self.law, self.law.friction(self.at, np.array(wanted), push))]


def _tangential(law: TimeStepping, found: Any) -> list[Any]:
    return flat(found, 2, f"the tangential impulse of law {type(law).__name__}")


def recorded_impulses(law: TimeStepping, own: Collection[str]) -> ImpulseLaw:
    """Record the functions of a law at one point that are its own.

    Parameters
    ----------
    own : their names, "friction" or "rebound".

    Raises
    ------
    NotCovered
        If one cannot be traced: it branches on values, has side effects, or calls functions that take no symbols.
    """
    with watched(law):
        friction, rebound = (_recorded(law, name) if name in own else None for name in ("friction", "rebound"))
        return ImpulseLaw(friction, rebound)


def _recorded(law: TimeStepping, name: str) -> Feedback:
    graph = Graph(exact=True)
    graph.words = no_words  # code that branches on the text of a number cannot be recorded

    def load(name: str) -> Any:
        size = 3 if name in VECTORS else 2 if name == "wanted" else 1
        loads = [graph.load(name, None, k) for k in range(size)]
        return symbols(loads) if size > 1 else loads[0]

    at = ContactPoint({name: load(name) for name in (*OF_CONTACT, "time")} | {"since": 0.0}, {})
    if name == "rebound":
        return traced(graph, [law.rebound(at)])
    return traced(graph, _tangential(law, law.friction(at, load("wanted"), load("push"))))
