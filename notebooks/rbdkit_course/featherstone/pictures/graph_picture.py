"""Connectivity graphs drawn: nodes on a circle, the base below with a white dot, tree arcs solid, chords dashed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.model.graph import (
    ConnectivityGraph,
    RegularNumbering,
    regular_numberings,
    spanning_trees,
)
from rbdkit.scene import palette

INK = "#000000"
"""Ink that becomes the text colour of the page."""

RADIUS = 0.17
"""Radius of the nodes; the circle that they are on has radius 1."""


def node_places(graph: ConnectivityGraph) -> dict[str, NDArray]:
    """Return the positions of the bodies, (2,) each: on a circle clockwise from the base at the bottom."""
    names = (graph.base, *graph.bodies)
    angles = -0.5 * np.pi - 2.0 * np.pi * np.arange(len(names)) / len(names)
    return {name: np.array([np.cos(a), np.sin(a)]) for name, a in zip(names, angles, strict=True)}


def draw_numbering(
    ax: Axes,
    numbering: RegularNumbering,
    joints: Collection[int] = (),
    bodies: Collection[int] = (),
    names: bool = True,
    points: float = 1.0,
) -> None:
    """Draw a numbered graph.

    Parameters
    ----------
    joints, bodies : optional
        Numbers of those to pick out by colour.
    names : bool, optional
        Whether bodies and joints have their names beside their numbers.
    points : float, optional
        Size of texts and lines, relative to what suits a figure 3.5 inches wide.
    """
    graph, places = numbering.tree.graph, node_places(numbering.tree.graph)
    together = Counter(frozenset(arc[1:]) for arc in graph.joints)
    drawn: Counter[frozenset[str]] = Counter()
    for i, arc in enumerate(numbering.joints):
        if arc is None:
            continue
        pair = frozenset(arc[1:])
        bend = 0.5 * (drawn[pair] - 0.5 * (together[pair] - 1))
        drawn[pair] += 1
        start, end = places[arc.predecessor], places[arc.successor]
        chord = i > graph.N_B
        color = palette.JOINT if i in joints else INK
        turn = bend if arc.predecessor < arc.successor else -bend
        ax.add_patch(
            FancyArrowPatch(
                (start[0], start[1]),
                (end[0], end[1]),
                connectionstyle=f"arc3,rad={turn}",
                arrowstyle="-|>",
                mutation_scale=11 * points,
                color=color,
                linestyle=(0, (4, 3)) if chord else "-",
                linewidth=(2.6 if i in joints else 1.3) * points,
                shrinkA=20 * points,
                shrinkB=20 * points,
                zorder=1,
            )
        )
        if names:
            middle = 0.5 * (start + end)
            across = np.array([end[1] - start[1], start[0] - end[0]]) / np.linalg.norm(end - start)
            out = across if across @ middle >= 0.0 else -across
            x, y = middle + (0.13 + abs(bend)) * out
            ax.text(x, y, arc.name, ha="center", va="center", fontsize=9, color=color)
    for name, (x, y) in places.items():
        i = numbering.number[name]
        picked = i in bodies
        face = palette.BODIES[0] if picked else (palette.GROUND if i == 0 else "none")
        ax.add_patch(Circle((x, y), RADIUS, facecolor=face, edgecolor=INK, linewidth=1.2 * points, zorder=2))
        if i == 0:
            ax.add_patch(Circle((x, y), 0.35 * RADIUS, facecolor="#ffffff", edgecolor="none", zorder=3))
        else:
            ax.text(x, y, str(i), ha="center", va="center_baseline", fontsize=11 * points, zorder=3)
        if names:
            ax.text(x * 1.36, y * 1.32, name, ha="center", va="center", fontsize=9)
    ax.set_aspect("equal")
    ax.axis("off")
    reach = 1.62 if names else 1.25
    ax.set(xlim=(-reach, reach), ylim=(-1.0 - 0.45 * names - 0.22, 1.0 + 0.4 * names + 0.22))


def all_numberings(graph: ConnectivityGraph, columns: int = 4) -> Plot:
    """Draw every regular numbering of every spanning tree, row by row: Figure 4.4 for the crank-slider."""
    found = [numbering for tree in spanning_trees(graph) for numbering in regular_numberings(tree)]
    return sheet(found, columns)


def sheet(numberings: Iterable[RegularNumbering], columns: int = 4) -> Plot:
    """Draw numbered graphs side by side, each with its parent array."""
    found = list(numberings)
    rows = -(-len(found) // columns)
    figure = Plot(figsize=(2.1 * columns, 2.25 * rows))
    for k in range(rows * columns):
        ax = figure.add_subplot(rows, columns, k + 1)
        ax.axis("off")
        if k < len(found):
            draw_numbering(ax, found[k], names=False, points=0.75)
            ax.set_title(f"λ = {list(found[k].parent[1:])}", fontsize=9, y=-0.13)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.99, bottom=0.07, wspace=0.02, hspace=0.18)
    return figure
