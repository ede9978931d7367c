"""Source lines of recorded operations: which line of the readable text an operation comes from, in checked code alone.

A line is found on the stack while an operation is recorded: the innermost one of rbdkit's algorithms, or of a user's
code that rbdkit has called. Modules with a name `CALLED_FROM_LINES` are passed over, as are `trace` and `spatial`: they
help to write all algorithms. What is recorded again from a recording keeps the line that it had.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
_HELPERS = tuple(f"{_PACKAGE}{part}{os.sep}" for part in ("trace", "spatial"))
"""Folders of rbdkit whose lines are never reported: arithmetic and recording, which all algorithms share."""
_STANDARD = str(Path(os.__file__).parent) + os.sep
_LIBRARIES = (str(Path(np.__file__).parent) + os.sep, "<frozen", "<string>", "<rbdkit", "<__array_function__")

_asked: ContextVar[bool] = ContextVar("checked", default=False)
_recorded_before: ContextVar[Line | None] = ContextVar("recorded_before", default=None)


@dataclass(frozen=True)
class Line:
    """A line of a source file or notebook cell. inside : the line of rbdkit that this line of a user has called."""

    file: str
    number: int
    function: str
    inside: Line | None = None

    @property
    def short(self) -> str:
        """File name and line number."""
        return f"{os.path.basename(self.file)}:{self.number}"

    def __str__(self) -> str:
        text = linecache.getline(self.file, self.number).strip()
        own = f'File "{self.file}", line {self.number}, in {self.function}' + (f"\n    {text}" if text else "")
        return own if self.inside is None else f"{own}\n{self.inside}"


def is_checked() -> bool:
    """Return whether code that is made now is checked while it runs."""
    return _asked.get() or os.environ.get("RBDKIT_BACKEND") == "checked"


@contextmanager
def checked(asked: bool = True) -> Iterator[None]:
    """Make checked code inside this context (checks run with the code). asked : False leaves everything as it is."""
    before = _asked.set(True) if asked else None
    try:
        yield
    finally:
        if before is not None:
            _asked.reset(before)


def line_here() -> Line | None:
    """Return the readable line that records an operation now; None if there is none."""
    if (before := _recorded_before.get()) is not None:
        return before
    own: Line | None = None
    users: Line | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_PACKAGE):
            if users is not None:  # rbdkit has called it: it is no script that calls rbdkit
                return users
            if own is None and not (file.startswith(_HELPERS) or "CALLED_FROM_LINES" in frame.f_globals):
                own = Line(file, frame.f_lineno, frame.f_code.co_name)
        elif users is None and not _of_library(file):
            users = Line(file, frame.f_lineno, frame.f_code.co_name, own)
        frame = frame.f_back
    return own or users


def users_line(fault: BaseException) -> Line | None:
    """Return the innermost line of a user's code that an exception came through; None if there is none."""
    found, step = None, fault.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if not (code.co_filename.startswith(_PACKAGE) or _of_library(code.co_filename)):
            found = Line(code.co_filename, step.tb_lineno, code.co_name)
        step = step.tb_next
    return found


def _of_library(file: str) -> bool:
    return file.startswith(_LIBRARIES) or (file.startswith(_STANDARD) and "-packages" not in file)


@contextmanager
def recorded_again(lines: Mapping[Hashable, Line | None] | None) -> Iterator[Callable[[Hashable], None]]:
    """Keep the source lines of operations while they are replayed from another recording.

    Yields a function to call with the key of each operation before it is replayed. lines : lines by these keys; None
    if there are none.
    """
    if not lines:
        yield _not_known
        return
    before = _recorded_before.get()

    def comes_next(operation: Hashable) -> None:
        # an operation without a line has that of the replay itself
        _recorded_before.set(lines.get(operation) or before)

    try:
        yield comes_next
    finally:
        _recorded_before.set(before)


def _not_known(operation: Hashable) -> None:
    """Do nothing: the lines of the recording are not known."""
