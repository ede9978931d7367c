"""Sampled controllers: objects that are asked once a period, keep a memory of their own, and hold their output.

A law of (t, q, v) is a force of nature: an integrator asks it several times a step, in states that the motion never
reaches, so it must not keep anything. A digital controller is asked once a period, in order, and what it answers acts
until it is asked again. Here its answers are entered, step by step, into the table of forces that are held over steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from rbdkit.errors import ArgumentError, SimulationError
from rbdkit.spatial.read_numbers import number, shown

WHOLE = 1e-6
"""Largest distance of a period from a whole number of steps, as a part of a step."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """A controller that is asked once a period and holds its output, for ``simulate(..., tau=)``.

    Parameters
    ----------
    controller : callable
        ``controller(t, q, v)`` returns joint forces (nv,). It may be any object that can be called, and keep what it
        likes from one call to the next. If it has a method ``reset``, that is called when a run begins.
    period : float
        Time from one call to the next, s: a whole number of steps of the run.

    Raises
    ------
    ArgumentError
        If the controller cannot be called, or the period is not positive.

    Notes
    -----
    In joint coordinates, with loops and under contact laws, steps are compiled between its calls; in other formulations
    Python makes them. Under 'time_stepping' no solver but sweeps is then tried. A run with the same controller object
    again goes on with what it kept, unless it has ``reset``. The energy of such a run is not judged, as its forces
    jump.

    Examples
    --------
    An integrating controller, asked a hundred times a second, holds an arm level against gravity:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> class Integrating:
    ...     def reset(self):
    ...         self.sum = 0.0
    ...     def __call__(self, t, q, v):
    ...         error = np.pi / 2 - q[0]
    ...         self.sum += 0.01 * error
    ...         return np.array([60.0 * error + 60.0 * self.sum - 12.0 * v[0]])
    >>> law = rbd.Sampled(Integrating(), period=0.01)
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=8.0, tau=law)
    >>> abs(float(motion.q[-1, 0]) - np.pi / 2) < 1e-3
    True
    """

    controller: Callable[[float, NDArray, NDArray], Any]
    period: float

    def __post_init__(self) -> None:
        if not callable(self.controller):
            raise ArgumentError(f"controller = {shown(self.controller)} must be a function or object of (t, q, v)")
        period = number(self.period, "period must be a finite number of s, not {}".format, ArgumentError)
        if not period > 0.0:
            raise ArgumentError(f"period = {period:g} s must be positive")
        object.__setattr__(self, "period", float(period))


class Sampler:
    """A sampled controller in a run: it fills the table of forces held over steps.

    Parameters
    ----------
    ask : the controller, its results checked. every : number of steps from one call to the next.
    held : (steps, nv) the table, row k acting during step k.
    """

    def __init__(self, ask: Callable[[float, NDArray, NDArray], NDArray], every: int, held: NDArray) -> None:
        self.ask, self.every, self.held = ask, every, held
        self._begun = -1

    def begin(self, k: int, t: float, q: NDArray, v: NDArray) -> None:
        """Ask the controller if step k begins a period; hold its last output otherwise."""
        if k == self._begun:  # some methods begin the first step twice
            return
        self._begun = k
        self.held[k] = self.ask(t, q, v) if k % self.every == 0 else self.held[k - 1]


class SampledInLoop:
    """A sampled controller in a compiled loop over time: it is asked between chunks of steps; see `Controller`.

    fault : the exception that ended the run, or None.
    """

    def __init__(self, sampler: Sampler, times: NDArray, nv: int) -> None:
        self._sampler, self._times, self._nv = sampler, times, nv
        self.fault: Exception | None = None
        self.stopped_at = 0

    @property
    def every(self) -> int:
        """Number of steps from one call to the next."""
        return self._sampler.every

    def begin(self, k: int, arrays: dict[str, NDArray]) -> bool:
        """Enter what the controller says at the beginning of step k into the rows of its period.

        Raises
        ------
        Exception
            Whatever the controller raises at the first step; later it ends the run.
        """
        held = self._sampler.held
        try:  # copies, as the loop goes on in these arrays
            self._sampler.begin(k, float(self._times[k]), arrays["x"].copy(), arrays["v"][: self._nv].copy())
        except Exception as fault:
            if k == 0:
                raise
            self.fault, self.stopped_at = fault, k
            return False
        held[k : k + self.every - k % self.every] = held[k]
        return True


def steps_in(period: float, times: NDArray) -> int:
    """Return the number of steps in a period.

    Raises
    ------
    SimulationError
        If it is no whole number.
    """
    h = float(times[1] - times[0])
    steps = round(period / h)
    if steps < 1 or abs(period / h - steps) > WHOLE:
        raise SimulationError(
            f"the period {period:g} s of a sampled controller is no whole number of steps of {h:g} s; take dt = "
            f"{period!r}{f' / {steps}' if steps > 1 else ''}"
        )
    return steps
