"""Checks of students' own pictures: draw functions of playgrounds, judged by a number in their readout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rbdkit_course.answers import brief, call, told
from rbdkit_course.verdict import Verdict, right, wrong

NEAR, LAST = 2e-3, 2e-4
"""Relative and absolute tolerance of a number in a readout, which is written with few digits."""

Case = tuple[tuple[Any, ...], float, Mapping[str, float]]
"""Arguments, the right number for them, and the numbers that common mistakes give, by the explanation of each."""


def tells(draw: Any, name: str, unit: str, cases: Iterable[Case], said: str, hint: str = "") -> Verdict:
    """Check that a student's pictures show the right number on the readout's line of a given name.

    said : praise if they do. hint : advice where the number fits no known mistake.
    """
    for arguments, asked, mistakes in cases:
        shown, fault = call(draw, *arguments)
        if fault:
            return wrong(fault)
        number = told(shown, name)
        if number is None:
            line = f"('{name}', '... {unit}')"
            return wrong(f"the picture tells no {name}: return a Picture whose readout has a line {line}.")
        if _near(number, asked):
            continue
        for why, other in mistakes.items():
            if _near(number, other):
                return wrong(why)
        given = brief([round(x, 3) if isinstance(x, float) else x for x in arguments])
        asks = f" {hint}" if hint else ""
        return wrong(f"at {given} the picture says {number:.4g} {unit}; it must be {asked:.4g} {unit}.{asks}")
    return right(said)


def _near(x: float, y: float) -> bool:
    return abs(x - y) <= NEAR * abs(y) + LAST
