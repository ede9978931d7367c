"""Digests of the arguments of a sweep, by which one that goes on knows itself again."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Mapping
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from rbdkit.errors import FormatError, SimulationError
from rbdkit.formats import to_json
from rbdkit.model import Model


def digest(name: str, thing: Any) -> str:
    """A text that is the same for the same argument in every process, and another one for any other.

    Parameters
    ----------
    name : str
        Of the argument, for the error.
    thing : object
        Plain data, models, objects that pickle, and functions: their code, and what they use besides arguments.

    Raises
    ------
    SimulationError
        If it uses something whose value cannot be told in another process.
    """
    found = hashlib.sha256()
    _feed(found, name, thing, set())
    return found.hexdigest()


def _feed(into: Any, name: str, thing: Any, seen: set[int]) -> None:
    into.update(f"<{type(thing).__name__}>".encode())
    if thing is None or isinstance(thing, str | bytes | bool | int | float | complex | np.generic):
        into.update(repr(thing).encode())
    elif isinstance(thing, np.ndarray) and thing.dtype != object:
        into.update(f"{thing.dtype.str}{thing.shape}".encode() + np.ascontiguousarray(thing).tobytes())
    elif isinstance(thing, Mapping):
        for key, value in thing.items():
            _feed(into, name, key, seen)
            _feed(into, name, value, seen)
    elif isinstance(thing, set | frozenset):
        into.update("".join(sorted(map(repr, thing))).encode())
    elif isinstance(thing, list | tuple | np.ndarray):
        for part in thing:
            _feed(into, name, part, seen)
    elif isinstance(thing, ModuleType):
        into.update(f"{thing.__name__} {getattr(thing, '__version__', '')}".encode())
    elif id(thing) in seen:
        return
    else:
        _feed_object(into, name, thing, seen | {id(thing)})


def _feed_object(into: Any, name: str, thing: Any, seen: set[int]) -> None:
    if isinstance(thing, Model):
        try:
            into.update(to_json(thing).encode())
            for part in thing.elements:
                if part.element.is_users_own:  # the file has its name; what it does is in its functions
                    for member in vars(type(part.element)).values():
                        own = getattr(member, "fget", None) or getattr(member, "__func__", member)
                        if isinstance(own, FunctionType):
                            _feed_function(into, name, own, seen)
        except FormatError as fault:
            raise SimulationError(
                f"store: model {thing.name!r} cannot be compared with that of another run: {fault}"
            ) from None
    elif isinstance(thing, partial):
        _feed(into, name, (thing.func, thing.args, thing.keywords), seen)
    elif isinstance(thing, MethodType):
        _feed(into, name, (thing.__func__, thing.__self__), seen)
    elif isinstance(thing, FunctionType):
        _feed_function(into, name, thing, seen)
    elif isinstance(thing, type | BuiltinFunctionType | np.ufunc):
        into.update(f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', thing)}".encode())
    else:
        try:
            into.update(pickle.dumps(thing, protocol=4))
        except Exception as fault:
            raise SimulationError(
                f"store: {name} uses {type(thing).__name__!r}, which cannot be compared with that of another run "
                f"({fault}); hand it in as numbers or arrays"
            ) from None
        called = vars(type(thing)).get("__call__")
        if isinstance(called, FunctionType):
            _feed_function(into, name, called, seen)


def _feed_function(into: Any, name: str, function: FunctionType, seen: set[int]) -> None:
    """Its code, its defaults, and the values of all names that it does not make itself."""
    _feed_code(into, name, function.__code__, seen)
    _feed(into, name, (function.__defaults__, function.__kwdefaults__), seen)
    if (function.__module__ or "").split(".")[0] in ("numpy", "scipy", "rbdkit"):
        return  # what libraries use in turn is theirs
    used = inspect.getclosurevars(function)
    for values in (used.nonlocals, used.globals):
        for own in sorted(values):
            into.update(own.encode())
            _feed(into, name, values[own], seen)


def _feed_code(into: Any, name: str, code: CodeType, seen: set[int]) -> None:
    into.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed_code(into, name, constant, seen)
        else:
            _feed(into, name, constant, seen)
