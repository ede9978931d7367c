"""LLVM IR of the native call wrapper: check the owner, check and copy the arrays, run the program, copy the results.

One function serves all programs: it takes all numbers and addresses from one array of 64-bit words, whose places are
defined here. LLVM runs no optimisation passes on it (no inlining), so words are read in place, without a helper.
"""

from __future__ import annotations

import struct

ARGUMENTS = 3
"""Largest number of array arguments."""
DATA, DIMENSIONS, NUMBER, TYPE, DESCRIPTION, FLAGS = 16, 32, 24, 8, 56, 64
"""Offsets in bytes of fields of NumPy's array object on 64-bit machines; `TYPE` is that of every Python object."""
WHOLE = 0x101
"""NumPy's flags of a C-contiguous and aligned array."""
UNIT = 1e-6
"""Largest deviation of the norm of a quaternion from 1."""

# Places of the words: first those equal for all programs, then those of one program, then (buffer, size) of each
# argument, then (array, size) of each result.
(ARRAYS, FLOATS, NEW, TUPLE, SET_ITEM, INCREASE, DECREASE, NOTHING, DICTIONARY, FIND, FORGET, KIND, PARTS, PART_LIST,
 CODE, FRAME, FARTHEST, QUATERNIONS, PLACES, LARGEST, GIVEN, WRITTEN, FIRST) = range(23)  # fmt: skip
RESULTS = FIRST + 2 * ARGUMENTS


def _word(name: str, place: int | str, kind: str = "i64", words: str = "%words") -> str:
    """Return lines that load a word into %name."""
    return f"%at_{name} = getelementptr i64, ptr {words}, i64 {place}\n %{name} = load {kind}, ptr %at_{name}, align 8"


def _field(name: str, of: str, offset: int, kind: str) -> str:
    """Return lines that load a field of an object, at an offset in bytes, into %name."""
    size = 4 if kind == "i32" else 8
    return (
        f"%in_{name} = getelementptr i8, ptr {of}, i64 {offset}\n %{name} = load {kind}, ptr %in_{name}, align {size}"
    )


