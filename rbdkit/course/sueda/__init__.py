"""Checks of the exercises in the notebooks on Sueda's notes, one file a notebook, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

NOTEBOOKS = ("bodies", "joints", "reduced", "implicit", "recursive", "contact", "hybrid")


def __getattr__(name: str) -> ModuleType:
    if name in NOTEBOOKS:
        return import_module(f"rbdkit.course.sueda.{name}")
    raise AttributeError(f"rbdkit.course.sueda has no {name!r}; there are {', '.join(NOTEBOOKS)}")
