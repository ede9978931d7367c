"""Algorithms on the states of a model: one state, or a stack of them.

Binding a program costs more than one evaluation of a small model. So bound calls are kept in lists: a call takes one
off, copies its inputs in, runs it, copies the results out and puts it back. `list.pop` is atomic, so threads never
share a call, and no lock is needed; a thread that finds the list empty binds one more. Large stacks run in SIMD lanes
and in several threads, on the caller's memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.bound import WITH_OWN_FORCES, WITH_ROWS, BoundModel
from rbdkit.engine.run.calls import Call, Frame, Job, StackCall
from rbdkit.engine.run.helpers import in_parts
from rbdkit.engine.run.signatures import output_shapes
from rbdkit.engine.steps.sizes import ROW_TIME
from rbdkit.model import Model
from rbdkit.model.element_states import state_places, states_unknown
from rbdkit.spatial.read_numbers import time_in_seconds
from rbdkit.trace import Apart, Backend, Lanes, Symbol, Symbols, blank, symbols, width_of

if TYPE_CHECKING:
    from rbdkit.engine.run.motion import JointMotion
    from rbdkit.trace import FewSteps

LANE_STATES = 512
"""Number of states in one call from which on SIMD lanes are used."""
FEW = 1000
"""Most velocities, of all states together, of stacks whose bound calls are kept, like those for one state."""
MOST_WAITING = 32
"""Most sizes of stacks whose calls are kept."""
WIDE_ALREADY = ("aba_jacobian", "forward_dynamics_jacobian")
"""Algorithms whose loops over columns are vectorised already, and gain nothing from SIMD lanes over states."""
MAY_BE_INFINITE = ("aba", "forward_dynamics", "center_of_mass", "momentum_world", "momentum_com")
"""Algorithms whose results may be infinite for finite arguments."""
ZEROS_STAY = ("crba", "jacobian")
"""Beginnings of the names of algorithms that do not write structural zeros."""
PART = {False: LANE_STATES, True: 64}
"""Fewest states worth a thread of their own; True: for algorithms that are `WIDE_ALREADY`."""
# Measured: 4,096 states of an arm took 254 us with one thread and 413 us with two; 16,384 humanoids are 1.78 times as
# fast with two.
LINKS_A_THREAD = 12_000
"""Fewest links, over all states, worth a thread of their own: a link takes about ten nanoseconds, and a tenth of a
millisecond may pass until a waiting thread has been woken and has its turn with the interpreter."""


class Into(NamedTuple):
    """Output buffer, (..., n) and contiguous, or None for new memory; and the number of threads for a stack."""

    out: NDArray | None = None
    threads: int = 1


NEW = Into()


class StateComputer(BoundModel):
    """A model with bound programs that compute its states. Several threads may use it at once.

    Attributes
    ----------
    idle_steps, idle_motions : step functions, and whole motions, that wait for reuse, by what they are bound to.
    """

    def __init__(self, model: Model, backend: Backend) -> None:
        super().__init__(model, backend)
        self._moves, self._has_states = bool(self._layout.driven), bool(model.nz)  # asked in every call
        self._timed, self._rows_timed = self.timed, self.rows_timed
        self._rows_move = self._rows_timed or bool(self.driven)
        self._state_names, self._model_name = state_places(model).slices, model.name
        self._known_shapes: dict[str, list[tuple[int, ...]]] = {}
        self._idle: defaultdict[tuple[str, bool, int | None, bool, bool], list[Call]] = defaultdict(list)
        self._idle_few: defaultdict[Hashable, list[Call]] = defaultdict(list)
        self._idle_stacks: defaultdict[Hashable, list[StackCall]] = defaultdict(list)
        self.idle_steps: defaultdict[Hashable, list[FewSteps]] = defaultdict(list)
        self.idle_motions: defaultdict[Hashable, list[JointMotion]] = defaultdict(list)

    def idle(self, algorithm: str, frame: Frame | None = None) -> list[Call]:
        """Return the list of bound calls for one state of an algorithm without external forces."""
        return self._idle[algorithm, False, None if frame is None else frame.link, False, False]

    def _compute(
        self,
        algorithm: str,
        inputs: tuple[NDArray, ...],
        f_ext: NDArray | None = None,
        t: float | NDArray = 0.0,
        frame: Frame | None = None,
        z: NDArray | None = None,
        common: Mapping[str, NDArray] | None = None,
        into: Into = NEW,
    ) -> list[NDArray]:
        """Run an algorithm on one state or a stack and return copies of its results.

        t : time, s; where force elements depend on it and no prescribed joint does, each state may have its own, (...).
        z : (..., nz) states of force elements, for algorithms that need them. common : arrays that all states share.
        into : output buffer of the first result.
        """
        states = self._has_states and algorithm in WITH_OWN_FORCES
        if states:
            if z is None:
                raise states_unknown(self._model_name, self._state_names)
            inputs = (*inputs, z)
        timed = self._timed and algorithm in WITH_OWN_FORCES
        if timed:
            leading = inputs[0].shape[:-1]
            each = leading and isinstance(t, np.ndarray) and t.shape == leading
            own = np.broadcast_to(_time(t) if not each else t, leading, subok=True)[..., None]
            inputs = (*inputs[:-1], own, inputs[-1]) if states else (*inputs, own)
        if f_ext is not None:
            inputs = (*inputs, self.on_links(f_ext))
        shared: dict[str, NDArray] = {}  # the same for all states
        if self._moves or (self._rows_move and algorithm in WITH_ROWS):
            shared = self.driven.at(t)
            if self._rows_timed and algorithm in WITH_ROWS:
                shared[ROW_TIME] = np.atleast_1d(_time(t))
        if frame is not None:
            shared = {**shared, "frame_pose": frame.pose}
        if common is not None:
            shared = {**shared, **common}
        key = algorithm, f_ext is not None, None if frame is None else frame.link, states, timed
        if type(inputs[0]) is Symbols:
            return self._on_symbols(Job(*key), inputs, shared)
        if inputs[0].ndim == 1:
            idle = self._idle[key]
        elif f_ext is None and inputs[0].ndim == 2 and self._are_few(len(inputs[0])):
            if len(self._idle_few) >= MOST_WAITING and (key, len(inputs[0])) not in self._idle_few:
                # somebody scans many sizes: keeping a call for each would fill memory
                self._idle_few.clear()
            idle = self._idle_few[key, len(inputs[0])]
        else:
            return self._compute_stack(Job(*key), inputs, shared, into)
        call: Call | None
        try:  # while a call is off the list it belongs to this thread; `pop` is atomic
            call = idle.pop()
        except IndexError:
            call = None
        if call is None:
            call = self._new_call(Job(*key), inputs, shared)
        for buffer, x in zip(call.inputs, (*inputs, *shared.values()) if shared else inputs, strict=True):
            buffer[...] = x
        call.run()
        results = [x.copy() for x in call.outputs]
        idle.append(call)
        if into.out is not None:
            into.out[...] = results[0]
            results[0] = into.out
        return results

    def _are_few(self, states: int) -> bool:
        """Return whether calls for stacks of this size are kept."""
        return 0 < states < LANE_STATES and states * self._layout.nv <= FEW

    def _on_symbols(self, job: Job, inputs: tuple[NDArray, ...], shared: dict[str, NDArray]) -> list[NDArray]:
        """Return the results as part of the trace that the symbols belong to, state by state."""
        leading, shapes = inputs[0].shape[:-1], self._shapes(job.algorithm)
        given = {name: x.ravel().tolist() for name, x in shared.items()}
        flat = [np.broadcast_to(x, (*leading, *x.shape[len(leading) :]), subok=True) for x in inputs]
        found: list[list[Any]] = [[] for _ in shapes]
        graph = next(x.graph for own in inputs for x in own.flat if isinstance(x, Symbol))
        for state in np.ndindex(leading):
            own = [x[state].ravel().tolist() for x in flat] + [[0.0] * int(np.prod(shape)) for shape in shapes]
            arrays = {**given, **dict(zip(job.names, own, strict=True))}
            with graph.exactly(False):  # zeros of a mechanism are structural
                self.walk(job.task, arrays, job.counts(1))
            for part, name in zip(found, job.names[-len(shapes) :], strict=True):
                part += arrays[name]
        return [symbols(x).reshape(*leading, *shape) for x, shape in zip(found, shapes, strict=True)]

    def _new_call(self, job: Job, inputs: tuple[NDArray, ...], shared: dict[str, NDArray]) -> Call:
        leading = inputs[0].shape[:-1]
        states = leading[0] if leading else 1
        results = [(*leading, *shape) for shape in self._shapes(job.algorithm)]
        shapes = [*results, *[x.shape for x in inputs]]  # results first: they begin where SIMD stores are fast
        ends = np.cumsum([prod(shape) for shape in shapes])
        numbers = blank(int(ends[-1]), 1).reshape(-1)
        arrays = [x.reshape(shape) for x, shape in zip(np.split(numbers, ends[:-1]), shapes, strict=True)]
        outputs, own = arrays[: len(results)], arrays[len(results) :]
        if job.algorithm not in MAY_BE_INFINITE:
            numbers = numbers[ends[len(results) - 1] :]
        common = {name: x.copy() for name, x in shared.items()}
        run = self._bind_stack(job, [*own, *outputs], states, states, common)
        given = [*own, *common.values()]
        memory: list[Any] = [x.data for x in (*given, *[np.zeros(0)] * (3 - len(given)))]
        return Call(given, outputs, run, numbers, memory)

    def _compute_stack(
        self, job: Job, inputs: tuple[NDArray, ...], shared: dict[str, NDArray], into: Into
    ) -> list[NDArray]:
        leading = inputs[0].shape[:-1]
        states = prod(leading)
        arrays = [np.ascontiguousarray(x, dtype=float) for x in inputs]
        if job.external and arrays[-1].ndim == 2:  # the same forces in all states
            arrays[-1] = np.ascontiguousarray(np.broadcast_to(arrays[-1], (*leading, *arrays[-1].shape)))
        shapes = self._shapes(job.algorithm)
        outputs = [into.out] if into.out is not None else [_zeros((*leading, *shapes[0]))]
        if into.out is not None and job.algorithm.startswith(ZEROS_STAY):
            # the user's buffer may hold anything, and zeros between branches are not written
            into.out.fill(0.0)
        outputs += [_zeros((*leading, *shape)) for shape in shapes[1:]]
        wide_already = job.algorithm in WIDE_ALREADY or self.goes_by_legs(job.algorithm)
        width = 1 if states < LANE_STATES or wide_already else width_of(self.backend)
        flat = [x.reshape(states, *x.shape[len(leading) :]) for x in arrays + outputs]

        def compute(first: int, end: int) -> None:
            part = [x[first:end] for x in flat]
            if width == 1:
                self._bind_stack(job, part, end - first, states, shared)()
            else:
                self._run_lanes(job, part, states, width, shared)

        least = PART[job.algorithm in WIDE_ALREADY]
        if job.algorithm not in WIDE_ALREADY:
            least = max(least, LINKS_A_THREAD // max(1, len(self._layout.links)))
        # fewer threads where a part would be done before a thread has woken up
        parts = min(into.threads, states // least)
        if parts < 2:
            compute(0, states)
            return outputs
        in_parts(compute, [states * k // parts for k in range(parts + 1)])
        return outputs

    def _bind_stack(
        self, job: Job, stacks: list[NDArray], states: int, in_all: int, shared: dict[str, NDArray]
    ) -> Callable[[], None]:
        """Bind a program to `states` states out of a stack of `in_all`, whose size selects the code."""
        arrays = {**dict(zip(job.names, stacks, strict=True)), **shared}
        return self.bind(job.task, arrays, job.counts(states), in_all)

    def _run_lanes(self, job: Job, stacks: list[NDArray], in_all: int, width: int, shared: dict[str, NDArray]) -> None:
        """Compute a stack in SIMD lanes that begin one state apart.

        What is left at the end is done in one more iteration, which computes some states again.
        """
        states = len(stacks[0])
        rest, straight = states % width, self.unrolls(in_all)
        for first, some in [(0, states - rest)] * (states > rest) + [(states - width, 1)] * (rest > 0):
            idle = self._idle_stacks[job, width, straight, some == 1]
            call: StackCall | None
            try:
                call = idle.pop()
            except IndexError:
                call = None
            # a call is bound to a number of states, but to no address: others may have left one of another size
            if call is None or call.states != some:
                call = self._new_stack_call(job, some, in_all, width, shared)
            for place, x in zip(call.places, stacks, strict=True):
                if states < width:
                    # fewer states than lanes: the last one is computed several times over
                    place.point(x, np.clip(first + np.arange(width), 0, states - 1), width)
                else:
                    place.follow(x, first)
            for buffer, x in zip(call.shared, shared.values(), strict=True):
                buffer[...] = x
            call.run()
            idle.append(call)

    def _new_stack_call(self, job: Job, states: int, in_all: int, width: int, shared: dict[str, NDArray]) -> StackCall:
        """Bind a call in SIMD lanes for `states` states, out of a stack of `in_all`."""
        places = {name: Apart(width) for name in job.names}
        own = {name: x.copy() for name, x in shared.items()}
        lanes = Lanes(width, frozenset([*self.numbers, *own]), frozenset(places))
        run = self.bind(job.task, {**places, **own}, job.counts(states), in_all, lanes)
        return StackCall(states, [*places.values()], [*own.values()], run)

    def _shapes(self, algorithm: str) -> list[tuple[int, ...]]:
        """Return the shapes of an algorithm's results for one state."""
        known = self._known_shapes.get(algorithm)
        if known is None:
            known = self._known_shapes[algorithm] = self._shapes_of(algorithm)
        return known

    def _shapes_of(self, algorithm: str) -> list[tuple[int, ...]]:
        nv, bodies, links, driven = (self._counts[name] for name in ("nv", "n_bodies", "n", "driven_nv"))
        own = 0 if self.own is None else len(self.own.law.numbers)
        nz = self.own.nz if self.own is not None else 0
        rows, loop_rows = (0, 0) if self.rows is None else (self.rows.m, self.rows.of_loops)
        return list(output_shapes(algorithm, nv, bodies, links, driven, own, nz, rows, loop_rows).values())


def _time(t: Any) -> Any:
    """Return one finite time, s, or a symbol for one."""
    return symbols(t) if isinstance(t, Symbol) else time_in_seconds(t)


def _zeros(shape: tuple[int, ...]) -> NDArray:
    """Return an array of zeros aligned for SIMD loads."""
    return blank(prod(shape), 1).reshape(shape)
