"""Whether what a run records fits into memory."""

from __future__ import annotations

import os
import sys

from rbdkit.errors import SimulationError

NUMBER = 8
"""Bytes of a number."""
COPIES = 2
"""The record itself, and what is made of it."""
LITTLE = 1e6
"""Bytes that are not worth the question."""
CLEARLY = 4.0
"""So many times as much as one wants is clearly more than that."""


def require_room(steps: int, every: int, numbers: int) -> None:
    """Raise SimulationError if a record and what is made of it do not fit into the memory that is free.

    They would end the whole process, or the run when it is done.

    Parameters
    ----------
    steps, every : of the run. numbers : in a recorded state, its time too.
    """
    size = NUMBER * numbers * (steps // every + 2)
    if COPIES * size <= LITTLE or COPIES * size <= (free := free_memory(COPIES * size)):
        return
    fitting = max(int(free // (COPIES * NUMBER * numbers)) - 2, 1)
    raise SimulationError(
        f"{steps} steps with every = {every} make a record of {size / 1e9:.3g} GB, and {free / 1e9:.3g} GB of memory "
        f"are free for {COPIES} times as much; record fewer states, every={-(-steps // fitting)} for instance, or make "
        "a shorter run"
    )


def free_memory(enough: float = float("inf")) -> float:
    """Bytes that this process can still have; infinite where that is not known.

    enough : if there are clearly more than this, some of them.
    """
    return min(_of_the_machine(enough), _of_the_process())


def _of_the_machine(enough: float) -> float:
    try:  # what nobody uses at all is soon known
        if (unused := float(os.sysconf("SC_AVPHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")) > CLEARLY * enough:
            return unused
    except (AttributeError, OSError, ValueError):
        pass
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024.0 * float(line.split()[1])
    except OSError:  # not Linux
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def _of_the_process() -> float:
    """What the limit on its address space leaves it, if one is set (``ulimit -v``)."""
    if not sys.platform.startswith("linux"):
        return float("inf")
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return float("inf")
    with open("/proc/self/statm") as numbers:
        used = int(numbers.read().split()[0]) * resource.getpagesize()
    return max(float(limit - used), 0.0)
