"""Fork safety: a lock that delays forks, and renewal of locks in child processes.

A child of `os.fork` has one thread, the one that forked, and a copy of the memory as it was at that moment. If another
thread was inside LLVM, or half-way through an import, the child finds data that nobody will complete and locks that
nobody will release. So all such work is done inside `unforked`, and handlers of `os.register_at_fork` take that lock
before a fork: the fork waits until no thread is inside. The child then gets new locks, since the old ones belong to
threads that it does not have.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property
from threading import RLock

_at_work = RLock()  # a signal handler or finalizer may come back to it in the same thread


def unforked() -> RLock:
    """Return the fork lock: while a thread holds it, the process does not fork.

    No module takes it while it is being imported: another thread may hold it and wait for that import.
    """
    return _at_work


def _renew_locks() -> None:
    """Replace the locks in a child process, whose only thread is the one that forked."""
    global _at_work
    _at_work = RLock()
    renew_property_locks()


if hasattr(os, "register_at_fork"):
    # by lambdas, which look the lock up at each fork: in a child it is another one
    os.register_at_fork(
        before=lambda: _at_work.acquire(), after_in_parent=lambda: _at_work.release(), after_in_child=_renew_locks
    )


def renew_property_locks() -> None:
    """Replace the locks of rbdkit's cached properties: up to Python 3.11, each holds one while it computes."""
    for name, module in sys.modules.copy().items():
        if name.partition(".")[0] == "rbdkit":
            for kind in [x for x in vars(module).copy().values() if isinstance(x, type)]:
                for x in vars(kind).copy().values():
                    if isinstance(x, cached_property) and hasattr(x, "lock"):
                        x.lock = RLock()
