"""Names for what a file leaves unnamed."""

from __future__ import annotations

from collections.abc import Iterable


class UniqueNames:
    """Gives names that are not taken. taken : the names to keep clear of."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, name: str) -> str:
        """That name, or the first of name_2, name_3, ... that is free; it is taken from now on."""
        candidate, count = name, 1
        while candidate in self._taken:
            count += 1
            candidate = f"{name}_{count}"
        self._taken.add(candidate)
        return candidate
