"""Locks that a child of a process with threads has to make anew: whoever held them was not forked with it."""

from __future__ import annotations

import sys
from functools import cached_property
from threading import RLock


def renew_property_locks() -> None:
    """Those of the cached properties of rbdkit's classes: up to Python 3.11 each holds one while it computes."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rbdkit":
            for kind in [x for x in list(vars(module).values()) if isinstance(x, type)]:
                for x in vars(kind).values():
                    if isinstance(x, cached_property) and hasattr(x, "lock"):
                        x.lock = RLock()
