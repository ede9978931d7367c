"""A formula on the numbers of another library: SymPy, CasADi, or arrays of NumPy, JAX and PyTorch.

The operations are run again on that library's own symbols, tracers or tensors; each library gives its sine, its square
root and its way to choose between two values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from rbdkit.errors import ArgumentError
from rbdkit.formulas.formula import Formula
from rbdkit.formulas.written import roundings

PLAIN: Mapping[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
}
"""Operations that every library writes as Python does."""


def required(library: str) -> Any:
    """Import a library.

    Raises
    ------
    ArgumentError
        If it is not installed; the message says how to install it.
    """
    try:
        return import_module(library)
    except ImportError:
        raise ArgumentError(f'{library} is not installed: pip install "rbdkit[{library}]"') from None


def replayed(
    formula: Formula, values: Mapping[str, Sequence[Any]], operations: Mapping[str, Callable[..., Any]]
) -> list[Any]:
    """Return the results, flat, on scalars of a library. values : arguments by name, flat."""
    graph, outputs = formula.trace.graph, formula.trace.positions()
    whole, live = roundings(graph, graph.live(outputs))
    known: dict[int, Any] = {}
    for position in live:
        operation, *operands = graph.nodes[position]
        if operation == "const":
            known[position] = operands[0]
        elif operation == "load":
            known[position] = values[operands[0]][operands[2]]
        elif position in whole:
            known[position] = operations["round"](known[whole[position]])
        else:
            known[position] = operations[operation](*(known[k] for k in operands))
    return [known[k] for k in outputs]


def in_casadi(formula: Formula) -> Any:
    """Return a formula as `casadi.Function` on SX symbols, with the arguments' names; the result is named 'result'."""
    casadi = required("casadi")
    given = {x.name: casadi.SX.sym(x.name, x.size) for x in formula.arguments}
    operations = {
        **PLAIN,
        "round": lambda x: casadi.floor(x + 0.5),
        "sqrt": casadi.sqrt,
        "sin": casadi.sin,
        "cos": casadi.cos,
        "copysign": lambda x, y: casadi.if_else(y < 0, -casadi.fabs(x), casadi.fabs(x)),
        "less": lambda a, b: a < b,
        "equal": lambda a, b: a == b,
        "and": casadi.logic_and,
        "or": casadi.logic_or,
        "not": casadi.logic_not,
        "select": casadi.if_else,
    }
    values = {name: [x[k] for k in range(x.shape[0])] for name, x in given.items()}
    flat = casadi.vertcat(*replayed(formula, values, operations))
    shape = formula.shape
    if len(shape) > 2:
        result = flat  # CasADi knows matrices alone
    else:
        rows, columns = (*shape, 1, 1)[:2]
        result = casadi.reshape(flat, columns, rows).T  # which counts column by column
    return casadi.Function(formula.name, [*given.values()], [result], [*given], ["result"])


def in_jax(formula: Formula) -> Callable[..., Any]:
    """Return a formula as a function on JAX arrays, which can be differentiated, mapped and compiled."""
    required("jax")
    library = import_module("jax.numpy")
    return _on_arrays(formula, library, library.asarray, lambda x, like: x)


def in_torch(formula: Formula) -> Callable[..., Any]:
    """Return a formula as a function on PyTorch tensors, which can be differentiated and compiled."""
    torch = required("torch")

    def tensor(x: Any, like: Any) -> Any:
        # constants would be of PyTorch's single precision
        return x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=like.dtype, device=like.device)

    # not asarray, which has cut off gradients in some releases
    return _on_arrays(formula, torch, torch.as_tensor, tensor)


def _on_arrays(
    formula: Formula, library: Any, given_as: Callable[[Any], Any], tensor: Callable[[Any, Any], Any]
) -> Callable[..., Any]:
    """Return a formula as a function on arrays of a library with NumPy's names.

    given_as : makes an array of an argument. tensor : makes one of a constant, like another.
    """
    names = [x.name for x in formula.arguments]

    def function(*given: Any) -> Any:
        if len(given) != len(names):
            raise ArgumentError(f"{formula.name} takes {', '.join(names)}; it was given {len(given)} arguments")
        arrays = {}
        for argument, x in zip(formula.arguments, given, strict=True):
            array = given_as(x)
            if tuple(array.shape) != argument.shape:
                raise ArgumentError(
                    f"{argument.name} has shape {tuple(array.shape)}; {formula.name} takes {argument.shape}"
                )
            arrays[argument.name] = array.reshape(-1)
        like = next(iter(arrays.values()))

        def chosen(condition: Any, a: Any, b: Any) -> Any:
            return library.where(condition, tensor(a, like), tensor(b, like))

        operations = {
            **PLAIN,
            "round": library.round,
            "sqrt": library.sqrt,
            "sin": library.sin,
            "cos": library.cos,
            "copysign": lambda x, y: chosen(y < 0, -abs(x), abs(x)),
            "less": lambda a, b: a < b,
            "equal": lambda a, b: a == b,
            "and": library.logical_and,
            "or": library.logical_or,
            "not": library.logical_not,
            "select": chosen,
        }
        found = replayed(formula, arrays, operations)
        return library.stack([tensor(x, like) for x in found]).reshape(formula.shape)

    function.__name__ = function.__qualname__ = formula.name
    function.__doc__ = f"Return the {formula.about}; arguments {', '.join(names)}, result {formula.shape}."
    return function
