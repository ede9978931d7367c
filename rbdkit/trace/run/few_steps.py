"""Short motions from many states: a compiled loop of a few steps, bound to its arrays once."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import NDArray

from rbdkit.trace.run.beginning import Beginning
from rbdkit.trace.run.company import Company, Runnable


class FewSteps:
    """Step function: takes the steps of a motion from other states, at other times.

    Parameters
    ----------
    motion : motion with the number of steps to take at once, few enough for one call. Its arrays are overwritten.
    """

    def __init__(self, motion: Runnable) -> None:
        self._motion, self._arrays = motion, motion.arrays
        self._beginning = Beginning(self._arrays)
        self._company = Company([motion], 1)
        self._run = None if motion.during(0, motion.steps) else self._company.bound(motion.steps, 1)

    def __call__(self, times: NDArray, x: NDArray, v: NDArray, others: Mapping[str, NDArray]) -> NDArray | None:
        """Return x after steps through the times (steps + 1,) from the state (x, v); None if a state is not finite.

        others : further arrays of the motion that differ in this call.
        """
        arrays = self._arrays
        self._beginning.restore()
        arrays["times"][...], arrays["x"][...], arrays["v"][...] = times, x, v
        for name, given in others.items():
            arrays[name][...] = given
        run = self._run or self._company.bound(self._motion.steps, 1)  # arrays of `during` depend on the time
        run()
        return arrays["x"].copy() if arrays["done"][0] == self._motion.steps else None
