"""Lazy sequences: notes and violations of reports that are computed at first access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Later(Sequence[T]):
    """A sequence whose last part is computed at first access; it behaves like a tuple, and is pickled as one.

    Parameters
    ----------
    known : values that are known already. find : functions that each compute some of the further values.
    """

    def __init__(self, known: Sequence[T], *find: Callable[[], Sequence[T]]) -> None:
        self._parts: tuple[Sequence[T], tuple[Callable[[], Sequence[T]], ...]] = known, find

    @property
    def _all(self) -> tuple[T, ...]:
        known, find = self._parts
        if not find:
            return tuple(known)
        found = (*known, *(value for each in find for value in each()))
        self._parts = found, ()  # lets go of the motion; one assignment, so that no other thread sees half of it
        return found

    @overload
    def __getitem__(self, k: int) -> T: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[T]: ...
    def __getitem__(self, k: int | slice) -> T | Sequence[T]:
        return self._all[k]

    def __len__(self) -> int:
        return len(self._all)

    def __add__(self, other: Iterable[T]) -> tuple[T, ...]:
        return self._all + tuple(other)

    def __radd__(self, other: Iterable[T]) -> tuple[T, ...]:
        return tuple(other) + self._all

    def __mul__(self, times: int) -> tuple[T, ...]:
        return self._all * times

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | Later) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._all,)
