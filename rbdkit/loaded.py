"""When this process began to load rbdkit, and how packages show names that they load later."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

AT = time.time()
"""Seconds since 1970. Sources that were changed later may not be what runs."""


def loads_later(
    package: str,
    homes: Mapping[str, Iterable[str]],
    modules: Iterable[str] = (),
    elsewhere: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package that loads what it shows when it is first asked for.

    Parameters
    ----------
    homes : the names that each module has for it. modules : of the package that are shown themselves; names that have
        a home may stand among them. elsewhere : what to take in place of names that other libraries have.
    """
    home_of = {name: home for home, names in homes.items() for name in names}
    shown = {*home_of, *modules}

    def find(name: str) -> Any:
        if name not in shown:
            raise AttributeError(f"{package} has no {name!r}{_hint(name, shown, elsewhere or {})}")
        if name not in home_of:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)  # another time it is found without this
        return value

    def offered() -> list[str]:
        """For completion: no modules that the package's file makes use of."""
        own = vars(sys.modules[package])
        return sorted({name for name in own if name.startswith("__")} | {*own.get("__all__", ())} | shown)

    return find, offered


def _hint(name: str, shown: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    if name.startswith("_"):  # asked for by programs, which only want to know whether it is there
        return ""
    if name.lower() in elsewhere:
        return f"; {elsewhere[name.lower()]}"
    from difflib import get_close_matches  # only where something went wrong

    by_lower = {own.lower(): own for own in shown}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""
