"""Sweeps that learn from those before, on dense matrices: `rbdkit.engine.contact.mixing` says how."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.mixing import AGAIN, MEMORY, PLAIN, TURN, WORSE, least_squares


class Mixing:
    """What is kept of the sweeps over one problem.

    Parameters
    ----------
    weight : (n,) of each impulse: the velocity that it gives to its own point.
    """

    def __init__(self, weight: NDArray) -> None:
        self._weight, self._least, self._since = weight, np.inf, 0
        self._before: tuple[NDArray, NDArray] | None = None
        self._differences: list[tuple[NDArray, NDArray]] = []

    def mixed(self, x: NDArray, g: NDArray) -> NDArray:
        """Where the next sweep is to begin, (n,), after one that took x (n,) to g (n,)."""
        self._since += 1
        if self._since > TURN:
            self._since, self._least, self._before, self._differences = PLAIN - AGAIN, np.inf, None, []
        if self._since < PLAIN:
            return g
        f = g - x
        size = float(f @ (self._weight * f))
        if self._before is not None:
            self._differences = [(f - self._before[0], g - self._before[1]), *self._differences[: MEMORY - 1]]
        self._before = f, g
        if size > WORSE * self._least:
            self._differences, self._least = [], size
            return g
        self._least = min(self._least, size)
        if not self._differences:
            return g
        of_f, of_g = (np.array(own) for own in zip(*self._differences, strict=True))
        gamma = least_squares((of_f * self._weight @ of_f.T).tolist(), (of_f @ (self._weight * f)).tolist())
        return g - np.array(gamma) @ of_g
