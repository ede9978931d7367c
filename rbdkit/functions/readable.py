"""Lazy import of the readable algorithms: calls that run compiled code never load them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Later:
    """Stand-in for the package `rbdkit.algorithms` that imports it at first access."""

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(import_module("rbdkit.algorithms"), name)  # cached for next time
        return found


algorithms = _Later()
