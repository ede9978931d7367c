"""Checks of the exercises in the notebooks on Featherstone's book, one file a chapter, loaded when first used.

A chapter's notebook gets from here what it uses often, in one line: its chapter, the pictures, and parts of the library
under their own names, so that no reader has to climb over a wall of imports.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

CHAPTERS = (
    "chapter_2",
    "chapter_3",
    "chapter_4",
    "chapter_5",
    "chapter_6",
    "chapter_7",
    "chapter_7b",
    "chapter_8",
    "chapter_9",
    "chapter_9b",
    "chapter_10",
    "chapter_11",
    "appendix_a",
)
PARTS = {
    "accuracy": "rbdkit",
    "algorithms": "rbdkit",
    "basis": "rbdkit.spatial",
    "chain": "rbdkit.spatial.compact",
    "constraints": "rbdkit.algorithms",
    "contact": "rbdkit.algorithms",
    "costs": "rbdkit",
    "counted_crba": "rbdkit.costs",
    "cross_motion": "rbdkit.spatial",
    "divide_and_conquer": "rbdkit.algorithms",
    "equivalence": "rbdkit.algorithms",
    "gears": "rbdkit.algorithms",
    "graph_of": "rbdkit.model.graph",
    "linalg": "scipy",
    "loops": "rbdkit.algorithms",
    "planar": "rbdkit.spatial",
    "plucker": "rbdkit.spatial",
    "project_handles": "rbdkit.algorithms",
    "quaternion": "rbdkit.spatial",
    "rbi": "rbdkit.spatial.compact",
    "recurrence": "rbdkit.algorithms",
    "renumbered": "rbdkit.model.graph",
    "rotation": "rbdkit.spatial.compact",
    "se3": "rbdkit.spatial",
    "so3": "rbdkit.spatial",
    "source": "rbdkit.widgets",
    "sparse": "rbdkit.algorithms",
    "subspace": "rbdkit.spatial",
}
"""Parts of the library that notebooks use often, and where they are at home."""


def __getattr__(name: str) -> Any:
    if name in CHAPTERS:
        return import_module(f"rbdkit.course.featherstone.{name}")
    if name in PARTS:
        home = import_module(PARTS[name])
        return getattr(home, name) if hasattr(home, name) else import_module(f"{PARTS[name]}.{name}")
    raise AttributeError(f"rbdkit.course.featherstone has no {name!r}; there are {', '.join((*CHAPTERS, *PARTS))}")
