"""A program and the checks of its arguments as one builtin function: for arrays that are as they should be.

The code looks into NumPy's arrays, whose memory begins as it has since version 1.0; that this is so is tried out before
it is used. It holds the interpreter's lock, since these are its objects, so all threads may share its buffers: nothing
of Python runs between its first look and the copies of its results.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.run.native import NativeRun, address_of, code_address, machine

ARGUMENTS = 3
"""The most arrays that are looked at."""
DATA, DIMENSIONS, NUMBER, TYPE, DESCRIPTION, FLAGS = 16, 32, 24, 8, 56, 64
"""Where these stand in an array of NumPy on 64-bit machines, in bytes."""
WHOLE = 0x101
"""Flags of numbers that lie one after the other, each where processors can load it."""
UNIT = 1e-6
"""How far the norms of quaternions may be from 1."""

METH_FASTCALL = 0x80
"""Python's name for functions that take the address of their arguments and how many these are."""
NEW_COPY, OF_VERSION = 85, 0x02000000
"""Where `PyArray_NewCopy` stands in NumPy's table of functions, in this version of it (its entry 0 tells which)."""

# What is looked for, as the code reads it: numbers of 8 bytes, these first, then (buffer, size) of each argument, then
# the arrays of results.
(CODE, FRAME, ARRAYS, FLOATS, FARTHEST, QUATERNIONS, PLACES, RESULT, RESULTS, LARGEST, GIVEN, WRITTEN, COPY, TUPLE,
 SET_ITEM, INCREASE, DECREASE, NOTHING, FIRST) = range(19)  # fmt: skip
OUTPUTS = FIRST + 2 * ARGUMENTS


