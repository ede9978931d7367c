"""Checks of the exercises in the notebooks on Featherstone's book, one module per chapter, loaded when first used.

A chapter's notebook imports all that it uses often from here, in one line: the checks of its chapter, the pictures, and
parts of the library under their own names. So no notebook begins with a page of imports.
"""

from __future__ import annotations

from typing import Any

from rbdkit_course.parts import part

CHAPTERS = (
    "chapter_1",
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
    "accuracy": "rbdkit.accuracy",
    "algorithms": "rbdkit.algorithms",
    "basis": "rbdkit.spatial.basis",
    "chain": "rbdkit.spatial.compact.chain",
    "constraints": "rbdkit.algorithms.constraints",
    "contact": "rbdkit.algorithms.contact",
    "costs": "rbdkit.costs",
    "counted_crba": "rbdkit.costs:counted_crba",
    "cross_motion": "rbdkit.spatial:cross_motion",
    "divide_and_conquer": "rbdkit.algorithms:divide_and_conquer",
    "equivalence": "rbdkit.algorithms.equivalence",
    "gears": "rbdkit.algorithms.gears",
    "graph_of": "rbdkit.model.graph:graph_of",
    "linalg": "scipy.linalg",
    "loops": "rbdkit.algorithms.loops",
    "planar": "rbdkit.spatial.planar",
    "plt": "matplotlib.pyplot",
    "plucker": "rbdkit.spatial.plucker",
    "project_handles": "rbdkit.algorithms:project_handles",
    "quaternion": "rbdkit.spatial.quaternion",
    "rbi": "rbdkit.spatial.compact:rbi",
    "recurrence": "rbdkit.algorithms.recurrence",
    "renumbered": "rbdkit.model.graph:renumbered",
    "rotation": "rbdkit.spatial.compact.rotation",
    "se3": "rbdkit.spatial.se3",
    "so3": "rbdkit.spatial.so3",
    "source": "rbdkit.widgets:source",
    "sparse": "rbdkit.algorithms.sparse",
    "subspace": "rbdkit.spatial.subspace",
}
"""Names from the library that notebooks import from this package, and where each is defined."""


def __getattr__(name: str) -> Any:
    return part(name, __name__, {chapter: f"{__name__}.{chapter}" for chapter in CHAPTERS} | PARTS)
