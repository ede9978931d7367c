"""Lazy import: packages list their public names but load the modules that define them at first use.

This keeps ``import rbdkit`` quick and free of notebook packages. A package binds the two functions that `loads_later`
returns to `__getattr__` and `__dir__` (PEP 562). A name that was found is stored in the package, so that Python asks
`__getattr__` for it only once. The module also stores the time at which this process began to load rbdkit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from itertools import pairwise
from typing import Any

AT = time.time()
"""Time at which rbdkit was loaded, s since 1970; source files that changed later may differ from the code that runs."""


def loads_later(
    package: str,
    homes: Mapping[str, Iterable[str]],
    modules: Iterable[str] = (),
    elsewhere: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make `__getattr__` and `__dir__` for a package that loads its public names at first use.

    Parameters
    ----------
    homes : for each module, the public names that it defines. modules : submodules that are public themselves; a name
        that is also in `homes` is looked up there. elsewhere : for names (lower case) that other libraries use, a hint
        at what rbdkit has in their place.
    """
    home_of = {name: home for home, names in homes.items() for name in names}
    shown = {*home_of, *modules}

    def find(name: str) -> Any:
        if name not in shown:
            raise AttributeError(f"{package} has no {name!r}{_hint(name, shown, elsewhere or {})}")
        if name not in home_of:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[package], name, value)  # the next lookup does not get here
        return value

    def offered() -> list[str]:
        """List names for tab completion, without the modules that the package's file itself imports."""
        own = vars(sys.modules[package])
        return sorted({name for name in own if name.startswith("__")} | {*own.get("__all__", ())} | shown)

    return find, offered


def names_in_stub(package: str, stub: str) -> tuple[dict[str, list[str]], list[str]]:
    """Read the public names that a package's stub file imports, by their modules, and its public modules."""
    homes: dict[str, list[str]] = {}
    home = ""
    with open(stub, encoding="utf-8") as lines:  # pathlib and ast would take longer than all the rest of the import
        text = lines.read()
    for line in text.splitlines():
        words = line.replace(",", "").split()
        if words[:1] == ["from"]:
            home = words[1]
        if home:
            homes.setdefault(home, []).extend(name for word, name in pairwise(words) if word == "as")
    return homes, homes.pop(package, [])


def _hint(name: str, shown: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    if name.startswith("_"):  # looked up by programs, which only test whether it exists
        return ""
    if name.lower() in elsewhere:
        return f"; {elsewhere[name.lower()]}"
    from difflib import get_close_matches  # imported here since only this error path needs it

    by_lower = {own.lower(): own for own in shown}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""
