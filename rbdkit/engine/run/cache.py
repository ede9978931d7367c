"""Compiled code on disk, for the next process; losing it costs nothing but time.

An entry is a file named by the hash of everything that the code depends on. It begins with the hash of its content:
whatever does not match, a half-written file or a damaged one, counts as absent. Entries are written under another name
and then renamed.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

DIGEST = 32
ENTRIES = 512
"""So many entries are kept; beyond, the ones that were not used for longest go."""


def folder() -> Path:
    """Where compiled code is kept: the user's cache folder, or RBDKIT_CACHE_DIR."""
    if chosen := os.environ.get("RBDKIT_CACHE_DIR"):
        return Path(chosen)
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen, "rbdkit")
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"), "rbdkit", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rbdkit"
    return Path.home() / ".cache" / "rbdkit"


def load(key: str) -> bytes | None:
    """The entry of that name, if it is there and whole."""
    try:
        path = folder() / f"{key}.o"
        content = path.read_bytes()
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None
    with suppress(OSError):  # a folder that can only be read serves as well
        os.utime(path)
    data = content[DIGEST:]
    return data if hashlib.sha256(data).digest() == content[:DIGEST] else None


def store(key: str, data: bytes) -> None:
    """Keep an entry if the disk lets us."""
    name = None
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=place, prefix=f"{key[:8]}-", suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(data).digest() + data)
        os.replace(name, place / f"{key}.o")
        _drop_oldest(place)
    except (OSError, RuntimeError):
        if name is not None:
            with suppress(OSError):
                os.unlink(name)


def _drop_oldest(place: Path) -> None:
    entries = sorted(place.glob("*.o"), key=lambda path: path.stat().st_mtime)
    for path in entries[: max(0, len(entries) - ENTRIES)]:
        path.unlink(missing_ok=True)
