"""Array layouts of programs that compute several states at once, one in each lane.

Two layouts need help from Python (see `rbdkit.trace.program.Lanes` for all three). *Woven* arrays are made here, number
by number from the arrays of all lanes (`woven`), and begin with a cache line, so that the vector of a number never lies
in two lines. For arrays *apart*, such as states in the rows of one large array, nothing is copied: the code gets a
table with the address of each lane's row (`Apart`), and a distance by which it prefetches the next state's row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Size of a cache line in bytes: the lanes of a number should not lie in two lines."""


class Apart:
    """Separate arrays of the lanes, each beginning with a row of one large array.

    It holds addresses only: the large array must live as long as a program runs on it.

    Attributes
    ----------
    table : addresses of the lanes' arrays, and the distance in bytes to the same lane's next state (for prefetching).
    """

    def __init__(self, width: int) -> None:
        self.table = np.zeros(width + 1, dtype=np.int64)
        self._lanes, self._apart, self._rows = self.table[:-1], -1, np.arange(width)

    def point(self, array: NDArray, first: NDArray, ahead: int = 0) -> Apart:
        """Let lanes begin with rows `first` of an array (rows, ...). ahead : rows to a lane's next state."""
        row, self._apart = array.strides[0], -1
        self.table[:-1], self.table[-1] = array.ctypes.data + row * first, row * ahead
        return self

    def follow(self, array: NDArray, first: int) -> None:
        """Let lanes begin with consecutive rows of an array, from row `first` on; next states are a width ahead."""
        row = array.strides[0]
        if row != self._apart:
            self._apart, self._offsets = row, row * self._rows
            self.table[-1] = row * len(self._rows)
        # in place: this runs for every block of states, and allocates nothing
        np.add(self._offsets, array.ctypes.data + row * first, out=self._lanes)


Given = NDArray | Apart
"""Array arguments of a bound program."""

Binder = Callable[[Mapping[str, Given], Mapping[str, int]], Callable[[], None]]
"""Function that binds a program to the arrays and counts that were not fixed before."""


def blank(size: int, width: int) -> NDArray:
    """Return an array of zeros (size, width) that begins with a cache line."""
    spare = LINE // 8
    room = np.zeros(size * width + spare)
    # how many numbers there are up to the next cache line
    start = -room.ctypes.data // 8 % spare
    return room[start : start + size * width].reshape(size, width)


def line_starts(sizes: Sequence[int], width: int) -> tuple[list[int], int]:
    """Return the starts of arrays (size, width) in one block of memory, on cache lines, and the size of the block."""
    starts, end, spare = [], 0, LINE // 8
    for size in sizes:
        starts.append(end)
        # rounded up to whole cache lines
        end += -(-size * width // spare) * spare
    return starts, end


def woven(arrays: Sequence[NDArray]) -> NDArray:
    """Interleave arrays of the same size, one for each lane, to one (size, width)."""
    together = blank(arrays[0].size, len(arrays))
    for lane, x in enumerate(arrays):
        together[:, lane] = x.ravel()
    return together
