"""Ctrl+C in a run hands over what was computed; in a loop over runs it is to end the loop, too.

A run that is interrupted returns its motion so far, so the loop around it does not learn of the interruption. Its next
run does: it raises `KeyboardInterrupt` when it begins. What counts as "the loop" is any ``for``, ``while`` or
comprehension between the run and the notebook cell, or the script, that started it; calls that follow each other
outside of loops go on, and so does whatever is run from the prompt afterwards.
"""

from __future__ import annotations

import dis
import sys
import threading
from types import CodeType, FrameType

HOSTS = {
    "IPython", "_pytest", "asyncio", "code", "concurrent", "distributed", "ipykernel", "multiprocessing", "pluggy",
    "tornado", "unittest",
}  # fmt: skip
"""Packages whose loops are not the user's: each turn is another cell, click, line, task or test."""
OWN = (__name__, "rbdkit.simulation.simulate", "rbdkit.simulation.sweeping")
"""Modules whose frames belong to a run; a sweep is one run."""

Place = tuple[FrameType, int]
"""A frame, and the instruction that it stands at."""

_interrupted: list[tuple[Place, ...]] = []
"""Where the run that was interrupted last was called from, innermost first; empty when its loop has ended."""


def interrupted() -> None:
    """Remember that a run was interrupted and hands over its motion. For the main thread, which interrupts go to."""
    if threading.current_thread() is threading.main_thread():
        _interrupted[:] = [_places()]


def end_interrupted_loop() -> None:
    """Raise KeyboardInterrupt if the loop around this run is one in which a run was interrupted; once."""
    if not _interrupted or threading.current_thread() is not threading.main_thread():
        return
    before = {frame: at for frame, at in _interrupted.pop()}
    # frames that were there then and are there still: the innermost has gone on, the others wait for it
    still = [(frame, at, before[frame]) for frame, at in _places() if frame in before]
    again = bool(still) and still[0][1] == still[0][2]  # the same call once more, from map() for instance
    if again or any(_in_a_loop(frame.f_code, now, then) for frame, now, then in still):
        raise KeyboardInterrupt("the run before this one was interrupted; the loop around them ends here")


def _places() -> tuple[Place, ...]:
    """The frames from the caller of `simulate` to the cell or script that runs, innermost first."""
    found: list[Place] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in OWN:
        frame = frame.f_back
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] not in HOSTS:
        found.append((frame, frame.f_lasti))
        if frame.f_code.co_name.startswith(("<module", "<cell line")):
            break
        frame = frame.f_back
    return tuple(found)


def _in_a_loop(code: CodeType, *places: int) -> bool:
    """Whether instructions lie within a jump back."""
    first, last = min(places), max(places)
    return any(
        "JUMP" in x.opname and isinstance(x.argval, int) and x.argval <= first and last <= x.offset
        for x in dis.get_instructions(code)
    )
