"""Purity check: names and bytecode instructions by which a function may have side effects.

A function of a user (a controller, a force law) is compiled by being called once, on symbols. That is right only for a
pure function: one that counts its calls, keeps a log, prints or draws random numbers has to be called from Python at
every state of a simulation. Python cannot prove purity, so the check is conservative: it looks at the instructions of
the code (`dis`) and refuses what stores to globals or attributes, imports, or calls builtins that are not listed here.
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
"""Builtins without side effects whose result does not depend on the type of a number."""
KINDS = frozenset({
    "can_cast", "common_type", "dtype", "iscomplexobj", "isrealobj", "isscalar", "issubdtype", "itemsize", "nbytes",
    "result_type", "strides",
})  # fmt: skip
"""Names of NumPy that depend on the type of a number, which is another one for symbols."""
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
    """Return the package that a class comes from.

    "" for a class statement that was run in a namespace without a ``__name__``, as by ``exec(text, {})``: Python finds
    the name of the module `builtins` there.
    """
    module = cls.__module__ if isinstance(cls.__module__, str) else ""  # compiled classes may have a descriptor
    home = module.split(".")[0]
    return "" if home == "builtins" and cls.__flags__ & WRITTEN_IN_PYTHON else home


def module_of(value: Any) -> str:
    """Return the name of the module that a function, a class or an object's class comes from."""
    return str(getattr(value, "__module__", ""))


def builtins_of(function: types.FunctionType) -> dict[str, Any]:
    """Return the builtins that a function sees, by name."""
    found: dict[str, Any] = function.__builtins__
    return found


def is_of_python(value: Any) -> bool:
    """Whether a builtin is one of Python's own, and not put there by a notebook's kernel or a user."""
    if isinstance(value, types.FunctionType) or (isinstance(value, type) and value.__flags__ & WRITTEN_IN_PYTHON):
        return False
    return (
        module_of(value) in ("_io", "_sitebuiltins", "builtins", "io") or value is NotImplemented or value is Ellipsis
    )


def of_a_class(value: Any) -> str:
    """Describe an object for messages by its class."""
    return f"an object of class {type(value).__name__!r}"


def not_known(name: str, value: Any) -> str:
    """Return the message for a dependency that cannot be examined, and what the user can do about it."""
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
