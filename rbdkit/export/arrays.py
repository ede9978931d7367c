"""Arrays in a page, small: numbers on a grid as differences along columns, all first bytes before all second ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Columns(bytes):
    """Little-endian words of four bytes that stand in rows.

    Parameters
    ----------
    width : int
        Words of a row; a word is like the one above it.
    grid : float
        Words are float32, multiples of that number but for rounding; 0 for words as they are.
    """

    width: int
    grid: float

    def __new__(cls, data: bytes, width: int, grid: float = 0.0) -> Columns:
        """Bytes that know how they stand."""
        made = super().__new__(cls, data)
        made.width, made.grid = width, grid
        return made


def on_grid(data: bytes, width: int, fineness: int) -> Columns:
    """Numbers of float32 rounded to a power of two: the largest of them divided by about ``2**fineness``.

    They are left as they are where one of them is not finite.
    """
    numbers = np.frombuffer(data, dtype="<f4")
    largest = float(np.abs(numbers).max(initial=0.0))
    if not np.isfinite(numbers).all() or largest == 0.0:
        return Columns(data, width)
    return Columns(data, width, 2.0 ** (int(np.ceil(np.log2(largest))) - fineness))


class Arrays:
    """The arrays of a page, one after the other; one that is there already is not written again."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._there: dict[tuple[bytes, int, float], list[float]] = {}

    def put(self, value: bytes) -> dict[str, list[float]]:
        """Where an array begins, its bytes, words of a row, grid: as the page's JavaScript asks for it."""
        width, grid = (value.width, value.grid) if isinstance(value, Columns) else (1, 0.0)
        key = (bytes(value), width, grid)
        if key not in self._there:
            self._there[key] = [len(self.data), len(value), width, grid]
            self.data.extend(spread(_words(value, grid), width))
        return {"$": self._there[key]}


def _words(data: bytes, grid: float) -> NDArray:
    if grid > 0.0:
        return np.round(np.frombuffer(data, dtype="<f4").astype(float) / grid).astype("<i4").view("<u4")
    return np.frombuffer(data + bytes(-len(data) % 4), dtype="<u4")


def spread(words: NDArray, width: int) -> bytes:
    """Differences to the words a row above, small ones as small numbers, all first bytes before all second ones."""
    above = np.zeros_like(words)
    above[width:] = words[:-width] if len(words) > width else above[width:]
    change = (words - above).view("<i4")
    zigzag = ((change << 1) ^ (change >> 31)).view("<u4")
    return zigzag.view(np.uint8).reshape(-1, 4).T.tobytes()
