"""The parameters that a sweep varies: names, values, and how these are combined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rbdkit.errors import SimulationError

Combine = Literal["product", "zip"]
Values = Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Axes:
    """The values of every name, and the members made from them.

    Attributes
    ----------
    values
        Values by name, in the order given.
    product : bool
        Whether members are all combinations of values; else the k-th values form a member.
    """

    values: dict[str, tuple[Any, ...]]
    product: bool = True

    def __len__(self) -> int:
        return math.prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of members along each axis; a single axis if `product` is false."""
        lengths = tuple(map(len, self.values.values()))
        return lengths if self.product else lengths[:1]

    def parameters(self, member: int) -> dict[str, Any]:
        """Return the values of a member, by name."""
        places = np.unravel_index(member, self.shape)
        at = places if self.product else places * len(self.values)
        return {name: values[int(k)] for (name, values), k in zip(self.values.items(), at)}


def axes_of(values: Values, combine: Combine = "product") -> Axes:
    """Return the axes of a sweep.

    Parameters
    ----------
    values : Values
        Values by name, or a list with the values of one member in each entry.
    combine : Combine, optional
        Of values by name, 'product' makes all combinations, 'zip' takes the k-th values together.

    Raises
    ------
    SimulationError
        If there is nothing to vary, or what is given are not lists that fit together.
    """
    if not isinstance(combine, str) or combine not in ("product", "zip"):
        raise SimulationError(f"combine = {combine!r} must be 'product' (all combinations) or 'zip' (k-th with k-th)")
    if not isinstance(values, Mapping):
        return Axes(_columns(values), product=False)
    lists = {name: _values(name, given) for name, given in values.items()}
    if not lists:
        raise SimulationError("there is nothing to sweep: give at least one name with its values")
    lengths = {name: len(given) for name, given in lists.items()}
    if combine == "zip" and len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {n}" for name, n in lengths.items())
        raise SimulationError(f"combine = 'zip' takes the k-th values together, but {shown}; give equally many of each")
    return Axes(lists, product=combine == "product")


def _values(name: Any, given: Any) -> tuple[Any, ...]:
    if not isinstance(name, str):
        raise SimulationError(f"{name!r} is not a name; values are given as {{'link1.mass': [1.0, 2.0], ...}}")
    single = SimulationError(f"{name!r}: {given!r} is not a list of values; for a single one write [{given!r}]")
    if isinstance(given, str | bytes | Mapping):
        raise single
    try:
        values = tuple(given)
    except TypeError:
        raise single from None
    if not values:
        raise SimulationError(f"{name!r} has no values")
    return values


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the values by name, from one dictionary per member."""
    if not isinstance(rows, Sequence) or isinstance(rows, str | bytes):
        raise SimulationError(f"values {rows!r} must be {{name: [values]}}, or a list of {{name: value}}, one a member")
    members = list(rows)
    if not members or not all(isinstance(row, Mapping) and row for row in members):
        raise SimulationError("a list of members must hold at least one {name: value}, and none that is empty")
    names = list(members[0])
    for k, row in enumerate(members):
        if set(row) != set(names):
            odd = sorted(map(repr, set(row) ^ set(names)))
            raise SimulationError(
                f"members 0 and {k} do not give the same names: {', '.join(odd)} is in one of them only"
            )
    return {name: tuple(row[name] for row in members) for name in names}
