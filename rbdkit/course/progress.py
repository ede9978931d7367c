"""Which exercises are done: kept in a folder of the user's, a small file for each, so that kernels can write at once.

The folder is the platform's place for data of programs; RBDKIT_COURSE_DIR names another one.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path

from rbdkit.atomic_write import write_file

NAME = re.compile(r"[A-Za-z0-9]+-[0-9]+[a-z]?")
"""Names of exercises; nothing else becomes a file."""


def folder() -> Path:
    """Where it is kept which exercises are done."""
    if chosen := os.environ.get("RBDKIT_COURSE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local", "rbdkit", "course")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "rbdkit" / "course"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share", "rbdkit", "course")


def note(exercise: str) -> None:
    """Keep that an exercise is done today, unless it was before; where nothing can be written nothing is kept."""
    with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
        if NAME.fullmatch(exercise) and not (place := folder() / exercise).exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            write_file(place, f"{date.today().isoformat()}\n")


def done() -> dict[str, str]:
    """The exercises done, each with its day (empty where the file says none)."""
    with suppress(OSError, RuntimeError):
        return {
            each.name: each.read_text(encoding="utf-8", errors="replace").strip()
            for each in sorted(folder().iterdir())
            if NAME.fullmatch(each.name) and each.is_file()
        }
    return {}


def forget(*exercises: str) -> None:
    """Forget that these exercises were done, or with no name all of them."""
    with suppress(OSError, RuntimeError):
        for name in exercises or done():
            if NAME.fullmatch(name):
                (folder() / name).unlink(missing_ok=True)
