"""The source that `load` reads (a path, a text or a file object): its data, and their format."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from rbdkit.errors import FormatError
from rbdkit.formats.format import Content, Format
from rbdkit.spatial.read_numbers import first_line, shown

MAX_BYTES = 2**30
BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe")  # of UTF-16, in which XML may be
BLANK = "\ufeff \t\r\n"
MOST_BEFORE = 2**20
"""Number of characters among which the first element of a file is looked for."""
_PROLOGUE = re.compile(r"\A(?:[\ufeff \t\r\n]+|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
"""What may stand before the first element of XML: blanks, the declaration, comments."""


def read_source(source: str | bytes | os.PathLike[str] | IO[Any], formats: Sequence[Format]) -> Content:
    """Return what a source holds. formats : those that a text may be in."""
    if isinstance(source, bytes):
        return Content(source, "text", None)
    first = {known.begins[:1] for known in formats}
    if isinstance(source, str) and (source.lstrip(BLANK)[:1] in first or "\n" in source):
        return Content(source, "text", None)
    if isinstance(source, str | os.PathLike):
        path = as_path(source)
        if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
            raise FormatError(
                f"{path} is not a file but a device or a pipe, which might never end; "
                "open it yourself and load the file object: load(open(..., 'rb'))"
            )
        with path.open("rb") as file:
            return Content(_limited(file, path.name), path.name, path.parent)
    if not hasattr(source, "read"):
        raise FormatError(
            f"cannot load a model from {type(source).__name__} {shown(source)}; give a path, a text or an open file"
        )
    path_of_file = getattr(source, "name", None)
    if isinstance(path_of_file, str) and os.path.isfile(path_of_file):
        path = Path(path_of_file)
        return Content(_limited(source, path.name), path.name, path.parent)
    return Content(_limited(source, "file"), "file", None)


def as_path(given: str | os.PathLike[str]) -> Path:
    """Return a path, in which ~ is the user's folder."""
    if not isinstance(given, str | os.PathLike):
        raise FormatError(f"{shown(given)} is not a path; give the name of a file")
    if "\0" in (path := os.path.expanduser(os.fsdecode(given))):
        raise FormatError(f"path {shown(path)} holds the character NUL, which no file name can")
    return Path(path)


def _limited(file: IO[Any], name: str) -> str | bytes:
    try:
        data = file.read(MAX_BYTES + 1)
    except (TypeError, ValueError) as fault:  # closed, or not a file after all
        raise FormatError(f"{name}: it cannot be read: {first_line(fault)}") from None
    if not isinstance(data, str | bytes):
        raise FormatError(f"{name}: reading it gives {shown(data)}, neither text nor bytes")
    if len(data) > MAX_BYTES:
        raise FormatError(f"{name}: more than {MAX_BYTES} bytes; no robot file is that long")
    return data


def format_of(content: Content, formats: Sequence[Format]) -> Format:
    """Return the format of a file among some, which its beginning tells."""
    data = content.data
    if isinstance(data, bytes):
        wide = data.startswith(BYTE_ORDER_MARKS)
        data = data[:MOST_BEFORE].decode("utf-16" if wide else "latin-1", errors="replace").removeprefix("ï»¿")
    head = _PROLOGUE.sub("", data[:MOST_BEFORE], count=1) or data[:MOST_BEFORE].lstrip(BLANK)
    fitting = [known for known in formats if known.fits(head)]
    if fitting:
        return max(fitting, key=lambda known: len(known.begins))
    if not head:
        raise FormatError(f"{content.name} is empty; {', '.join(known.example for known in formats)}")
    raise FormatError(
        f"{content.name} is neither {' nor '.join(known.name for known in formats)}: it begins with "
        f"{content.data[:20]!r}; {', '.join(known.example for known in formats)}"
    )
