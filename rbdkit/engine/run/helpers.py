"""Threads that wait for parts of large stacks: to start one takes longer than many a part."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_pools: dict[int, ThreadPoolExecutor] = {}
"""One, by how many threads it may have; a child that was forked has none of them."""
_lock = Lock()


def in_parts(compute: Callable[[int, int], None], ends: Sequence[int]) -> None:
    """Compute from each of the ends to the next one: the first part here, the others in threads that wait for such.

    What goes wrong in a part is raised when all have ended.
    """
    pool = _helpers(len(ends) - 2)
    others = [pool.submit(compute, *ends[k : k + 2]) for k in range(1, len(ends) - 1)]
    try:
        compute(*ends[:2])
    finally:
        faults = [other.exception() for other in others]
    for fault in faults:
        if fault is not None:
            raise fault


def _helpers(n: int) -> ThreadPoolExecutor:
    """At least so many threads; the first are started when they are first needed, and wait for the next call."""
    from concurrent.futures import ThreadPoolExecutor  # which calls by one thread never need

    with _lock:
        most = max(n, os.cpu_count() or 1, *_pools)
        if most not in _pools:
            _pools.clear()  # who computes in the smaller one still has it
            _pools[most] = ThreadPoolExecutor(most, thread_name_prefix="rbdkit")
        return _pools[most]


def _forget() -> None:
    global _lock
    _lock = Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
