"""Atomic file writes: a file is written in full under a temporary name beside its target, then renamed over it.

A reader, or a crash, then meets the old file or the new one, never half of it. The temporary file lies in the target's
own folder, since `os.replace` is atomic only within one file system.
"""

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
"""Start of what is added to the names of temporary files."""


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file atomically; text as UTF-8 with its line ends unchanged. An old file stays until all is written.

    Raises
    ------
    OSError
        If it cannot be written; an old file is then unchanged.

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
    """Yield the path of an empty temporary file with the suffix of `path`; at the end it replaces `path`.

    A symbolic link stays and its target is replaced; permissions are kept. What is no regular file (a pipe, a device)
    is written directly, and so is a file whose folder takes no new files.

    Raises
    ------
    OSError
        If the file cannot be made; errors of the with block pass through. An old file is unchanged in both cases.
    """
    target = Path(os.path.realpath(path))
    try:
        before = target.stat() if target.exists() else None
        if before is not None and stat.S_ISREG(before.st_mode):
            target.open("r+b").close()  # a write-protected file must not be replaced either
        new = None if before is not None and not stat.S_ISREG(before.st_mode) else _made_beside(target, before)
    except OSError as fault:
        fault.filename = os.fspath(path)  # the error is to name the user's file, not the temporary one
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
    """Create an empty file in the target's folder with the target's permissions; None if the folder takes no files."""
    new = target.with_name(f"{BESIDE}{secrets.token_hex(4)}{target.suffix[:20]}")
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except PermissionError:
        if before is None:
            raise
        return None
    if before is not None:
        with suppress(OSError):  # somebody else's file, or a file system without permissions
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
        shutil.copyfile(new, target)  # a bind-mounted file, as in containers, cannot be replaced by renaming
        new.unlink()
