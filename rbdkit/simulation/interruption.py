"""Ctrl+C in a run returns the motion so far, and ends a loop around the run as well.

An interrupted run returns normally, so the loop around it does not learn of the interruption. The next run in that loop
raises `KeyboardInterrupt` when it begins. "The loop" is any ``for``, ``while`` or comprehension between the run and the
notebook cell or script that started it. It is recognised by the call stacks of the two runs: a frame that is on both,
and whose two instructions lie inside one backward jump of its bytecode. Calls in sequence outside of loops go on, and
so do later runs from the prompt.
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
"""Packages whose loops are not the user's: each iteration is another cell, click, line, task or test."""
OWN = (
    __name__, "rbdkit.simulation.simulate", "rbdkit.simulation.sweeping", "rbdkit.spatial.check_arguments"
)  # fmt: skip
"""Modules whose frames belong to the run itself; a sweep is one run."""

JUMPS = frozenset((*dis.hasjrel, *dis.hasjabs))
ENDS = frozenset({
    "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_FORWARD", "RAISE_VARARGS", "RERAISE",
    "RETURN_CONST", "RETURN_VALUE",
})  # fmt: skip
"""Instructions that the next one in the bytecode does not follow."""

Place = tuple[FrameType, int]
"""A frame and the offset of its current instruction."""

_interrupted: list[tuple[Place, ...]] = []
"""Call stack of the last interrupted run, innermost first, as the only item; empty once its loop has been ended."""


def interrupted() -> None:
    """Remember the call stack of a run that was interrupted. Only the main thread receives interrupts."""
    if threading.current_thread() is threading.main_thread():
        _interrupted[:] = [_places()]


def end_interrupted_loop() -> None:
    """Raise KeyboardInterrupt, once, if an earlier run in the same loop was interrupted."""
    if not _interrupted or threading.current_thread() is not threading.main_thread():
        return
    before = {frame: at for frame, at in _interrupted.pop()}
    # frames on both stacks: the innermost has moved on to another instruction, the outer ones wait in the same call
    still = [(frame, at, before[frame]) for frame, at in _places() if frame in before]
    again = bool(still) and still[0][1] == still[0][2]  # the same call once more, from map() for instance
    if again or any(_in_a_loop(frame.f_code, now, then) for frame, now, then in still):
        raise KeyboardInterrupt("the run before this one was interrupted; the loop around them ends here")


def _places() -> tuple[Place, ...]:
    """Return the frames from the caller of `simulate` to the notebook cell or script, innermost first."""
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
    """Whether instructions lie inside a backward jump of the bytecode, that is, in a loop.

    Handlers of exceptions stand at the end of the bytecode and jump back to what follows their ``try`` or ``with``:
    that is no loop, so only jumps that are reached without an exception count, unless the run itself is in a handler.
    """
    first, last = min(places), max(places)
    usual = _without_exceptions(code)
    return any(
        "JUMP" in x.opname and isinstance(x.argval, int) and x.argval <= first and last <= x.offset
        for x in dis.get_instructions(code)
        if x.offset in usual or first not in usual
    )


def _without_exceptions(code: CodeType) -> set[int]:
    """Return the offsets of the instructions that a call may come to if nothing is raised in it."""
    steps = list(dis.get_instructions(code))
    number = {step.offset: k for k, step in enumerate(steps)}
    seen: set[int] = set()
    ahead = [0]
    while ahead:
        k = ahead.pop()
        while k < len(steps) and k not in seen:
            seen.add(k)
            step = steps[k]
            if step.opcode in JUMPS:
                ahead.append(number[step.argval])
            if step.opname in ENDS:
                break
            k += 1
    return {steps[k].offset for k in seen}
