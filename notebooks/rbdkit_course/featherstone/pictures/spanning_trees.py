"""Choose a spanning tree of a connectivity graph, number it, and read off lambda, kappa, mu and nu."""

from __future__ import annotations

from itertools import islice

from matplotlib.axes import Axes

from rbdkit.figures import Plot
from rbdkit.model import Model
from rbdkit.model.graph import (
    ConnectivityGraph,
    RegularNumbering,
    count_regular_numberings,
    graph_of,
    regular_numberings,
    spanning_trees,
)
from rbdkit.scene import palette
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.graph_picture import draw_numbering

MOST_NUMBERINGS = 24
MOST_TREES = 40
COLUMNS = (("i", 0.0), ("body", 0.07), ("joint", 0.22), ("λ", 0.37), ("κ", 0.45), ("μ", 0.63), ("ν", 0.77))


def choose_tree(system: ConnectivityGraph | Model) -> Playground:
    """A graph with its spanning trees to choose from, their numberings, and a body whose sets are picked out.

    Parameters
    ----------
    system : ConnectivityGraph or Model
        A graph, or a model whose tree and loop joints make one.
    """
    graph = graph_of(system) if isinstance(system, Model) else system
    trees = {", ".join(tree.tree_joints): tree for tree in islice(spanning_trees(graph), MOST_TREES)}
    most = min(max(map(count_regular_numberings, trees.values())), MOST_NUMBERINGS)

    def draw(tree: str, numbering: float, body: float) -> Picture:
        chosen = trees[tree]
        count = min(count_regular_numberings(chosen), MOST_NUMBERINGS)
        k = min(round(numbering), count)
        found = next(islice(regular_numberings(chosen), k - 1, None))
        return _picture(found, round(body), k, count)

    sliders = [
        Slider("tree", "", 0, len(trees) - 1, 0, "the tree joints; the others close loops", choices=tuple(trees)),
        Slider("numbering", "", 1, most, 1, "which regular numbering of this tree", hard=True, whole=True),
        Slider("body", "", 0, graph.N_B, min(2, graph.N_B), "whose κ and ν are shown", hard=True, whole=True),
    ]
    return Playground("Spanning trees and regular numberings", sliders, draw)


def _picture(numbering: RegularNumbering, body: int, k: int, count: int) -> Picture:
    tree = numbering.tree
    figure = Plot(figsize=(7.6, 3.3))
    draw_numbering(figure.add_axes((0.0, 0.0, 0.42, 1.0)), numbering, numbering.support(body), numbering.subtree(body))
    _table(figure.add_axes((0.44, 0.02, 0.55, 0.94)), numbering, body)
    cycles = "; ".join(" ".join(tree.cycle(arc.name)) for arc in tree.chords) or "none"
    readout = [
        ("N_L = N_J - N_B", f"{tree.graph.N_J} - {tree.graph.N_B} = {tree.graph.N_L}"),
        ("chords", ", ".join(arc.name for arc in tree.chords) or "none"),
        ("one-chord cycles", cycles),
        ("depth", str(tree.depth)),
        ("numbering", f"{k} of {count}"),
    ]
    reverse = ", ".join(numbering.joints[i].name for i in numbering.reverse_joints if numbering.joints[i])  # type: ignore[union-attr]
    note = f"Orange: the joints that support body {body}. Blue: the bodies that it carries. "
    note += f"Against the tree: {reverse}." if reverse else "All tree joints point away from the base."
    return Picture(figure=figure, readout=readout, note=note)


def _table(ax: Axes, numbering: RegularNumbering, body: int) -> None:
    rows = numbering.table()
    ax.axis("off")
    ax.set(xlim=(0, 1), ylim=(len(rows) + 1.3, -0.3))
    for title, x in COLUMNS:
        ax.text(x, 0.2, title, fontsize=10, weight="bold", va="center")
    ax.plot([0, 1], [0.75, 0.75], color="#000000", linewidth=0.8)
    for k, row in enumerate(rows, start=1):
        i = k - 1
        sign = "⇠" if row["reversed"] else ""
        cells = [str(i), str(row["body"]), f"{row['joint']}{sign}", "" if i == 0 else str(row["lambda"])]
        cells += [_set(row["kappa"]) if i else "", _set(row["mu"]), _set(row["nu"])]
        for (_, x), text in zip(COLUMNS, cells, strict=True):
            ax.text(x, k + 0.25, text, fontsize=10, va="center", weight="bold" if i == body else "normal")
    ax.axhspan(body + 0.8, body + 1.7, color=palette.SELECTED, alpha=0.3, linewidth=0)


def _set(numbers: object) -> str:
    return "".join(["{", ", ".join(map(str, numbers)), "}"]) if isinstance(numbers, tuple) and numbers else "∅"
