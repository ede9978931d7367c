"""Compiled steps of embedded Runge-Kutta pairs with step size control: SciPy's own algorithm, decision by decision.

Each iteration of the loop tries one step: its stages, its error estimate, the size of the next step. If a step ends
beyond the time to be reached, dense output interpolates the state there. One program serves all pairs, by the tables
of `embedded_pair`.

Several motions may run in lanes, each with its own step size: every decision is a flag of the lane, applied by
`select`. A lane that is finished repeats its last step without effect while others go on. The number of iterations in
one call is limited by "turns", so that a call returns in time; the next call continues where it stopped.

Error norm and controller: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section II.4.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from rbdkit.trace import (
    ELEMENTWISE,
    LARGEST,
    Index,
    Moment,
    Part,
    Program,
    Recorded,
    Scalar,
    Whole,
    equal,
    maximum,
    minimum,
    select,
    sqrt,
)

CHART = 1.0
"""Displacement (rad or m) beyond which a step begins with a new chart, well below the singularity at 2 pi."""
SAFETY, LEAST_FACTOR, MOST_FACTOR = 0.9, 0.2, 10.0
"""Step size control: safety factor, and limits of the ratio of successive step sizes (SciPy's values)."""
ENDLESS = 2**30
exp, log = ELEMENTWISE["exp"], ELEMENTWISE["log"]


@dataclass(frozen=True)
class Known:
    """Access to the numbers of a program's array by name."""

    program: Program
    array: str
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Scalar:
        return self.program.load(self.array, 0, self.names.index(name))

    def __setitem__(self, name: str, value: Scalar) -> None:
        self.program.store(self.array, 0, self.names.index(name), value)


@dataclass(frozen=True)
class TrialMoment(Moment):
    """Time of stage s of the trial step, on the way from times[n] to times[n + 1]."""

    @property
    def time(self) -> Scalar:
        solver = Known(self.program, "solver", FLAGS + NUMBERS)
        t = solver["t"] + self.program.load("c", self.s) * solver["h"]
        return maximum(solver["earliest"], minimum(t, solver["latest"]))  # stay inside of jumps at either end

    @property
    def fraction(self) -> Scalar:
        return (self.time - self.program.load("times", self.n, 0)) / self.h


def reach_next_time(system: Recorded, n: Index) -> None:
    """Record the steps from times[n] to times[n + 1]: a `rbdkit.trace.Record` on the arrays of `pair_arrays`.

    The last step may end beyond times[n + 1]; the next call continues from its end.
    """
    way = _Way(system, n)
    way.begin()
    with system.program.loop(0, ENDLESS):
        way.decide()
        way.aim()
        way.compute()
    way.leave_if_not_there()
    way.look_up()


class _Way:
    """Recorder of the steps from one recorded time to the next.

    A step leads from (u_start, v_start) at t to (u_end, v_end) at t_new, with u the displacement from "x_chart". A lane
    that is not active repeats its last step with the same result, so nothing of it changes.
    """

    def __init__(self, system: Recorded, n: Index) -> None:
        self.system, self.program, self.n, self.nv = system, system.program, n, system.nv
        self.solver = Known(self.program, "solver", FLAGS + NUMBERS)
        self.account = Known(self.program, "account", ACCOUNT)
        self.stages = self.program.count("stages")

    # --- numbers ------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> Scalar:
        """Time to be reached, s."""
        return self.program.load("times", self.n, 1)

    @property
    def bound(self) -> Scalar:
        """Upper bound for the end of a step: the next time of discontinuity, or the end of the motion."""
        return self.solver["bound"]

    @property
    def under_way(self) -> Scalar:
        """1 in lanes that have steps left, else 0."""
        return select(self.account["reached"] < self.time, select(self.account["why"] > 0.0, 0.0, 1.0), 0.0)

    def where(self, flag: str, a: Scalar, b: Scalar) -> Scalar:
        """Return a in lanes where a flag of the solver is 1, else b."""
        return select(equal(self.solver[flag], 0.0), b, a)

    def keep(self, flag: str, **values: Scalar) -> None:
        """Store numbers of the solver, in lanes where a flag is 1."""
        found = {name: self.where(flag, value, self.solver[name]) for name, value in values.items()}
        for name, value in found.items():
            self.solver[name] = value

    # --- a step -------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Record the initialisation before the very first step."""
        program, solver = self.program, self.solver
        with program.when("solver", 0, FLAGS.index("new")):
            for k in self.system.coordinates():
                program.store("x_chart", k, 0, program.load("x", k))
            for k in self.system.freedoms():
                for side in ("start", "end"):
                    program.store(f"u_{side}", k, 0, 0.0)
                    program.store(f"v_{side}", k, 0, program.load("v", k))
            now = program.load("times", self.n)
            solver["t"] = solver["t_new"] = solver["earliest"] = self.account["reached"] = now
            solver["new"], solver["starting"], solver["stale"] = 0.0, 1.0, 1.0

    def decide(self) -> None:
        """End the loop if nothing is left to do, or no turn; after an accepted step, make its end the new start."""
        program, solver, turns = self.program, self.solver, self.program.load("turns", 0)
        solver["active"] = self.under_way
        program.break_if(equal(solver["active"] * turns, 0.0))
        program.store("turns", 0, 0, program.load("turns", 0) - 1.0)
        begins = solver["active"] * solver["accepted"]
        too_many = select(solver["since"] < program.load("max_steps", 0), 0.0, begins)
        self.account["why"] = select(equal(too_many, 0.0), self.account["why"], float(TOO_MANY))
        solver["active"] = solver["active"] - too_many
        solver["begins"] = begins - too_many
        solver["far"] = 0.0
        for k in self.system.freedoms():
            solver["far"] = maximum(solver["far"], abs(program.load("u_end", k)))
        solver["replaced"] = select(solver["far"] > CHART, solver["begins"], 0.0)
        with program.when("solver", 0, FLAGS.index("replaced")):
            self.replace_chart()
        for k in self.system.freedoms():
            for name in ("u", "v", "u_rate", "v_rate"):
                value = self.where("begins", program.load(f"{name}_end", k), program.load(f"{name}_start", k))
                program.store(f"{name}_start", k, 0, value)
                if name.endswith("rate"):
                    program.store(f"{name}s", k, 0, value)

    def replace_chart(self) -> None:
        """Move the chart to the present state: u is zero there."""
        self.system.move(Part("x_chart"), Part("u_end"), Part("x_stage"))
        for k in self.system.coordinates():
            x = self.where("replaced", self.program.load("x_stage", k), self.program.load("x_chart", k))
            self.program.store("x_chart", k, 0, x)
        for k in self.system.freedoms():
            self.program.store("u_end", k, 0, self.where("replaced", 0.0, self.program.load("u_end", k)))
        left = self.program.load("last_time", 0) - self.account["reached"]
        # rates of u belong to the old chart; the size of the step goes on, as SciPy's solver is restarted with it
        self.keep("replaced", stale=1.0, h_next=minimum(left, self.solver["h"]))

    def aim(self) -> None:
        """Choose the end of the trial step."""
        solver = self.solver
        landed = equal(solver["t_new"], solver["bound"])
        now = solver["t_new"]
        self.keep(
            "begins",
            t=now,
            rejected=0.0,
            earliest=select(landed, solver["beyond"], now),
            # beyond a jump of forces the rates are others than those at the end of the step before
            stale=select(landed, 1.0, solver["stale"]),
        )
        self.find_bound()
        t = solver["t"]
        # the next number after t (Rump et al. 2009, successor by rounding); ten of the smallest one at 0
        spacing = (t + 1.1102230246251568e-16 * t) - t
        least = maximum(10.0 * spacing, 5e-323)
        self.keep("begins", h_next=maximum(least, minimum(solver["h_next"], self.program.load("max_step", 0))))
        # only a rejected step may become too short; a first try is made at least that long
        again = solver["active"] * (1.0 - solver["begins"]) * (1.0 - solver["starting"])
        too_short = select(solver["h_next"] < least, again, 0.0)
        self.account["why"] = select(equal(too_short, 0.0), self.account["why"], float(TOO_SHORT))
        solver["active"] = solver["active"] - too_short
        t_new = minimum(self.bound, t + solver["h_next"])
        self.keep("active", t_new=t_new, h=t_new - t, accepted=0.0)
        solver["reach"] = 0.0
        makes_step = solver["active"] * (1.0 - solver["starting"])
        flags = {FIRST: solver["active"] * solver["stale"], TRIAL: solver["active"] * solver["starting"], DENSE: 0.0}
        for role, wanted in {**flags, INNER: makes_step, LAST: makes_step}.items():
            self.program.store("wanted", 0, role, wanted)

    def find_bound(self) -> None:
        """Find the upper bound of the step: the next discontinuity after t, or the final time (the next recorded one if
        "landing"); with the times of evaluation on either side of it."""
        program, solver = self.program, self.solver
        end = select(equal(program.load("landing", 0), 0.0), program.load("last_time", 0), self.time)
        for name in ("bound", "latest", "beyond"):
            solver[name] = end
        with program.loop(0, program.entry("n_breaks", 0)) as i:
            time = program.load("breaks", i)
            nearer = select(solver["t"] < time, select(solver["bound"] < time, 0.0, 1.0), 0.0)
            found = {"bound": "breaks", "latest": "breaks_before", "beyond": "breaks_after"}
            for name, array in found.items():
                solver[name] = select(equal(nearer, 0.0), solver[name], program.load(array, i))

    def compute(self) -> None:
        """Record the loop over stages; those whose role is not "wanted" are skipped."""
        program = self.program
        with program.loop(0, self.stages) as s:
            role, row = program.entry("roles", s), s * self.nv
            with program.when("wanted", role):
                self.evaluate(s)
                for case in program.switch(role, range(5)):
                    for k in self.system.freedoms():
                        for name in ("u", "v"):
                            rate = program.load(f"{name}_rate", k)
                            if case == FIRST:
                                rate = self.where("stale", rate, program.load(f"{name}_rate_start", k))
                                program.store(f"{name}_rate_start", k, 0, rate)
                            elif case == LAST:
                                program.store(f"{name}_rate_end", k, 0, rate)
                                program.store(f"{name}_end", k, 0, program.load(f"{name}_stage", k))
                            program.store(f"{name}_rates", k + row, 0, rate)
                    if case == FIRST:
                        self.keep("active", stale=0.0)
                        with program.when("solver", 0, FLAGS.index("starting")):
                            self.guess_first_step()
                    elif case == TRIAL:
                        self.choose_first_step()
                    elif case == LAST:
                        self.judge()

    def evaluate(self, s: Index) -> None:
        """Evaluate the rates of stage s."""
        program, system = self.program, self.system
        self.add_up(s)
        for k in system.freedoms():
            for name in ("u", "v"):
                change = self.solver["h"] * program.load(f"{name}_sum", k)
                program.store(f"{name}_stage", k, 0, program.load(f"{name}_start", k) + change)
        system.move(Part("x_chart"), Part("u_stage"), Part("x_stage"))
        system.local_rate(Part("u_stage"), Part("v_stage"), Part("u_rate"))
        system.rate(TrialMoment(program, self.n, s), Part("x_stage"), Part("v_stage"), Part("v_rate"))
        for numbers, name in ((system.coordinates, "x_stage"), (system.freedoms, "v_stage")):
            for k in numbers():
                x = program.load(name, k)
                # tells in `judge` whether any stage was beyond `LARGEST` or not a number
                self.solver["reach"] = self.solver["reach"] + x * x

    def add_up(self, row: Whole) -> None:
        """Store in "u_sum", "v_sum" the sum of the stages' rates with the weights of a row of the tableau."""
        program = self.program
        self.clear_sums()
        with program.loop(program.entry("first_term", row), program.entry("first_term", row + 1)) as term:
            self.add(program.entry("terms", term), "weights", term)

    def clear_sums(self) -> None:
        for k in self.system.freedoms():
            for name in ("u_sum", "v_sum"):
                self.program.store(name, k, 0, 0.0)

    def add(self, j: Whole, weights: str, place: Whole) -> None:
        """Add the rates of stage j times a weight to the sums."""
        program, row = self.program, j * self.nv
        for k in self.system.freedoms():
            weight = program.load(weights, place)
            for name in ("u", "v"):
                more = weight * program.load(f"{name}_rates", k + row)
                program.store(f"{name}_sum", k, 0, program.load(f"{name}_sum", k) + more)

    def measure(self, name: str, u: str, v: str) -> None:
        """Store the mean square of numbers, each relative to its tolerance."""
        program, solver = self.program, self.solver
        solver[name] = 0.0
        for k in self.system.freedoms():
            for y, values in (("u", u), ("v", v)):
                size = maximum(abs(program.load(f"{y}_start", k)), abs(program.load(f"{y}_end", k)))
                allowed = program.load(f"{y}_atol", k) + size * program.load(f"{y}_rtol", k)
                x = program.load(values, k) / allowed
                solver[name] = solver[name] + x * x
        solver[name] = solver[name] / program.load("pair_size", 0)

    def root(self, x: Scalar) -> Scalar:
        """Return the power 1 / (order of the error estimate + 1) of a number."""
        return exp(self.program.load("exponent", 0) * log(x))

    # --- the length of a step -----------------------------------------------------------------------------------------

    def guess_first_step(self) -> None:
        """Guess the first step size h_0 (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.4)."""
        solver = self.solver
        self.measure("d_0", "u_start", "v_start")
        self.measure("d_1", "u_rate_start", "v_rate_start")
        d_0, d_1 = sqrt(solver["d_0"]), sqrt(solver["d_1"])
        # at rest, or without forces, the ratio says nothing about the time scale
        slow = minimum(d_0, d_1) < 1e-5
        h_0 = select(slow, 1e-6, 0.01 * d_0 / select(slow, 1.0, d_1))
        solver["h"] = minimum(self.bound - solver["t"], h_0)

    def choose_first_step(self) -> None:
        """Choose the first step size from the change of the rates in an Euler step of length h_0 (ibid.)."""
        program, solver = self.program, self.solver
        for k in self.system.freedoms():
            for y in ("u", "v"):
                program.store(f"{y}_sum", k, 0, program.load(f"{y}_rate", k) - program.load(f"{y}_rate_start", k))
        self.measure("d_0", "u_sum", "v_sum")
        d_1, d_2 = sqrt(solver["d_1"]), sqrt(solver["d_0"]) / solver["h"]
        solver["error"] = maximum(d_1, d_2)
        h_0 = solver["h"]
        h_1 = self.root(0.01 / maximum(1e-15, solver["error"]))
        h_1 = select(solver["error"] > 1e-15, h_1, maximum(1e-6, 1e-3 * h_0))
        longest = minimum(self.bound - solver["t"], program.load("max_step", 0))
        solver["h_next"] = minimum(longest, minimum(h_1, 100.0 * h_0))
        solver["starting"] = 0.0

    def judge(self) -> None:
        """Accept or reject the step by its error estimate, and choose the size of the next one."""
        program, solver, account = self.program, self.solver, self.account
        for name, row in (("d_0", self.stages), ("d_1", self.stages + 1)):
            self.add_up(row)
            self.measure(name, "u_sum", "v_sum")
        # DOP853 combines two estimates (Hairer, Nørsett, Wanner, section II.10); other pairs have d_1 = 0, and then the
        # error is h sqrt(d_0)
        squares = solver["d_0"] + 0.01 * solver["d_1"]
        error = solver["h"] * solver["d_0"] / sqrt(select(equal(squares, 0.0), 1.0, squares))
        # comparisons with a number that is none are false: such a step has the largest error and is rejected
        solver["error"] = select(solver["reach"] < LARGEST * LARGEST, error, LARGEST)
        fine, factor = solver["error"] < 1.0, SAFETY / self.root(solver["error"])
        # no growth right after a rejection, which would be rejected again
        longer = self.where("rejected", minimum(1.0, factor), minimum(MOST_FACTOR, factor))
        good = select(fine, solver["active"], 0.0)
        solver["accepted"] = self.where("active", good, solver["accepted"])
        solver["h_next"] = self.where(
            "active", solver["h"] * select(fine, longer, maximum(LEAST_FACTOR, factor)), solver["h_next"]
        )
        solver["rejected"] = self.where("active", 1.0 - good, solver["rejected"])
        solver["since"] = solver["since"] + good
        solver["taken"] = solver["taken"] + good
        account["reached"] = select(equal(good, 0.0), account["reached"], solver["t_new"])
        program.store("wanted", 0, DENSE, select(self.time < solver["t_new"], good, 0.0))

    # --- the time that is to be reached -------------------------------------------------------------------------------

    def leave_if_not_there(self) -> None:
        """End the program if its turns are used up before the time is reached; the next call continues."""
        self.solver["active"] = self.under_way
        with self.program.when("solver", 0, FLAGS.index("active")):
            self.program.leave_if(self.program.load("turns", 0) < 0.5)

    def look_up(self) -> None:
        """Store the state at the recorded time by dense output; one beyond `LARGEST` if the motion has ended."""
        program, system, solver, account = self.program, self.system, self.solver, self.account
        solver["theta"] = (self.time - solver["t"]) / solver["h"]
        self.clear_sums()
        with program.loop(0, self.stages) as j:
            program.store("scratch", 0, 0, 0.0)
            powers = program.entry("dense_powers", 0)
            first = j * powers
            with program.loop(0, powers) as i:
                # Horner's scheme in theta; in DOP853's polynomials theta and 1 - theta take turns
                factor = program.load("offset", i) + program.load("slope", i) * solver["theta"]
                weight = (program.load("scratch", 0) + program.load("dense", first + i)) * factor
                program.store("scratch", 0, 0, weight)
            self.add(j, "scratch", 0)
        for k in system.freedoms():
            for y, result in (("u", "u_stage"), ("v", "v_new")):
                between = program.load(f"{y}_start", k) + solver["h"] * program.load(f"{y}_sum", k)
                # a step that ends there needs no interpolation, whose order is lower than that of the step
                x = select(equal(solver["t_new"], self.time), program.load(f"{y}_end", k), between)
                if y == "v":
                    x = select(account["why"] > 0.0, 2.0 * LARGEST, x)
                program.store(result, k, 0, x)
        system.move(Part("x_chart"), Part("u_stage"), Part("x_new"))
        ended = account["why"] > 0.0
        account["steps"] = select(ended, account["steps"], solver["taken"])
        solver["since"] = select(ended, solver["since"], 0.0)