SOURCE = f"""
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)

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

define internal i1 @as_it_was(ptr %owner, ptr %words) {{
entry:
 {_field("kind", "%owner", TYPE, "ptr")}
 {_word("right_kind", KIND, "ptr")}
 %is_kind = icmp eq ptr %kind, %right_kind
 br i1 %is_kind, label %opening, label %no
opening:
 {_word("dictionary", DICTIONARY, "ptr")}
 %held = call ptr %dictionary(ptr %owner, ptr null)
 %has_none = icmp eq ptr %held, null
 br i1 %has_none, label %forgetting, label %searching
searching:
 {_word("n", PARTS)}
 {_word("parts", PART_LIST, "ptr")}
 {_word("find", FIND, "ptr")}
 {_word("decrease", DECREASE, "ptr")}
 br label %head
head:
 %k = phi i64 [0, %searching], [%next, %same]
 %going = icmp slt i64 %k, %n
 br i1 %going, label %body, label %yes
body:
 {_word("name", "%k", "ptr", "%parts")}
 %k_value = add i64 %k, 1
 {_word("value", "%k_value", "ptr", "%parts")}
 %found = call ptr %find(ptr %held, ptr %name)
 %is_same = icmp eq ptr %found, %value
 %next = add i64 %k, 2
 br i1 %is_same, label %same, label %another
same:
 br label %head
yes:
 call void %decrease(ptr %held)
 ret i1 true
another:
 call void %decrease(ptr %held)
 br label %forgetting
forgetting:
 {_word("forget", FORGET, "ptr")}
 call void %forget()
 br label %no
no:
 ret i1 false
}}

define internal double @taken(ptr %array, ptr %words, i64 %i) {{
entry:
 {_field("type", "%array", TYPE, "ptr")}
 {_word("right_type", ARRAYS, "ptr")}
 %is_array = icmp eq ptr %type, %right_type
 br i1 %is_array, label %looking, label %no
looking:
 {_field("number", "%array", NUMBER, "i32")}
 %one = icmp eq i32 %number, 1
 {_field("description", "%array", DESCRIPTION, "ptr")}
 {_word("floats", FLOATS, "ptr")}
 %of_floats = icmp eq ptr %description, %floats
 {_field("flags", "%array", FLAGS, "i32")}
 %both = and i32 %flags, {WHOLE}
 %whole = icmp eq i32 %both, {WHOLE}
 %a = and i1 %one, %of_floats
 %fits = and i1 %a, %whole
 br i1 %fits, label %sizing, label %no
sizing:
 {_field("shape", "%array", DIMENSIONS, "ptr")}
 %n = load i64, ptr %shape, align 8
 %twice = shl i64 %i, 1
 %in_buffers = add i64 %twice, {FIRST}
 %in_sizes = add i64 %in_buffers, 1
 {_word("size", "%in_sizes")}
 %as_large = icmp eq i64 %n, %size
 br i1 %as_large, label %copying, label %no
copying:
 {_field("data", "%array", DATA, "ptr")}
 {_word("buffer", "%in_buffers", "ptr")}
 %sum = call double @squares(ptr %data, ptr %buffer, i64 %n)
 ret double %sum
no:
 ret double 0x7FF0000000000000
}}

define internal ptr @copied(ptr %words, i64 %j) {{
entry:
 %twice = shl i64 %j, 1
 %in_results = add i64 %twice, {RESULTS}
 %in_sizes = add i64 %in_results, 1
 {_word("result", "%in_results", "ptr")}
 {_word("size", "%in_sizes")}
 {_field("shape", "%result", DIMENSIONS, "ptr")}
 {_field("number", "%result", NUMBER, "i32")}
 {_field("data", "%result", DATA, "ptr")}
 {_word("arrays", ARRAYS, "ptr")}
 {_word("floats", FLOATS, "ptr")}
 {_word("increase", INCREASE, "ptr")}
 {_word("new", NEW, "ptr")}
 call void %increase(ptr %floats)
 %made = call ptr %new(ptr %arrays, ptr %floats, i32 %number, ptr %shape, ptr null, ptr null, i32 0, ptr null)
 %none_left = icmp eq ptr %made, null
 br i1 %none_left, label %no, label %filling
filling:
 {_field("room", "%made", DATA, "ptr")}
 %all_fours = and i64 %size, -4
 br label %fours
fours:
 %k = phi i64 [0, %filling], [%k_next, %four]
 %more = icmp slt i64 %k, %all_fours
 br i1 %more, label %four, label %ones
four:
 %from = getelementptr double, ptr %data, i64 %k
 %xs = load <4 x double>, ptr %from, align 8
 %to = getelementptr double, ptr %room, i64 %k
 store <4 x double> %xs, ptr %to, align 8
 %k_next = add i64 %k, 4
 br label %fours
ones:
 %i = phi i64 [%k, %fours], [%i_next, %one]
 %any = icmp slt i64 %i, %size
 br i1 %any, label %one, label %done
one:
 %from_one = getelementptr double, ptr %data, i64 %i
 %x = load double, ptr %from_one, align 8
 %to_one = getelementptr double, ptr %room, i64 %i
 store double %x, ptr %to_one, align 8
 %i_next = add i64 %i, 1
 br label %ones
done:
 ret ptr %made
no:
 ret ptr null
}}

define internal i1 @ran(ptr %arguments, ptr %words) {{
entry:
 {_word("given", GIVEN)}
 %p0 = getelementptr ptr, ptr %arguments, i64 1
 %a0 = load ptr, ptr %p0, align 8
 %s0 = call double @taken(ptr %a0, ptr %words, i64 0)
 %two = icmp sgt i64 %given, 1
 br i1 %two, label %second, label %known
second:
 %p1 = getelementptr ptr, ptr %arguments, i64 2
 %a1 = load ptr, ptr %p1, align 8
 %s1 = call double @taken(ptr %a1, ptr %words, i64 1)
 %t1 = fadd double %s0, %s1
 %three = icmp sgt i64 %given, 2
 br i1 %three, label %third, label %known
third:
 %p2 = getelementptr ptr, ptr %arguments, i64 3
 %a2 = load ptr, ptr %p2, align 8
 %s2 = call double @taken(ptr %a2, ptr %words, i64 2)
 %t2 = fadd double %t1, %s2
 br label %known
known:
 %sum = phi double [%s0, %entry], [%t1, %second], [%t2, %third]
 {_word("far", FARTHEST, "double")}
 %near = fcmp ole double %sum, %far
 br i1 %near, label %turning, label %no
turning:
 {_word("turns", QUATERNIONS)}
 {_word("places", PLACES, "ptr")}
 {_word("q", FIRST, "ptr")}
 br label %head
head:
 %k = phi i64 [0, %turning], [%next, %unit]
 %going = icmp slt i64 %k, %turns
 br i1 %going, label %body, label %running
body:
 {_word("place", "%k", "i64", "%places")}
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
 {_word("code", CODE, "ptr")}
 {_word("frame", FRAME, "ptr")}
 call void %code(ptr %frame)
 {_word("largest", LARGEST, "double")}
 %any = fcmp olt double %largest, 0x7FF0000000000000
 br i1 %any, label %judging, label %yes
judging:
 {_word("result", RESULTS, "ptr")}
 {_field("data", "%result", DATA, "ptr")}
 {_word("size", RESULTS + 1)}
 %found = call double @squares(ptr %data, ptr %data, i64 %size)
 %sensible = fcmp ole double %found, %largest
 ret i1 %sensible
yes:
 ret i1 true
no:
 ret i1 false
}}

define ptr @guarded(ptr %self, ptr %arguments, i64 %n) nounwind {{
entry:
 {_field("words", "%self", DATA, "ptr")}
 %complete = icmp eq i64 %n, {1 + ARGUMENTS}
 br i1 %complete, label %asking, label %no
asking:
 %owner = load ptr, ptr %arguments, align 8
 %holds = call i1 @as_it_was(ptr %owner, ptr %words)
 br i1 %holds, label %counting, label %no
counting:
 {_word("m", WRITTEN)}
 %alone = icmp eq i64 %m, 1
 br i1 %alone, label %for_one, label %making
for_one:
 %one_ran = call i1 @ran(ptr %arguments, ptr %words)
 br i1 %one_ran, label %one, label %no
one:
 %only = call ptr @copied(ptr %words, i64 0)
 ret ptr %only
making:
 {_word("tuple", TUPLE, "ptr")}
 {_word("decrease", DECREASE, "ptr")}
 {_word("set_item", SET_ITEM, "ptr")}
 %written = call ptr %tuple(i64 %m)
 %none_left = icmp eq ptr %written, null
 br i1 %none_left, label %failed, label %for_several
for_several:
 %several_ran = call i1 @ran(ptr %arguments, ptr %words)
 br i1 %several_ran, label %each, label %senseless
each:
 %j = phi i64 [0, %for_several], [%j_next, %kept]
 %more = icmp slt i64 %j, %m
 br i1 %more, label %copying, label %done
copying:
 %own = call ptr @copied(ptr %words, i64 %j)
 %lost = icmp eq ptr %own, null
 br i1 %lost, label %dropped, label %kept
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
 {_word("nothing", NOTHING, "ptr")}
 {_word("increase", INCREASE, "ptr")}
 call void %increase(ptr %nothing)
 ret ptr %nothing
}}
"""
