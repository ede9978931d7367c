"""Measurement of the time that is spent on recording and compiling code."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Spent(threading.local):
    """Per-thread clock: compile time so far, s, and the nesting depth of `compiling` functions."""

    seconds = 0.0
    depth = 0


_spent = _Spent()


def compile_seconds() -> float:
    """Return the time that this thread has spent on recording and compiling programs so far, s."""
    return _spent.seconds


def compiling(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that makes code: its time counts as `compile_seconds`, nested calls only once."""

    @wraps(make)
    def timed(*arguments: P.args, **options: P.kwargs) -> T:
        begun, _spent.depth = time.perf_counter(), _spent.depth + 1
        try:
            return make(*arguments, **options)
        finally:
            _spent.depth -= 1
            if _spent.depth == 0:
                _spent.seconds += time.perf_counter() - begun

    return timed
