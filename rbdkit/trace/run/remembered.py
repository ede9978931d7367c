"""Programs found again without being recorded, by the words that say what they are.

To record an algorithm and write it out takes ten times as long as to load its machine code. So a note is kept beside
the code: under which name it stands, and with what arguments it is called. A note is right as long as the same would be
recorded again. Its key is made of all that this depends on: the words, the versions, the processor, and the sources
that record, as files, by size and by when they were written (with `st_ctime`, which no tool sets back).

What runs may be something else than these files say: after a change of theirs in a process that goes on, or where
functions were replaced in memory. Then nothing is noted, nor found. (A constant that was replaced is not seen.)
"""

from __future__ import annotations

import ast
import os
import sys
from functools import cache, cached_property, partial
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import numpy as np

from rbdkit import loaded
from rbdkit.trace.program import Lanes, Program
from rbdkit.trace.run import cache as disk
from rbdkit.trace.run.backend import Executable
from rbdkit.trace.run.native import NativeCode, machine

PACKAGE = Path(__file__).parents[2]
RECORDERS = ("algorithms", "engine", "integrators", "spatial", "trace")
"""Folders whose files record, or are called by those that do."""
TICK = 2.0
"""Seconds: so far apart may the times be that file systems know."""
_KNOWN = sys.stdlib_module_names - {"unittest"} | {"rbdkit", "numpy", "scipy", "llvmlite"}
"""Where functions come from that belong to the sources."""


class Remembered(NamedTuple):
    """Code, and a whole number that was noted with it."""

    code: NativeCode
    number: int


def recalled(words: str) -> Remembered | None:
    """The code that these words were noted for, as long as it would be made again."""
    key = _key(words)
    text = None if key is None else disk.load(key)
    if text is None:
        return None
    code_key, number, name, (width, shared, apart), arguments = ast.literal_eval(text.decode())
    program = Program(name, Lanes(width, frozenset(shared), frozenset(apart)))
    program.arrays, program.tables, program.counts = arguments
    code = NativeCode.known(code_key, program)
    return None if code is None else Remembered(code, number)


def remember(words: str, code: Executable, number: int) -> None:
    """Note the code that words stand for, and a whole number with it."""
    if isinstance(code, NativeCode) and (key := _key(words)) is not None:
        program, lanes = code.program, code.program.lanes
        of_lanes = lanes.width, sorted(lanes.shared), sorted(lanes.apart)
        arguments = program.arrays, program.tables, program.counts
        disk.store(key, repr((code.key, number, program.name, of_lanes, arguments)).encode())


def _key(words: str) -> str | None:
    """The name of a note; None where notes are not to be trusted."""
    files = _files()
    newest = max((when for _, _, *times in files for when in times), default=float("inf"))
    if newest > 1e9 * (loaded.AT - TICK) or not _as_written():
        return None
    return machine().key("\0".join((words, sys.version, np.__version__, repr(files))))


def _files() -> list[tuple[str, int, int, int]]:
    """The sources: where each stands, its size, and when it and what is known of it were last changed, ns."""
    found, folders = [], [str(PACKAGE / name) for name in RECORDERS]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:  # a package in an archive has none
            return []
        for entry in entries:
            if entry.name.endswith(".py"):
                about = entry.stat()
                found.append((entry.path, about.st_size, about.st_mtime_ns, about.st_ctime_ns))
            elif entry.name != "__pycache__" and entry.is_dir():
                folders.append(entry.path)
    return sorted(found)


def _as_written() -> bool:
    """Whether the functions and classes of the sources are their own."""
    names, homes = tuple(f"rbdkit.{folder}" for folder in RECORDERS), set()
    for name, module in list(sys.modules.items()):
        if name.startswith(names):
            parts = [x for part, x in vars(module).items() if part != "__builtins__"]
            for x in tuple(parts):
                if type(x) is dict:
                    parts += x.values()
                elif isinstance(x, type) and x.__module__ == name:
                    parts += vars(x).values()
            homes |= {_home(x) for x in parts}
    return {home.partition(".")[0] for home in homes if not home.startswith("namedtuple_")} <= _KNOWN


def _home(x: object) -> str:
    """The module in which a function or class was written; of other things, their class."""
    while (inside := _INSIDE.get(type(x))) is not None:
        x = getattr(x, inside)
    return (x if isinstance(x, type | FunctionType) else type(x)).__module__ or ""


_INSIDE = {staticmethod: "__func__", classmethod: "__func__", property: "fget", cached_property: "func"}
_INSIDE |= {partial: "func", type(cache(len)): "__wrapped__"}
"""Where functions are in what is made of them."""
