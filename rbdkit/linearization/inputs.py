"""Velocities that a user names by their joints or by numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rbdkit.errors import ArgumentError
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown


def velocities_of(model: Model, given: Any, argument: str) -> tuple[int, ...]:
    """Return the numbers of the velocities of joints that are named, or of numbers that are given.

    Raises
    ------
    ArgumentError
        If one is unknown or named twice. argument : for the message.
    """
    if isinstance(given, str | int | np.integer):
        given = [given]
    if not isinstance(given, Iterable) or (isinstance(given, np.ndarray) and given.ndim != 1):
        raise ArgumentError(f"{argument} = {shown(given)} must be names of joints or numbers of velocities")
    own = {joint.name: joint for joint in model.joints if joint.nv and joint.mimic is None}
    found: list[int] = []
    names: Sequence[Any] = list(given)
    for x in names:
        if isinstance(x, str) and x in own:
            found += range(own[x].v_slice.start, own[x].v_slice.stop)
        elif isinstance(x, int | np.integer) and not isinstance(x, bool) and 0 <= x < model.nv:
            found.append(int(x))
        else:
            hint = did_you_mean(x, own) if isinstance(x, str) else ""
            raise ArgumentError(
                f"{argument} has {shown(x)}, which is no joint that moves and no number below {model.nv}{hint}"
            )
    if len({*found}) < len(found):
        raise ArgumentError(f"{argument} = {shown(names)} names a joint twice")
    return tuple(found)


def velocity_names(model: Model) -> list[str]:
    """Return a name for each velocity: joint and coordinate."""
    names = [""] * model.nv
    for joint in model.joints:
        if joint.mimic is None:
            for k, name in enumerate(joint.type.v_names):
                names[joint.v_slice.start + k] = f"{joint.name}.{name.removesuffix(' rate')}"
    return names
