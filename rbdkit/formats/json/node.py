"""A value in a JSON document together with its path, so that every error message can say where it is."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import HUGE

NOT_FINITE = {"inf": math.inf, "-inf": -math.inf}


class Node:
    """A value with its path, such as ``bodies[2].joint.placement``.

    Parameters
    ----------
    value : object
        From `json.loads`.
    path : str
        '' for the whole document.
    source : str
        Name of the document.
    """

    def __init__(self, value: Any, path: str, source: str) -> None:
        self.value = value
        self.path = path
        self.source = source

    def fault(self, message: str) -> FormatError:
        """Return an error about this value, with its path."""
        return FormatError(f"{self.source}: {self.path or 'the document'}: {message}")

    def __getitem__(self, key: str) -> Node:
        """The required entry of an object."""
        found = self.get(key)
        if found is None:
            raise self.fault(f"the entry {key!r} is missing")
        return found

    def get(self, key: str) -> Node | None:
        """The entry of an object, or None if it is missing or null."""
        value = self.object().get(key)
        return None if value is None else Node(value, f"{self.path}.{key}" if self.path else key, self.source)

    def entries(self, key: str) -> Iterator[Node]:
        """The items of the list under that key; none if it is missing."""
        node = self.get(key)
        if node is None:
            return
        if not isinstance(node.value, list):
            raise node.fault(f"must be a list, not {_shown(node.value)}")
        for i, value in enumerate(node.value):
            yield Node(value, f"{node.path}[{i}]", self.source)

    def object(self) -> dict[str, Any]:
        """Return the value, which must be an object."""
        if not isinstance(self.value, dict):
            raise self.fault(f"must be an object {{...}}, not {_shown(self.value)}")
        return self.value

    def only(self, known: Collection[str]) -> None:
        """Raise `FormatError` if the object has entries of other names."""
        for key in self.object():
            if key not in known:
                raise self.fault(f"the entry {_shown(key)} is unknown{did_you_mean(key, known)}")

    def text(self) -> str:
        """Return the value, which must be a string."""
        if not isinstance(self.value, str):
            raise self.fault(f"must be a text, not {_shown(self.value)}")
        return self.value

    def number(self, infinite: bool = False) -> float:
        """Return the value, a finite number up to 1e30; `infinite` allows any number, and the texts "inf", "-inf"."""
        if infinite and isinstance(self.value, str) and self.value in NOT_FINITE:
            return NOT_FINITE[self.value]
        try:
            number = (
                float(self.value)
                if isinstance(self.value, int | float) and not isinstance(self.value, bool)
                else math.nan
            )
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            also = ' or "inf" or "-inf"' if infinite else ""
            raise self.fault(f"must be a finite number{also}, not {_shown(self.value)}")
        if abs(number) > HUGE and not infinite:
            raise self.fault(f"{_shown(self.value)} is beyond {HUGE:g}, which is taken for a mistake")
        return number

    def array(self, shape: tuple[int, ...], infinite: bool = False) -> NDArray:
        """Return the value, nested lists of finite numbers of the given shape; -1 stands for any length."""
        if not shape:
            return np.array(self.number(infinite))
        if not isinstance(self.value, list) or shape[0] not in (-1, len(self.value)):
            length = "any number" if shape[0] == -1 else str(shape[0])
            what = "numbers" if len(shape) == 1 else "lists"
            raise self.fault(f"must be a list of {length} {what}, not {_shown(self.value)}")
        items = [Node(v, f"{self.path}[{i}]", self.source).array(shape[1:], infinite) for i, v in enumerate(self.value)]
        return np.array(items) if items else np.zeros((0, *shape[1:]))


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
