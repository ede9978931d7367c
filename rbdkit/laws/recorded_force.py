"""Trace a contact force law: record its operations at one place, for the compiled loop over time.

`ContactForce.act` and `settle` run once on symbols for a place within reach, and once more for a place out of reach
(infinite gap, zero velocity), where most operations fold away. Material numbers, states and kept values become loads
from arrays over places, so that one trace serves all pairs. A user's class is recorded only if its code is pure and
what it depends on does not change meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rbdkit.engine.contact.force_steps import ForceLaw
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.laws.contact_point import ContactPoint, flat, is_users_own, sizes_of
from rbdkit.laws.forces_at_points import dressed
from rbdkit.trace import Dependencies, Feedback, Graph, Impure, Symbol, Trace, no_words, symbols

if TYPE_CHECKING:
    from rbdkit.laws.contact_force import ContactForce
    from rbdkit.laws.law import Law

SURFACE = ("friction", "restitution")
"""Numbers of the materials that every law gets at each place, in addition to its own."""


def recorded(law: ContactForce, numbers: tuple[str, ...]) -> ForceLaw:
    """Record the operations of a law.

    Parameters
    ----------
    numbers : names of its fields that differ from place to place.

    Raises
    ------
    NotCovered
        If it cannot be traced: it branches on values, has side effects, or calls functions that take no symbols.
    """
    sizes_of(law)
    users = is_users_own(law)
    with watched(law):
        settles = bool(law.states or law.kept)
        return ForceLaw(
            act=_recorded(law, "act", numbers, False, users),
            act_apart=_recorded(law, "act", numbers, True, users) if law.states else None,
            settle=_recorded(law, "settle", numbers, False, users) if settles else None,
            settle_apart=_recorded(law, "settle", numbers, True, users) if settles else None,
            states=tuple(law.states.values()),
            kept=sum(law.kept.values()),
            numbers=len(numbers) + len(SURFACE),
            reach=float(law.reach),
        )


@contextmanager
def watched(law: Law) -> Iterator[None]:
    """Run the tracing of a law; a user's must be pure, and nothing that it depends on may change meanwhile.

    Raises
    ------
    NotCovered
        If it is not, or if tracing fails.
    """
    try:
        guard: Any = nullcontext()
        if is_users_own(law):
            used = Dependencies({type(law).__name__: law}, objects=(type(law),))
            used.require_pure()
            guard = used.guard.untouched()
        with guard:
            yield
    except Impure as fault:
        raise NotCovered(f"law {law.name!r}: {fault}") from fault
    except NotCovered:
        raise
    except Exception as fault:  # a user's code on numbers that are not known yet: anything may go wrong in it
        raise NotCovered(f"law {law.name!r} cannot be compiled: {type(fault).__name__}: {fault}") from fault


def traced(graph: Graph, results: Sequence[Any], given: int = 0) -> Feedback:
    """Return what a law has said as a function of the loads of a graph. given : how many "numbers" it loads."""
    graph.require_not_refused()
    outputs = tuple(x if isinstance(x, Symbol) else float(x) for x in map(_number, results))
    return Feedback.of(Trace(graph, (), (), outputs, ()), [0.0] * given)


def _recorded(law: ContactForce, method: str, numbers: tuple[str, ...], apart: bool, users: bool) -> Feedback:
    """Record one method of a law as operations on the attributes of `ContactPoint`, "numbers", "states" and "kept".

    `act` gives the force and the rates of all states, or the rates alone for places that are `apart`; `settle` gives
    all states and kept values.
    """
    graph = Graph(exact=users)
    graph.words = no_words  # code that branches on the text of a number cannot be recorded

    def load(name: str, first: int, size: int) -> Any:
        loads = [graph.load(name, None, first + k) for k in range(size)]
        return symbols(loads) if size > 1 else loads[0]

    states: dict[str, Any] = {}
    for argument, named in (("states", law.states), ("kept", law.kept)):
        first = 0
        for name, size in named.items():
            states[name], first = load(argument, first, size), first + size
    vectors = ("velocity", "normal", "first", "second")
    given = {name: load("numbers", k, 1) for k, name in enumerate((*numbers, *SURFACE))}
    known: dict[str, Any] = {name: given.pop(name) for name in SURFACE}
    known |= {name: load(name, 0, 1) for name in ("time", "since")}
    known["gap"] = np.inf if apart else load("gap", 0, 1)
    known |= {name: symbols(np.zeros(3)) if apart else load(name, 0, 3) for name in vectors}
    point = ContactPoint(known, states)
    getattr(dressed(law, given), method)(point)
    if method == "act":
        results = [] if apart else list(point.force)
        results += _states(law, law.states, point.rates, None)
    else:
        results = _states(law, law.states, point.kept, states) + _states(law, law.kept, point.kept, states)
    own = len(numbers) + len(SURFACE)
    return _of_places(traced(graph, results, own), own)


def _states(law: ContactForce, names: Any, said: dict[str, Any], instead: dict[str, Any] | None) -> list[Any]:
    """Return the components of states or kept values in order; those not set keep their value, or get a zero rate."""
    found: list[Any] = []
    for name, size in names.items():
        if name in said:
            found += flat(said[name], size, f"state {name!r} of law {law.name!r}")
        else:
            found += [0.0] * size if instead is None else flat(instead[name], size, name)
    return found


def _number(x: Any) -> Any:
    return np.asarray(x, dtype=object).item() if isinstance(x, np.ndarray) else x


def _of_places(law: Feedback, own: int) -> Feedback:
    """Return the law with the first `own` of its numbers, which differ from place to place, as loads from arrays."""
    steps = tuple(
        step if step[0] != "number" else ("load", "numbers", step[1]) if step[1] < own else ("number", step[1] - own)
        for step in law.steps
    )
    return replace(law, steps=steps, numbers=law.numbers[own:])
