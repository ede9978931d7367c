"""A few steps of a motion, bound to its arrays once and taken from one state after the other."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import NDArray

from rbdkit.trace.run.beginning import Beginning
from rbdkit.trace.run.company import Company, Runnable


class FewSteps:
    """Steps of a motion from other states, at other times.

    Parameters
    ----------
    motion : with as many steps as are to be taken at once, so few that nobody waits for them. Its arrays are used.
    """

    def __init__(self, motion: Runnable) -> None:
        self._motion, self._arrays = motion, motion.arrays
        self._beginning = Beginning(self._arrays)
        self._company = Company([motion], 1)
        self._run = None if motion.during(0, motion.steps) else self._company.bound(motion.steps, 1)

    def __call__(self, times: NDArray, x: NDArray, v: NDArray, others: Mapping[str, NDArray]) -> NDArray | None:
        """The x after steps through the times (steps + 1,) from the state (x, v); None if a state is not finite.

        others : more arrays of the motion that are different here.
        """
        arrays = self._arrays
        self._beginning.restore()
        arrays["times"][...], arrays["x"][...], arrays["v"][...] = times, x, v
        for name, given in others.items():
            arrays[name][...] = given
        run = self._run or self._company.bound(self._motion.steps, 1)  # what moves by itself does so at other times
        run()
        return arrays["x"].copy() if arrays["done"][0] == self._motion.steps else None
