"""Native call wrapper: a compiled program with the checks of its arguments as one builtin function of Python.

Argument checks in Python would take longer than the kernel of a small model. So the checks (class and parts of the
owner; type, size and layout of the arrays; size of the numbers) are machine code as well, called by the interpreter as
a METH_FASTCALL function. It only handles the ordinary case: for anything else it returns None, and the caller takes
the slow way.

The code reads the fields of NumPy's array objects, whose layout has been the same since version 1.0; this is tested
before use. It runs with the interpreter's lock (GIL), so all threads can share one set of buffers: no Python code runs
between its first look at an array and the copies of its results. (Result arrays are allocated before, since that may
start the garbage collector, which may run anything.)
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.run.backend import Owner
from rbdkit.trace.run.guard_source import (
    ARGUMENTS,
    ARRAYS,
    CODE,
    DATA,
    DECREASE,
    DESCRIPTION,
    DICTIONARY,
    DIMENSIONS,
    FARTHEST,
    FIND,
    FIRST,
    FLAGS,
    FLOATS,
    FORGET,
    FRAME,
    GIVEN,
    INCREASE,
    KIND,
    LARGEST,
    NEW,
    NOTHING,
    NUMBER,
    PART_LIST,
    PARTS,
    PLACES,
    QUATERNIONS,
    RESULTS,
    SET_ITEM,
    SOURCE,
    TUPLE,
    TYPE,
    WHOLE,
    WRITTEN,
)
from rbdkit.trace.run.native import NativeRun, address_of, code_address, machine

METH_FASTCALL = 0x80
"""CPython's flag of functions that take an array of arguments and their number."""
NEW_FROM_DESCRIPTION, OF_VERSION = 94, 0x02000000
"""Index of `PyArray_NewFromDescr` in NumPy's C API table, and the version of the table, which its entry 0 returns."""


class _Definition(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def _of_python(name: str) -> int:
    """Return the address of a function of the interpreter's C API."""
    return code_address(ctypes.PYFUNCTYPE(None)((name, ctypes.pythonapi)))


def _making() -> int | None:
    """Return the address of `PyArray_NewFromDescr`; None for an unknown version of NumPy."""
    table = getattr(getattr(getattr(np, "_core", None), "_multiarray_umath", None), "_ARRAY_API", None)
    if table is None:
        return None
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    begin = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(table, None)
    of_numpy = (ctypes.c_size_t * (NEW_FROM_DESCRIPTION + 1)).from_address(begin)
    if ctypes.PYFUNCTYPE(ctypes.c_uint)(of_numpy[0])() != OF_VERSION:
        return None
    return of_numpy[NEW_FROM_DESCRIPTION]


class _Code:
    """Data that all wrappers share: the machine code, its `PyMethodDef`, and addresses of C API functions."""

    def __init__(self, making: int) -> None:
        self.code = machine().linked(SOURCE, "guarded")
        self.definition = _Definition(b"guarded", code_address(self.code), METH_FASTCALL, None)
        made_of = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
        self._new = made_of(("PyCFunction_NewEx", ctypes.pythonapi))
        self.addresses = {
            NEW: making,
            DICTIONARY: _of_python("PyObject_GenericGetDict"),
            FIND: _of_python("PyDict_GetItemWithError"),
            FORGET: _of_python("PyErr_Clear"),
            TUPLE: _of_python("PyTuple_New"),
            SET_ITEM: _of_python("PyTuple_SetItem"),
            INCREASE: _of_python("Py_IncRef"),
            DECREASE: _of_python("Py_DecRef"),
            NOTHING: id(None),
            ARRAYS: id(np.ndarray),
            FLOATS: id(np.dtype(float)),
        }

    def function(self, words: NDArray, *keep: object) -> Callable[..., Any]:
        """Return a builtin that works with these words, which it holds as its ``self``; the rest it holds as module."""
        return self._new(ctypes.addressof(self.definition), words, (self, *keep))


@cache
def _code() -> _Code | None:
    """Return the shared data; None if arrays have another layout, or the interpreter has no GIL."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or not _threads_take_turns():
        return None
    if not _arrays_are_known() or (making := _making()) is None:
        return None
    return _Code(making)


def _threads_take_turns() -> bool:
    """Whether this interpreter was built with the GIL: a free-threaded build may switch it on and off at run time."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def _arrays_are_known() -> bool:
    """Whether NumPy's array objects have the expected memory layout, tested on a few arrays."""
    for probe in (np.arange(3.0), np.zeros(1), np.arange(10.0)[3:7], np.arange(10.0)[::2]):
        memory = ctypes.string_at(id(probe), FLAGS + 4)
        read = {at: struct.unpack_from("q", memory, at)[0] for at in (DATA, DIMENSIONS, TYPE, DESCRIPTION)}
        number, flags = (struct.unpack_from("i", memory, at)[0] for at in (NUMBER, FLAGS))
        if (number, read[DATA], read[TYPE]) != (1, probe.ctypes.data, id(np.ndarray)):
            return False
        if read[DESCRIPTION] != id(probe.dtype) or (flags & WHOLE == WHOLE) != probe.flags.c_contiguous:
            return False
        if struct.unpack("q", ctypes.string_at(read[DIMENSIONS], 8))[0] != probe.size:
            return False
    return True


def guarded(
    run: Callable[[], None],
    inputs: Sequence[NDArray],
    outputs: Sequence[NDArray],
    owner: Owner,
    farthest: float,
    largest: float = inf,
    quaternions: Sequence[int] = (),
) -> Callable[..., Any] | None:
    """Return a bound program as a builtin function of its owner and up to three arrays; None if it cannot be made.

    The function returns a copy of the output (a tuple of copies if there are several), or None if the arguments or the
    results are not ordinary. Further arguments are ignored. Nothing else may run the bound program while the function
    lives, as they share buffers.

    Parameters
    ----------
    run : the bound program.
    inputs : at most three arrays (n,) that it reads.
    outputs : contiguous arrays that it writes.
    owner : class and attributes that the owner must have.
    farthest : largest norm of all inputs together.
    largest : largest norm of the first output.
    quaternions : places in the first input where quaternions begin, which must have norm 1.
    """
    if not isinstance(run, NativeRun) or not 1 <= len(inputs) <= ARGUMENTS or (shared := _code()) is None:
        return None
    places = np.array(quaternions, dtype=np.int64)
    names = [sys.intern(name) for name in owner.parts]
    parts = np.array([[id(name), id(owner.parts[name])] for name in names], dtype=np.int64)
    words = np.zeros(RESULTS + 2 * len(outputs), dtype=np.int64)
    for place, address in shared.addresses.items():
        words[place] = address
    words[[CODE, FRAME]] = run.code, run.frame
    words[[KIND, PARTS, PART_LIST]] = id(owner.kind), parts.size, parts.ctypes.data
    words.view(float)[[FARTHEST, LARGEST]] = farthest**2, largest**2
    words[[QUATERNIONS, PLACES, GIVEN, WRITTEN]] = len(places), places.ctypes.data, len(inputs), len(outputs)
    for i, x in enumerate(inputs):
        words[FIRST + 2 * i : FIRST + 2 * i + 2] = address_of(x), x.size
    for i, x in enumerate(outputs):
        words[RESULTS + 2 * i : RESULTS + 2 * i + 2] = id(x), x.size
    return shared.function(words, run, owner, names, tuple(inputs), tuple(outputs), parts, places)
