"""What notebooks take from one place in one line, so that no reader has to climb over a wall of imports."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any


def part(name: str, place: str, parts: Mapping[str, str]) -> Any:
    """What a module gives under a name, loaded when first asked for.

    Parameters
    ----------
    name : str
        What is asked for.
    place : str
        The module that is asked, for the message.
    parts : mapping of str to str
        Where each name is at home: ``"package.module"`` for a module, ``"package.module:name"`` for what lies in one.

    Raises
    ------
    AttributeError
        If the module does not give that name.
    """
    if name not in parts:
        raise AttributeError(f"{place} has no {name!r}; there are {', '.join(parts)}")
    return resolve_name(parts[name])
