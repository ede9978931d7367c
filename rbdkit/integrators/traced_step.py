"""A step of an integrator as a list of operations on whole vectors, and how it is written into a program.

The list comes from the text of the step itself, see `step_tracer`: evaluations of the system (`rate`, `move`,
`local_rate`, `project`) and arithmetic between them, element by element. It is a plain value, so two methods that do
the same have equal steps and share compiled code.

In a program, vectors stand in arrays. The code of `rate` is by far the longest, so a step with several rates has it
once, in a loop over stages: a switch runs the operations that come before each of them, and leaves state and velocity
where `rate` finds them ("x_stage", "v_stage"). Arithmetic is not stored unless an evaluation reads it: it is computed
where it is needed, in one loop over the freedoms for all that can be computed there. A system without loops, such as a
body that knows of no other, keeps all vectors in registers, and its rates follow each other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace import ELEMENTWISE, Index, Kept, Moment, Part, Scalar, select

Operation = tuple[Any, ...]
X, V, H = 0, 1, 2
"""Positions of the coordinates and velocities that a step begins with, and of its length."""
ARITHMETIC: dict[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "negative": operator.neg, "positive": operator.pos, "absolute": abs, "where": select,
    "square": lambda x: x * x, "reciprocal": lambda x: 1.0 / x, "zeros": lambda: 0.0,
}  # fmt: skip
"""What is done to vectors element by element, by the names of NumPy's functions."""
IN_MEMORY = ("x", "v", "rate", "move", "local_rate", "project", "projected")
"""Operations whose results are not computed element by element."""


