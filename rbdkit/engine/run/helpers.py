"""Worker threads that wait for parts of large stacks, since starting a thread takes longer than many a part.

Locks: `_lock` guards the table of pools. A forked child has neither the threads nor a usable lock, if another thread
held it at the fork; so both are replaced in the child.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_pools: dict[int, ThreadPoolExecutor] = {}
"""Thread pools by their number of threads; at most one. A forked child has none."""
_lock = Lock()


def in_parts(compute: Callable[[int, int], None], ends: Sequence[int]) -> None:
    """Call `compute` on each interval between consecutive ends: on the first one here, on the others in worker threads.

    An exception in one part is raised when all parts have ended.
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
    """Return a pool of at least n threads; threads start when first needed and are reused."""
    from concurrent.futures import ThreadPoolExecutor  # which calls by one thread never need

    with _lock:
        most = max(n, os.cpu_count() or 1, *_pools)
        if most not in _pools:
            _pools.clear()  # a call that computes in the smaller pool still holds it
            _pools[most] = ThreadPoolExecutor(most, thread_name_prefix="rbdkit")
        return _pools[most]


def _forget() -> None:
    global _lock
    _lock = Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
