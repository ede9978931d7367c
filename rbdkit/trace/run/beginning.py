"""Initial contents of the arrays of a motion, to be restored before it runs again from another state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.run.lanes import blank, line_starts


class Beginning:
    """Copy of the initial contents of a motion's arrays.

    Parameters
    ----------
    arrays : arrays of the motion, by name; float64 ones are replaced by views of one block, to be restored by one copy.
    besides : names of arrays that are left alone.
    """

    def __init__(self, arrays: dict[str, NDArray], besides: tuple[str, ...] = ()) -> None:
        ours = {name: x for name, x in arrays.items() if name not in besides}
        floats = {name: x for name, x in ours.items() if x.dtype == np.float64}
        starts, size = line_starts([x.size for x in floats.values()], 1)
        self._room = blank(size, 1)[:, 0]
        for start, (name, x) in zip(starts, floats.items(), strict=True):
            arrays[name] = self._room[start : start + x.size].reshape(x.shape)
            arrays[name][...] = x
        self._first = self._room.copy()
        self._others = [(x, x.copy()) for name, x in ours.items() if name not in floats]

    def restore(self) -> None:
        """Restore the initial contents of the arrays."""
        self._room[:] = self._first
        for x, first in self._others:
            x[...] = first
