"""Snapshots of variables: copies that share what did not change, and the differences between two of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def freeze(value: Any, before: Any = None) -> Any:
    """Return a copy that later changes in place do not reach; `before` itself if nothing changed since.

    Arrays are copied, lists, tuples and dictionaries copied entry by entry; any other object is kept as it is.
    """
    if isinstance(value, np.ndarray):
        if _same_array(value, before):
            return before
        copy = value.copy()
        copy.setflags(write=False)
        return copy
    if isinstance(value, list | tuple):
        old = before if isinstance(before, list | tuple) and len(before) == len(value) else [None] * len(value)
        entries = [freeze(x, y) for x, y in zip(value, old, strict=True)]
        unchanged = type(before) is type(value) and len(before) == len(value)
        if unchanged and all(x is y for x, y in zip(entries, before, strict=True)):
            return before
        return entries if isinstance(value, list) else tuple(entries)
    if isinstance(value, dict):
        old_dict = before if isinstance(before, dict) else {}
        frozen = {key: freeze(x, old_dict.get(key)) for key, x in value.items()}
        same = isinstance(before, dict) and frozen.keys() == before.keys()
        return before if same and all(frozen[key] is before[key] for key in frozen) else frozen
    return value


def freeze_all(variables: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return frozen copies of all variables of a function."""
    return {name: freeze(value, before.get(name)) for name, value in variables.items()}


@dataclass(frozen=True)
class Change:
    """New value of a variable, or of one entry of it.

    Attributes
    ----------
    name : str
        Name of the variable.
    index : int or None
        Index of the entry, or None for the whole.
    value : object
        The new value.
    """

    name: str
    index: int | None
    value: Any

    @property
    def label(self) -> str:
        """The variable or entry in Python's notation: 'v[3]'."""
        return self.name if self.index is None else f"{self.name}[{self.index}]"


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what differs in `after`; for lists and arrays of rows the entries that do."""
    found: list[Change] = []
    for name, value in after.items():
        if name not in before:
            found.append(Change(name, None, value))
        elif before[name] is not value and not _equal(before[name], value):
            entries = _changed_entries(before[name], value)
            found += [Change(name, k, value[k]) for k in entries] if entries else [Change(name, None, value)]
    return found


def _changed_entries(before: Any, after: Any) -> list[int]:
    """Return the indices of the entries that differ; none if the two have different numbers of entries."""
    if isinstance(after, np.ndarray):
        if not isinstance(before, np.ndarray) or before.shape != after.shape or after.ndim < 2:
            return []
        differs = ~((before == after) | _both_nan(before, after))
        return np.flatnonzero(differs.reshape(len(after), -1).any(axis=1)).tolist()
    if isinstance(after, list) and isinstance(before, list) and len(before) == len(after):
        return [k for k, (x, y) in enumerate(zip(before, after, strict=True)) if not _equal(x, y)]
    return []


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _same_array(a, b)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(_equal, a, b))
    try:
        return bool(a == b)
    except (ValueError, TypeError):  # objects whose comparison gives an array, or none
        return False


def _same_array(a: Any, b: Any) -> bool:
    if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape and a.dtype == b.dtype):
        return False
    return bool(np.all((a == b) | _both_nan(a, b)))


def _both_nan(a: NDArray, b: NDArray) -> NDArray:
    if a.dtype.kind not in "fc" or b.dtype.kind not in "fc":
        return np.zeros(a.shape, dtype=bool)
    return np.isnan(a) & np.isnan(b)
