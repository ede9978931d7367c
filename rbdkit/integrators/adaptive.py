"""Adaptive integration: SciPy's methods with error estimate and variable steps; the explicit ones also compiled.

These methods work on a flat vector. Coordinates on a manifold (quaternions) are no such thing, so they get the
displacement u from a reference point, a *chart*, and move to a new chart when u grows beyond `CHART`. The steps of the
explicit ones are the text of `rbdkit.integrators.embedded_steps`, from Python and in compiled loops; they are those of
SciPy, decision by decision. Those of the implicit ones are made by SciPy's solvers, driven here.

An adaptive method of order p meets a jump of a force with many rejected steps. So steps end exactly where forces are
known to jump or bend, and forces are evaluated a few roundings away from such a time, on the side of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations import System
from rbdkit.integrators.embedded_pair import TOO_MANY, TOO_SHORT, EmbeddedPair, pair_arrays, sides
from rbdkit.integrators.embedded_program import reach_next_time
from rbdkit.integrators.embedded_steps import CHART, OnFloats
from rbdkit.spatial.read_numbers import shown
from rbdkit.trace import Record

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver

SOLVERS = {"dop853": "DOP853", "rk45": "RK45", "rk23": "RK23", "radau": "Radau", "lsoda": "LSODA"}
"""Names of SciPy's classes; SciPy imports them on first use."""
ORDERS = {"dop853": 8, "rk45": 5, "rk23": 3, "radau": 5, "lsoda": 5}

EXPLICIT = ("dop853", "rk45", "rk23")
"""Embedded Runge-Kutta pairs, whose steps can be compiled."""

MOST_STEPS = 10_000
"""Default limit of steps from one recorded time to the next; SUNDIALS and ODEPACK give up after 500."""


