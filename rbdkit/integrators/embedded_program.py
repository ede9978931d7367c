"""The text of `embedded_steps` in a program: one program serves all pairs, by the tables of `embedded_pair`.

The number of turns in one call is limited by "turns", so that a call returns in time; the next call continues where it
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rbdkit.integrators.embedded_pair import ACCOUNT, FLAGS, NUMBERS
from rbdkit.integrators.embedded_steps import EmbeddedSteps
from rbdkit.trace import LARGEST, Index, Moment, Part, Program, Recorded, Scalar, Whole, equal, maximum, select

ENDLESS = 2**30
FIELDS = {
    **{name: ("solver", k) for k, name in enumerate(FLAGS + NUMBERS)},
    **{name: ("account", k) for k, name in enumerate(ACCOUNT)},
    **{name: (name, 0) for name in ("max_steps", "max_step", "last_time", "exponent", "pair_size")},
}
"""Arrays and places of the numbers of `EmbeddedSteps`."""


def reach_next_time(system: Recorded, n: Index) -> None:
    """Record the steps from times[n] to times[n + 1]: a `rbdkit.trace.Record` on the arrays of `pair_arrays`."""
    InProgram(system, n).reach_next_time()


@dataclass(frozen=True)
class TrialMoment(Moment):
    """Time of stage s of the trial step, on the way from times[n] to times[n + 1]."""

    steps: InProgram

    @property
    def time(self) -> Scalar:
        return self.steps.time_of(self.s)

    @property
    def fraction(self) -> Scalar:
        return (self.time - self.program.load("times", self.n, 0)) / self.h


@dataclass(frozen=True)
class Numbers:
    """Numbers of an array, from a place on, each `stride` further than the one before."""

    program: Program
    array: str
    first: Whole = 0
    stride: Whole = 1

    def __getitem__(self, k: Whole) -> Scalar:
        return self.program.load(self.array, k * self.stride + self.first)

    def __setitem__(self, k: Whole, value: Scalar) -> None:
        self.program.store(self.array, k * self.stride + self.first, 0, value)


class Component:
    """Component k of u or v. Values are attributes: `start` stands in the array "u_start" or "v_start"."""

    def __init__(self, steps: InProgram, letter: str, k: Whole) -> None:
        vars(self).update(program=steps.program, letter=letter, k=k, nv=steps.nv)

    @property
    def rates(self) -> Numbers:
        """The rates of all stages."""
        return Numbers(self.program, f"{self.letter}_rates", self.k, self.nv)

    def __getattr__(self, name: str) -> Any:
        return self.program.load(f"{self.letter}_{name}", self.k)

    def __setattr__(self, name: str, value: Scalar) -> None:
        self.program.store(f"{self.letter}_{name}", self.k, 0, value)


class InProgram(EmbeddedSteps):
    """Recorder of the steps from times[n] to times[n + 1]."""

    far: Scalar

    def __init__(self, system: Recorded, n: Index) -> None:
        program = system.program
        self.system, self.program, self.n, self.nv = system, program, n, system.nv
        self.n_stages = program.count("stages")
        self.c, self.wanted = Numbers(program, "c"), Numbers(program, "wanted")

    def __getattr__(self, name: str) -> Any:
        if name not in FIELDS:
            raise AttributeError(name)
        array, place = FIELDS[name]
        return self.program.load(array, 0, place)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIELDS:
            array, place = FIELDS[name]
            self.program.store(array, 0, place, value)
        else:
            object.__setattr__(self, name, value)

    @property
    def time(self) -> Scalar:
        return self.program.load("times", self.n, 1)

    @property
    def end(self) -> Scalar:
        """The final time, or the next recorded one if "landing", s."""
        return select(equal(self.program.load("landing", 0), 0.0), self.last_time, self.time)

    def turns(self) -> Iterator[None]:
        program, turns = self.program, Numbers(self.program, "turns")
        for _ in self.when("new"):
            self.start()
        with program.loop(0, ENDLESS):
            self.active = self.under_way
            program.break_if(equal(self.active * turns[0], 0.0))
            turns[0] = turns[0] - 1.0
            yield
        self.active = self.under_way
        for _ in self.when("active"):
            program.leave_if(turns[0] < 0.5)

    def start(self) -> None:
        """Begin the motion."""
        for k in self.system.coordinates():
            self.program.store("x_chart", k, 0, self.program.load("x", k))
        for k in self.system.freedoms():
            for y, value in (("u", 0.0), ("v", self.program.load("v", k))):
                self.program.store(f"{y}_start", k, 0, value)
                self.program.store(f"{y}_end", k, 0, value)
        self.t = self.t_new = self.earliest = self.reached = self.program.load("times", self.n)
        self.new, self.starting, self.stale = 0.0, 1.0, 1.0

    def when(self, flag: str) -> Iterator[None]:
        with self.program.when(*FIELDS[flag][:1], 0, FIELDS[flag][1]):
            yield

    def stages(self) -> Iterator[tuple[Index, Index]]:
        with self.program.loop(0, self.n_stages) as s:
            role = self.program.entry("roles", s)
            with self.program.when("wanted", role):
                yield s, role

    def cases(self, role: Index) -> Iterator[int]:
        return self.program.switch(role, range(5))

    def components(self) -> Iterator[Component]:
        for k in self.system.freedoms():
            for letter in "uv":
                yield Component(self, letter, k)

    def breaks(self) -> Iterator[tuple[Scalar, Scalar, Scalar]]:
        program = self.program
        with program.loop(0, program.entry("n_breaks", 0)) as i:
            yield program.load("breaks", i), program.load("breaks_before", i), program.load("breaks_after", i)

    def total(self, of: Callable[[Any], Scalar]) -> Scalar:
        self.program.store("scratch", 0, 0, 0.0)
        for y in self.components():
            self.program.store("scratch", 0, 0, self.program.load("scratch", 0) + of(y))
        return self.program.load("scratch", 0)

    def add_up(self, row: Whole) -> None:
        program = self.program
        self._clear()
        with program.loop(program.entry("first_term", row), program.entry("first_term", row + 1)) as term:
            self._add(program.entry("terms", term), Numbers(program, "weights"), term)

    def interpolate(self) -> None:
        program, scratch, powers = self.program, Numbers(self.program, "scratch"), self.program.entry("dense_powers", 0)
        self._clear()
        with program.loop(0, self.n_stages) as j:
            scratch[0] = 0.0
            first = j * powers
            with program.loop(0, powers) as i:
                # Horner's scheme in theta; in DOP853's polynomials theta and 1 - theta take turns
                factor = program.load("offset", i) + program.load("slope", i) * self.theta
                scratch[0] = (scratch[0] + program.load("dense", first + i)) * factor
            self._add(j, scratch, 0)

    def _clear(self) -> None:
        for y in self.components():
            y.sum = 0.0

    def _add(self, j: Whole, weights: Numbers, place: Whole) -> None:
        for y in self.components():
            y.sum = y.sum + weights[place] * y.rates[j]

    def evaluate(self, s: Index) -> None:
        program, system = self.program, self.system
        system.move(Part("x_chart"), Part("u_stage"), Part("x_stage"))
        system.local_rate(Part("u_stage"), Part("v_stage"), Part("u_rate"))
        system.rate(TrialMoment(program, self.n, s, self), Part("x_stage"), Part("v_stage"), Part("v_rate"))
        for numbers, name in ((system.coordinates, "x_stage"), (system.freedoms, "v_stage")):
            for k in numbers():
                x = program.load(name, k)
                self.reach = self.reach + x * x

    def displaced(self) -> Scalar:
        self.far = 0.0
        for k in self.system.freedoms():
            self.far = maximum(self.far, abs(self.program.load("u_end", k)))
        return self.far

    def replace_chart(self) -> None:
        program, chart, moved = self.program, Part("x_chart"), Part("x_stage")
        self.system.move(chart, Part("u_end"), moved)
        for k in self.system.coordinates():
            chart.store(program, k, self.where("replaced", moved.load(program, k), chart.load(program, k)))
        for k in self.system.freedoms():
            program.store("u_end", k, 0, self.where("replaced", 0.0, program.load("u_end", k)))

    def arrive(self) -> None:
        program = self.program
        self.system.move(Part("x_chart"), Part("u_stage"), Part("x_new"))
        for k in self.system.freedoms():
            # a state beyond `LARGEST` tells the loop over time that the motion has ended
            program.store("v_new", k, 0, select(self.why > 0.0, 2.0 * LARGEST, program.load("v_stage", k)))
