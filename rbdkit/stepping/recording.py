"""Recording of a run of a function, with its variables at every line.

The function runs once, unchanged, under `sys.settrace`, which calls back before each line. A snapshot shares with the
one before it every value that did not change (`rbdkit.stepping.snapshot`), so memory grows with the changes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FrameType
from typing import Any

import numpy as np

from rbdkit.errors import RbdkitError
from rbdkit.spatial.read_numbers import shown
from rbdkit.stepping.snapshot import Change, changes, freeze_all
from rbdkit.stepping.source import Source, source_of

MOST = 200_000
"""Most lines that are kept; a longer run is refused, as it would fill the memory."""


@dataclass(frozen=True, eq=False)
class Moment:
    """State of a function before it runs a line, or at its end.

    Attributes
    ----------
    function : int
        Number of the function in `Recording.sources`.
    call : int
        Number of its call, the outermost is 0.
    line : int
        Line number in the file; at the end that of the last line run.
    variables : mapping of str to object
        Variables at this moment, never changed later.
    done : bool
        Whether this is the end of the call.
    """

    function: int
    call: int
    line: int
    variables: Mapping[str, Any]
    done: bool = False


@dataclass(frozen=True, eq=False)
class Recording:
    """All moments of a run, numbered from 0 to ``len(self) - 1``.

    Attributes
    ----------
    sources : tuple of Source
        Sources of the functions that were stepped through; the first is the one that was called.
    moments : sequence of Moment
        In order of time.
    result : object
        What the function returned, or None if it raised.
    fault : BaseException or None
        What it raised, or None.
    """

    sources: tuple[Source, ...]
    moments: Sequence[Moment]
    result: Any = None
    fault: BaseException | None = None

    def __len__(self) -> int:
        return len(self.moments)

    def changes(self, k: int) -> list[Change]:
        """Return the changes of variables by the line before moment k, in its function."""
        earlier = self._earlier[k]
        before = {} if earlier is None else self.moments[earlier].variables
        return changes(before, self.moments[k].variables)

    @cached_property
    def _earlier(self) -> list[int | None]:
        """For each moment the one before it in the same call."""
        last: dict[int, int] = {}
        earlier: list[int | None] = []
        for k, moment in enumerate(self.moments):
            earlier.append(last.get(moment.call))
            last[moment.call] = k
        return earlier

    # --- where a moment stands ----------------------------------------------------------------------------------------

    def pass_of(self, k: int) -> int | None:
        """Return the number of the outermost loop that moment k is in; None outside of loops."""
        moment = self.moments[k]
        return None if moment.done else self.sources[moment.function].pass_at(moment.line)

    def turn_of(self, k: int) -> tuple[int, Any] | None:
        """Return the loop that moment k is in, and the value of its variable; None outside of loops.

        At the head of the loop the variable has no new value yet: it is None.
        """
        number = self.pass_of(k)
        if number is None:
            return None
        moment = self.moments[k]
        loop = self.sources[moment.function].passes[number]
        at_head = moment.line == loop.first
        return number, None if at_head else moment.variables.get(loop.variable)

    def body_of(self, k: int) -> int | None:
        """Return the current body: the integer that the loop variable is, or was last in this call."""
        for j in (k, *self._before(k)):
            turn = self.turn_of(j)
            if turn is not None and isinstance(turn[1], int):
                return turn[1]
            if turn is None:
                return None
        return None

    def _before(self, k: int) -> Iterable[int]:
        earlier = self._earlier[k]
        while earlier is not None:
            yield earlier
            earlier = self._earlier[earlier]

    # --- going through it --------------------------------------------------------------------------------------------

    def step(self, k: int, by: int = 1) -> int:
        """Return the moment `by` lines further on, or back."""
        return min(max(k + by, 0), len(self) - 1)

    def next_body(self, k: int) -> int:
        """Return the first moment in another iteration of a loop; the end if there is none."""
        here = self.turn_of(k)
        return self._first(k, lambda j: self.turn_of(j) not in (here, None) and self.turn_of(j)[1] is not None)  # type: ignore[index]

    def next_pass(self, k: int) -> int:
        """Return the first moment in another outermost loop; the end if there is none."""
        here = self.pass_of(k)
        return self._first(k, lambda j: self.pass_of(j) not in (here, None))

    def to_line(self, k: int, lines: Iterable[tuple[int, int]]) -> int:
        """Return the next moment at one of some (function, line) pairs; the end if there is none."""
        wanted = set(lines)
        return self._first(k, lambda j: (self.moments[j].function, self.moments[j].line) in wanted)

    def _first(self, k: int, wanted: Callable[[int], bool]) -> int:
        return next((j for j in range(k + 1, len(self)) if wanted(j)), len(self) - 1)


def record(
    function: Callable[..., Any], *args: Any, into: Iterable[Callable[..., Any]] = (), **kwargs: Any
) -> Recording:
    """Call a function and keep its variables at every line.

    Parameters
    ----------
    function : callable
        A Python function or method; it computes as ever.
    args, kwargs
        Its arguments.
    into : iterable, optional
        Functions that it calls, whose lines are kept too.

    Raises
    ------
    RbdkitError
        If a function has no source, does not take these arguments, or runs for too many lines.
    """
    if not isinstance(into, Iterable) or isinstance(into, str | Mapping | np.ndarray):
        raise RbdkitError(f"into = {shown(into)} must be a list of functions")
    chosen = (function, *into)
    sources = tuple(source_of(f) for f in chosen)
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as mismatch:
        raise RbdkitError(f"{sources[0].name} cannot be called like that: {mismatch}") from None
    tracer = _Tracer({_code(f): k for k, f in enumerate(chosen)})
    result: Any = None
    fault: BaseException | None = None
    before = sys.gettrace()
    sys.settrace(tracer.enter)
    try:
        result = function(*args, **kwargs)
    except TooLong:
        raise RbdkitError(f"{sources[0].name} runs for more than {MOST} lines; step through a smaller case") from None
    except Exception as error:  # what a student's function raises is shown where it happened
        fault = error
    finally:
        sys.settrace(before)
    return Recording(sources, tuple(tracer.moments), result, fault)


def _code(function: Callable[..., Any]) -> CodeType:
    return inspect.unwrap(getattr(function, "__func__", function)).__code__


class TooLong(Exception):
    """The run has more lines than are kept."""


class _Tracer:
    """Trace function for `sys.settrace`, which collects the moments."""

    def __init__(self, codes: dict[CodeType, int]) -> None:
        self.codes = codes
        self.moments: list[Moment] = []
        self.calls: dict[FrameType, int] = {}
        self.last: dict[FrameType, dict[str, Any]] = {}

    def enter(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if frame.f_code not in self.codes:
            return None
        self.calls[frame] = len(self.calls)
        self.last[frame] = {}
        return self.line

    def line(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        if event in ("line", "return"):
            if len(self.moments) >= MOST:
                raise TooLong
            self.last[frame] = freeze_all(frame.f_locals, self.last[frame])
            function, call = self.codes[frame.f_code], self.calls[frame]
            self.moments.append(Moment(function, call, frame.f_lineno, self.last[frame], event == "return"))
        return self.line