class Adaptive:
    """A SciPy solver in the displacement u from the last point of reference, so that x stays on its manifold.

    The explicit methods make the same steps in compiled loops, too. No step leads past a time where forces are known to
    jump or bend: those of tables, and the ``breaks`` that functions declare (see `rbdkit.simulate`). An error estimate
    knows nothing of a force between the states that it compares, so no step is longer than `max_step`.

    Parameters
    ----------
    method : {'dop853', 'rk45', 'rk23', 'radau', 'lsoda'} or EmbeddedPair, optional
        'dop853' (order 8, for accuracy), 'rk45', 'rk23', or the implicit 'radau' and 'lsoda' for stiff systems; or a
        tableau of one's own.
    rtol, atol : float, optional
        Tolerances of a step, relative and absolute (rad, m, rad/s, m/s).
    max_steps : int, optional
        The most steps between two times that are asked for. A motion that needs more (far too fast, or far too
        stiff for the method) would seem to stand still for ever; it ends there and says so.
    max_step : float, optional
        The longest step, s; the interval of recording if not given. A force that acts for a shorter time may be stepped
        over. ``np.inf`` leaves the length to the error estimate alone, as `scipy.integrate.solve_ivp` does.

    Raises
    ------
    SimulationError
        If `max_steps` is no whole number of steps, or `max_step` no length of time.

    Examples
    --------
    Recorded 100 times a second, and no step is longer than that:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import Adaptive
    >>> tight = Adaptive("dop853", rtol=1e-10, atol=1e-10)
    >>> motion = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=1.0, dt=0.01, integrator=tight)
    >>> len(motion), motion.report.adaptive
    (101, True)

    With steps as long as the tolerance allows:

    >>> free = Adaptive("dop853", rtol=1e-10, atol=1e-10, max_step=float("inf"))
    >>> fewer = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=1.0, dt=0.01, integrator=free)
    >>> fewer.report.steps < 50 < motion.report.steps
    True
    """

    conserves: ClassVar[tuple[str, ...]] = ()
    requires: ClassVar[type] = System
    shared: ClassVar[frozenset[str]] = frozenset({"weights", "breaks", "breaks_before", "breaks_after"})

    def __init__(
        self,
        method: Literal["dop853", "rk45", "rk23", "radau", "lsoda"] | EmbeddedPair = "dop853",
        rtol: float = 1e-9,
        atol: float = 1e-9,
        max_steps: int = MOST_STEPS,
        max_step: float | None = None,
    ) -> None:
        if isinstance(max_steps, bool) or not isinstance(max_steps, int | np.integer) or max_steps < 1:
            raise SimulationError(f"max_steps = {shown(max_steps)} must be a whole number of steps, 1 or more")
        if max_step is not None and not (
            isinstance(max_step, int | float | np.number) and not isinstance(max_step, bool) and max_step > 0.0
        ):
            raise SimulationError(
                f"max_step = {shown(max_step)} must be a length of time in s, larger than 0; np.inf sets no limit"
            )
        self.tableau = method
        self.name: str = method.name if isinstance(method, EmbeddedPair) else method
        self.max_steps = int(max_steps)
        self.max_step = None if max_step is None else float(max_step)
        self.breaks, self.tables = np.zeros(0), False
        self.rtol, self.atol = rtol, atol
        self.order = method.order if isinstance(method, EmbeddedPair) else ORDERS[method]

    @property
    def solver(self) -> type[OdeSolver]:
        """SciPy's class of the method."""
        given = self.tableau
        return given.solver if isinstance(given, EmbeddedPair) else getattr(scipy.integrate, SOLVERS[given])

    def samples(self, system: System, times: NDArray, x: NDArray, v: NDArray) -> Iterator[tuple[NDArray, NDArray, int]]:
        """Yield the states (x, v) at times[1:] in order, with the number of steps so far.

        Raises
        ------
        FloatingPointError
            When no step is short enough, or there are no rates where the motion begins.
        ConvergenceError
            When `max_steps` do not lead to the next time.
        """
        n, steps, last = len(v), 0, times[0]
        if not np.isfinite(system.rate(times[0], x, v)).all():  # explicit solvers of SciPy would try for ever
            raise FloatingPointError(f"{self.name} cannot begin: there are no finite accelerations")
        if self.explicit:
            yield from self._explicit_samples(system, times, x, v)
            return
        longest = self.longest(times)
        way = iter(self._stretches(times))
        stretch, dense = next(way), None
        solver = self._start(system, times[0], x, np.zeros(n), v, stretch, longest, None)
        for t in times[1:]:
            allowed = steps + self.max_steps
            while solver.t < t:
                if steps == allowed:
                    raise ConvergenceError(self._too_many(last, solver.t, t))
                u, far = solver.y[:n], np.max(np.abs(solver.y[:n]), initial=0.0) > CHART
                ended = solver.status == "finished"
                if ended or far:
                    # y jumps with the chart, and SciPy's solvers keep earlier values of it: a new solver begins
                    x, u = (system.move(x, u), 0.0 * u) if far else (x, u)
                    stretch = next(way) if ended else stretch
                    length = solver.step_size if far else getattr(solver, "h_abs", None)
                    solver = self._start(system, solver.t, x, u, solver.y[n:], stretch, longest, length)
                message = solver.step()
                steps, dense = steps + 1, None
                if solver.status == "failed":
                    raise FloatingPointError(f"{self.name} finds no step short enough: {message}")
            if solver.t == t:
                y = solver.y
            else:
                # one interpolant serves all recorded times within a step
                dense = solver.dense_output() if dense is None else dense
                y = dense(t)
            yield system.move(x, y[:n]), y[n:], steps
            last = t

    def _explicit_samples(
        self, system: System, times: NDArray, x: NDArray, v: NDArray
    ) -> Iterator[tuple[NDArray, NDArray, int]]:
        """Yield what `samples` does, by the steps of an embedded pair."""
        arrays = self.for_run(times, tuple(self._breaks(times)), tables=False).arrays(len(x), len(v))
        steps = OnFloats(system, arrays, times, x, v)
        for k, t in enumerate(times[1:]):
            state = steps.to(float(t))
            taken, fault = self.verdict(np.array([steps.steps, steps.why, steps.reached]), times, k)
            if fault is not None:
                raise fault
            yield *state, taken

    @property
    def explicit(self) -> bool:
        """Whether it is an embedded Runge-Kutta pair, whose steps are made here; SciPy makes those of the others."""
        return isinstance(self.tableau, EmbeddedPair) or self.name in EXPLICIT

    def longest(self, times: NDArray) -> float:
        """Return the largest allowed step of a motion that is recorded at these times, s."""
        return float(np.max(np.diff(times))) if self.max_step is None else self.max_step

    def for_run(self, times: NDArray, breaks: tuple[float, ...], tables: bool) -> Adaptive:
        """Return a copy of the method for motions recorded at these times; equal runs share one object.

        breaks : times at which steps have to end, s. tables : whether they also have to end at `times`, as sampled
        forces bend there.
        """
        return _for_run(self, self.longest(times), breaks, tables)

    def _breaks(self, times: NDArray) -> NDArray:
        """Return the times of breaks on the way, s."""
        breaks = np.union1d(self.breaks, times) if self.tables else self.breaks
        return breaks[(breaks > times[0]) & (breaks <= times[-1])]

    def _stretches(self, times: NDArray) -> Iterator[tuple[float, float, float]]:
        """Yield the smooth intervals between breaks: (first time of evaluation of forces, last one, end), s."""
        inside = self._breaks(times)
        begin = float(times[0])
        for end, before, after in zip(inside, *sides(inside), strict=True):
            yield begin, float(before), float(end)
            begin = float(after)
        yield begin, float(times[-1]), float(times[-1])

    # --- in a compiled loop over time ---------------------------------------------------------------------------------

    @property
    def record(self) -> Record:
        """Function that records the steps (see `rbdkit.trace.Recordable`); implicit methods have none."""
        if not self.explicit:
            raise AttributeError(f"the steps of {self.name!r} are made by SciPy alone")
        return reach_next_time

    @property
    def written_out(self) -> None:
        """None: bodies cannot be stepped separately, as the step size depends on all of them."""
        return None

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the arrays that `record` reads and writes; see `rbdkit.trace.Recordable`."""
        start, options = np.zeros(2 * nv), {"rtol": self.rtol, "atol": self.atol, "first_step": 1.0}
        # no motion: SciPy's constructor checks the tolerances and brings them into their final form
        solver = self.solver(lambda t, y: y, 0.0, start, 1.0, **options)
        longest = np.inf if self.max_step is None else self.max_step
        arrays = pair_arrays(solver, self.max_steps, longest, self.breaks, nx, nv)
        return arrays | {"landing": np.array([float(self.tables)])}

    def verdict(self, account: NDArray, times: NDArray, last: int) -> tuple[int, Exception | None]:
        """Return the number of steps of a compiled loop, and the error that stopped it at times[last], or None."""
        steps, why, reached = account
        if why == TOO_MANY:
            return int(steps), ConvergenceError(self._too_many(times[last], reached, times[last + 1]))
        if why == TOO_SHORT:
            message = self.solver.TOO_SMALL_STEP
            return int(steps), FloatingPointError(f"{self.name} finds no step short enough: {message}")
        return int(steps), None

    def _too_many(self, last: float, reached: float, t: float) -> str:
        stiff = "" if self.name in ("radau", "lsoda") else ", an integrator for stiff systems ('radau')"
        return (
            f"{self.max_steps} steps of {self.name} from t = {last:.6g} s came to t = {reached:.10g} s, not to "
            f"{t:.6g} s, the next time to be recorded: the motion is too fast or too stiff for it. Look for a "
            f"velocity, a stiffness or a damping that is too large, or take looser tolerances{stiff}, a shorter dt, "
            f"or Adaptive({self.tableau!r}, max_steps={10 * self.max_steps})"
        )

    def _start(
        self,
        system: System,
        t: float,
        x: NDArray,
        u: NDArray,
        v: NDArray,
        stretch: tuple[float, float, float],
        longest: float,
        first_step: float | None,
    ) -> OdeSolver:
        """Return a solver for y = (u, v), with u the displacement from x, for an interval without discontinuities."""
        n, (earliest, latest, end) = len(v), stretch

        def rate(t: float, y: NDArray) -> NDArray:
            u, speed = y[:n], y[n:]
            t = max(earliest, min(t, latest))  # stay inside of jumps of forces at either end
            return np.concatenate([system.local_rate(u, speed), system.rate(t, system.move(x, u), speed)])

        first = None if first_step is None else min(first_step, end - t)
        options = {"rtol": self.rtol, "atol": self.atol, "first_step": first, "max_step": longest}
        return self.solver(_rejectable(rate), t, np.concatenate([u, v]), end, **options)


@lru_cache(maxsize=32)
def _for_run(method: Adaptive, longest: float, breaks: tuple[float, ...], tables: bool) -> Adaptive:
    other = copy(method)
    other.max_step, other.breaks, other.tables = longest, np.array(sorted({*breaks})), tables
    return other


def _rejectable(rate: Callable[[float, NDArray], NDArray]) -> Callable[[float, NDArray], NDArray]:
    """Wrap a rate to return NaN where it cannot be computed, so that the solver rejects a trial step to there."""

    def guarded(t: float, y: NDArray) -> NDArray:
        try:
            return rate(t, y)
        except FloatingPointError:
            return np.full_like(y, np.nan)

    return guarded
