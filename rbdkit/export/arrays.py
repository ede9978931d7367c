"""Compact arrays for a page: numbers on a grid as differences along columns, stored byte plane by byte plane.

Rounding to a grid, differences and byte planes compress nothing by themselves; they make runs of small equal bytes,
which gzip then packs well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Columns(bytes):
    """Little-endian words of four bytes in rows, with their layout.

    Parameters
    ----------
    width : int
        Words of a row; a word resembles the one above it.
    grid : float
        Words are float32, multiples of that number up to rounding; 0 for words as they are.
    """

    width: int
    grid: float

    def __new__(cls, data: bytes, width: int, grid: float = 0.0) -> Columns:
        """Return bytes with their layout."""
        made = super().__new__(cls, data)
        made.width, made.grid = width, grid
        return made


def on_grid(data: bytes, width: int, fineness: int) -> Columns:
    """Return float32 numbers with a grid, a power of two: the largest of them divided by about ``2**fineness``.

    Numbers stay exact if one of them is not finite.
    """
    numbers = np.frombuffer(data, dtype="<f4")
    largest = float(np.abs(numbers).max(initial=0.0))
    if not np.isfinite(numbers).all() or largest == 0.0:
        return Columns(data, width)
    return Columns(data, width, 2.0 ** (int(np.ceil(np.log2(largest))) - fineness))


class Arrays:
    """The arrays of a page in one buffer; equal arrays are stored once."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._there: dict[tuple[bytes, int, float], list[float]] = {}

    def put(self, value: bytes) -> dict[str, list[float]]:
        """Store an array and return its place, length in bytes, row width and grid, for the page's JavaScript."""
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
    """Return zigzag-coded differences to the row above, byte plane by byte plane."""
    above = np.zeros_like(words)
    above[width:] = words[:-width] if len(words) > width else above[width:]
    change = (words - above).view("<i4")
    zigzag = ((change << 1) ^ (change >> 31)).view("<u4")
    return zigzag.view(np.uint8).reshape(-1, 4).T.tobytes()
