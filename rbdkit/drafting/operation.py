"""What every operation on a draft is: an immutable value that makes a new sheet of an old one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.drafting.sheet import Sheet
from rbdkit.errors import ModelError


class Operation(ABC):
    """A step of construction. `apply` gives the new sheet, or raises `ModelError` and nothing has happened."""

    @abstractmethod
    def apply(self, sheet: Sheet) -> Sheet:
        """The sheet after the step."""

    @abstractmethod
    def __str__(self) -> str:
        """What the step does, in a few words."""

    @property
    def subject(self) -> tuple[object, ...] | None:
        """What it sets; two steps with one subject can be one, as while dragging. None: it always stands alone."""
        return None


def numbers(values: ArrayLike, size: int, what: str, infinite: bool = False) -> tuple[float, ...]:
    """One number for each of `size` entries, or all of them, as a tuple.

    Raises
    ------
    ModelError
        If they are not numbers, too many or too few, NaN, or infinite where that has no meaning.
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
    """The value, which must be a text; an empty one may stand while it is being typed."""
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a text, not {value!r}")
    return value


def one_of(value: str, known: Iterable[str], what: str) -> str:
    """The value, which must be one of the known."""
    known = tuple(known)
    if value not in known:
        raise ModelError(f"{what} {value!r} is unknown; known: {', '.join(known)}")
    return value
