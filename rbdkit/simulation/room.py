"""Memory check: refuse runs whose recorded states do not fit into memory."""

from __future__ import annotations

import os
import sys

from rbdkit.errors import SimulationError

NUMBER = 8
"""Bytes of a number."""
COPIES = 2
"""Number of copies of the record that are allowed for: itself, and what is derived from it."""
LITTLE = 1e6
"""Size in bytes below which memory is not checked."""
CLEARLY = 4.0
"""Factor by which unused memory must exceed the need, so that the slower check is skipped."""


def require_room(steps: int, every: int, numbers: int) -> None:
    """Raise SimulationError if the record of a run does not fit into free memory, which could kill the process.

    Parameters
    ----------
    steps, every : number of steps, and every how many a state is recorded. numbers : numbers per state, with its time.
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
    """Return the bytes that this process can still allocate; infinite if unknown.

    enough : if clearly more than this is unused, a lower bound is returned without a closer look.
    """
    return min(_of_the_machine(enough), _of_the_process())


def _of_the_machine(enough: float) -> float:
    try:  # completely unused memory is quick to query
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
    """Return the bytes left under the limit on the process's address space (``ulimit -v``); infinite without one."""
    if not sys.platform.startswith("linux"):
        return float("inf")
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return float("inf")
    with open("/proc/self/statm") as numbers:
        used = int(numbers.read().split()[0]) * resource.getpagesize()
    return max(float(limit - used), 0.0)
