"""The inertia matrix beside its tree: which bodies an entry is about, and what another numbering does to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.sparse import density, expanded_parent
from rbdkit.functions import crba
from rbdkit.functions.compiled import compile as compiled
from rbdkit.library.revolute_trees import revolute_tree
from rbdkit.library.sparse_trees import FIG_6_2
from rbdkit.model import Model
from rbdkit.model.graph import depth_first, reordered
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.answers import call, numbers
from rbdkit_course.featherstone.pictures.tree_picture import INK, draw_matrix, draw_tree, pair, shade

TREES = {
    "binary tree": FIG_6_2["d"],
    "chain": FIG_6_2["b"],
    "all on the base": FIG_6_2["a"],
    "lopsided": FIG_6_2["c"],
    "two on the base": (0, 0, 1, 1, 2, 5, 5),
}
NUMBERINGS = ("as given", "depth first", "by lot")
ROW, COLUMN, BOTH = LINES[0], LINES[1], LINES[2]


def inertia_pattern(own: Callable[..., Any] | None = None) -> Playground:
    """H of small trees: choose an entry and see whose motion it measures; renumber, and see H permuted.

    own: a function ``(model, q) -> H`` that is compiled for each tree and fills its matrix, in place of the library's.
    """
    return Playground(
        "An entry of the inertia matrix",
        [
            Slider("tree", "", 0, len(TREES) - 1, 0, "which bodies hang on which", choices=tuple(TREES)),
            Slider("numbering", "", 0, 2, 0, "in which order the bodies are counted", choices=NUMBERINGS),
            Slider("row i", "", 1, 7, 2, "the joint whose force is asked for", hard=True, whole=True),
            Slider("column j", "", 1, 7, 5, "the joint that accelerates", hard=True, whole=True),
        ],
        draw if own is None else partial(draw, own=own),
        tour=[
            (
                "One above the other",
                {"tree": "chain", "numbering": "as given", "row i": 2, "column j": 5},
                "Joint 2 moves all that joint 5 moves: the entry is about bodies 5, 6 and 7.",
            ),
            (
                "Side by side",
                {"tree": "binary tree", "row i": 2, "column j": 3},
                "No body is moved by both: zero, whatever the masses.",
            ),
            ("On the diagonal", {"column j": 2}, "Green is the whole branch: its composite inertia, and nothing else."),
            ("Number them by lot", {"numbering": "by lot"}, "The zeros have moved, and there are as many."),
            ("All on the base", {"tree": "all on the base"}, "Only the diagonal is left."),
        ],
    )


@lru_cache
def numbered_model(tree: str, numbering: str) -> Model:
    """Build a tree of hinges with its bodies in one of the orders."""
    model = revolute_tree(TREES[tree], seed=4, name=tree)
    if numbering == "depth first":
        return reordered(model, depth_first(model))
    return reordered(model, by_lot(model)) if numbering == "by lot" else model


def by_lot(model: Model) -> list[int]:
    """Draw a random regular numbering: repeatedly pick one of the bodies whose parent is numbered."""
    rng, order = np.random.default_rng(2), [0]
    while len(order) < len(model.bodies):
        order.append(int(rng.choice([i for i in model.outward if i not in order and model.parent[i] in order])))
    return order[1:]


@lru_cache
def matrix(tree: str, numbering: str) -> NDArray:
    """Return H of the tree with every joint at 0.4 rad."""
    H = np.array(crba(numbered_model(tree, numbering), np.full(7, 0.4)))
    H.setflags(write=False)
    return H


@lru_cache
def matrix_by(own: Callable[..., Any], tree: str, numbering: str) -> tuple[NDArray, str]:
    """Return the same matrix by a student's function, compiled, and ''; or zeros and what is wrong."""
    model = numbered_model(tree, numbering)
    result, fault = call(lambda: compiled(own, model)(np.full(7, 0.4)))
    H = None if fault else numbers(result[0] if isinstance(result, tuple) else result, 7, 7)
    return (np.zeros((7, 7)), fault or "Your function does not return a matrix yet.") if H is None else (H, "")


def draw(tree: str, numbering: str, row: float, column: float, own: Callable[..., Any] | None = None) -> Picture:
    """The tree, H, and one entry of it."""
    model = numbered_model(tree, numbering)
    H, fault = (matrix(tree, numbering), "") if own is None else matrix_by(own, tree, numbering)
    lam, i, j = expanded_parent(model), round(row), round(column)
    moved = set(model.subtree(i)), set(model.subtree(j))
    both = moved[0] & moved[1]  # nu(i) and nu(j) of Eq 6.8
    figure, left, right = pair()
    fills = {k - 1: ROW for k in moved[0]} | {k - 1: COLUMN for k in moved[1]} | {k - 1: BOTH for k in both}
    draw_tree(left, lam, fills, {i - 1: ROW, j - 1: COLUMN} if i != j else {i - 1: BOTH})
    size = np.sqrt(np.maximum(np.diagonal(H), 1e-12))  # a student's may be anything
    share = np.abs(H) / np.outer(size, size)
    colors = {(a, b): shade(BOTH, share[a, b]) for a, b in np.argwhere(H != 0.0).tolist()}
    draw_matrix(right, colors, len(lam), {(i - 1, j - 1): INK, (j - 1, i - 1): INK})
    why = ", ".join(map(str, sorted(both))) if both else "none"
    return Picture(
        figure=figure,
        readout=[
            (f"H{i}{j}", f"{H[i - 1, j - 1]:.4f} kg m²" if both else "0, whatever the masses"),
            (f"moved by joint {i}", ", ".join(map(str, sorted(moved[0])))),
            (f"moved by joint {j}", ", ".join(map(str, sorted(moved[1])))),
            ("moved by both", why),
            ("density ρ", f"{density(lam):.3f}"),
        ],
        note=fault
        or "Blue: bodies that joint i moves. Orange: those that joint j moves. Green: those that both move, and only "
        "their inertias enter the entry. The fuller a cell, the stronger the coupling.",
    )
