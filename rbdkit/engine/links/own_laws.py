"""Tracing of users' own laws: functions of time and state.

A law is first called as it is, with symbols for its arguments, which is enough if it returns what it computes. If it
fills arrays, as ``tau = np.zeros(3); tau[0] = ...`` does, an array of floats refuses the symbol; then a traced copy is
called, whose new arrays can hold symbols (`rbdkit.trace.Copies`). The error that a user sees is the one that says more,
with the line of the user's code at which tracing failed.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.own_joints import copies_of_joints
from rbdkit.model import Model
from rbdkit.trace import Impure, Trace, roomy, symbols, trace, users_line

Law = Callable[..., Any]
TAKE_SYMBOLS = (
    *(
        f"rbdkit.functions.{part}"
        for part in ("accelerations", "balances", "controls", "hybrid", "kinematics", "terms")
    ),
    "rbdkit.algorithms.external_forces",
    "rbdkit.model.controls",
)
"""Modules whose functions take symbols as they are."""


def record_law(
    law: Law, asked: Callable[..., NDArray], sizes: Sequence[int | tuple[int, ...]], names: Sequence[str]
) -> Trace:
    """Trace a function as it is; if that fails, from a copy whose new arrays can hold symbols.

    Parameters
    ----------
    law : the function. asked : called with the law or its copy and then the symbols; returns an array. sizes, names :
        of the symbols.

    Raises
    ------
    NotTraced
        With the line at which tracing failed.
    """
    try:
        return trace(lambda *given: asked(law, *given), *sizes, names=names, exact=True)
    except Exception as fault:  # a user's function on numbers that are not known yet: anything may go wrong in it
        stopped = fault
    try:
        return _of_copy(law, asked, sizes, names)
    except Exception as fault:
        # that the copy refuses impure code says less than where the function itself failed
        stopped = stopped if isinstance(fault, Impure) else fault
    raise NotTraced(f"{place_of(stopped)}{stopped}") from stopped


def record_copy(
    law: Law, asked: Callable[..., NDArray], sizes: Sequence[int | tuple[int, ...]], names: Sequence[str]
) -> Trace:
    """Trace a copy of a function; the function itself, which may keep state, is not called.

    The arguments are those of `record_law`.

    Raises
    ------
    NotTraced
        With the line at which tracing failed.
    """
    try:
        return _of_copy(law, asked, sizes, names)
    except Exception as fault:
        raise NotTraced(f"{place_of(fault)}{fault}") from fault


def _of_copy(
    law: Law, asked: Callable[..., NDArray], sizes: Sequence[int | tuple[int, ...]], names: Sequence[str]
) -> Trace:
    copy = copies_of_joints((Model,), TAKE_SYMBOLS).of(law)

    def plain(*given: Any, **options: Any) -> Any:
        return copy(*(roomy(x) if isinstance(x, np.ndarray) else x for x in given), **options)

    return trace(lambda *given: symbols(asked(plain, *given)), *sizes, names=names, exact=True)


def place_of(fault: Exception) -> str:
    """Return the line of a user's code that an error comes from, for a message."""
    line = users_line(fault)
    if line is None:
        return "" if isinstance(fault, Impure) else f"{type(fault).__name__}: "  # which says all in its message
    text = linecache.getline(line.file, line.number).strip()
    return f"line {line.number}{f' ({text})' if text else ''}: "