class _Definition(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


SOURCE = f"""
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)

define internal i64 @number(ptr %list, i64 %k) alwaysinline {{
 %place = getelementptr i64, ptr %list, i64 %k
 %value = load i64, ptr %place, align 8
 ret i64 %value
}}

define internal double @squares(ptr %from, ptr %to, i64 %n) {{
entry:
 br label %head
head:
 %k = phi i64 [0, %entry], [%next, %body]
 %sum = phi double [0.0, %entry], [%more, %body]
 %going = icmp slt i64 %k, %n
 br i1 %going, label %body, label %end
body:
 %source = getelementptr double, ptr %from, i64 %k
 %x = load double, ptr %source, align 8
 %target = getelementptr double, ptr %to, i64 %k
 store double %x, ptr %target, align 8
 %xx = fmul double %x, %x
 %more = fadd double %sum, %xx
 %next = add i64 %k, 1
 br label %head
end:
 ret double %sum
}}

define internal double @taken(ptr %array, ptr %list, i64 %i) {{
entry:
 %p_type = getelementptr i8, ptr %array, i64 {TYPE}
 %type = load i64, ptr %p_type, align 8
 %right_type = call i64 @number(ptr %list, i64 {ARRAYS})
 %is_array = icmp eq i64 %type, %right_type
 br i1 %is_array, label %looking, label %no
looking:
 %p_number = getelementptr i8, ptr %array, i64 {NUMBER}
 %number = load i32, ptr %p_number, align 4
 %one = icmp eq i32 %number, 1
 %p_description = getelementptr i8, ptr %array, i64 {DESCRIPTION}
 %description = load i64, ptr %p_description, align 8
 %floats = call i64 @number(ptr %list, i64 {FLOATS})
 %of_floats = icmp eq i64 %description, %floats
 %p_flags = getelementptr i8, ptr %array, i64 {FLAGS}
 %flags = load i32, ptr %p_flags, align 4
 %both = and i32 %flags, {WHOLE}
 %whole = icmp eq i32 %both, {WHOLE}
 %a = and i1 %one, %of_floats
 %fits = and i1 %a, %whole
 br i1 %fits, label %sizing, label %no
sizing:
 %p_shape = getelementptr i8, ptr %array, i64 {DIMENSIONS}
 %shape = load ptr, ptr %p_shape, align 8
 %n = load i64, ptr %shape, align 8
 %twice = shl i64 %i, 1
 %at_buffer = add i64 %twice, {FIRST}
 %at_size = add i64 %at_buffer, 1
 %size = call i64 @number(ptr %list, i64 %at_size)
 %as_large = icmp eq i64 %n, %size
 br i1 %as_large, label %copying, label %no
copying:
 %p_data = getelementptr i8, ptr %array, i64 {DATA}
 %data = load ptr, ptr %p_data, align 8
 %b = call i64 @number(ptr %list, i64 %at_buffer)
 %buffer = inttoptr i64 %b to ptr
 %sum = call double @squares(ptr %data, ptr %buffer, i64 %n)
 ret double %sum
no:
 ret double 0x7FF0000000000000
}}

define ptr @guarded(ptr %self, ptr %arguments, i64 %n) nounwind {{
entry:
 %p_list = getelementptr i8, ptr %self, i64 {DATA}
 %list = load ptr, ptr %p_list, align 8
 %given = call i64 @number(ptr %list, i64 {GIVEN})
 %complete = icmp eq i64 %n, %given
 br i1 %complete, label %first, label %no
first:
 %a0 = load ptr, ptr %arguments, align 8
 %s0 = call double @taken(ptr %a0, ptr %list, i64 0)
 %two = icmp sgt i64 %given, 1
 br i1 %two, label %second, label %known
second:
 %p1 = getelementptr ptr, ptr %arguments, i64 1
 %a1 = load ptr, ptr %p1, align 8
 %s1 = call double @taken(ptr %a1, ptr %list, i64 1)
 %t1 = fadd double %s0, %s1
 %three = icmp sgt i64 %given, 2
 br i1 %three, label %third, label %known
third:
 %p2 = getelementptr ptr, ptr %arguments, i64 2
 %a2 = load ptr, ptr %p2, align 8
 %s2 = call double @taken(ptr %a2, ptr %list, i64 2)
 %t2 = fadd double %t1, %s2
 br label %known
known:
 %sum = phi double [%s0, %first], [%t1, %second], [%t2, %third]
 %f = call i64 @number(ptr %list, i64 {FARTHEST})
 %far = bitcast i64 %f to double
 %near = fcmp ole double %sum, %far
 br i1 %near, label %turning, label %no
turning:
 %turns = call i64 @number(ptr %list, i64 {QUATERNIONS})
 %pl = call i64 @number(ptr %list, i64 {PLACES})
 %places = inttoptr i64 %pl to ptr
 %q_ = call i64 @number(ptr %list, i64 {FIRST})
 %q = inttoptr i64 %q_ to ptr
 br label %head
head:
 %k = phi i64 [0, %turning], [%next, %unit]
 %going = icmp slt i64 %k, %turns
 br i1 %going, label %body, label %running
body:
 %place = call i64 @number(ptr %places, i64 %k)
 %p = getelementptr double, ptr %q, i64 %place
 %norm2 = call double @squares(ptr %p, ptr %p, i64 4)
 %norm = call double @llvm.sqrt.f64(double %norm2)
 %d = fsub double %norm, 1.0
 %off = call double @llvm.fabs.f64(double %d)
 %close = fcmp olt double %off, 0x{struct.pack(">d", UNIT).hex().upper()}
 %next = add i64 %k, 1
 br i1 %close, label %unit, label %no
unit:
 br label %head
running:
 %m = call i64 @number(ptr %list, i64 {WRITTEN})
 %tu = call i64 @number(ptr %list, i64 {TUPLE})
 %tuple = inttoptr i64 %tu to ptr
 %written = call ptr %tuple(i64 %m)
 %full = icmp eq ptr %written, null
 br i1 %full, label %failed, label %computing
computing:
 %c = call i64 @number(ptr %list, i64 {CODE})
 %code = inttoptr i64 %c to ptr
 %fr = call i64 @number(ptr %list, i64 {FRAME})
 %frame = inttoptr i64 %fr to ptr
 call void %code(ptr %frame)
 %r = call i64 @number(ptr %list, i64 {RESULT})
 %result = inttoptr i64 %r to ptr
 %size = call i64 @number(ptr %list, i64 {RESULTS})
 %found = call double @squares(ptr %result, ptr %result, i64 %size)
 %l = call i64 @number(ptr %list, i64 {LARGEST})
 %largest = bitcast i64 %l to double
 %sensible = fcmp ole double %found, %largest
 %de = call i64 @number(ptr %list, i64 {DECREASE})
 %decrease = inttoptr i64 %de to ptr
 %co = call i64 @number(ptr %list, i64 {COPY})
 %copy = inttoptr i64 %co to ptr
 %se = call i64 @number(ptr %list, i64 {SET_ITEM})
 %set_item = inttoptr i64 %se to ptr
 br i1 %sensible, label %each, label %senseless
each:
 %j = phi i64 [0, %computing], [%j_next, %kept]
 %more = icmp slt i64 %j, %m
 br i1 %more, label %copying, label %done
copying:
 %at_output = add i64 %j, {OUTPUTS}
 %o = call i64 @number(ptr %list, i64 %at_output)
 %output = inttoptr i64 %o to ptr
 %own = call ptr %copy(ptr %output, i32 0)
 %none_left = icmp eq ptr %own, null
 br i1 %none_left, label %dropped, label %kept
kept:
 %ignored = call i32 %set_item(ptr %written, i64 %j, ptr %own)
 %j_next = add i64 %j, 1
 br label %each
done:
 ret ptr %written
dropped:
 call void %decrease(ptr %written)
 br label %failed
failed:
 ret ptr null
senseless:
 call void %decrease(ptr %written)
 br label %no
no:
 %nt = call i64 @number(ptr %list, i64 {NOTHING})
 %nothing = inttoptr i64 %nt to ptr
 %inc = call i64 @number(ptr %list, i64 {INCREASE})
 %increase = inttoptr i64 %inc to ptr
 call void %increase(ptr %nothing)
 ret ptr %nothing
}}
"""


def _of_python(name: str) -> int:
    """The address of a function of the interpreter."""
    return code_address(ctypes.PYFUNCTYPE(None)((name, ctypes.pythonapi)))


def _copying() -> int | None:
    """The address of `PyArray_NewCopy`; None in versions of NumPy that it is not known of."""
    table = getattr(getattr(getattr(np, "_core", None), "_multiarray_umath", None), "_ARRAY_API", None)
    if table is None:
        return None
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    begin = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(table, None)
    of_numpy = (ctypes.c_size_t * (NEW_COPY + 1)).from_address(begin)
    if ctypes.PYFUNCTYPE(ctypes.c_uint)(of_numpy[0])() != OF_VERSION:
        return None
    return of_numpy[NEW_COPY]


class _Code:
    """What all these functions share: the code, its definition for Python, and addresses that it calls."""

    def __init__(self, copying: int) -> None:
        self.code = machine().linked(SOURCE, "guarded")
        self.definition = _Definition(b"guarded", code_address(self.code), METH_FASTCALL, None)
        made_of = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
        self._new = made_of(("PyCFunction_NewEx", ctypes.pythonapi))
        self.addresses = {
            COPY: copying,
            TUPLE: _of_python("PyTuple_New"),
            SET_ITEM: _of_python("PyTuple_SetItem"),
            INCREASE: _of_python("Py_IncRef"),
            DECREASE: _of_python("Py_DecRef"),
            NOTHING: id(None),
            ARRAYS: id(np.ndarray),
            FLOATS: id(np.dtype(float)),
        }

    def function(self, asked: NDArray, *keep: object) -> Callable[..., Any]:
        """The builtin that goes by these numbers. It holds them in place of its self, the rest as its module."""
        return self._new(ctypes.addressof(self.definition), asked, (self, *keep))


@cache
def _code() -> _Code | None:
    """None where arrays are not as the code thinks, or threads do not take turns."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or not _threads_take_turns():
        return None
    if not _arrays_are_known() or (copying := _copying()) is None:
        return None
    return _Code(copying)


def _threads_take_turns() -> bool:
    """Whether this interpreter was made with its lock: one without may lose it, or find it again, as it runs."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def _arrays_are_known() -> bool:
    """Whether arrays of NumPy look in memory as they should, here and now."""
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
    farthest: float,
    largest: float | None = None,
    quaternions: Sequence[int] = (),
) -> Callable[..., tuple[NDArray, ...] | None] | None:
    """A program that is bound to arrays as a function of others of the same shapes; None if it cannot be made.

    What the function gives are copies of the outputs; None if it has not run on these arguments, or if what it found is
    out of the ordinary. No other may run the bound program as long as the function lives.

    Parameters
    ----------
    run : the bound program.
    inputs : (n,) each, at most three, that it reads. outputs : what it writes.
    farthest : the norm of all inputs together must not be greater. largest : nor that of the first output, if given.
    quaternions : where in the first input such begin, of norm 1.
    """
    if not isinstance(run, NativeRun) or not 1 <= len(inputs) <= ARGUMENTS or (shared := _code()) is None:
        return None
    places = np.array(quaternions, dtype=np.int64)
    asked = np.zeros(OUTPUTS + len(outputs), dtype=np.int64)
    for place, address in shared.addresses.items():
        asked[place] = address
    asked[[CODE, FRAME]] = run.code, run.frame
    asked.view(float)[FARTHEST] = farthest**2
    asked[[QUATERNIONS, PLACES, GIVEN, WRITTEN]] = len(places), places.ctypes.data, len(inputs), len(outputs)
    if largest is not None:
        asked.view(float)[LARGEST] = largest**2
        asked[[RESULT, RESULTS]] = address_of(outputs[0]), outputs[0].size
    for i, x in enumerate(inputs):
        asked[FIRST + 2 * i : FIRST + 2 * i + 2] = address_of(x), x.size
    asked[OUTPUTS:] = [id(x) for x in outputs]
    return shared.function(asked, run, tuple(inputs), tuple(outputs), places)
