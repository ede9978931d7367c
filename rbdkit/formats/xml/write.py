"""Numbers and names as XML attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from rbdkit.errors import FormatError
from rbdkit.model.names import LONGEST
from rbdkit.spatial.read_numbers import HUGE, shown

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def numbers_text(values: Iterable[float], what: str) -> str:
    """Numbers side by side, each with all its digits. what : whose they are, for the message."""
    numbers = [float(value) for value in values]
    if not np.all(np.abs(numbers) <= HUGE):  # NaN too
        raise FormatError(
            f"{what}: {numbers} holds a number that is not finite or beyond {HUGE:g}; see model.validate()"
        )
    return " ".join(repr(number) for number in numbers)


def name_text(name: str, what: str, most: int = LONGEST) -> str:
    """A name, which must be one that XML can hold and that can be read again: of `most` characters."""
    if len(name) > most:
        raise FormatError(f"{what} {shown(name)}: a name of {len(name)} characters cannot be read back; shorten it")
    found = _NOT_XML.search(name)
    if found:
        raise FormatError(
            f"{what} {name!r}: XML cannot hold the character {found.group()!r}; rename it or save the model as JSON"
        )
    return name
