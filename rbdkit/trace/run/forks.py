"""What a process that forks waits for, and locks that a child has to make anew: it has one thread, which forked.

A child of a process with threads finds everything as it stood at that moment: LLVM at work on what nobody will finish,
a module half loaded, whose lock nobody will open. So a fork waits until no thread is inside of `unforked`.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property
from threading import RLock

_at_work = RLock()  # a signal handler or finalizer may come back to it in the same thread


def unforked() -> RLock:
    """The lock: while a thread holds it, the process does not fork. No module takes it while it is loaded."""
    return _at_work


def _renew_locks() -> None:
    """The child's only thread is the one that forked."""
    global _at_work
    _at_work = RLock()
    renew_property_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _at_work.acquire(), after_in_parent=lambda: _at_work.release(), after_in_child=_renew_locks
    )


def renew_property_locks() -> None:
    """Those of the cached properties of rbdkit's classes: up to Python 3.11 each holds one while it computes."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rbdkit":
            for kind in [x for x in list(vars(module).values()) if isinstance(x, type)]:
                for x in vars(kind).values():
                    if isinstance(x, cached_property) and hasattr(x, "lock"):
                        x.lock = RLock()
