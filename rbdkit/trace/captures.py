"""Whether a function is one of its arguments alone, as far as its code tells.

Calling a function on symbols must leave no traces: what counts its calls, keeps a log, prints or draws random numbers
has to be called from Python, at every state that a simulation comes to.
"""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

HARMLESS = {
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len", "list",
    "map", "max", "min", "pow", "range", "reversed", "round", "slice", "sorted", "sum", "tuple", "zip",
    "TypeError", "ValueError", "ZeroDivisionError",
}  # fmt: skip
"""Builtins that neither keep anything nor tell the world."""
LIBRARIES = ("math", "numpy", "operator", "rbdkit")
KEEPS = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME"}
CHANGES = {
    "append", "appendleft", "add", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft", "remove",
    "reverse", "setdefault", "sort", "update",
}  # fmt: skip


class Impure(Exception):
    """A function may do more than compute; the message says what."""


def captured_arrays(function: Any, constants: tuple[type, ...] = ()) -> list[NDArray]:
    """The arrays that a function uses besides its arguments.

    Parameters
    ----------
    constants : types of which all objects never change.

    Raises
    ------
    Impure
        If it keeps or uses anything besides numbers, arrays, containers of these, and functions of which the same
        holds.
    """
    look = _Look((bool, int, float, complex, str, np.generic, *constants))
    look.at(getattr(function, "__name__", "it"), function)
    return look.found


@contextmanager
def read_only(arrays: list[NDArray]) -> Iterator[None]:
    """Keep arrays from being written to for a while."""
    open_ones = [array for array in arrays if array.flags.writeable]
    for array in open_ones:
        array.flags.writeable = False
    try:
        yield
    finally:
        for array in open_ones:
            array.flags.writeable = True


class _Look:
    """A look through all that a function uses. constants : types whose objects never change. found : the arrays."""

    def __init__(self, constants: tuple[type, ...]) -> None:
        self.constants = constants
        self.found: list[NDArray] = []
        self.seen: set[int] = set()

    def at(self, name: str, value: Any) -> None:
        """Look at a value of that name, and at all that it contains."""
        if id(value) in self.seen or value is None or isinstance(value, self.constants):
            return
        self.seen.add(id(value))
        if isinstance(value, np.ndarray) and value.dtype != object:
            self.found.append(value)
        elif isinstance(value, tuple | list | set | frozenset):
            for x in value:
                self.at(name, x)
        elif isinstance(value, dict):
            for x in value.values():
                self.at(name, x)
        elif isinstance(value, partial):
            for x in (value.func, value.args, value.keywords):
                self.at(name, x)
        elif _is_of_library(value):
            return
        elif isinstance(value, types.FunctionType):
            self.at_function(value)
        else:
            raise Impure(f"it uses {name!r}, of which rbdkit does not know whether it keeps anything")

    def at_function(self, function: types.FunctionType) -> None:
        """Look at what a function uses besides its arguments."""
        outside = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        values: dict[str, Any] = {}
        for name, cell in outside.items():
            try:
                values[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                raise Impure(f"{name!r} has no value yet") from None
        for k, value in enumerate((*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())):
            values[f"default {k + 1}"] = value
        changes = ""
        for step in steps_of(function.__code__):
            if step.opname in KEEPS or (step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in outside):
                raise Impure(f"it keeps or imports {step.argval!r}")
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                values[step.argval] = _global(function, step.argval)
            elif step.argval == "random" and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                raise Impure("it draws random numbers")
            elif step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR") or step.argval in CHANGES:
                changes = str(step.argval or "an assignment")
        for name, value in values.items():
            if changes and isinstance(value, list | dict | set):
                raise Impure(f"it may change {name!r} ({changes})")
            self.at(name, value)


def _is_of_library(value: Any) -> bool:
    """Whether a value is a module, function or class of the libraries that compute and do nothing else."""
    if isinstance(value, types.ModuleType):
        return value.__name__.split(".")[0] in LIBRARIES
    if isinstance(value, np.ufunc):
        return True
    named = isinstance(value, type | types.FunctionType | types.BuiltinFunctionType) or callable(value)
    home = getattr(value, "__module__", None) or ""
    return named and isinstance(home, str) and home.split(".")[0] in LIBRARIES and not hasattr(value, "__self__")


def steps_of(code: types.CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function and of those defined inside it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from steps_of(constant)


def _global(function: types.FunctionType, name: str) -> Any:
    if name in function.__globals__:
        return function.__globals__[name]
    if name in HARMLESS:
        return None
    if hasattr(builtins, name):
        raise Impure(f"it calls {name!r}")
    raise Impure(f"{name!r} has no value yet")
