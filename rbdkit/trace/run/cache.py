"""Persistent code cache: compiled code on disk, for the next process; losing it costs nothing but time.

An entry is a file named by its key, the hash of everything that the code depends on. It begins with the hash of key
and content: whatever does not match, a half-written file, a damaged one or one under another name, counts as absent.
Entries are written under another name and then renamed, which is atomic: readers need no lock.

Security: whoever can write to the folder can have any code run. So a folder or entry that belongs to somebody else than
the user or the administrator, or that others may write to, is not used; nor is a relative path, which depends on where
a program was started. (Windows has no such owners: there the user's own folders are trusted.)
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

DIGEST = 32
ENTRIES = 512
"""Largest number of entries; beyond, the least recently used ones are removed."""
LARGEST = 2**26
"""Largest size of an entry in bytes: machine code of the largest programs has a few millions."""
UNFINISHED = 600.0
"""Seconds after which a file that is still being written belongs to a process that has died."""


def folder() -> Path:
    """Return the folder of the code cache: RBDKIT_CACHE_DIR, or a folder in the user's cache folder."""
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
    """Return the entry of a key, or None if there is none that is complete and can be trusted."""
    try:
        place = folder()
        if not _trusted(place):
            return None
        content = _read(place / f"{key}.o")
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None
    data = content[DIGEST:]
    if _digest(key, data) != content[:DIGEST]:
        return None
    with suppress(OSError):  # a folder that can only be read serves as well
        # now the most recently used entry, for `_tidy`
        os.utime(place / f"{key}.o")
    return data


def store(key: str, data: bytes) -> None:
    """Store an entry, unless the disk or its permissions prevent it."""
    name = None
    try:
        place = folder()
        if not _trusted(place):
            return
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        # in the same folder, since a rename is atomic within one file system only
        handle, name = tempfile.mkstemp(dir=place, prefix=f"{key[:8]}-", suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(key, data) + data)
        os.replace(name, place / f"{key}.o")
        _tidy(place)
    except (OSError, RuntimeError):
        if name is not None:
            with suppress(OSError):
                os.unlink(name)


def _digest(key: str, data: bytes) -> bytes:
    return hashlib.sha256(b"\0".join((key.encode(), data))).digest()


def _trusted(place: Path) -> bool:
    """Whether a folder may hold code; warns once if not. One that does not exist yet will be the user's own."""
    if not place.is_absolute():
        _say(
            f"the folder {str(place)!r} depends on where a program is started",
            "a full path in RBDKIT_CACHE_DIR or XDG_CACHE_HOME",
        )
        return False
    try:
        found = os.stat(place)
    except FileNotFoundError:
        return True
    if not _is_ours(found):
        fault = f"the folder {str(place)!r} belongs to user {found.st_uid}, who could have any code run"
        _say(fault, "a folder of your own in RBDKIT_CACHE_DIR")
    elif _is_open(found):
        fault = f"others may write to the folder {str(place)!r} (mode {stat.S_IMODE(found.st_mode):o})"
        _say(f"{fault}, and could have any code run", f"chmod go-w {str(place)!r}")
    else:
        return True
    return False


def _is_ours(found: os.stat_result) -> bool:
    # 0 is the administrator
    return not hasattr(os, "geteuid") or found.st_uid in (os.geteuid(), 0)


def _is_open(found: os.stat_result) -> bool:
    return hasattr(os, "geteuid") and bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


@cache
def _say(fault: str, mend: str) -> None:
    warnings.warn(
        f"{fault}: compiled code is neither taken from there nor kept, and every process compiles anew. "
        f"Mend it with: {mend}",
        RuntimeWarning,
        stacklevel=2,
    )


def _read(path: Path) -> bytes:
    """Read a regular file that belongs to the user.

    It is checked after it was opened, so nobody can replace it in between; O_NONBLOCK, since to open a pipe would wait
    for ever.

    Raises
    ------
    OSError
        If it is something else.
    """
    flags = (getattr(os, name, 0) for name in ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
    handle = os.open(path, sum(flags))
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST or not _is_ours(found) or _is_open(found):
            raise OSError(f"{str(path)!r} is no entry")
        with open(handle, "rb", closefd=False) as file:
            return file.read(LARGEST)
    finally:
        os.close(handle)


def _tidy(place: Path) -> None:
    """Remove the least recently used entries beyond `ENTRIES`, and unfinished files of processes that have died."""
    entries, now = [], time.time()
    for found in os.scandir(place):
        with suppress(OSError):
            used = found.stat(follow_symlinks=False).st_mtime
            if found.name.endswith(".o"):
                entries.append((used, found.path))
            elif found.name.endswith(".new") and now - used > UNFINISHED:
                os.unlink(found.path)
    # the oldest ones come first
    for _, path in sorted(entries)[: max(0, len(entries) - ENTRIES)]:
        with suppress(OSError):
            os.unlink(path)
