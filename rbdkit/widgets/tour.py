"""A guided tour through a picture: what to look for, and the slider values for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rbdkit.errors import RbdkitError


@dataclass(frozen=True)
class Stop:
    """One stop of a tour through a `Playground`.

    Attributes
    ----------
    ask : str
        What is to be tried, as it stands on the link.
    values : mapping of str to object
        Where sliders go, by name; the others stay as they are.
    see : str
        What there is to see then.

    Examples
    --------
    >>> from rbdkit.widgets import Stop
    >>> Stop("Throw it flat", {"angle": 0.1}, "It hardly gets anywhere.").values
    {'angle': 0.1}
    """

    ask: str
    values: Mapping[str, Any] = field(default_factory=dict)
    see: str = ""


Tour = Sequence[Stop | tuple[str, Mapping[str, Any]] | tuple[str, Mapping[str, Any], str]]


def stops_of(tour: Tour) -> tuple[Stop, ...]:
    """Return the stops of a tour, some of which may be given as tuples.

    Raises
    ------
    RbdkitError
        If something is not a stop.
    """
    found = []
    for each in tour:
        if isinstance(each, Stop):
            found.append(each)
        elif isinstance(each, tuple) and len(each) in (2, 3) and isinstance(each[1], Mapping):
            found.append(Stop(*each))
        else:
            raise RbdkitError(f"{each!r} is no stop of a tour: (what to try, values by slider, what to see)")
    return tuple(found)
