"""What code does besides computing, as far as its instructions tell.

Calling a function on symbols must leave no traces: what counts its calls, keeps a log, prints or draws random numbers
has to be called from Python, at every state that a simulation comes to.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

HARMLESS = {
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "int", "len", "list",
    "map", "max", "min", "pow", "range", "reversed", "round", "slice", "sorted", "sum", "tuple", "zip",
    "super", "NotImplemented", "TypeError", "ValueError", "ZeroDivisionError",
}  # fmt: skip
"""Builtins that neither keep anything nor tell the world, nor what kind a number is."""
KINDS = frozenset({
    "can_cast", "common_type", "dtype", "iscomplexobj", "isrealobj", "isscalar", "issubdtype", "itemsize", "nbytes",
    "result_type", "strides",
})  # fmt: skip
"""Names of NumPy that tell of what kind a number is: symbols are of another."""
LIBRARIES = ("math", "numpy", "operator", "rbdkit")
KEEPS = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME"}
CHANGES = {
    "append", "appendleft", "add", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft", "remove",
    "reverse", "setdefault", "sort", "update",
}  # fmt: skip

WRITTEN_IN_PYTHON = 1 << 9
"""The flag of classes that a class statement makes, Py_TPFLAGS_HEAPTYPE."""


class Impure(Exception):
    """A function may do more than compute; the message says what."""


def steps_of(code: types.CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function and of those defined inside it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from steps_of(constant)


def home_of(cls: type) -> str:
    """The package that a class comes from.

    "" for a class statement that was run in a namespace without a ``__name__``, as by ``exec(text, {})``: Python finds
    the name of the module `builtins` there.
    """
    module = cls.__module__ if isinstance(cls.__module__, str) else ""  # compiled classes may have a descriptor
    home = module.split(".")[0]
    return "" if home == "builtins" and cls.__flags__ & WRITTEN_IN_PYTHON else home


def of_a_class(value: Any) -> str:
    """What an object is, in words."""
    return f"an object of class {type(value).__name__!r}"


def not_known(name: str, value: Any) -> str:
    """What is wrong with something that cannot be looked into, and what to do."""
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.MethodType | types.BuiltinFunctionType) and not isinstance(owner, types.ModuleType):
        what = f"a method of {of_a_class(owner)}"
    elif isinstance(value, type | types.BuiltinFunctionType):
        what = f"a {'class' if isinstance(value, type) else 'function'} of {value.__module__!r}"
    elif isinstance(value, str):
        what = value
    else:
        what = of_a_class(value)
    who = name if name == "it" else repr(name)
    return (
        f"{who} is {what}, which may keep something between calls; write it as a function of numbers, arrays and "
        "other functions"
    )
