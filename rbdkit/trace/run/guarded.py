"""A program and the checks of its arguments in one call of machine code: for arrays that are as they should be.

The code looks into NumPy's arrays, whose memory begins as it has since version 1.0; that this is so is tried out before
it is used. It holds the interpreter's lock, since these are its objects.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

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

# What is looked for, as the code reads it: numbers of 8 bytes, these first, then (buffer, size) of each argument.
CODE, FRAME, ARRAYS, FLOATS, FARTHEST, QUATERNIONS, PLACES, RESULT, RESULTS, LARGEST, GIVEN, FIRST = range(12)


class Guarded(NamedTuple):
    """What a program is called by: ``function(a, b, c, at)``.

    It gives 0 if the program has run on these arrays (None for those that it has not); else it has not, or what it
    found is out of the ordinary. keep : all that the code works with, to be held as long as it may be called.
    """

    function: Callable[..., int]
    at: ctypes.c_void_p
    keep: object


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

define i32 @guarded(ptr %a0, ptr %a1, ptr %a2, ptr %list) nounwind {{
entry:
 %given = call i64 @number(ptr %list, i64 {GIVEN})
 %s0 = call double @taken(ptr %a0, ptr %list, i64 0)
 %two = icmp sgt i64 %given, 1
 br i1 %two, label %second, label %known
second:
 %s1 = call double @taken(ptr %a1, ptr %list, i64 1)
 %t1 = fadd double %s0, %s1
 %three = icmp sgt i64 %given, 2
 br i1 %three, label %third, label %known
third:
 %s2 = call double @taken(ptr %a2, ptr %list, i64 2)
 %t2 = fadd double %t1, %s2
 br label %known
known:
 %sum = phi double [%s0, %entry], [%t1, %second], [%t2, %third]
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
 %c = call i64 @number(ptr %list, i64 {CODE})
 %code = inttoptr i64 %c to ptr
 %fr = call i64 @number(ptr %list, i64 {FRAME})
 %frame = inttoptr i64 %fr to ptr
 call void %code(ptr %frame)
 %r = call i64 @number(ptr %list, i64 {RESULT})
 %result = inttoptr i64 %r to ptr
 %m = call i64 @number(ptr %list, i64 {RESULTS})
 %found = call double @squares(ptr %result, ptr %result, i64 %m)
 %l = call i64 @number(ptr %list, i64 {LARGEST})
 %largest = bitcast i64 %l to double
 %sensible = fcmp ole double %found, %largest
 %failed = xor i1 %sensible, true
 %answer = zext i1 %failed to i32
 ret i32 %answer
no:
 ret i32 1
}}
"""


@cache
def _function() -> tuple[Callable[..., int], object] | None:
    """The code, and what keeps it in memory; None where arrays are not as it thinks."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or not _arrays_are_known():
        return None
    code = machine().linked(SOURCE, "guarded")
    kinds = [ctypes.py_object] * ARGUMENTS + [ctypes.c_void_p]
    return ctypes.PYFUNCTYPE(ctypes.c_int, *kinds)(code_address(code)), code


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
    result: NDArray,
    farthest: float,
    largest: float,
    quaternions: Sequence[int] = (),
) -> Guarded | None:
    """A program that is bound to arrays, run on copies of others if these are of the same shapes; None if it cannot be.

    Parameters
    ----------
    run : the bound program.
    inputs : (n,) each, at most three, that it reads. result : what is looked at afterwards.
    farthest, largest : the norms of all inputs together and of the result must not be greater.
    quaternions : where in the first input such begin, of norm 1.
    """
    if not isinstance(run, NativeRun) or not 1 <= len(inputs) <= ARGUMENTS or (known := _function()) is None:
        return None
    function, _ = known
    places = np.array(quaternions, dtype=np.int64)
    asked = np.zeros(FIRST + 2 * ARGUMENTS, dtype=np.int64)
    asked[[CODE, FRAME]] = run.code, run.frame
    asked[[ARRAYS, FLOATS]] = id(np.ndarray), id(np.dtype(float))
    asked.view(float)[[FARTHEST, LARGEST]] = farthest**2, largest**2
    asked[[QUATERNIONS, PLACES, GIVEN]] = len(places), places.ctypes.data, len(inputs)
    asked[[RESULT, RESULTS]] = address_of(result), result.size
    for i, x in enumerate(inputs):
        asked[FIRST + 2 * i : FIRST + 2 * i + 2] = address_of(x), x.size
    return Guarded(function, ctypes.c_void_p(asked.ctypes.data), (known, run, inputs, result, places, asked))
