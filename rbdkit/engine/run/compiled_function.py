"""A user's own function of a model and its state, traced, and run on one state or on stacks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.known_matrices import KnownMatrices
from rbdkit.engine.links.model_on_symbols import ModelOnSymbols
from rbdkit.engine.links.own_joints import copies_of_joints
from rbdkit.engine.links.own_laws import TAKE_SYMBOLS, place_of
from rbdkit.model import Model
from rbdkit.model.kept import PARTS
from rbdkit.trace import (
    ALONE,
    Apart,
    Dependencies,
    Guard,
    Lanes,
    Program,
    Trace,
    available,
    executable,
    replay,
    roomy,
    symbols,
    trace,
    width_of,
)

Shape = tuple[int, ...]
STATES = "states"


@dataclass(frozen=True, eq=False)
class RecordedFunction:
    """A traced user function.

    Attributes
    ----------
    trace : the trace of its results, joined into one vector. shapes : their shapes. single : whether it returns one
        array and no tuple.
    guard : what it depends on. parts : the parts of the model at the time of tracing.
    """

    trace: Trace
    shapes: tuple[Shape, ...]
    single: bool
    guard: Guard
    parts: tuple[Any, ...]

    def holds(self, model: Model) -> bool:
        """Return whether the model and all that the function depends on are unchanged."""
        return all(a is b for a, b in zip(self.parts, parts_of(model), strict=True)) and self.guard.holds()

    def split(self, flat: Any, leading: Shape) -> Any:
        """Split results (..., n) into those that the function returns."""
        ends = np.cumsum([prod(shape) for shape in self.shapes])
        parts = np.split(flat, ends[:-1], axis=-1)
        found = [part.reshape((*leading, *shape)) for part, shape in zip(parts, self.shapes, strict=True)]
        return found[0] if self.single else tuple(found)

    def on_symbols(self, arguments: Sequence[NDArray]) -> NDArray:
        """Evaluate the results for one state of symbols, as part of another trace."""
        return symbols(replay(self.trace, _element_of(dict(zip(self.trace.names, arguments, strict=True)))))

    @cached_property
    def runs(self) -> Callable[[Lanes], Any]:
        """Compiled code by lanes, compiled at the first call."""
        return cache(lambda lanes: executable(self._program(lanes), available()[0]))

    def _program(self, lanes: Lanes) -> Program:
        """Record a loop over states."""
        program, size = Program("function", lanes), len(self.trace.outputs)
        sizes = dict(zip(self.trace.names, map(prod, self.trace.shapes), strict=True))
        with program.loop(0, program.count(STATES), lanes.width) as state:
            given = replay(self.trace, lambda leaf: program.load(leaf[1], state * sizes[leaf[1]], leaf[3]))
            for k, value in enumerate(given):
                program.store("result", state * size, k, value)
        return program

    @cached_property
    def _idle(self) -> list[tuple[list[NDArray], NDArray, Callable[[], None]]]:
        """Bound calls for one state that wait for the next one. A thread takes one off the list, so it has it alone."""
        return []

    def on_one(self, arguments: Sequence[NDArray]) -> NDArray:
        """Return the results (n,) for one state."""
        try:
            buffers, result, run = self._idle.pop()
        except IndexError:
            buffers = [np.empty(max(1, x.size)) for x in arguments]
            result = np.empty(max(1, len(self.trace.outputs)))
            run = self._bound(ALONE, dict(zip((*self.trace.names, "result"), (*buffers, result), strict=True)), 1)
        for buffer, x in zip(buffers, arguments, strict=True):
            buffer[: x.size] = x.ravel()
        run()
        found = result[: len(self.trace.outputs)].copy()
        self._idle.append((buffers, result, run))
        return found

    def on_stack(self, arguments: Sequence[NDArray], states: int) -> NDArray:
        """Return the results (states, n). arguments : contiguous float arrays (states, n) each."""
        result = np.empty((states, len(self.trace.outputs)))
        names, width = (*self.trace.names, "result"), width_of(available()[0])
        arrays = [*arguments, result]
        if states < width or width == 1:
            self._bound(ALONE, dict(zip(names, arrays, strict=True)), states)()
            return result
        lanes = Lanes(width, frozenset(), frozenset(names))
        rest = states % width  # what is left is computed together with the last states before it, once more
        for first, some in [(0, states - rest), *([(states - width, width)] if rest else [])]:
            places = {
                name: Apart(width).point(x, first + np.arange(width), width)
                for name, x in zip(names, arrays, strict=True)
            }
            self._bound(lanes, places, some)()
        return result

    def _bound(self, lanes: Lanes, arrays: Mapping[str, Any], states: int) -> Callable[[], None]:
        code = self.runs(lanes)
        return code.bind({name: arrays[name] for name in code.program.arrays}, {STATES: states})


def parts_of(model: Model) -> tuple[Any, ...]:
    """Return the parts of a model, each of which is replaced by a new object when it changes."""
    return tuple(getattr(model, name) for name in PARTS)


def record_function(function: Callable[..., Any], model: Model, sizes: Mapping[str, Shape]) -> RecordedFunction:
    """Trace a function of a model and of arguments with these names and shapes.

    Raises
    ------
    NotTraced
        With the line at which tracing failed, or the values by which the trace differs from the function.
    """
    name = getattr(function, "__name__", "it")
    depends = Dependencies({name: function}, {Model: PARTS})
    if depends.impure:
        raise NotTraced(depends.impure)
    known = KnownMatrices()
    found: list[tuple[tuple[Shape, ...], bool]] = []
    try:
        on_symbols = ModelOnSymbols(model, known)
        copy = copies_of_joints((Model,), TAKE_SYMBOLS, {model: on_symbols, solve_joint: _solve_joint}).of(function)

        def flattened(*given: Any) -> NDArray:
            for graph in {x.flat[0].graph for x in given if isinstance(x, np.ndarray) and x.size}:
                graph.matrices = known.result
            given = tuple(roomy(x) if isinstance(x, np.ndarray) else x for x in given)
            flat, shapes, single = _flat(copy(on_symbols, *given))
            found.append((shapes, single))
            return symbols(flat)

        recorded = trace(flattened, *sizes.values(), names=tuple(sizes))
        recorded.graph.matrices = None
    except Exception as fault:  # of a user's own code, on numbers that are not known yet: anything
        raise NotTraced(f"{place_of(fault)}{fault}") from fault
    made = RecordedFunction(recorded, *found[0], depends.guard, parts_of(model))
    _require_agreement(made, function, model, sizes)
    return made


def _solve_joint(D: Any, rhs: Any, joint: str) -> Any:
    """Solve the equations of a joint without the check of values that `rbdkit.algorithms` has in it."""
    return np.linalg.solve(roomy(D), rhs)


def _flat(result: Any) -> tuple[list[Any], tuple[Shape, ...], bool]:
    """Return the results of a function in one list, their shapes, and whether it is one array and no tuple."""
    single = not isinstance(result, tuple)
    arrays = [np.asarray(x, dtype=object) for x in ((result,) if single else result)]
    return [y for x in arrays for y in x.ravel().tolist()], tuple(x.shape for x in arrays), single


def _require_agreement(
    made: RecordedFunction, function: Callable[..., Any], model: Model, sizes: Mapping[str, Shape]
) -> None:
    """Raise `NotTraced` if the trace differs from the function at three random states."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        drawn = {name: rng.normal(size=shape) for name, shape in sizes.items()}
        if drawn.get("q", np.zeros(0)).shape == (model.nq,):
            drawn["q"] = model.random_q(rng)
        given = [np.copy(x) if x.shape else float(x) for x in drawn.values()]
        expected = np.asarray(_flat(function(model, *given))[0], dtype=float)
        values = np.asarray(replay(made.trace, _element_of(drawn)), dtype=float)
        scale = np.abs(expected).max(initial=0.0) + np.abs(values).max(initial=0.0)
        off = np.abs(values - expected).max(initial=0.0)
        if not off <= 1e-9 * scale:
            raise NotTraced(
                f"what was recorded of it gives {values.tolist()} where it gives {expected.tolist()}: it draws random "
                "numbers, chooses its way by values, or takes a matrix for symmetric that is not"
            )


def _element_of(arguments: Mapping[str, NDArray]) -> Callable[[tuple[Any, ...]], Any]:
    """Return the function that looks up the value of a trace's input element."""
    flat = {name: x.ravel().tolist() for name, x in arguments.items()}
    return lambda leaf: flat[leaf[1]][leaf[3]]
