"""A progress bar for runs that take longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

PATIENCE = 1.0
"""Seconds before anything is shown."""


class Progress:
    """Progress bar of a run, updated at most ten times a second and cleared at the end.

    Parameters
    ----------
    show : bool or callable or None
        None shows the bar after a second, in a terminal or notebook; True at once; False never; a function is called
        with the fraction done.
    label : str
        Text in front of the bar.
    stream : TextIO, optional
        Where the line goes; the notebook or the terminal if not given.
    clock : callable, optional
        A function that returns the time in s.
    """

    def __init__(
        self,
        show: bool | Callable[[float], object] | None,
        label: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = show if callable(show) else None
        self._stream = stream or _screen() or sys.stderr  # None in services and in windowed programs
        self._quiet = show is False or (show is None and stream is None and _screen() is None)
        self._label = label
        self._clock = clock
        self._started = clock()
        self._next = self._started + (PATIENCE if show is None else 0.0)
        self._fraction = 0.0
        self._shown = False

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._started

    def update(self, fraction: float) -> None:
        """Show that this fraction of the work is done."""
        self._fraction = fraction
        now = self._clock()
        if self._quiet or now < self._next:
            return
        self._next = now + 0.1
        if self._tell is not None:
            self._tell(fraction)
            return
        left = self.elapsed * (1.0 - fraction) / max(fraction, 1e-9)
        bar = "█" * int(30 * fraction)
        self._write(f"\r{self._label} {bar:·<30} {100 * fraction:3.0f} %, {left:.0f} s left ")
        self._shown = True

    def close(self) -> None:
        """Clear the line, or call the function a last time with the fraction done."""
        if self._tell is not None:
            self._tell(self._fraction)
        if self._shown:
            self._write("\r" + " " * (len(self._label) + 60) + "\r")

    def _write(self, text: str) -> None:
        """Write a text to the stream; errors of the stream are ignored, as they must not end a run."""
        with suppress(AttributeError, OSError, ValueError):  # no stream; one that is broken; one that is closed
            self._stream.write(text)
            self._stream.flush()


def _screen() -> TextIO | None:
    """Return a stream on which a line can be overwritten: a notebook cell's output or a terminal; else None.

    In notebooks it is standard output, as the error stream is shown in red.
    """
    if type(sys.stdout).__module__.startswith("ipykernel"):
        return sys.stdout
    with suppress(AttributeError, OSError, ValueError):  # no error stream, or a closed one
        return sys.stderr if sys.stderr.isatty() else None
    return None
