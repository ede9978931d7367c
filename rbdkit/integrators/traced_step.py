"""Traced integrator steps: lists of operations on whole vectors, and the code generator that writes them into programs.

The list is traced from the `step` of a method, see `step_tracer`: evaluations of the system (`rate`, `move`,
`local_rate`, `project`), equations to be solved, and elementwise arithmetic between them. It is a plain value, so two
methods that do the same have equal steps and share compiled code.

In a program, vectors stand in arrays. The code of `rate` is by far the longest, so a step with several rates contains
it once, in a loop over stages: a switch runs the operations that come before each of them, and leaves state and
velocity where `rate` reads them ("x_stage", "v_stage"). Arithmetic is stored only if an evaluation reads it: otherwise
it is computed where it is needed, fused into one loop over the freedoms (loop fusion). A system without loops, such as
a single free body, keeps all vectors in registers, and its rates follow each other.

A system of equations is one operation: "solve" has the positions of the guess, of the unknowns and of the residual.
Operations that depend on the unknowns are written where the residual is evaluated, and nowhere else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.integrators.stiff_solve import solve_in_program, stiff_arrays, store_matrix
from rbdkit.trace import (
    ELEMENTWISE,
    Index,
    Kept,
    Moment,
    Newton,
    Part,
    Scalar,
    maximum,
    minimum,
    newton_arrays,
    select,
)

Operation = tuple[Any, ...]
X, V, H = 0, 1, 2
"""Positions of the initial coordinates, the initial velocities and the step size among the operations."""
ARITHMETIC: dict[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "negative": operator.neg, "positive": operator.pos, "absolute": abs, "where": select,
    "square": lambda x: x * x, "reciprocal": lambda x: 1.0 / x, "zeros": lambda: 0.0,
}  # fmt: skip
"""Elementwise operations, by the names of NumPy's functions."""
REDUCTIONS: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "sum": (operator.add, 0.0), "max": (maximum, -np.inf), "min": (minimum, np.inf),
}  # fmt: skip
"""Reductions of a vector to a number, with their initial values; "largest" is another one."""
X_, V_, Z_ = "coordinates", "vector", "unknowns"
OF_SYSTEM: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rate": (("time", X_, V_), (V_,)),
    "corrected": (("time", X_, V_, V_, "number", "number?"), (V_,)),
    "stiffness": (("time", X_, V_), ("matrices",)),
    "project": ((X_, V_), (X_, V_)),
    "move": ((X_, V_), (X_,)),
    "local_rate": ((V_, V_), (V_,)),
    "momenta": ((X_, V_, V_), (V_, V_)),
    "at_ends": ((V_, V_, V_), (V_, V_)),
    "velocities": ((X_, V_), (V_,)),
    "momentum": ((V_,), (V_,)),
    "generalized_force": (("time", X_, V_, "coordinates?"), (V_,)),
    "separated": ((Z_,), (V_, "multipliers")),
    "joined": ((V_, "multipliers?"), (Z_,)),
    "reactions": ((X_, "multipliers"), (V_,)),
    "constraints": ((X_, X_, V_), ("multipliers",)),
    "orthonormal": ((X_,), (X_,)),
    "normal": ((X_,), ("direction",)),
    "tangent_velocity": ((X_, V_, "direction?"), (V_,)),
    "velocity_after": ((X_, V_, V_), (V_,)),
}  # fmt: skip
"""Evaluations of the system: kinds of their operands ("?": may be left out), and of their results."""
DERIVED = (
    "move", "momentum", "generalized_force", "separated", "joined", "reactions", "constraints", "orthonormal", "normal",
)  # fmt: skip
"""Evaluations that equations for displacement and multipliers may contain: recorded steps derive their Jacobian."""
TIMED = tuple(name for name, (operands, _) in OF_SYSTEM.items() if operands[0] == "time")
"""Evaluations at a time, which is their first operand."""
PAIRS = tuple(name for name, (_, results) in OF_SYSTEM.items() if len(results) == 2)
"""Evaluations with two results; the operation "second" gives the other one."""
CALLS = (*OF_SYSTEM, "increment", "solve", "largest", *REDUCTIONS)
"""Operations that are not elementwise: calls of the system, solves and reductions."""
MOST_MULTIPLIERS = 7
"""Largest number of multipliers of a body in directors."""
IN_MEMORY = (*CALLS, "x", "v", "memory", "unknown", "second")
"""Operations whose results are read from memory."""


