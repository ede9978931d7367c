"""Choice of the backend: LLVM where llvmlite works, else generated Python, with one warning.

The choice is made once per process, by compiling and running a small program: only that tells whether LLVM works with
this processor and system. A wrong choice by environment variable is an error and not a fallback, since a user who asks
for LLVM and gets Python would wait fifty times as long without knowing why. Checked code is asked for where it is made
(`rbdkit.trace.checked`), or by the same variable.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal, Protocol

import numpy as np

from rbdkit.errors import SimulationError
from rbdkit.trace.lines import is_checked
from rbdkit.trace.program import Program
from rbdkit.trace.run.lanes import Binder, Given

Backend = Literal["llvm", "python", "checked"]


class Executable(Protocol):
    """A program as code of a backend, to be bound to arrays."""

    program: Program

    def bind(self, arrays: Mapping[str, Given], counts: Mapping[str, int]) -> Callable[[], None]:
        """Return a function that runs the program on given arrays and counts."""
        ...

    def binder(self, fixed: Mapping[str, np.ndarray], room: Mapping[str, int], counts: Mapping[str, int]) -> Binder:
        """Return a faster `bind` for many calls: with fixed arrays and counts, and sizes of each call's work arrays."""
        ...


def executable(program: Program, backend: Backend) -> Executable:
    """Return the program as code of a backend."""
    if backend == "python":
        from rbdkit.trace.run.interpreted import PythonCode

        return PythonCode(program)
    if backend == "checked":
        from rbdkit.trace.run.checked import CheckedCode

        return CheckedCode(program)
    from rbdkit.trace.run.native import NativeCode

    return NativeCode(program)


def in_words(backend: str, why: str = "") -> str:
    """Return the name of a backend for reports. why : the reason why it is no faster one."""
    words = {"llvm": "LLVM", "python": "generated Python", "checked": "checked Python"}[backend]
    return f"{words} ({why})" if why and backend == "python" else words


def width_of(backend: Backend) -> int:
    """Return how many states the code of a backend can compute at once."""
    if backend != "llvm":
        return 1
    from rbdkit.trace.run.native import machine

    return machine().lanes


def available() -> tuple[Backend, str]:
    """Return the chosen backend, or the fastest that works here, and the reason for it.

    `rbdkit.trace.checked` chooses checked code, the environment variable RBDKIT_BACKEND this or another one. Warns when
    it is Python for want of LLVM.

    Raises
    ------
    SimulationError
        If the variable asks for something else, or for LLVM where it does not work.
    """
    return ("checked", "as asked for") if is_checked() else fastest()


@cache
def fastest() -> tuple[Backend, str]:
    """Return the fastest backend that works here, unless RBDKIT_BACKEND names another one, and why."""
    asked = os.environ.get("RBDKIT_BACKEND", "")
    if asked not in ("", "llvm", "python"):
        raise SimulationError(
            f"the environment variable RBDKIT_BACKEND is {asked!r}, which there is not; set it to 'python' to switch "
            "LLVM off, to 'checked' to have indices and numbers checked, to 'llvm', or not at all"
        )
    if asked == "python":
        return "python", "RBDKIT_BACKEND asks for it"
    try:
        from rbdkit.trace.run.native import try_out

        try_out()
    except Warning:  # for who turns warnings into errors; they say nothing of LLVM
        raise
    except Exception as fault:  # whatever keeps LLVM from working, from a missing module to an unknown processor
        why = f"llvmlite does not work here ({type(fault).__name__}: {fault})"
        missing = isinstance(fault, ImportError)
        mend = "pip install llvmlite" if missing else "another version of llvmlite; this one is installed, but fails"
        if asked == "llvm":
            raise SimulationError(f"RBDKIT_BACKEND asks for 'llvm', but {why}. Mend it with: {mend}") from fault
        warnings.warn(
            f"{why}; rbdkit computes in Python, some 50 times slower. Mend it with: {mend}",
            RuntimeWarning,
            stacklevel=2,
        )
        return "python", why
    return "llvm", "compiled by LLVM"
