"""Read students' answers: numbers in any form, names, and functions, which may fail or call the library's own.

No answer may raise an error in a check: what cannot be read is None. While a student's function runs, a profile
function (`sys.setprofile`) notes every call of a library function that the student is to write, also an indirect one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbers(answer: Any, *shape: int) -> NDArray | None:
    """Read an answer as a finite array of the given shape; return None if it is none. -1 stands for any length.

    Text with numbers is parsed; a single row or column counts as a vector, a list of one number as a number. Booleans,
    dates, complex numbers and masked arrays are rejected.
    """
    try:
        found = np.ma.asanyarray(_literal(answer) if isinstance(answer, str) else answer)
        if found.dtype.kind in "bcmM" or np.ma.is_masked(found):
            return None
        found = np.asarray(found, dtype=float)
    except Exception:  # an object of the student's may do anything when it is looked at
        return None
    if found.ndim > len(shape) and 1 in found.shape and -1 not in shape and found.size == int(np.prod(shape)):
        found = found.reshape(shape) if _bare(found.shape) == _bare(shape) else found
    fits = found.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, found.shape, strict=True))
    return found if fits and np.isfinite(found).all() else None


def number(answer: Any) -> float | None:
    """Read an answer as one number; None if it is none."""
    found = numbers(answer)
    return None if found is None else float(found)


def whole(answer: Any) -> int | None:
    """Read an answer as one whole number; None if it is none."""
    found = number(answer)
    return None if found is None or found != round(found) else int(found)


def wholes(answer: Any, count: int = -1) -> tuple[int, ...] | None:
    """Read an answer as `count` whole numbers (any number of them if -1); None if it is no such thing."""
    found = numbers(answer, count)
    return None if found is None or (found != found.round()).any() else tuple(int(x) for x in found)


def names(answer: Any) -> set[str]:
    """Read an answer as a set of names in lower case: from a text with commas, or from a list or set."""
    if isinstance(answer, str):
        return {part.strip().lower() for part in answer.split(",")} - {""}
    return {str(name).strip().lower() for name in answer} if isinstance(answer, Collection) else {brief(answer)}


_FORBIDDEN: ContextVar[tuple[FunctionType, ...]] = ContextVar("_FORBIDDEN", default=())


@contextmanager
def forbidding(functions: Iterable[FunctionType]) -> Iterator[None]:
    """Forbid students' functions to call these functions within a with block, in addition to those of each check."""
    before = _FORBIDDEN.set(tuple(functions))
    try:
        yield
    finally:
        _FORBIDDEN.reset(before)


def call(function: Any, *arguments: Any, own: Iterable[Callable[..., Any]] = ()) -> tuple[Any, str]:
    """Call a student's function; return its result and '', or None and a sentence on what went wrong.

    own : the library's functions that the student is to write; calling one of them, even indirectly, is a fault.
    """
    if not callable(function):
        return None, f"{brief(function)} is not a function."
    borrowed: dict[CodeType, str] = {}
    watched: list[Any] = [*own, *_FORBIDDEN.get()]
    forbidden: dict[CodeType, str] = {each.__code__: each.__name__ for each in watched}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in forbidden:
            borrowed[frame.f_code] = forbidden[frame.f_code]

    before = sys.getprofile()
    if forbidden:
        sys.setprofile(watch)
    try:
        result = function(*arguments)
    except (Exception, SystemExit) as fault:
        return None, f"your function stopped with {type(fault).__name__}: {fault}"
    finally:
        sys.setprofile(before)
    if borrowed:
        return None, f"rbdkit's own {next(iter(borrowed.values()))} does the work here; this one is for you to write."
    return result, ""


def short(x: NDArray) -> str:
    """Format a vector for a sentence."""
    return "(" + ", ".join(f"{value:.3g}" for value in np.asarray(x) + 0.0) + ")"


def brief(answer: Any, most: int = 60) -> str:
    """Quote an answer in a sentence, shortened to `most` characters."""
    if isinstance(answer, np.ndarray) and answer.size > 4:
        return f"an array of shape {answer.shape}"
    try:
        text = " ".join(repr(answer).split())
    except Exception:  # whatever a student's __repr__ does
        text = f"an object of type {type(answer).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _literal(text: str) -> Any:
    """Return the Python literal that a text holds, or the text itself."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _bare(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)


def told(picture: Any, name: str) -> float | None:
    """Return the number on the line of that name in a picture's readout; None if there is none."""
    for line, value in getattr(picture, "readout", ()):
        if str(line).strip().lower() == name:
            found = re.search(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", str(value).replace("−", "-"), re.IGNORECASE)
            return float(found[0]) if found else None
    return None