ELSEWHERE = ("x", "v", "memory", "unknown", "rate")
"""Operations whose results stand in arrays with names of their own, not "step_..."."""


@dataclass(frozen=True)
class TracedStep:
    """One step of a method as a value: the `record` of a `rbdkit.trace.Recordable`.

    Attributes
    ----------
    operations : tuples of a name and the positions of its operands in this list. Exceptions: "const" has a number;
        "time" and evaluations at a time begin with the index of a fraction; "largest" ends with its lower bound;
        "solve" has the positions of guess, unknowns, residual, tolerance and slope, then whether there is a slope, and
        the numbers quick, full, least and relief of `rbdkit.trace.Newton`.
    kinds : kind of each result: "number", "vector" (of nv numbers, like v) or "coordinates" (of nx, like x).
    fractions : times of the rates as fractions of the step, then further times that are used.
    x_new, v_new : positions of the final state. memory : positions of vectors that are carried to the next step.
    follows : whether equations are first solved with the Jacobian of the step before.
    straight : whether it is written for a system without loops.
    """

    operations: tuple[Operation, ...]
    kinds: tuple[str, ...]
    fractions: tuple[float, ...]
    x_new: int
    v_new: int
    memory: tuple[int, ...] = ()
    follows: bool = False
    straight: bool = False

    def __call__(self, system: Any, n: Index) -> None:
        """Write step n into the program of a `Recorded` or `StraightLine` system."""
        _Writer(self, system, n).write()

    @property
    def written_out(self) -> TracedStep | None:
        """Step for one of several independent systems; None if it mixes their numbers (a reduction, a linear solve).

        Straight-line code, unless there are equations to be solved.
        """
        # both mix the numbers of all systems, which then cannot be stepped apart
        if self.stiff or self.reductions & self._ancestors(self.x_new, self.v_new, *self.memory):
            return None
        return self if self.solves else replace(self, straight=True)

    @property
    def words(self) -> str:
        """Key text of the step for the persistent code cache: all that its code depends on."""
        ends = self.x_new, self.v_new, self.memory, self.follows, self.straight
        return repr((self.operations, self.kinds, self.fractions, *ends))

    @property
    def shared(self) -> frozenset[str]:
        """Names of arrays that no step writes to."""
        return frozenset({"sides"} if self.solves else ())

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the times of the stages, and the work arrays of a step."""
        every = [*self.calls, *(p for body in self.bodies.values() for p in body)]
        read = {i for p in every for i in self.read(p) if self.operations[i][0] not in ELSEWHERE}
        read |= {p for p in every if p not in self.rates}
        read |= {p for p, (name, *of) in enumerate(self.operations) if name == "second" and of[0] in every}
        sizes = {"vector": nv, "coordinates": nx, "unknowns": nv + MOST_MULTIPLIERS, "multipliers": MOST_MULTIPLIERS}
        sizes["direction"] = 3
        solved = max((sizes[self.kinds[p]] for p in self.solves), default=0)
        return {
            "c": np.array(self.fractions),
            "step_stages": np.array([len(self.rates)]),
            "scratch": np.zeros(len(self.kinds)),
            "v_rates": np.zeros(len(self.rates) * nv),
            "x_stage": np.zeros(nx),
            "v_stage": np.zeros(nv),
            **{self.array(p): np.zeros(sizes[self.kinds[p]]) for p in sorted(read) if self.kinds[p] in sizes},
            **{memory_array(k): np.zeros(nv) for k in range(len(self.memory))},
            **(newton_arrays(solved) if solved else {}),
            **(stiff_arrays(nv) if self.stiff else {}),
        }

    def array(self, p: int) -> str:
        """Return the name of the array of a vector, of coordinates and the like."""
        return f"step_{'x' if self.kinds[p] == 'coordinates' else self.kinds[p][0]}{p}"

    # --- what there is in it ------------------------------------------------------------------------------------------

    @cached_property
    def rates(self) -> tuple[int, ...]:
        """Positions of the rates outside of equations: each is a stage."""
        return tuple(p for p in self.calls if self.operations[p][0] == "rate")

    @cached_property
    def calls(self) -> tuple[int, ...]:
        """Positions of all evaluations outside of equations."""
        return tuple(p for p, (name, *_) in enumerate(self.operations) if name in CALLS and not self._unknowns[p])

    @cached_property
    def solves(self) -> tuple[int, ...]:
        """Positions of the "solve" operations."""
        return tuple(p for p in self.calls if self.operations[p][0] == "solve")

    @cached_property
    def stiff(self) -> bool:
        """Whether it solves linear equations with the matrices of a linearly implicit step."""
        return any(name == "stiffness" for name, *_ in self.operations)

    @cached_property
    def bodies(self) -> dict[int, tuple[int, ...]]:
        """Positions of the evaluations inside of residuals, by the position of their "solve"."""
        found = {}
        for p in self.solves:
            _, unknown, residual, *_ = self.operations[p][1:]
            inside = sorted(self._ancestors(residual))
            found[p] = tuple(i for i in inside if unknown in self._unknowns[i] and self.operations[i][0] in CALLS)
        return found

    @cached_property
    def home(self) -> dict[int, int]:
        """Position of the "solve" of each evaluation inside of a residual."""
        return {i: p for p, body in self.bodies.items() for i in body}

    @cached_property
    def reductions(self) -> set[int]:
        """Positions of reductions of vectors to numbers."""
        return {p for p, (name, *_) in enumerate(self.operations) if name in ("largest", *REDUCTIONS)}

    @property
    def leaks(self) -> bool:
        """Whether an operation that depends on unknowns is used outside of their equations."""
        operands = [i for p in self.solves for i in (self.operations[p][1], *self.operations[p][4:6])]
        return any(self._unknowns[i] for i in (*operands, self.x_new, self.v_new, *self.memory))

    @cached_property
    def _unknowns(self) -> tuple[frozenset[int], ...]:
        """Unknowns on which each operation depends; a solution depends on those of its guess only."""
        found: list[frozenset[int]] = []
        for p, (name, *_) in enumerate(self.operations):
            above = self.operands(p)[:1] if name == "solve" else self.operands(p)
            found.append(frozenset({p} if name == "unknown" else ()).union(*(found[i] for i in above)))
        return tuple(found)

    def _ancestors(self, *positions: int) -> set[int]:
        """Return operations and all that they depend on (without tolerances and slopes of solves)."""
        found: set[int] = set()
        left = list(positions)
        while left:
            p = left.pop()
            if p not in found:
                found.add(p)
                left += self.operands(p)[:3] if self.operations[p][0] == "solve" else self.operands(p)
        return found

    def operands(self, p: int) -> tuple[int, ...]:
        """Return the positions of the operands of an operation."""
        name, *operands = self.operations[p]
        if name in ("const", "time", "memory"):
            return ()
        if name in TIMED:
            return tuple(operands[1:])
        return tuple(operands[: {"largest": 1, "solve": 5}.get(name)])

    def read(self, p: int) -> tuple[int, ...]:
        """Return the operands of an evaluation that have to be in memory."""
        held = () if self.operations[p][0] in ("solve", *REDUCTIONS) else self.operands(p)
        return tuple(i for i in held if self.kinds[i] not in ("number", "matrices"))

    @cached_property
    def last_use(self) -> dict[int, int]:
        """Last evaluation that uses each operation; the number of operations for results of the step."""
        found = dict.fromkeys((self.x_new, self.v_new, *self.memory), len(self.operations))
        # backwards: who uses a result is known before its operands are looked at
        for p in range(len(self.operations) - 1, -1, -1):
            user = self.home.get(p, p) if self.operations[p][0] in CALLS else found.get(p)
            for i in self.operands(p):
                if user is not None:
                    found[i] = max(found.get(i, 0), user)
        return found


def memory_array(k: int) -> str:
    """Return the name of the array of a vector that is carried from step to step."""
    return f"step_memory{k}"


class _Writer:
    """Code generator of one step.

    latest : the evaluation whose intermediate results are in memory, or None. factor : position of the factor of the
    matrix that is in "stiff_sum", or None. derives : whether a residual is being written to be differentiated.
    in_registers : whether results of evaluations are kept there, as no loop comes before they are used.
    """

    def __init__(self, step: TracedStep, system: Any, n: Index) -> None:
        self.step, self.system, self.program, self.n = step, system, system.program, n
        self.looped = len(step.rates) > 1 and not step.straight
        self.places: dict[int, Part | Kept] = {X: Part("x"), V: Part("v")}
        for p, (name, *which) in enumerate(step.operations):
            if name == "memory":
                self.places[p] = Part(memory_array(*which))
        self.latest: int | None = None
        self.factor: int | None = None
        self.derives, self.in_registers = False, step.straight

    def write(self) -> None:
        """Write the whole step."""
        step, stages = self.step, len(self.step.rates)
        if not step.straight:
            self._store_numbers()
        for s, p in enumerate(step.rates):
            self.places[p] = Kept() if step.straight else Part("v_rates", s * self.system.nv)
        if self.looped:
            x, v = Part("x_stage"), Part("v_stage")
            # the bound is read from a table, so that code specialised for one model does not unroll this loop either
            with self.program.loop(0, self.program.entry("step_stages", 0)) as stage:
                for s in self.program.switch(stage, range(stages)):
                    self._write_until(step.rates[s], x, v)
                    self.latest = step.rates[s]
                self.system.rate(self._moment(stage), x, v, Part("v_rates", stage * self.system.nv))
        else:
            for p in step.rates:
                self._write_until(p, None, None)
                self._call(p)
        self._write_until(len(step.operations), Part("x_new"), Part("v_new"))
        self._keep_memory()

    def _keep_memory(self) -> None:
        """Store the memory for the next step, all at once at the end, as the old one may be read until then."""
        for k in self.system.freedoms() if self.step.memory else ():
            known: dict[int, Scalar] = {}
            for i, value in enumerate([self._element(p, k, known) for p in self.step.memory]):
                Part(memory_array(i)).store(self.program, k, value)

    def _moment(self, s: Any) -> Moment:
        return Moment(self.program, self.n, s)

    # --- one stage ----------------------------------------------------------------------------------------------------

    def _write_until(self, end: int, x: Part | None, v: Part | None) -> None:
        """Write all operations that a rate or the result needs and that were not written before.

        x, v : where its state has to be stored; None if anywhere.
        """
        step, last = self.step, end == len(self.step.operations)
        x_end, v_end = (step.x_new, step.v_new) if last else step.operands(end)
        begin = max((p for p in step.rates if p < end), default=0)
        calls = [p for p in step.calls if begin < p < end]
        project = calls.pop() if last and calls and step.operations[calls[-1]][0] == "project" else None
        if project is not None:
            x_end, v_end = step.operands(project)
        wanted: dict[int, Part | Kept] = {}
        if v is not None:
            wanted[v_end] = v
        elif v_end not in self.places:
            wanted[v_end] = self._room(v_end)
        # a move may write directly to where the stage reads its state, if nobody needs the result later
        fits = x is not None and step.operations[x_end][0] == "move" and x_end in calls and step.last_use[x_end] <= end
        self._write_calls(calls, wanted, {x_end: x} if fits and x is not None else {})
        if x is not None and self.places[x_end] is not x:
            for k in self.system.coordinates():
                x.store(self.program, k, self.places[x_end].load(self.program, k))
        if project is not None:
            self.system.project(x, v, lambda: self.program.load("times", self.n, 1))
        for i in [i for i, place in self.places.items() if place is x or place is v]:
            del self.places[i]  # the next stage writes there

    def _write_calls(
        self, calls: Sequence[int], results: dict[int, Part | Kept], rooms: Mapping[int, Part] | None = None
    ) -> None:
        """Write evaluations in order, and store vectors in their places. rooms : places of results of evaluations."""
        wanted = dict(results)
        for i in (i for p in calls for i in self.step.read(p)):
            if self.step.kinds[i] == "vector" and i not in self.places:
                wanted.setdefault(i, self._room(i))
        for p in calls:
            self._compute(wanted)
            self.places[p] = (rooms or {}).get(p) or self.places.get(p) or self._room(p)
            self._call(p)
        self._compute(wanted)

    def _call(self, p: int) -> None:
        """Write one evaluation."""
        name, *operands = self.step.operations[p]
        if name == "solve":
            self._solve(p)
        elif name in ("largest", *REDUCTIONS):
            self._reduce(p)
        elif name == "stiffness":
            self._find_stiffness(p)
        elif name == "increment":
            self._increment(p)
        elif name in TIMED:
            self._evaluate(p)
        else:
            results = [self.places[p]]
            if name in PAIRS:
                second = self.step.operations.index(("second", p))
                self.places[second] = self._room(second)
                results.append(self.places[second])
            getattr(self.system, name)(*(self.places[i] for i in operands), *results)

    def _room(self, p: int) -> Part | Kept:
        return Kept() if self.in_registers else Part(self.step.array(p))

    def _compute(self, wanted: dict[int, Part | Kept]) -> None:
        """Compute the wanted vectors whose operands are available, all in one loop over the freedoms."""
        now = [i for i in wanted if self._is_ready(i)]
        if now:
            for k in self.system.freedoms():
                known: dict[int, Scalar] = {}
                for i, value in [(i, self._element(i, k, known)) for i in now]:
                    wanted[i].store(self.program, k, value)
        for i in now:
            self.places.setdefault(i, wanted.pop(i))

    def _is_ready(self, p: int) -> bool:
        if p in self.places:
            return True
        return self.step.operations[p][0] not in IN_MEMORY and all(map(self._is_ready, self.step.operands(p)))

    def _element(self, p: int, k: Any, known: dict[int, Scalar]) -> Scalar:
        """Return element k of a vector, or a number."""
        if p not in known:
            if self.step.kinds[p] == "number":
                known[p] = self._number(p)
            elif p in self.places:
                known[p] = self.places[p].load(self.program, k)
            else:
                name, *_ = self.step.operations[p]
                known[p] = ARITHMETIC[name](*(self._element(i, k, known) for i in self.step.operands(p)))
        return known[p]

    def _evaluate(self, p: int) -> None:
        """Write an evaluation of accelerations; without constraints, corrected ones are the plain ones."""
        name, at, *operands = self.step.operations[p]
        moment, result = self._moment(at), self.places[p]
        if name == "generalized_force" and self.derives:
            self.system.forces(self.places[operands[0]], result)
            return
        if name == "generalized_force":
            self.system.generalized_force(moment, *(self.places[i] for i in operands), result)
            return
        self.latest = p
        x, v, *more = operands
        if name == "rate" or not hasattr(self.system, "corrected"):
            self.system.rate(moment, self.places[x], self.places[v], result)
            return
        vdot, *numbers = more
        with self.program.loop(0, 1):
            for k, c in enumerate(numbers):
                if self.step.operations[c] != ("const", 0.0) or k == 0:
                    self.program.store("closing", 0, k, self._number(c))
        self.system.corrected(moment, self.places[x], self.places[v], self.places[vdot], result)

    # --- linear equations ---------------------------------------------------------------------------------------------

    def _find_stiffness(self, p: int) -> None:
        """Write the evaluation of the stiff matrices at a state; a system with `increment` keeps them in its bodies."""
        self.factor = None
        if not hasattr(self.system, "increment"):
            _, x, v = self._at_stiffness(p)
            self.system.stiffness(x, v)

    def _at_stiffness(self, p: int) -> tuple[Moment, Part | Kept, Part | Kept]:
        """Return time and state of matrices, after an evaluation of the rate there, whose results they use."""
        e, *state = self.step.operations[p][1:]
        moment, (x, v) = self._moment(e), (self.places[i] for i in state)
        if self.latest is None or not self._same_evaluation(self.latest, p):
            self.system.rate(moment, x, v, Part("stiff_x"))
            self.latest = p
        return moment, x, v

    def _same_evaluation(self, p: int, q: int) -> bool:
        """Whether two evaluations are at the same state and time."""
        (a, *first), (b, *second) = (self.step.operations[i][1:4] for i in (p, q))
        return first == second and self.step.fractions[a] == self.step.fractions[b]

    def _increment(self, p: int) -> None:
        """Write the solution of the linear equations of a linearly implicit step."""
        program, (matrices, s, r, u) = self.program, self.step.operations[p][1:]
        result, of_M, of_K = self.places[p], self.places[r], self.places[u]
        if hasattr(self.system, "increment"):
            moment, *_ = self._at_stiffness(matrices)
            self.system.increment(moment, lambda: self._number(s), of_M, of_K, result)
            return
        assert isinstance(result, Part)
        if self.factor != s:
            store_matrix(program, self.system.nv, lambda: self._number(s))
        # kept for the next increment with the same part of the step, as in the second stage of a Rosenbrock method
        self.factor = s
        solve_in_program(program, self.system.nv, of_M, of_K, result)

    # --- equations ----------------------------------------------------------------------------------------------------

    def _solve(self, p: int) -> None:
        """Write the solution of equations; if none is found, infinity takes its place, which ends the run."""
        program, step = self.program, self.step
        guess, unknown, residual, tolerance, slope, sloped, quick, full, least, relief = step.operations[p][1:]
        derived = step.kinds[p] == "unknowns"
        if derived:
            for k in range(self.system.unknowns):
                program.store("guess", k, 0, self.places[guess].load(program, k))
        else:
            # the guess stands in an array of its own, which is not the place of its vector for what follows
            known = dict(self.places)
            self._compute({guess: Part("guess")})
            self.places = known
        with program.loop(0, 1):
            program.store("tolerance", 0, 0, self._number(tolerance))
            if sloped:
                program.store("scratch", slope, 0, self._number(slope))

        def write(z: Part, result: Part) -> None:
            # written inside of the iteration: what earlier code has left in memory may have been overwritten there
            known, self.latest, self.factor = dict(self.places), None, None
            self.places[unknown], self.in_registers = z, derived and self.system.in_registers
            self._write_calls(step.bodies[p], {} if derived else {residual: result}, {residual: result})
            self.places, self.in_registers, self.latest, self.factor = known, step.straight, None, None

        first, n = (0, self.system.unknowns) if derived else self.system.solved_together
        if not step.follows:
            # no Jacobian of an earlier step is to be used
            with program.loop(0, 1):
                program.store("kept", first, 0, 0.0)
        newton = Newton(
            program,
            first,
            n,
            write,
            quick + full if derived else quick,
            0 if derived else full,
            Part("scratch", slope) if sloped else None,
            partial(self._correct, p) if derived else None,
            least=least,
            relief=relief,
        )
        newton.solve()
        for k in range(n) if derived else self.system.freedoms():
            self.places[p].store(program, k, select(newton.failed, np.inf, program.load("unknowns", k)))

    def _correct(self, p: int) -> None:
        """Write Newton's correction by the derivatives of the residual, with the loads that it has left."""
        program, (_, unknown, residual, *_) = self.program, self.step.operations[p][1:]
        known, self.derives, self.in_registers = dict(self.places), True, True
        self.places[unknown] = Part("unknowns")
        # orthonormal directors serve the loads alone, and these are held constant
        calls = [i for i in self.step.bodies[p] if self.step.operations[i][0] != "orthonormal"]
        self._write_calls(calls, {})
        z, r = ([place.load(program, k) for k in range(self.system.unknowns)] for place in
                (self.places[unknown], self.places[residual]))  # fmt: skip
        for k, x in enumerate(self.system.correction(z, r)):
            program.store("correction", 0, k, x)
        self.places, self.derives, self.in_registers = known, False, self.step.straight

    def _reduce(self, p: int) -> None:
        """Write the reduction of a vector or of coordinates to a number."""
        name, i, *least = self.step.operations[p]
        function, first = REDUCTIONS.get(name, (maximum, *least))
        self.program.store("scratch", p, 0, first)
        for k in self.system.coordinates() if self.step.kinds[i] == "coordinates" else self.system.freedoms():
            x = self._element(i, k, {})
            x = abs(x) if name == "largest" else x
            self.program.store("scratch", p, 0, function(self.program.load("scratch", p), x))

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _store_numbers(self) -> None:
        """Write the scalar factors of vectors once at the start of a step, outside of all loops."""
        step = self.step
        used = {i for p, kind in enumerate(step.kinds) if kind == "vector" for i in step.operands(p)}
        for p in sorted(used):
            if step.kinds[p] == "number" and step.operations[p][0] != "const" and not self._depends(p):
                self.program.store("scratch", p, 0, self._value(p))

    def _depends(self, p: int) -> bool:
        """Whether a number depends on elements of vectors."""
        return p in self.step.reductions or any(map(self._depends, self.step.operands(p)))

    def _number(self, p: int) -> Scalar:
        if self.step.operations[p][0] == "const" or self.step.straight or self._depends(p):
            return self._value(p)
        return self.program.load("scratch", p)

    def _value(self, p: int) -> Scalar:
        name, *operands = self.step.operations[p]
        if name == "const":
            return float(operands[0])
        if name == "h":
            return self._moment(0).h
        if name == "time":
            return self._moment(operands[0]).time
        if p in self.step.reductions:
            return self.program.load("scratch", p)
        return ARITHMETIC[name](*map(self._value, operands))
