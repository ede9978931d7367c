"""Arrays that stay read-only when their owner is copied or pickled; NumPy alone does not keep the flag."""

from __future__ import annotations

from typing import Any

import numpy as np


class KeepsReadOnly:
    """Base class whose read-only array attributes stay read-only in deep copies and after pickling.

    Compiled code uses the values it was made from, so a number written into such an array would be ignored.

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
