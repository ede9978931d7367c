"""WebAssembly's binary format, as much of it as programs need (WebAssembly Core Specification 2.0, chapter 5)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

I32, F64 = b"\x7f", b"\x7c"
"""Types of values."""
BLOCK, LOOP, IF, END = b"\x02\x40", b"\x03\x40", b"\x04\x40", b"\x0b"
"""Statements without a result, up to their end."""
RETURN, SELECT = b"\x0f", b"\x1b"
I32_ADD, I32_SUB, I32_MUL, I32_SHL, I32_LE, I32_GE = b"\x6a", b"\x6b", b"\x6c", b"\x74", b"\x4c", b"\x4e"
I32_TRUNC_SAT_F64 = b"\xfc\x02"
"""Saturating conversion: NaN becomes 0, a number that is too large the largest whole number."""
F64_ADD, F64_SUB, F64_MUL, F64_DIV, F64_NEG, F64_SQRT = b"\xa0", b"\xa1", b"\xa2", b"\xa3", b"\x9a", b"\x9f"
I32_AND, I32_OR, I32_EQZ = b"\x71", b"\x72", b"\x45"
F64_COPYSIGN = b"\xa6"
F64_EQ, F64_LT, F64_MIN, F64_MAX = b"\x61", b"\x63", b"\xa4", b"\xa5"


def unsigned(n: int) -> bytes:
    """Encode an unsigned number in LEB128: seven bits in each byte, the lowest first."""
    code = bytearray()
    while n > 0x7F:
        code.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*code, n])


def signed(n: int) -> bytes:
    """Encode a signed number in LEB128: bit 6 of the last byte is the sign."""
    code = bytearray()
    while not -0x40 <= n < 0x40:
        code.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*code, n & 0x7F])


def vector(items: Sequence[bytes]) -> bytes:
    """Encode a vector: the number of items, then the items."""
    return unsigned(len(items)) + b"".join(items)


def name(text: str) -> bytes:
    """Encode a name: its length in bytes, then UTF-8."""
    code = text.encode()
    return unsigned(len(code)) + code


def get(local: int) -> bytes:
    """Push a local variable."""
    return b"\x20" + unsigned(local)


def put(local: int) -> bytes:
    """Pop into a local variable."""
    return b"\x21" + unsigned(local)


def i32(n: int) -> bytes:
    """Push a whole number."""
    return b"\x41" + signed(n)


def f64(x: float) -> bytes:
    """Push a number."""
    return b"\x44" + struct.pack("<d", x)


def load_i32(offset: int) -> bytes:
    """Pop an address and push the whole number at an offset in bytes from it."""
    return b"\x28\x02" + unsigned(offset)


def load_f64(offset: int) -> bytes:
    """Pop an address and push the number at an offset in bytes from it."""
    return b"\x2b\x03" + unsigned(offset)


def store_i32(offset: int) -> bytes:
    """Pop a whole number, then an address, and store the number at an offset in bytes from it."""
    return b"\x36\x02" + unsigned(offset)


def store_f64(offset: int) -> bytes:
    """Pop a number, then an address, and store the number at an offset in bytes from it."""
    return b"\x39\x03" + unsigned(offset)


def branch(depth: int) -> bytes:
    """Branch to the enclosing statement number `depth`, 0 being the innermost: to its end, or the start of a loop."""
    return b"\x0c" + unsigned(depth)


def branch_if(depth: int) -> bytes:
    """Pop a condition and `branch` if it holds."""
    return b"\x0d" + unsigned(depth)


def branch_table(depths: Sequence[int], otherwise: int) -> bytes:
    """Pop a whole number k; `branch` to the k-th depth."""
    return b"\x0e" + vector([unsigned(depth) for depth in depths]) + unsigned(otherwise)


@dataclass(frozen=True)
class Function:
    """A function of one whole number, without a result. types : types of its local variables after the argument."""

    name: str
    types: Sequence[bytes]
    code: bytes


def module(functions: Sequence[Function]) -> bytes:
    """Encode a module that exports functions and imports its memory as ``rbdkit.memory``."""
    sections = {
        1: [b"\x60" + vector([I32]) + vector([])],  # types
        2: [name("rbdkit") + name("memory") + b"\x02\x00" + unsigned(1)],  # imports: a memory of at least a page
        3: [unsigned(0) for _ in functions],  # their types
        7: [name(function.name) + b"\x00" + unsigned(k) for k, function in enumerate(functions)],  # exports
        10: [_body(function) for function in functions],
    }
    return b"\0asm\1\0\0\0" + b"".join(bytes([k]) + _sized(vector(items)) for k, items in sections.items())


def _body(function: Function) -> bytes:
    runs = [(len(list(run)), type_) for type_, run in groupby(function.types)]
    return _sized(vector([unsigned(n) + type_ for n, type_ in runs]) + function.code + END)


def _sized(code: bytes) -> bytes:
    return unsigned(len(code)) + code
