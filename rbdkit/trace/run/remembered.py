"""Second level of the persistent code cache: finds machine code without recording the program again.

Machine code is cached under a hash of its LLVM source; but to record an algorithm and emit that source takes ten times
as long as to load the code. So a note is stored beside the code, with its key and its arguments. A note is valid as
long as the same program would be recorded again. Its own key therefore covers all that recording depends on: a text
that describes the program (`words`), the versions of Python and NumPy, the processor, and the source files of the
packages that record, by size and times of change (with `st_ctime`, which no tool can set back).

The code in memory may differ from these files: if they were changed after the process had loaded them, or if functions
were replaced at run time (monkey patching). Then notes are neither written nor read. (A replaced constant goes
unnoticed.)
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
"""Packages whose code records programs, or is called while one is recorded."""
TICK = 2.0
"""Resolution of file times, s: the coarsest of common file systems (FAT)."""
_KNOWN = sys.stdlib_module_names - {"unittest"} | {"rbdkit", "numpy", "scipy", "llvmlite"}
"""Packages from which the functions in rbdkit's modules may come; any other origin is taken for a replacement."""


class Remembered(NamedTuple):
    """Cached code, and the whole number that was stored with it."""

    code: NativeCode
    number: int


def recalled(words: str) -> Remembered | None:
    """Return the cached code for a key text, or None if there is none or it may be out of date."""
    key = _key(words)
    text = None if key is None else disk.load(key)
    if text is None:
        return None
    # literals and no pickle: a note cannot run code
    code_key, number, name, (width, shared, apart), arguments = ast.literal_eval(text.decode())
    program = Program(name, Lanes(width, frozenset(shared), frozenset(apart)))
    program.arrays, program.tables, program.counts = arguments
    code = NativeCode.known(code_key, program)
    return None if code is None else Remembered(code, number)


def remember(words: str, code: Executable, number: int) -> None:
    """Store a note of code under a key text, together with a whole number."""
    if isinstance(code, NativeCode) and (key := _key(words)) is not None:
        program, lanes = code.program, code.program.lanes
        of_lanes = lanes.width, sorted(lanes.shared), sorted(lanes.apart)
        arguments = program.arrays, program.tables, program.counts
        disk.store(key, repr((code.key, number, program.name, of_lanes, arguments)).encode())


def _key(words: str) -> str | None:
    """Return the cache key of a note; None if the code in memory may differ from the source files."""
    files = _files()
    newest = max((when for _, _, *times in files for when in times), default=float("inf"))
    # a file that changed after rbdkit was loaded, or within a tick of that, may not be what is in memory
    if newest > 1e9 * (loaded.AT - TICK) or not _as_written():
        return None
    return machine().key("\0".join((words, sys.version, np.__version__, repr(files))))


def _files() -> list[tuple[str, int, int, int]]:
    """Return path, size, st_mtime_ns and st_ctime_ns of each source file of `RECORDERS`."""
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
    """Whether all functions and classes in the modules of `RECORDERS` come from `_KNOWN` packages (no patches)."""
    names, homes = tuple(f"rbdkit.{folder}" for folder in RECORDERS), set()
    for name, module in sys.modules.copy().items():
        if name.startswith(names):
            # copies, which no thread interrupts: another one may load more of a package meanwhile
            parts = [x for part, x in vars(module).copy().items() if part != "__builtins__"]
            for x in tuple(parts):
                if type(x) is dict:
                    parts += x.copy().values()
                elif isinstance(x, type) and x.__module__ == name:
                    parts += vars(x).copy().values()
            homes |= {_home(x) for x in parts}
    return {home.partition(".")[0] for home in homes if not home.startswith("namedtuple_")} <= _KNOWN


def _home(x: object) -> str:
    """Return the module in which a function or class was defined; for other objects, that of their class."""
    # wrappers may be nested
    while (inside := _INSIDE.get(type(x))) is not None:
        x = getattr(x, inside)
    return (x if isinstance(x, type | FunctionType) else type(x)).__module__ or ""


_INSIDE = {staticmethod: "__func__", classmethod: "__func__", property: "fget", cached_property: "func"}
_INSIDE |= {partial: "func", type(cache(len)): "__wrapped__"}
"""Attributes that hold the function inside wrappers."""
