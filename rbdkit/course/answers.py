"""Answers as they come: numbers in whatever form, names, and functions that may fail or let the library do the work."""

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
    """The answer as an array of that shape, or None if it is no such thing or not finite; -1 stands for any length.

    Texts that hold numbers are read; a row or a column of its own counts as a vector, a list of one number as a number.
    Truth values, dates, complex numbers and masked arrays are no numbers.
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
    """The answer as one number, or None."""
    found = numbers(answer)
    return None if found is None else float(found)


def whole(answer: Any) -> int | None:
    """The answer as one whole number, or None."""
    found = number(answer)
    return None if found is None or found != round(found) else int(found)


def wholes(answer: Any, count: int = -1) -> tuple[int, ...] | None:
    """The answer as whole numbers, so many if a count is given, or None."""
    found = numbers(answer, count)
    return None if found is None or (found != found.round()).any() else tuple(int(x) for x in found)


def names(answer: Any) -> set[str]:
    """The answer as names in small letters: one text, or several in a list or set."""
    if isinstance(answer, str):
        return {part.strip().lower() for part in answer.split(",")} - {""}
    return {str(name).strip().lower() for name in answer} if isinstance(answer, Collection) else {brief(answer)}


_FORBIDDEN: ContextVar[tuple[FunctionType, ...]] = ContextVar("_FORBIDDEN", default=())


@contextmanager
def forbidding(functions: Iterable[FunctionType]) -> Iterator[None]:
    """For the length of a with block, functions that a student's function may not lean on, beside its check's."""
    before = _FORBIDDEN.set(tuple(functions))
    try:
        yield
    finally:
        _FORBIDDEN.reset(before)


def call(function: Any, *arguments: Any, own: Iterable[Callable[..., Any]] = ()) -> tuple[Any, str]:
    """What the student's function returns, and in words what went wrong, or ''.

    The functions in `own` are the student's to write: to call one of the library's, also by way of another, is a fault.
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
    """A vector as it is read in a sentence."""
    return "(" + ", ".join(f"{value:.3g}" for value in np.asarray(x) + 0.0) + ")"


def brief(answer: Any, most: int = 60) -> str:
    """An answer as it can be quoted in a sentence, however long it is."""
    if isinstance(answer, np.ndarray) and answer.size > 4:
        return f"an array of shape {answer.shape}"
    try:
        text = " ".join(repr(answer).split())
    except Exception:  # whatever a student's __repr__ does
        text = f"an object of type {type(answer).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _literal(text: str) -> Any:
    """The numbers that a text holds, or the text."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _bare(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)


def told(picture: Any, name: str) -> float | None:
    """The number that a picture tells under a name."""
    for line, value in getattr(picture, "readout", ()):
        if str(line).strip().lower() == name:
            found = re.search(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", str(value).replace("−", "-"), re.IGNORECASE)
            return float(found[0]) if found else None
    return None
