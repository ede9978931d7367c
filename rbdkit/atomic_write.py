"""Files that are written whole or not at all: beside the one that is there, whose place they take at the end."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BESIDE = ".rbdkit-"
"""How the names of files begin that are not done."""


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, text as UTF-8 with its line ends as they are; what is there stays until all of it is written.

    Raises
    ------
    OSError
        If it cannot be written; a file that is there is as it was.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rbdkit.atomic_write import write_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder, "notes.txt"), "first")
    ...     write_file(Path(folder, "notes.txt"), "second")
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('notes.txt', 'second')]
    """
    with written_beside(path) as new:
        new.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def written_beside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of an empty file to write to, with the ending of `path`, whose place it takes at the end.

    A link stays and what it points to is replaced; permissions stay, too. What is no plain file (a pipe, a device) is
    written to itself, and so is a file in a folder in which no other can be made.

    Raises
    ------
    OSError
        If the file cannot be made; and what is raised while it is written. Then a file that is there is as it was.
    """
    target = Path(os.path.realpath(path))
    try:
        before = target.stat() if target.exists() else None
        if before is not None and stat.S_ISREG(before.st_mode):
            target.open("r+b").close()  # one that must not be written to is not replaced either
        new = None if before is not None and not stat.S_ISREG(before.st_mode) else _made_beside(target, before)
    except OSError as fault:
        fault.filename = os.fspath(path)  # not of a file that nobody knows
        raise
    if new is None:
        yield target
        return
    try:
        yield new
        _take_place(new, target)
    except BaseException as fault:
        with suppress(OSError):
            new.unlink()
        if isinstance(fault, OSError) and fault.filename == os.fspath(new):
            fault.filename, fault.filename2 = os.fspath(path), None
        raise


def _made_beside(target: Path, before: os.stat_result | None) -> Path | None:
    """An empty file in the same folder with the permissions of what is there; None if the folder takes no other."""
    new = target.with_name(f"{BESIDE}{secrets.token_hex(4)}{target.suffix[:20]}")
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except PermissionError:
        if before is None:
            raise
        return None
    if before is not None:
        with suppress(OSError):  # it is somebody else's, or the file system knows no permissions
            os.chmod(new, stat.S_IMODE(before.st_mode))
            if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                os.chown(new, before.st_uid, before.st_gid)
    return new


def _take_place(new: Path, target: Path) -> None:
    try:
        os.replace(new, target)
    except OSError as fault:
        if fault.errno not in (errno.EBUSY, errno.EXDEV):
            raise
        shutil.copyfile(new, target)  # a file that is mounted, as containers do, cannot be replaced
        new.unlink()
