"""The readable algorithms, loaded when one of them is asked for: compiled calls never do."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Later:
    """`rbdkit.algorithms`."""

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(import_module("rbdkit.algorithms"), name)  # it is not asked again
        return found


algorithms = _Later()
