"""Record of the exercises that a user has done: a small file for each, so that several kernels can write at once.

The files are in the platform's folder for application data; the variable RBDKIT_COURSE_DIR names another folder.
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
"""Pattern of the names of exercises; no other name becomes a file."""


def folder() -> Path:
    """Return the folder with the record of exercises done."""
    if chosen := os.environ.get("RBDKIT_COURSE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local", "rbdkit", "course")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "rbdkit" / "course"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share", "rbdkit", "course")


def note(exercise: str) -> None:
    """Record that an exercise is done today, unless it was done before; do nothing if the folder cannot be written."""
    with suppress(OSError, RuntimeError):  # RuntimeError: no home folder
        if NAME.fullmatch(exercise) and not (place := folder() / exercise).exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            write_file(place, f"{date.today().isoformat()}\n")


def done() -> dict[str, str]:
    """Return the exercises done, each with its date (empty where the file has none)."""
    with suppress(OSError, RuntimeError):
        return {
            each.name: each.read_text(encoding="utf-8", errors="replace").strip()
            for each in sorted(folder().iterdir())
            if NAME.fullmatch(each.name) and each.is_file()
        }
    return {}


def forget(*exercises: str) -> None:
    """Delete the record of these exercises, or of all if none is named."""
    with suppress(OSError, RuntimeError):
        for name in exercises or done():
            if NAME.fullmatch(name):
                (folder() / name).unlink(missing_ok=True)
