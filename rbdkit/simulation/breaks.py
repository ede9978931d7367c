"""Times at which forces and prescribed motions jump or bend, as the functions themselves declare them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.driven import prescribed
from rbdkit.errors import SimulationError
from rbdkit.model import Model
from rbdkit.model.kept import kept
from rbdkit.simulation.traced_forces import Traced, Untraced
from rbdkit.spatial.read_numbers import shown


def declared_breaks(model: Model, tau: Any, f_ext: Any) -> tuple[float, ...]:
    """Return the sorted times, s, in the ``breaks`` of a run's functions, elements, constraints and prescribed motions.

    Raises
    ------
    SimulationError
        If ``breaks`` are no times.
    """
    found = {float(t) for what, owner in _owners(model, tau, f_ext) for t in _times(what, owner)}
    return tuple(sorted(found))


def _owners(model: Model, tau: Any, f_ext: Any) -> Iterator[tuple[str, Any]]:
    for name, given in (("tau", tau), ("f_ext", f_ext)):
        if callable(given):
            yield name, given.function if isinstance(given, Traced | Untraced) else given
    yield from kept(model, _of_model)


def _of_model(model: Model) -> list[tuple[str, Any]]:
    """Return the parts of a model that may declare breaks, each with a name for messages."""
    return [
        *(("the motion of a prescribed joint", joint.motion) for joint in prescribed(model)),
        *((f"force {force.name!r}", force.element) for force in model.forces),
        *((f"constraint {constraint.name!r}", constraint.element) for constraint in model.constraints),
    ]


def _times(what: str, owner: Any) -> NDArray:
    given = getattr(owner, "breaks", ())
    try:
        times = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        times = np.array(np.nan)
    if times.ndim != 1 or not np.isfinite(times).all():
        raise SimulationError(
            f"{what}: breaks = {shown(given)} must be a list of times in s at which it jumps or bends, [0.3, 0.31] say"
        )
    return times
