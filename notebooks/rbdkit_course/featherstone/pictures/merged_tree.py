"""Sparsity of hybrid dynamics: the tree with prescribed joints, the merged tree, and the zeros of H11."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.hybrid import hybrid_crba, merged_parents
from rbdkit.figures import Plot
from rbdkit.library.revolute_trees import revolute_tree
from rbdkit.model import Model
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.tree_picture import draw_matrix, draw_tree, shade

PARENTS = (0, 1, 2, 2, 1, 5, 4)
"""Seven bodies as in Figure 9.1: with joints 1 and 2 driven, nodes 3 to 7 become 1 to 5."""
FREE, DRIVEN = LINES[0], LINES[1]


def merged_tree() -> Playground:
    """Choose which joints are driven; the bodies that they connect become one, and H11 keeps the zeros of the rest."""
    return Playground(
        "Driven joints merge bodies",
        [
            Slider(f"joint {i}", "", 0, 1, float(i <= 2), "what is known of it", choices=("force", "motion"))
            for i in range(1, len(PARENTS) + 1)
        ],
        draw,
    )


@lru_cache
def model() -> Model:
    """Build seven bodies on hinges."""
    return revolute_tree(PARENTS, seed=9, name="tree of Figure 9.1")


def h11(fd: tuple[int, ...]) -> NDArray:
    """Return H11 of the tree with every joint at 0.4 rad."""
    return hybrid_crba(model(), np.full(len(PARENTS), 0.4), fd).H11


def draw(*known: str) -> Picture:
    """The tree, the merged tree and H11; known[i - 1] is what is given of joint i, 'force' or 'motion'."""
    fd = tuple(i for i, what in enumerate(known, 1) if what == "force")
    merged, numbers = merged_parents(model().parent, fd)
    lam = tuple(parent - 1 for parent in merged[1:])
    figure = Plot(figsize=(7.6, 3.1))
    axes = [figure.add_axes((x, 0.0, width, 0.9)) for x, width in ((0.0, 0.34), (0.34, 0.28), (0.64, 0.36))]
    for ax, title in zip(axes, ("the tree", "merged", r"$H_{11}$"), strict=True):
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set_title(title, fontsize=10)
    driven = {i - 1: DRIVEN for i in range(1, len(PARENTS) + 1) if i not in fd}
    draw_tree(axes[0], tuple(parent - 1 for parent in PARENTS), {i - 1: FREE for i in fd}, driven)
    draw_tree(axes[1], lam, dict.fromkeys(range(len(fd)), FREE))
    H11 = h11(fd)
    share = np.abs(H11) / np.sqrt(np.outer(np.diagonal(H11), np.diagonal(H11)))
    colors = {(a, b): shade(FREE, share[a, b]) for a, b in np.argwhere(H11 != 0.0).tolist()}
    draw_matrix(axes[2], colors, len(fd), labels=[str(i) for i in fd])
    zeros = int(np.count_nonzero(H11 == 0.0))
    return Picture(
        figure=figure,
        readout=[
            ("fd", ", ".join(map(str, fd)) or "none: inverse dynamics"),
            ("λ'", ", ".join(str(parent + 1) for parent in lam) or "empty"),
            ("map", ", ".join(f"{i}→{j}" for i, j in enumerate(numbers[1:], 1))),
            ("zeros of H₁₁", f"{zeros} of {len(fd) ** 2}"),
        ],
        note="Thick orange joints are driven; nothing is to be solved for across them. What they connect counts as one "
        "node. Blue bodies keep their rows of H, which carry their old numbers here.",
    )
