"""Steps of embedded Runge-Kutta pairs with step size control: one text, on floats and in compiled loops.

Each turn tries one step: its stages, its error estimate, the size of the next step. If a step ends beyond the time to
be reached, dense output interpolates the state there. Error norm, first step and controller: Hairer, Nørsett, Wanner,
Solving Ordinary Differential Equations I, section II.4; limits and safety factors are SciPy's, and so are the steps.

`OnFloats` runs the text for one motion, `rbdkit.integrators.embedded_program` records it. In a program several motions
may run in lanes, each with its own step size. So every decision is a flag, 0 or 1, applied by `select`: a lane that is
finished repeats its last step without effect while others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators.embedded_pair import (
    ACCOUNT,
    DENSE,
    FIRST,
    FLAGS,
    INNER,
    LAST,
    NUMBERS,
    TOO_MANY,
    TOO_SHORT,
    TRIAL,
)
from rbdkit.trace import ELEMENTWISE, LARGEST, Scalar, equal, maximum, minimum, select, sqrt

CHART = 1.0
"""Displacement (rad or m) beyond which a step begins with a new chart, well below the singularity at 2 pi."""
SAFETY, LEAST_FACTOR, MOST_FACTOR = 0.9, 0.2, 10.0
"""Step size control: safety factor, and limits of the ratio of successive step sizes (SciPy's values)."""
exp, log = ELEMENTWISE["exp"], ELEMENTWISE["log"]


class EmbeddedSteps:
    """The steps of a motion from one recorded time to the next, `time`; the last one may end beyond that.

    A step leads from y = (u, v) in `start` at t to that in `end` at t_new, with u the displacement from a chart. The
    numbers in `FLAGS`, `NUMBERS` and `ACCOUNT` are attributes; as they are floats or places in a program, self has no
    type in the text. A subclass says what the rest is on floats, or in a program::

        turns()             repeats while there are steps left
        when(flag)          once if a flag is 1 (in any of several lanes)
        stages()            each stage with its role, if that is wanted
        cases(role)         the role of a stage
        components()        the components of y one by one, or all at once
        breaks()            times where forces jump, with the times of evaluation on either side
        total(of)           sum over components
        add_up(row)         the `sum` of the rates with the weights of a row of the tableau
        interpolate()       the `sum` of the rates with the weights of dense output at theta
        evaluate(s)         the `rate` at `stage`; adds the sum of squares of the state to reach
        displaced()         largest displacement in `end`
        replace_chart()     moves the chart to `end`, where u is zero then
        arrive()            takes the state in `stage` as that at the recorded time
    """

    reach: Scalar

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def reach_next_time(self: Any) -> None:
        """Step until `time` is reached, and find the state there."""
        for _ in self.turns():
            self.begin()
            self.aim()
            for s, role in self.stages():
                self.add_up(s)
                for y in self.components():
                    y.stage = y.start + self.h * y.sum
                self.evaluate(s)
                for case in self.cases(role):
                    self.take_rates(s, case)
        self.look_up()

    # --- a step -------------------------------------------------------------------------------------------------------

    @property
    def under_way(self: Any) -> Scalar:
        """1 if there are steps left, else 0."""
        return select(self.reached < self.time, select(self.why > 0.0, 0.0, 1.0), 0.0)

    def begin(self: Any) -> None:
        """After an accepted step, make its end the new start."""
        begins = self.active * self.accepted
        too_many = select(self.since < self.max_steps, 0.0, begins)
        self.end_early(too_many, TOO_MANY)
        self.begins = begins - too_many
        self.far = self.displaced()
        self.replaced = select(self.far > CHART, self.begins, 0.0)
        for _ in self.when("replaced"):
            self.replace_chart()
            # rates of u belong to the old chart; the size of the step goes on, as SciPy's solver is restarted with it
            self.keep("replaced", stale=1.0, h_next=minimum(self.last_time - self.reached, self.h))
        for y in self.components():
            y.start, y.rate_start = self.where("begins", y.end, y.start), self.where("begins", y.rate_end, y.rate_start)
            y.rates[0] = y.rate_start

    def aim(self: Any) -> None:
        """Choose the end of the trial step."""
        landed, now = equal(self.t_new, self.bound), self.t_new
        # beyond a jump of forces the rates are others than those at the end of the step before
        earliest, stale = select(landed, self.beyond, now), select(landed, 1.0, self.stale)
        self.keep("begins", t=now, rejected=0.0, earliest=earliest, stale=stale)
        self.bound = self.latest = self.beyond = self.end
        for time, before, after in self.breaks():
            nearer = select(self.t < time, select(self.bound < time, 0.0, 1.0), 0.0)
            for name, value in (("bound", time), ("latest", before), ("beyond", after)):
                setattr(self, name, select(equal(nearer, 0.0), getattr(self, name), value))
        t = self.t
        # the next number after t (Rump et al. 2009, successor by rounding); ten of the smallest one at 0
        least = maximum(10.0 * ((t + 1.1102230246251568e-16 * t) - t), 5e-323)
        self.keep("begins", h_next=maximum(least, minimum(self.h_next, self.max_step)))
        # only a rejected step may become too short; a first try is made at least that long
        again = self.active * (1.0 - self.begins) * (1.0 - self.starting)
        self.end_early(select(self.h_next < least, again, 0.0), TOO_SHORT)
        t_new = minimum(self.bound, t + self.h_next)
        self.keep("active", t_new=t_new, h=t_new - t, accepted=0.0)
        self.reach = 0.0
        makes_step = self.active * (1.0 - self.starting)
        flags = {FIRST: self.active * self.stale, TRIAL: self.active * self.starting, DENSE: 0.0}
        for role, wanted in {**flags, INNER: makes_step, LAST: makes_step}.items():
            self.wanted[role] = wanted

    def end_early(self: Any, flag: Scalar, why: int) -> None:
        """End the motion here where a flag is 1."""
        self.why = select(equal(flag, 0.0), self.why, float(why))
        self.active = self.active - flag

    def time_of(self: Any, s: Any) -> Scalar:
        """Return the time of stage s, on the sides of jumps of forces that the step is on, s."""
        return maximum(self.earliest, minimum(self.t + self.c[s] * self.h, self.latest))

    def take_rates(self: Any, s: Any, case: int) -> None:
        """Keep the rates of stage s, and do what its role says."""
        for y in self.components():
            if case == FIRST:
                y.rate = y.rate_start = self.where("stale", y.rate, y.rate_start)
            elif case == LAST:
                y.rate_end, y.end = y.rate, y.stage
            if case != TRIAL:
                y.rates[s] = y.rate
        if case == FIRST:
            self.keep("active", stale=0.0)
            for _ in self.when("starting"):
                self.guess_first_step()
        elif case == TRIAL:
            self.choose_first_step()
        elif case == LAST:
            self.judge()

    # --- the length of a step -----------------------------------------------------------------------------------------

    def mean_square(self: Any, of: Callable[[Any], Any]) -> Scalar:
        """Return the mean square of components, each relative to its tolerance."""

        def square(y: Any) -> Any:
            x = of(y) / (y.atol + maximum(abs(y.start), abs(y.end)) * y.rtol)
            return x * x

        return self.total(square) / self.pair_size

    def root(self: Any, x: Scalar) -> Scalar:
        """Return the power 1 / (order of the error estimate + 1) of a number."""
        return exp(self.exponent * log(x))

    def guess_first_step(self: Any) -> None:
        """Guess the first step size h_0 (Hairer, Nørsett, Wanner, II.4)."""
        self.d_0 = self.mean_square(lambda y: y.start)
        self.d_1 = self.mean_square(lambda y: y.rate_start)
        d_0, d_1 = sqrt(self.d_0), sqrt(self.d_1)
        # at rest, or without forces, the ratio says nothing about the time scale
        slow = minimum(d_0, d_1) < 1e-5
        self.h = minimum(self.bound - self.t, select(slow, 1e-6, 0.01 * d_0 / select(slow, 1.0, d_1)))

    def choose_first_step(self: Any) -> None:
        """Choose the first step size from the change of the rates in an Euler step of length h_0 (ibid.)."""
        self.d_0 = self.mean_square(lambda y: y.rate - y.rate_start)
        h_0, change = self.h, maximum(sqrt(self.d_1), sqrt(self.d_0) / self.h)
        h_1 = select(change > 1e-15, self.root(0.01 / maximum(1e-15, change)), maximum(1e-6, 1e-3 * h_0))
        longest = minimum(self.bound - self.t, self.max_step)
        self.h_next, self.starting = minimum(longest, minimum(h_1, 100.0 * h_0)), 0.0

    def judge(self: Any) -> None:
        """Accept or reject the step by its error estimate, and choose the size of the next one."""
        for name, row in (("d_0", self.n_stages), ("d_1", self.n_stages + 1)):
            self.add_up(row)
            setattr(self, name, self.mean_square(lambda y: y.sum))
        # DOP853 combines two estimates (Hairer, Nørsett, Wanner, section II.10); other pairs have d_1 = 0, and then the
        # error is h sqrt(d_0)
        squares = self.d_0 + 0.01 * self.d_1
        error = self.h * self.d_0 / sqrt(select(equal(squares, 0.0), 1.0, squares))
        # comparisons with a number that is none are false: such a step has the largest error and is rejected
        error = select(self.reach < LARGEST * LARGEST, select(error < LARGEST, error, LARGEST), LARGEST)
        fine, factor = error < 1.0, SAFETY / self.root(maximum(1e-300, error))
        # no growth right after a rejection, which would be rejected again
        longer = minimum(self.where("rejected", 1.0, MOST_FACTOR), factor)
        good = select(fine, self.active, 0.0)
        h_next = self.h * select(fine, longer, maximum(LEAST_FACTOR, factor))
        self.keep("active", accepted=good, h_next=h_next, rejected=1.0 - good)
        self.since, self.taken = self.since + good, self.taken + good
        self.reached = select(equal(good, 0.0), self.reached, self.t_new)
        self.wanted[DENSE] = select(self.time < self.t_new, good, 0.0)

    # --- the time that is to be reached -------------------------------------------------------------------------------

    def look_up(self: Any) -> None:
        """Find the state at the recorded time by dense output."""
        self.theta = (self.time - self.t) / self.h
        self.interpolate()
        for y in self.components():
            between = y.start + self.h * y.sum
            # a step that ends there needs no interpolation, whose order is lower than that of the step
            y.stage = select(equal(self.t_new, self.time), y.end, between)
        self.arrive()
        ended = self.why > 0.0
        self.steps, self.since = select(ended, self.steps, self.taken), select(ended, self.since, 0.0)

    # --- flags --------------------------------------------------------------------------------------------------------

    def where(self: Any, flag: str, a: Any, b: Any) -> Any:
        """Return a where a flag is 1, else b."""
        return select(equal(getattr(self, flag), 0.0), b, a)

    def keep(self: Any, flag: str, **values: Scalar) -> None:
        """Set numbers where a flag is 1."""
        found = {name: self.where(flag, value, getattr(self, name)) for name, value in values.items()}
        for name, value in found.items():
            setattr(self, name, value)


class OnFloats(EmbeddedSteps):
    """The steps of one motion of a `System`, from Python. arrays : see `embedded_pair.pair_arrays`."""

    def __init__(self, system: System, arrays: dict[str, NDArray], times: NDArray, x: NDArray, v: NDArray) -> None:
        self.system, self.arrays, self.nv, self.x_chart = system, arrays, len(v), x
        self.x, self.v = x, v
        for name in FLAGS + NUMBERS + ACCOUNT:
            setattr(self, name, 0.0)
        for name in ("max_step", "max_steps", "exponent", "pair_size"):
            setattr(self, name, float(arrays[name][0]))
        self.c, self.wanted, self.n_stages = arrays["c"].tolist(), [0.0] * 5, len(arrays["c"])
        self.end = self.last_time = float(times[-1])
        self.t = self.t_new = self.earliest = self.reached = float(times[0])
        self.active = self.starting = self.stale = 1.0
        y = np.concatenate([np.zeros(len(v)), v])
        rtol, atol = (np.concatenate([arrays[f"u_{name}"], arrays[f"v_{name}"]]) for name in ("rtol", "atol"))
        rates = np.zeros((self.n_stages, len(y)))
        self.y = SimpleNamespace(
            start=y, end=y, rate_start=0.0 * y, rate_end=0.0 * y, rates=rates, rtol=rtol, atol=atol
        )

    def to(self, time: float) -> tuple[NDArray, NDArray]:
        """Return the state at a later time."""
        self.time = time
        self.reach_next_time()
        return self.x, self.v

    def turns(self) -> Iterator[None]:
        while self.under_way:
            yield

    def when(self, flag: str) -> Iterator[None]:
        if getattr(self, flag):
            yield

    def stages(self) -> Iterator[tuple[int, int]]:
        return ((s, role) for s, role in enumerate(self.arrays["roles"].tolist()) if self.wanted[role])

    def cases(self, role: int) -> Iterator[int]:
        yield role

    def components(self) -> Iterator[SimpleNamespace]:
        yield self.y

    def breaks(self) -> Iterator[tuple[float, float, float]]:
        next_one = np.searchsorted(self.arrays["breaks"], self.t, side="right")
        columns = [self.arrays[name][next_one:][:1].tolist() for name in ("breaks", "breaks_before", "breaks_after")]
        return zip(*columns, strict=True)

    def total(self, of: Callable[[Any], NDArray]) -> float:
        return float(np.sum(of(self.y)))

    def add_up(self, row: int) -> None:
        first, end = self.arrays["first_term"][row : row + 2]
        self.y.sum = self.arrays["weights"][first:end] @ self.y.rates[self.arrays["terms"][first:end]]

    def interpolate(self) -> None:
        weights = 0.0
        # Horner's scheme in theta; in DOP853's polynomials theta and 1 - theta take turns
        factors = self.arrays["offset"] + self.arrays["slope"] * self.theta
        for factor, row in zip(factors, self.arrays["dense"].reshape(self.n_stages, -1).T, strict=True):
            weights = (weights + row) * factor
        self.y.sum = weights @ self.y.rates

    def evaluate(self, s: int) -> None:
        system, u, v = self.system, self.y.stage[: self.nv], self.y.stage[self.nv :]
        try:
            x = system.move(self.x_chart, u)
            self.y.rate = np.concatenate([system.local_rate(u, v), system.rate(float(self.time_of(s)), x, v)])
            self.reach += float(x @ x + v @ v)
        except FloatingPointError:
            # it cannot be computed there, so the step is rejected
            self.y.rate = np.full(2 * self.nv, np.nan)

    def displaced(self) -> float:
        return float(np.max(np.abs(self.y.end[: self.nv]), initial=0.0))

    def replace_chart(self) -> None:
        self.x_chart = self.system.move(self.x_chart, self.y.end[: self.nv])
        self.y.end = np.concatenate([np.zeros(self.nv), self.y.end[self.nv :]])

    def arrive(self) -> None:
        if self.why > 0.0:  # it ended early, where rates may be no numbers
            return
        self.x, self.v = self.system.move(self.x_chart, self.y.stage[: self.nv]), self.y.stage[self.nv :]
