"""Calls of user functions of (t, q, v): they get read-only views of the state, and their errors become messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError, SimulationError
from rbdkit.trace import users_line

Law = Callable[[float, NDArray, NDArray], Any]
"""A function of time, coordinates and velocities."""
READ_ONLY = "read-only"
"""Part of NumPy's message about writing to a read-only array."""


def require_function(name: str, function: Callable[..., Any], arguments: str = "t, q, v") -> None:
    """Raise SimulationError if a function's signature does not accept the given number of arguments."""
    try:
        inspect.signature(function).bind(*arguments.split(", "))
    except (TypeError, ValueError) as fault:
        if isinstance(fault, ValueError) and not isinstance(function, type):
            return  # some functions that are built in have no signature
        raise SimulationError(f"{name} = {shortened(function)} must be a function of ({arguments})") from None


def parameters_of(build: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function that builds a model, by name.

    Raises
    ------
    SimulationError
        If it is no function, or has no signature.
    """
    try:
        return inspect.signature(build).parameters
    except (TypeError, ValueError):
        raise SimulationError(
            f"{shortened(build)} must be a Model, or a function that builds one from values by name"
        ) from None


def ask(name: str, function: Law, t: float, q: NDArray, v: NDArray) -> Any:
    """Call a user function with read-only views of q and v and return its value. name : for messages.

    The arrays are those of the integrator: writing to them would move the robot.

    Raises
    ------
    SimulationError
        If the function writes to its arguments, or raises StopIteration, which would silently end the caller's loop.
    """
    if type(t) is float:  # as integrators have it: ~(t < 1) is -2 in plain Python, and a condition in NumPy
        t = np.float64(t)
    try:
        return function(t, seen(q), seen(v))
    except StopIteration as fault:
        raise SimulationError(
            f"{name}(t, q, v) at t = {t:.6g} s raised StopIteration: an iterator in it has come to its end; give it "
            "more values, or take next(iterator, value)"
        ) from fault
    except ValueError as fault:
        if READ_ONLY not in str(fault) or not _writes_to_its_arguments(function, t, q, v):
            raise
        raise SimulationError(
            f"{name}(t, q, v) changes q or v ({fault}), the state of the motion itself, and may only read them. "
            "Compute a new array, q = q - target in place of q -= target, or work on a copy, q = q.copy()"
        ) from fault


def _writes_to_its_arguments(function: Law, t: float, q: NDArray, v: NDArray) -> bool:
    """Whether a function that wrote to a read-only array has what it wants when it is given copies."""
    try:
        function(t, q.copy(), v.copy())
    except ValueError as fault:
        return READ_ONLY not in str(fault)
    return True


def seen(x: NDArray) -> NDArray:
    """Return a view of an array that cannot be written to."""
    view = x.view()
    view.flags.writeable = False
    return view


def sentence(fault: BaseException) -> str:
    """Return an exception in words, with the line of a user's code that it came from.

    Its kind is said where the message alone could be taken for something else.
    """
    text, line = " ".join(str(fault).split()), users_line(fault)
    text = text if isinstance(fault, RbdkitError) and text else f"{type(fault).__name__}: {text}".rstrip(": ")
    return text if line is None else f"{text} ({line.short}, in {line.function})"