@dataclass(frozen=True)
class TracedStep:
    """One step of a method: what `rbdkit.trace.Recordable` calls its `record`.

    Attributes
    ----------
    operations : the name of each, and the positions of its operands in this list; of "const" a number, of "time" and
        "rate" first which of the fractions it is.
    kinds : what each results in: "number", "vector" (of nv numbers, like v) or "coordinates" (of nx, like x).
    fractions : the times of the rates, as fractions of the step, and after them further times that are asked for.
    x_new, v_new : positions of the state at the end.
    straight : whether it is written for a system without loops.
    """

    operations: tuple[Operation, ...]
    kinds: tuple[str, ...]
    fractions: tuple[float, ...]
    x_new: int
    v_new: int
    straight: bool = False

    def __call__(self, system: Any, n: Index) -> None:
        """Write step n into the program of a `Recorded` or `StraightLine` system."""
        _Writer(self, system, n).write()

    @property
    def written_out(self) -> TracedStep:
        """The same step for a system without loops."""
        return replace(self, straight=True)

    @property
    def words(self) -> str:
        """All that the code of a step depends on: processes find it on disk by these."""
        return repr((self.operations, self.kinds, self.fractions, self.x_new, self.v_new, self.straight))

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Return the times of the stages, and room for the vectors of a step."""
        read = {i for p in self.calls for i in self.operands(p) if self.operations[i][0] not in ("x", "v", "rate")}
        sizes = {"vector": nv, "coordinates": nx}
        return {
            "c": np.array(self.fractions),
            "step_stages": np.array([len(self.rates)]),
            "scratch": np.zeros(len(self.kinds)),
            "v_rates": np.zeros(len(self.rates) * nv),
            "x_stage": np.zeros(nx),
            "v_stage": np.zeros(nv),
            **{self.array(p): np.zeros(sizes[self.kinds[p]]) for p in sorted(read | set(self.calls) - set(self.rates))},
        }

    def array(self, p: int) -> str:
        """Return the name of the array of a vector or of coordinates."""
        return f"step_{'v' if self.kinds[p] == 'vector' else 'x'}{p}"

    @cached_property
    def rates(self) -> tuple[int, ...]:
        """Positions of the rates: each is a stage."""
        return tuple(p for p, (name, *_) in enumerate(self.operations) if name == "rate")

    @cached_property
    def calls(self) -> tuple[int, ...]:
        """Positions of all evaluations of the system."""
        called = ("rate", "move", "local_rate", "project")
        return tuple(p for p, (name, *_) in enumerate(self.operations) if name in called)

    def operands(self, p: int) -> tuple[int, ...]:
        """Positions of the operands of an operation."""
        name, *operands = self.operations[p]
        return () if name in ("const", "time") else tuple(operands[1:] if name == "rate" else operands)

    @cached_property
    def last_use(self) -> dict[int, int]:
        """Of each operation the last evaluation that needs it, or the number of operations if that is the result."""
        found = {self.x_new: len(self.operations), self.v_new: len(self.operations)}
        for p in range(len(self.operations) - 1, -1, -1):
            user = p if p in self.calls else found.get(p)
            for i in self.operands(p):
                if user is not None:
                    found[i] = max(found.get(i, 0), user)
        return found


class _Writer:
    """One step on its way into a program."""

    def __init__(self, step: TracedStep, system: Any, n: Index) -> None:
        self.step, self.system, self.program, self.n = step, system, system.program, n
        self.looped = len(step.rates) > 1 and not step.straight
        self.places: dict[int, Part | Kept] = {X: Part("x"), V: Part("v")}

    def write(self) -> None:
        """Write all of it."""
        step, stages = self.step, len(self.step.rates)
        if not step.straight:
            self._store_numbers()
        for s, p in enumerate(step.rates):
            self.places[p] = Kept() if step.straight else Part("v_rates", s * self.system.nv)
        if self.looped:
            x, v = Part("x_stage"), Part("v_stage")
            # a bound that stands in a table: code of one model, which unrolls known loops, has its rate once, too
            with self.program.loop(0, self.program.entry("step_stages", 0)) as stage:
                for s in self.program.switch(stage, range(stages)):
                    self._write_until(step.rates[s], x, v)
                self.system.rate(self._moment(stage), x, v, Part("v_rates", stage * self.system.nv))
        else:
            for s, p in enumerate(step.rates):
                self._write_until(p, None, None)
                self.system.rate(self._moment(s), *(self.places[i] for i in step.operands(p)), self.places[p])
        self._write_until(len(step.operations), Part("x_new"), Part("v_new"))

    def _moment(self, s: Any) -> Moment:
        return Moment(self.program, self.n, s)

    # --- one stage ----------------------------------------------------------------------------------------------------

    def _write_until(self, end: int, x: Part | None, v: Part | None) -> None:
        """Write what a rate or the result needs that was not written before.

        x, v : where it wants its state; None if anywhere.
        """
        step, last = self.step, end == len(self.step.operations)
        x_end, v_end = (step.x_new, step.v_new) if last else step.operands(end)
        begin = max((p for p in step.rates if p < end), default=0)
        calls = [p for p in step.calls if begin < p < end]
        project = calls.pop() if last and calls and step.operations[calls[-1]][0] == "project" else None
        if project is not None:
            x_end, v_end = step.operands(project)
        wanted: dict[int, Part | Kept] = {}
        for i in (i for p in calls for i in step.operands(p)):
            if step.kinds[i] == "vector" and i not in self.places:
                wanted[i] = self._room(i)
        if v is not None:
            wanted[v_end] = v
        elif v_end not in self.places:
            wanted[v_end] = self._room(v_end)
        for p in calls:
            self._compute(wanted)
            fits = p == x_end and x is not None and step.last_use[p] <= end
            self.places[p] = x if fits and x is not None else self._room(p)
            getattr(self.system, step.operations[p][0])(*(self.places[i] for i in step.operands(p)), self.places[p])
        self._compute(wanted)
        if x is not None and self.places[x_end] is not x:
            for k in self.system.coordinates():
                x.store(self.program, k, self.places[x_end].load(self.program, k))
        if project is not None:
            self.system.project(x, v, lambda: self.program.load("times", self.n, 1))
        for i in [i for i, place in self.places.items() if place is x or place is v]:
            del self.places[i]  # the next stage writes there

    def _room(self, p: int) -> Part | Kept:
        return Kept() if self.step.straight else Part(self.step.array(p))

    def _compute(self, wanted: dict[int, Part | Kept]) -> None:
        """Compute those of the wanted vectors that depend on nothing that is still to come, all in one loop."""
        now = [i for i in wanted if self._is_ready(i)]
        if now:
            for k in self.system.freedoms():
                known: dict[int, Scalar] = {}
                for i, value in [(i, self._element(i, k, known)) for i in now]:
                    wanted[i].store(self.program, k, value)
        for i in now:
            self.places.setdefault(i, wanted.pop(i))

    def _is_ready(self, p: int) -> bool:
        if p in self.places or self.step.kinds[p] == "number":
            return True
        return self.step.operations[p][0] not in IN_MEMORY and all(map(self._is_ready, self.step.operands(p)))

    def _element(self, p: int, k: Any, known: dict[int, Scalar]) -> Scalar:
        """Element k of a vector, or a number."""
        if p not in known:
            if p in self.places:
                known[p] = self.places[p].load(self.program, k)
            elif self.step.kinds[p] == "number":
                known[p] = self._number(p)
            else:
                name, *_ = self.step.operations[p]
                known[p] = ARITHMETIC[name](*(self._element(i, k, known) for i in self.step.operands(p)))
        return known[p]

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _store_numbers(self) -> None:
        """Compute once a step what vectors are multiplied by."""
        step = self.step
        used = {i for p, kind in enumerate(step.kinds) if kind == "vector" for i in step.operands(p)}
        for p in sorted(used):
            if step.kinds[p] == "number" and step.operations[p][0] != "const":
                self.program.store("scratch", p, 0, self._value(p))

    def _number(self, p: int) -> Scalar:
        if self.step.operations[p][0] == "const" or self.step.straight:
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
        return ARITHMETIC[name](*map(self._value, operands))
