"""A user's own function of a model and its state, traced, and run on one state or on stacks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.known_matrices import KnownMatrices
from rbdkit.engine.links.model_on_symbols import ModelOnSymbols, is_structure, numbers_of, of_real_model, structure_of
from rbdkit.engine.links.own_joints import copies_of_joints
from rbdkit.engine.links.own_laws import TAKE_SYMBOLS, place_of
from rbdkit.joints import Prescribed
from rbdkit.model import Model
from rbdkit.model.kept import PARTS
from rbdkit.trace import (
    ALONE,
    Apart,
    Dependencies,
    Guard,
    Lanes,
    Program,
    Symbol,
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
NUMBERS = (int, float, np.number, np.bool_, Symbol)
STATES, RESULT = "states", "result"


@dataclass(frozen=True)
class Arguments:
    """Arguments of a user's function after the model.

    Attributes
    ----------
    sizes : shapes by name, in the order of the function. positional : how many have no name in a call, from the first.
    """

    sizes: Mapping[str, Shape]
    positional: int = 0

    def call(self, function: Callable[..., Any], model: Any, values: Sequence[Any]) -> Any:
        """Call the function, or its traced copy."""
        named = dict(zip(self.sizes, values, strict=True))
        return function(model, *values[: self.positional], **dict(list(named.items())[self.positional :]))


class Code:
    """Compiled code of a traced function, whose first argument are the model's numbers."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.size = trace, len(trace.outputs)
        self._compiled: dict[Lanes, Any] = {}
        # Bound calls for one state that wait for the next one. A thread takes one off the list, so it has it alone.
        self._idle: list[tuple[NDArray, list[NDArray], NDArray, Callable[[], None]]] = []

    def on_one(self, numbers: NDArray, arguments: Sequence[NDArray]) -> NDArray:
        """Return the results (n,) for one state."""
        try:
            held, buffers, result, run = self._idle.pop()
        except IndexError:
            held, result = np.empty(0), np.empty(max(1, self.size))
            buffers = [np.empty(max(1, x.size)) for x in (numbers, *arguments)]
            run = self._bound(ALONE, dict(zip((*self.trace.names, RESULT), (*buffers, result), strict=True)), 1)
        if held is not numbers:
            buffers[0][: numbers.size] = numbers
        for buffer, x in zip(buffers[1:], arguments, strict=True):
            buffer[: x.size] = x.ravel()
        run()
        found = result[: self.size].copy()
        self._idle.append((numbers, buffers, result, run))
        return found

    def on_stack(self, numbers: NDArray, arguments: Sequence[NDArray], states: int) -> NDArray:
        """Return the results (states, n). arguments : contiguous float arrays (states, n) each."""
        result = np.empty((states, self.size))
        shared, *names = *self.trace.names, RESULT
        width, arrays = width_of(available()[0]), [*arguments, result]
        own = {shared: numbers if numbers.size else np.zeros(1)}
        if states < width or width == 1:
            self._bound(ALONE, own | dict(zip(names, arrays, strict=True)), states)()
            return result
        lanes = Lanes(width, frozenset({shared}), frozenset(names))
        rest = states % width  # what is left is computed together with the last states before it, once more
        for first, some in [(0, states - rest), *([(states - width, width)] if rest else [])]:
            places = {
                name: Apart(width).point(x, first + np.arange(width), width)
                for name, x in zip(names, arrays, strict=True)
            }
            self._bound(lanes, own | places, some)()
        return result

    def _bound(self, lanes: Lanes, arrays: Mapping[str, Any], states: int) -> Callable[[], None]:
        if lanes not in self._compiled:
            self._compiled[lanes] = executable(self._program(lanes), available()[0])
        code = self._compiled[lanes]
        return code.bind({name: arrays[name] for name in code.program.arrays}, {STATES: states})

    def _program(self, lanes: Lanes) -> Program:
        """Record a loop over states."""
        program = Program("function", lanes)
        sizes = dict(zip(self.trace.names, map(prod, self.trace.shapes), strict=True))
        sizes[self.trace.names[0]] = 0  # the same for all states
        with program.loop(0, program.count(STATES), lanes.width) as state:
            given = replay(self.trace, lambda leaf: program.load(leaf[1], state * sizes[leaf[1]], leaf[3]))
            for k, value in enumerate(given):
                program.store(RESULT, state * self.size, k, value)
        return program


