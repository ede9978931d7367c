"""Laws of a user's own, functions of time and state, on symbols."""

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
    *(f"rbdkit.functions.{part}" for part in ("accelerations", "balances", "hybrid", "kinematics", "terms")),
    "rbdkit.algorithms.external_forces",
)
"""Modules whose functions are called with symbols as they are."""


def record_law(
    law: Law, asked: Callable[..., NDArray], sizes: Sequence[int | tuple[int, ...]], names: Sequence[str]
) -> Trace:
    """What a function does, recorded: as it stands, or, where that fails, from a copy whose new arrays have room for
    symbols.

    Parameters
    ----------
    law : the function. asked : calls what it is given first, the law or its copy, with the symbols that follow, and
        gives an array. sizes, names : of these.

    Raises
    ------
    NotTraced
        In words that name the line where it stopped.
    """
    try:
        return trace(lambda *given: asked(law, *given), *sizes, names=names, exact=True)
    except Exception as fault:  # a user's function on numbers that are not known yet: anything may go wrong in it
        stopped = fault
    try:
        return _of_copy(law, asked, sizes, names)
    except Exception as fault:
        stopped = stopped if isinstance(fault, Impure) else fault
    raise NotTraced(f"{place_of(stopped)}{stopped}") from stopped


def record_copy(
    law: Law, asked: Callable[..., NDArray], sizes: Sequence[int | tuple[int, ...]], names: Sequence[str]
) -> Trace:
    """What a copy of a function does, recorded; the function itself, which may keep something, is not called.

    The arguments are those of `record_law`.

    Raises
    ------
    NotTraced
        In words that name the line where it stopped.
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
    """The line of a user's code that an error comes from."""
    line = users_line(fault)
    if line is None:
        return f"{type(fault).__name__}: "
    text = linecache.getline(line.file, line.number).strip()
    return f"line {line.number}{f' ({text})' if text else ''}: "
