"""Numbers and names from XML attributes, each error with the line, the link or joint, and the text that was found."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.xml.reader import Element
from rbdkit.model.names import LONGEST as LONGEST_NAME
from rbdkit.spatial.read_numbers import HUGE

UNLIMITED = 1e12
"""Joint limits beyond this count as no limit, as files write such numbers for none."""

LONGEST = 1000
"""Largest number of characters of a number; no program writes that many digits."""

LONGEST_TEXT = 10_000
"""Largest number of characters of any other attribute; paths have 4,096 at most, vectors of numbers fewer."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


def text(element: Element, attribute: str, subject: str) -> str:
    """A required, non-empty attribute. subject : whose element it is, for the message, such as ``joint 'elbow'``."""
    value = element.attributes.get(attribute)
    if not value:
        what = "lacks the attribute" if value is None else "has an empty attribute"
        raise FormatError(f"{element.place}: {subject}: <{element.tag}> {what} {attribute!r}")
    if len(value) > LONGEST_TEXT:
        raise _fault(element, attribute, subject, f"{len(value)} characters are more than any needs ({LONGEST_TEXT})")
    return value


def name(element: Element, attribute: str, subject: str) -> str:
    """A required attribute that is the name of a link or a joint."""
    value = text(element, attribute, subject)
    if len(value) > LONGEST_NAME:
        said = f"a name of {len(value)} characters; take one of {LONGEST_NAME} at most"
        raise _fault(element, attribute, subject, said)
    return value


def vector(
    element: Element | None,
    attribute: str,
    count: int | tuple[int, ...],
    subject: str,
    default: tuple[float, ...] | None = None,
) -> NDArray:
    """An attribute of `count` finite numbers separated by spaces; the default if element or attribute is missing."""
    if default is not None and (element is None or attribute not in element.attributes):
        return np.array(default)
    assert element is not None
    counts = count if isinstance(count, tuple) else (count,)
    return np.array(_numbers(element, attribute, counts, subject))


def number(element: Element | None, attribute: str, subject: str, default: float | None = None) -> float:
    """An attribute that is one finite number; the default if the element or attribute is missing."""
    if default is not None and (element is None or attribute not in element.attributes):
        return default
    assert element is not None
    return _numbers(element, attribute, (1,), subject)[0]


def bound(element: Element | None, attribute: str, subject: str, default: float) -> float:
    """A limit: one number, where infinity and anything beyond `UNLIMITED` mean that there is none."""
    if element is None or attribute not in element.attributes:
        return default
    word = element.attributes[attribute].strip()
    if len(word) <= LONGEST and (_INFINITY.fullmatch(word) or _NUMBER.fullmatch(word)):
        value = float(word)
        return math.copysign(math.inf, value) if abs(value) > UNLIMITED else value
    return number(element, attribute, subject)


def _numbers(element: Element, attribute: str, counts: tuple[int, ...], subject: str) -> list[float]:
    words = text(element, attribute, subject).split()
    if len(words) not in counts:
        wanted = " or ".join(str(n) for n in counts)
        raise _fault(
            element, attribute, subject, f"needs {wanted} number{'s' if counts != (1,) else ''}, got {len(words)}"
        )
    return [_number(word, element, attribute, subject) for word in words]


def _number(word: str, element: Element, attribute: str, subject: str) -> float:
    if len(word) > LONGEST:
        raise _fault(
            element,
            attribute,
            subject,
            f"{_cut(word)!r} has {len(word)} characters; no number needs more than {LONGEST}",
        )
    if _NUMBER.fullmatch(word):
        value = float(word)
        if abs(value) <= HUGE:
            return value
        raise _fault(element, attribute, subject, f"{_cut(word)} is absurd: beyond {HUGE:g}")
    if "${" in word or "$(" in word:
        raise _fault(
            element,
            attribute,
            subject,
            "this is a xacro expression; rbdkit.load expands files named .xacro",
        )
    if _INFINITY.fullmatch(word) or word.lower().lstrip("+-") == "nan":
        raise _fault(element, attribute, subject, f"{word!r} is not a finite number")
    raise _fault(element, attribute, subject, f"{_cut(word)!r} is not a number")


def _cut(word: str) -> str:
    return word if len(word) <= 60 else word[:57] + "..."


def _fault(element: Element, attribute: str, subject: str, message: str) -> FormatError:
    shown = _cut(element.attributes[attribute])
    return FormatError(f'{element.place}: {subject}: {attribute}="{shown}" of <{element.tag}>: {message}')