@dataclass(frozen=True, eq=False)
class RecordedFunction:
    """A traced user function of one model.

    Attributes
    ----------
    code : compiled code. shapes : of the results. single : whether it returns one array and no tuple.
    guard : what it depends on. parts : the parts of the model at the time of tracing.
    structure : what models that share the code have in common; None if the code is for this model alone.
    plain : which of the model's numbers are constants of the code, and their values. numbers : all others.
    """

    code: Code
    shapes: tuple[Shape, ...]
    single: bool
    guard: Guard
    parts: tuple[Any, ...]
    structure: tuple[Any, ...] | None
    plain: tuple[NDArray, NDArray]
    numbers: NDArray

    def holds(self, model: Model) -> bool:
        """Return whether the model and all that the function depends on are unchanged."""
        return all(map(is_, self.parts, parts_of(model))) and self.guard.holds()

    def of_other_numbers(self, model: Model) -> RecordedFunction | None:
        """Return the same code for a model that differs in numbers only; None if it differs in more."""
        if self.structure is None or not self.guard.holds() or self.structure != structure_of(model):
            return None
        constant, values = self.plain
        numbers = numbers_of(model)
        if not np.array_equal(numbers[constant], values):
            return None
        return replace(self, parts=parts_of(model), numbers=numbers[~constant])

    def split(self, flat: Any, leading: Shape) -> Any:
        """Split results (..., n) into those that the function returns."""
        found, start = [], 0
        for shape in self.shapes:
            found.append(flat[..., start : start + prod(shape)].reshape((*leading, *shape)))
            start += prod(shape)
        return found[0] if self.single else tuple(found)

    def on_one(self, arguments: Sequence[NDArray]) -> NDArray:
        """Return the results (n,) for one state."""
        return self.code.on_one(self.numbers, arguments)

    def on_stack(self, arguments: Sequence[NDArray], states: int) -> NDArray:
        """Return the results (states, n). arguments : contiguous float arrays (states, n) each."""
        return self.code.on_stack(self.numbers, arguments, states)

    def on_symbols(self, arguments: Sequence[NDArray]) -> NDArray:
        """Evaluate the results for one state of symbols, as part of another trace."""
        return symbols(self._replayed(arguments))

    def _replayed(self, arguments: Sequence[NDArray]) -> list[Any]:
        given = dict(zip(self.code.trace.names, (self.numbers, *arguments), strict=True))
        return replay(self.code.trace, _element_of(given))

    def require_agreement(self, function: Callable[..., Any], model: Model, arguments: Arguments) -> None:
        """Raise `NotTraced` if the trace differs from the function at three random states."""
        rng = np.random.default_rng(1)
        for _ in range(3):
            drawn = {name: rng.normal(size=shape) for name, shape in arguments.sizes.items()}
            if drawn.get("q", np.zeros(0)).shape == (model.nq,):
                drawn["q"] = model.random_q(rng)
            if "t" in drawn:
                drawn["t"] = np.abs(drawn["t"])
            given = [np.copy(x) if np.shape(x) else float(x) for x in drawn.values()]
            expected = np.asarray(_flat(arguments.call(function, model, given))[0], dtype=float)
            values = np.asarray(self._replayed([np.asarray(x) for x in drawn.values()]), dtype=float)
            scale = np.abs(expected).max(initial=0.0) + np.abs(values).max(initial=0.0)
            off = np.abs(values - expected).max(initial=0.0)
            # written so that NaN is refused, too
            if not off <= 1e-9 * scale:
                raise NotTraced(
                    f"what was recorded of it gives {values.tolist()} where it gives {expected.tolist()}: it draws "
                    "random numbers, chooses its way by values, or takes a matrix for symmetric that is not"
                )


def parts_of(model: Model) -> tuple[Any, ...]:
    """Return the parts of a model, each of which is replaced by a new object when it changes."""
    own = model.__dict__  # far quicker than attribute access, which looks at the class first
    try:
        return tuple([own[name] for name in PARTS])
    except KeyError:  # a part that grew was not made into a tuple yet
        return tuple(getattr(model, name) for name in PARTS)


