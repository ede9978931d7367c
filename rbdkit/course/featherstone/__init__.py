"""Checks of the exercises in the notebooks on Featherstone's book, one file a chapter, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

CHAPTERS = (
    "chapter_2",
    "chapter_3",
    "chapter_4",
    "chapter_5",
    "chapter_6",
    "chapter_7",
    "chapter_8",
    "chapter_9",
    "chapter_9b",
    "chapter_10",
    "appendix_a",
)


def __getattr__(name: str) -> ModuleType:
    if name in CHAPTERS:
        return import_module(f"rbdkit.course.featherstone.{name}")
    raise AttributeError(f"rbdkit.course.featherstone has no {name!r}; there are {', '.join(CHAPTERS)}")
