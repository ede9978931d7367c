"""Base class of operations on a draft: immutable values that make a new sheet from an old one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.drafting.sheet import Sheet
from rbdkit.errors import ModelError


class Operation(ABC):
    """A step of construction; `apply` returns the new sheet, or raises `ModelError` and changes nothing."""

    @abstractmethod
    def apply(self, sheet: Sheet) -> Sheet:
        """Return the sheet after the step."""

    @abstractmethod
    def __str__(self) -> str:
        """Return a short description of the step."""

    @property
    def subject(self) -> tuple[object, ...] | None:
        """Key of what the step sets; steps with equal subjects may be joined, as while dragging. None: never joined."""
        return None


def numbers(values: ArrayLike, size: int, what: str, infinite: bool = False) -> tuple[float, ...]:
    """Return one number for all of `size` entries, or one for each, as a tuple of that size.

    Raises
    ------
    ModelError
        If they are not numbers, too many or too few, NaN, or infinite without `infinite`.
    """
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a number, not {values!r}") from None
    if array.ndim > 1 or (array.ndim == 1 and len(array) != size):
        raise ModelError(f"{what} has shape {array.shape}; give one number or {size}")
    if np.isnan(array).any() or not (infinite or np.isfinite(array).all()):
        raise ModelError(f"{what} must be finite, not {array.tolist()}")
    return tuple(np.broadcast_to(array, (size,)).tolist())


def text(value: object, what: str) -> str:
    """Return the value if it is a string, else raise `ModelError`; it may be empty while it is being typed."""
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a text, not {value!r}")
    return value


def one_of(value: str, known: Iterable[str], what: str) -> str:
    """Return the value if it is one of the known ones, else raise `ModelError`."""
    known = tuple(known)
    if value not in known:
        raise ModelError(f"{what} {value!r} is unknown; known: {', '.join(known)}")
    return value