def record_function(function: Callable[..., Any], model: Model, arguments: Arguments) -> RecordedFunction:
    """Trace a function of a model and of arguments.

    The model's numbers are inputs of the code. If the function cannot be traced so, since it chooses its way by one of
    them, they are constants.

    Raises
    ------
    NotTraced
        With the line at which tracing failed, or the values by which the trace differs from the function.
    """
    motions = {j.name: j.type.motion for j in model.joints if isinstance(j.type, Prescribed)}
    depends = Dependencies({getattr(function, "__name__", "it"): function, **motions}, {Model: PARTS})
    if depends.impure:
        raise NotTraced(depends.impure)
    numbers = numbers_of(model)
    with suppress(NotTraced):
        return _recorded(function, model, arguments, depends.guard, is_structure(numbers))
    return _recorded(function, model, arguments, depends.guard, np.full(numbers.shape, True))


def _recorded(
    function: Callable[..., Any], model: Model, arguments: Arguments, guard: Guard, constant: NDArray
) -> RecordedFunction:
    """Trace a function. constant : which of the model's numbers are constants."""
    known, numbers = KnownMatrices(), numbers_of(model)
    found: list[tuple[tuple[Shape, ...], bool]] = []
    try:
        on_symbols, named = ModelOnSymbols(model, known), ModelOnSymbols(model, known)
        named.fill(numbers.tolist())  # a global of the function stays this model when the argument is another one
        copies = copies_of_joints((Model,), TAKE_SYMBOLS, {model: named, solve_joint: _solve_joint}, of_real_model)
        on_symbols.copy = named.copy = copies.of
        copy = copies.of(function)

        def flattened(variable: Any, *given: Any) -> NDArray:
            for x in (variable, *given):
                if np.size(x):
                    np.ravel(x)[0].graph.matrices = known.result
            filled = np.array(numbers, dtype=object)
            filled[~constant] = variable
            on_symbols.fill(filled.tolist())
            values = [roomy(x) if isinstance(x, np.ndarray) else x for x in given]
            flat, shapes, single = _flat(arguments.call(copy, on_symbols, values))
            found.append((shapes, single))
            return symbols(flat)

        shapes = [(int(np.sum(~constant)),), *arguments.sizes.values()]
        # with names of their own: one of the user's might be called "result", or as variables of generated code are
        recorded = trace(flattened, *shapes, names=[f"input{k}" for k in range(len(shapes))])
        recorded.graph.matrices = None
    except NotTraced:
        raise
    except Exception as fault:  # of a user's own code, on numbers that are not known yet: anything
        raise NotTraced(f"{place_of(fault)}{fault}") from fault
    structure = None if on_symbols.reads_numbers or constant.all() else structure_of(model)
    plain = constant, numbers[constant]
    made = RecordedFunction(
        Code(recorded), *found[0], sum(on_symbols.guards, guard), parts_of(model), structure, plain, numbers[~constant]
    )
    made.require_agreement(function, model, arguments)
    return made


def _solve_joint(D: Any, rhs: Any, joint: str) -> Any:
    """Solve the equations of a joint without the check of values that `rbdkit.algorithms` has in it."""
    return np.linalg.solve(roomy(D), rhs)


def _flat(result: Any) -> tuple[list[Any], tuple[Shape, ...], bool]:
    """Return the results of a function in one list, their shapes, and whether it is one array and no tuple."""
    single = not isinstance(result, tuple)
    arrays = [np.asarray(x, dtype=object) for x in ((result,) if single else result)]
    for x in arrays:
        for odd in (y for y in x.flat if not isinstance(y, NUMBERS)):
            what = "None" if odd is None else f"a value of type {type(odd).__name__}"
            what = "arrays of different shapes in a list" if isinstance(odd, np.ndarray) else what
            raise NotTraced(f"it returns {what}; return a number, an array of numbers or a tuple of these")
    return [y for x in arrays for y in x.ravel().tolist()], tuple(x.shape for x in arrays), single


def _element_of(arguments: Mapping[str, NDArray]) -> Callable[[tuple[Any, ...]], Any]:
    """Return the function that looks up the value of a trace's input element."""
    flat = {name: x.ravel().tolist() for name, x in arguments.items()}
    return lambda leaf: flat[leaf[1]][leaf[3]]
