"""Arrays as programs for several lanes take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes that a processor moves at once: the lanes of a number should not lie in two such pieces."""


class Apart:
    """An array for each lane: what begins with a row of one large array.

    It knows addresses only: the array must live as long as a program runs on it.

    Attributes
    ----------
    table : the addresses of the lanes' arrays, and the bytes between a state and the same lane's next one.
    """

    def __init__(self, width: int) -> None:
        self.table = np.zeros(width + 1, dtype=np.int64)
        self._lanes, self._apart, self._rows = self.table[:-1], -1, np.arange(width)

    def point(self, array: NDArray, first: NDArray, ahead: int = 0) -> Apart:
        """Let lanes begin with these rows of an array (rows, ...); so many rows ahead is their next state."""
        row, self._apart = array.strides[0], -1
        self.table[:-1], self.table[-1] = array.ctypes.data + row * first, row * ahead
        return self

    def follow(self, array: NDArray, first: int) -> None:
        """Let lanes begin with a row of an array and those after it, each with its next states a width ahead."""
        row = array.strides[0]
        if row != self._apart:
            self._apart, self._offsets = row, row * self._rows
            self.table[-1] = row * len(self._rows)
        np.add(self._offsets, array.ctypes.data + row * first, out=self._lanes)


Given = NDArray | Apart
"""What a program can be bound to."""

Binder = Callable[[Mapping[str, Given], Mapping[str, int]], Callable[[], None]]
"""Binds a program to the arrays and counts that were not said before."""


def blank(size: int, width: int) -> NDArray:
    """Room for so many numbers for each lane, (size, width), zero."""
    spare = LINE // 8
    room = np.zeros(size * width + spare)
    start = -room.ctypes.data // 8 % spare
    return room[start : start + size * width].reshape(size, width)


def line_starts(sizes: Sequence[int], width: int) -> tuple[list[int], int]:
    """Where arrays (size, width) begin in one room, each with a line of its own; and how large that is."""
    starts, end, spare = [], 0, LINE // 8
    for size in sizes:
        starts.append(end)
        end += -(-size * width // spare) * spare
    return starts, end


def woven(arrays: Sequence[NDArray]) -> NDArray:
    """Arrays of the same size, one for each lane, as one, (size, width)."""
    together = blank(arrays[0].size, len(arrays))
    for lane, x in enumerate(arrays):
        together[:, lane] = x.ravel()
    return together
