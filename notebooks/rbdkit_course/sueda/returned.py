"""Call a student's function and read its results as arrays of given shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit_course.answers import brief, call, numbers

NEAR = 1e-8
"""Relative tolerance; loose enough for answers by finite differences."""


def returned(
    function: Any,
    arguments: Sequence[Any],
    names: str,
    *shapes: tuple[int, ...],
    own: Iterable[Callable[..., Any]] = (),
) -> tuple[list[NDArray], str]:
    """Call a student's function on copies of the arguments; return arrays of the given shapes, and '' or what is wrong.

    With several shapes, the function must return a tuple of as many arrays.
    """
    result, fault = call(function, *(deepcopy(x) if isinstance(x, np.ndarray) else x for x in arguments), own=own)
    if fault:
        return [], f"give a function of ({names}): {fault}"
    parts = [result] if len(shapes) == 1 else result
    if not isinstance(parts, (tuple, list)) or len(parts) != len(shapes):
        return [], f"your function returns {brief(result)}; {len(shapes)} things are asked for, as a tuple."
    found = []
    for part, shape in zip(parts, shapes, strict=True):
        array = numbers(part, *shape)
        if array is None:
            if isinstance(part, np.ndarray) and part.dtype.kind == "f" and not np.isfinite(part).all():
                return [], "your function returns numbers that are not finite: something is divided by zero."
            size = "a number" if not shape else f"an array of shape {shape}"
            return [], f"your function returns {brief(part)}; {size} is asked for."
        found.append(array)
    return found, ""


def same(found: NDArray, expected: NDArray, near: float = NEAR) -> bool:
    """Whether two arrays agree, relative to the largest number."""
    return bool(
        np.abs(found - expected).max(initial=0.0) <= near * max(1e-300, float(np.abs(expected).max(initial=0.0)))
    )


def worst(found: NDArray, expected: NDArray) -> str:
    """Describe the entry with the largest error, with indices from 1 as in print."""
    at = np.unravel_index(np.abs(found - expected).argmax(), expected.shape)
    where = ", ".join(str(int(k) + 1) for k in at)
    return f"entry ({where}) is {found[at]:.6g} and should be {expected[at]:.6g}"
