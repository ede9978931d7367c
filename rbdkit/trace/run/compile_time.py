"""The time that goes into making code, apart from that in which it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Spent(threading.local):
    """Of each thread: seconds spent until now, and how many makers are at work inside of each other."""

    seconds = 0.0
    depth = 0


_spent = _Spent()


def compile_seconds() -> float:
    """The time that this thread has spent on recording and compiling programs until now, s."""
    return _spent.seconds


def compiling(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that makes code: its time counts as `compile_seconds`."""

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
