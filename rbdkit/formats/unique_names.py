"""Unique names for parts that a file leaves unnamed."""

from __future__ import annotations

from collections.abc import Iterable


class UniqueNames:
    """Generator of unique names. taken : names that are in use."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, name: str) -> str:
        """Return the name, or the first of name_2, name_3, ... that is free, and mark it as taken."""
        candidate, count = name, 1
        while candidate in self._taken:
            count += 1
            candidate = f"{name}_{count}"
        self._taken.add(candidate)
        return candidate
