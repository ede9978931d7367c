"""Lazy imports for notebooks: each takes all that it uses from the module of its checks, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any


def part(name: str, place: str, parts: Mapping[str, str]) -> Any:
    """Import the object that a module re-exports under a name; for the module's `__getattr__`.

    Parameters
    ----------
    name : str
        Name that is looked up.
    place : str
        Name of the module that re-exports it, for the message.
    parts : mapping of str to str
        Origin of each name: ``"package.module"`` for a module, ``"package.module:name"`` for an object in one.

    Raises
    ------
    AttributeError
        If the module does not re-export that name.
    """
    if name not in parts:
        raise AttributeError(f"{place} has no {name!r}; there are {', '.join(parts)}")
    return resolve_name(parts[name])
