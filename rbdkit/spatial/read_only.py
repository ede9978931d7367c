"""Arrays that stay read-only in copies of what holds them, for NumPy itself forgets it."""

from __future__ import annotations

from typing import Any

import numpy as np


class KeepsReadOnly:
    """What holds arrays in its attributes: those that are read-only are so in deep copies and after pickling, too.

    Compiled code works with what it was made from, so a number that is written into such an array would be ignored.

    Examples
    --------
    >>> import copy
    >>> import rbdkit as rbd
    >>> copy.deepcopy(rbd.Revolute("y")).axis.flags.writeable
    False
    """

    def __getstate__(self) -> tuple[Any, tuple[str, ...]]:
        own = self.__dict__.items()
        return super().__getstate__(), tuple(
            name for name, value in own if isinstance(value, np.ndarray) and not value.flags.writeable
        )

    def __setstate__(self, state: tuple[Any, tuple[str, ...]]) -> None:
        held, read_only = state
        for part in held if isinstance(held, tuple) else (held,):  # attributes, and what stands in slots
            for name, value in (part or {}).items():
                object.__setattr__(self, name, value)
        for name in read_only:
            self.__dict__[name].flags.writeable = False
