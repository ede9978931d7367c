"""`rbdkit.compile`: compile a user's algorithm over a model's tree.

The function is traced on symbols for one state. Gravity, placements and inertias of the model are inputs of the code
where they are not zero, so that other values need no other code; its other numbers are constants. A guard notices if
the function, what it depends on, or the model's structure changes; the next call then traces anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.model_on_symbols import ModelOnSymbols
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.compiled_function import Arguments, RecordedFunction, Shape, record_function
from rbdkit.errors import ArgumentError, StateError
from rbdkit.model import Model
from rbdkit.model.leading_axes import common_axes
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import floats, shown
from rbdkit.trace import Symbol, symbols

KNOWN: Mapping[str, Callable[[Model], Shape]] = {
    "q": lambda model: (model.nq,),
    "t": lambda model: (),
    "f_ext": lambda model: (len(model.bodies), 6),
}
"""Shapes of arguments with known names; all others are joint vectors (nv,)."""
MOST_CODES = 8
"""Most traces that a function keeps for models whose numbers are zero in different places."""


class CompiledFunction:
    """A compiled function of a model's state, the result of `rbdkit.compile`.

    Called with one state or a stack of states (leading axes), it returns the function's result for each; a model of the
    same structure may stand before them. It is compiled anew if the function, what it depends on, or the structure of
    the model has changed, not for other masses or lengths. Torque and force laws may call it.
    """

    made_of = ("function", "model")
    """Attributes that say what it computes; it takes symbols, so that what calls it can be recorded."""

    def __init__(self, function: Callable[..., Any], model: Model, arguments: Arguments) -> None:
        self.function, self.model, self.arguments = function, model, arguments
        self.sizes = dict(arguments.sizes)
        self._shapes = list(self.sizes.values())
        self._recorded: WeakKeyDictionary[Model, RecordedFunction] = WeakKeyDictionary()
        self._traced: deque[RecordedFunction] = deque(maxlen=MOST_CODES)
        self._current(model)

    def __repr__(self) -> str:
        return f"<compiled {self._name}({', '.join(self.sizes)}) of model {self.model.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledFunction, (self.function, self.model, self.arguments)  # machine code is made anew

    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__name__", "function"))

    def operations(self) -> str:
        """Return the operation count for one state in the notation of the book, such as '499m + 444a'."""
        return str(self._current(self.model).code.trace.operations())

    def _current(self, model: Model) -> RecordedFunction:
        """Return the code for a model as it is now: that of another model too, if only numbers differ."""
        found = self._recorded.get(model)
        if found is not None and found.holds(model):
            return found
        shared = (other for one in self._traced if (other := one.of_other_numbers(model)) is not None)
        found = self._recorded[model] = next(shared, None) or self._record(model)
        return found

    def _record(self, model: Model) -> RecordedFunction:
        try:
            found = record_function(self.function, model, self.arguments)
        except (NotTraced, NotCovered) as fault:
            raise ArgumentError(f"{self._name} cannot be compiled: {fault}") from fault
        self._traced.appendleft(found)
        return found

    def __call__(self, *given: Any, **named: ArrayLike) -> Any:
        """Evaluate the function; the arguments are those after the model, or a model like it and these."""
        model = self.model
        if given and isinstance(given[0], Model | ModelOnSymbols):
            first, given = given[0], given[1:]
            model = first.real() if isinstance(first, ModelOnSymbols) else first
            self._require_alike(model)
        recorded = self._current(model)
        if not named and list(map(_plain_shape, given)) == self._shapes:  # one state, read as it is
            return _number(recorded.split(recorded.on_one(given), ()))
        arguments = self._in_order(given, named)
        if any(_holds_symbols(x) for x in arguments):
            return self._on_symbols(recorded, arguments)
        arrays = [self._checked(name, x) for name, x in zip(self.sizes, arguments, strict=True)]
        rows = {  # with one axis for all numbers of a state
            name: x.reshape(*x.shape[: x.ndim - len(shape)], prod(shape))
            for (name, shape), x in zip(self.sizes.items(), arrays, strict=True)
        }
        leading = common_axes(rows)
        if not leading:
            return _number(recorded.split(recorded.on_one(arrays), ()))
        states = prod(leading)
        flat = [
            np.ascontiguousarray(np.broadcast_to(x, (*leading, x.shape[-1]))).reshape(states, x.shape[-1])
            for x in rows.values()
        ]
        return recorded.split(recorded.on_stack(flat, states).reshape(*leading, recorded.code.size), leading)

    def _require_alike(self, model: Model) -> None:
        if (model.nq, model.nv, len(model.bodies)) != (self.model.nq, self.model.nv, len(self.model.bodies)):
            raise ArgumentError(
                f"{self._name} was compiled for {self.model!r}; for {model!r}, whose states have other sizes, compile "
                "it again: rbd.compile(function, model)"
            )

    def _in_order(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        names = list(self.sizes)
        found = dict(zip(names, given, strict=False))
        if len(given) > len(names) or set(found) & set(named) or set(found) | set(named) != set(names):
            raise ArgumentError(
                f"{self._name} takes {', '.join(names)}, each once; it was given {len(given)} without a name"
                + (f" and {', '.join(named)}" if named else "")
                + "; the model may stand before them. Arguments with default values are constants unless the sizes of "
                "rbd.compile name them"
            )
        return [{**found, **named}[name] for name in names]

    def _checked(self, name: str, x: ArrayLike) -> NDArray:
        shape = self.sizes[name]
        array = floats(x, lambda v: f"{name} {v} is no array of numbers", StateError)
        if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
            raise StateError(
                f"{name} has shape {array.shape}; {self._name} was compiled for {shape}, or stacks of them"
            )
        return array

    def _on_symbols(self, recorded: RecordedFunction, arguments: list[Any]) -> Any:
        given = [symbols(x) for x in arguments]
        for name, x in zip(self.sizes, given, strict=True):
            if x.shape != self.sizes[name]:
                raise StateError(f"{name} has shape {x.shape}; inside a law {self._name} takes one state")
        found = recorded.split(recorded.on_symbols(given), ())
        return found.item() if isinstance(found, np.ndarray) and found.shape == () else found


def _plain_shape(x: Any) -> Shape | None:
    """Return the shape of a plain array of floats, None of anything else."""
    return x.shape if type(x) is np.ndarray and x.dtype == float else None


def _number(found: Any) -> Any:
    return float(found) if isinstance(found, np.ndarray) and not found.shape else found


def _holds_symbols(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(isinstance(y, Symbol) for y in x.flat)
    return isinstance(x, Symbol) or (isinstance(x, list | tuple) and any(map(_holds_symbols, x)))


def compile(
    function: Callable[..., Any], model: Model, *, sizes: Mapping[str, int | tuple[int, ...]] | None = None
) -> CompiledFunction:
    """Compile a user's function over a model's tree, such as a new RNEA or ABA, to machine code.

    Parameters
    ----------
    function : callable
        ``function(model, q, v, ...)``, on one state, in plain NumPy: it may use ``outward``, ``inward``, ``parent``,
        ``joints[i].calc(q, v)``, ``X_tree[i]``, ``I[i]`` and the like of the model, `rbdkit.spatial`, and functions
        such as `rbdkit.rnea`; it returns an array, a number, or a tuple of these. Branches on values, ``if q[0] > 0``,
        are written with `numpy.where`. Where joints are prescribed, it takes the time: ``joints[i].calc(q, v, t)``.
    model : Model
        What moves. Where it has loops, the function computes on its spanning tree.
    sizes : mapping, optional
        Shapes of arguments that are neither q (nq,), t (), f_ext (bodies, 6) nor joint vectors (nv,), by name. An
        argument with a default value is an input if it is named here, and a constant otherwise.

    Returns
    -------
    CompiledFunction
        Called with the arguments after the model: one state or stacks (..., nq), (..., nv). The model, or one that
        differs in numbers only, may stand before them. Laws for `simulate` and `play` may call it.

    Raises
    ------
    ArgumentError
        If the function cannot be traced, with the line and the reason; or if the trace gives other values than the
        function.

    Examples
    --------
    The kinetic energy of each body, for a thousand states at once:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> def energies(model, q, v):
    ...     moving, T = np.zeros((len(model.bodies), 6)), np.zeros(len(model.bodies))
    ...     for i in model.outward:
    ...         X_J, S, v_J, c_J = model.joints[i].calc(q, v)
    ...         moving[i] = X_J @ model.X_tree[i] @ moving[model.parent[i]] + v_J
    ...         T[i] = 0.5 * moving[i] @ model.I[i] @ moving[i]
    ...     return T
    >>> fast = rbd.compile(energies, model)
    >>> q, v = np.zeros((1000, 2)), np.ones((1000, 2))
    >>> bool(np.allclose(fast(q, v).sum(axis=1), rbd.energy(model, q, v).kinetic))
    True
    """
    require_model(model)
    if not callable(function):
        raise ArgumentError(f"{shown(function)} is no function (model, q, v, ...)")
    given = _shapes({} if sizes is None else sizes)
    try:
        parameters = list(signature(function).parameters.values())[1:]
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{shown(function)} does not say what it takes; give a function (model, q, v, ...)"
        ) from None
    others = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    taken = [p for p in parameters if p.kind not in others and (p.default is p.empty or p.name in given)]
    if not taken:
        raise ArgumentError(f"{getattr(function, '__name__', 'the function')} takes no state; give (model, q, v, ...)")
    if unknown := set(given) - {p.name for p in taken}:
        raise ArgumentError(f"sizes has {', '.join(sorted(unknown))}, which the function does not take")
    shapes = {p.name: KNOWN[p.name](model) if p.name in KNOWN else (model.nv,) for p in taken}
    positional = sum(p.kind is Parameter.POSITIONAL_ONLY for p in taken)
    return CompiledFunction(function, model, Arguments(shapes | given, positional))


def _shapes(sizes: Any) -> dict[str, Shape]:
    """Return the shapes that a user gave for arguments, checked."""
    if not isinstance(sizes, Mapping):
        raise ArgumentError(f'sizes = {shown(sizes)} must be a mapping such as {{"gains": 3, "R": (3, 3)}}')
    found = {name: size if isinstance(size, tuple | list) else (size,) for name, size in sizes.items()}
    for name, shape in found.items():
        if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape):
            raise ArgumentError(
                f"sizes has {shown(sizes[name])} for {name}; give a whole number or a shape such as (3, 3)"
            )
    return {name: tuple(shape) for name, shape in found.items()}
