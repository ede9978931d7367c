"""Checks of the names of models, bodies, frames and joints."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.errors import ModelError
from rbdkit.spatial.read_numbers import shown

LONGEST = 1000
"""Characters of a name: beyond, it is taken for a mistake, and every message and table would be full of it."""

LONGEST_OF_JOINTS = LONGEST + 100
"""Joints without a name of their own are called after their bodies."""


def require_name(name: object, what: str, most: int = LONGEST) -> None:
    """Raise `ModelError` unless `name` is a valid name. what : for the message, such as 'the name of a joint'."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"{what} must be a non-empty text, not {shown(name)}")
    require_short(name, what, most)


def require_short(name: str, what: str, most: int = LONGEST) -> None:
    """Raise `ModelError` if a name has more than `most` characters."""
    if len(name) > most:
        raise ModelError(f"{what}, {shown(name)}, has {len(name)} characters; take one of {LONGEST} at most")


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names as text for a message, only the first ones if there are many: "'a', 'b', ... and 14 more"."""
    rest = f", ... and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + rest
