"""Trees as graphs beside matrices with their zeros, for the pictures of chapter 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, Rectangle
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.scene.palette import GROUND

INK = "#000000"
"""Ink that becomes the text colour of the page."""

RADIUS = 0.27
"""Radius of the nodes of a tree, whose levels are 1 apart."""


def pair(width: float = 7.6, height: float = 3.7) -> tuple[Plot, Axes, Axes]:
    """Make a figure with axes for a tree on the left and for a square matrix on the right."""
    figure = Plot(figsize=(width, height))
    side = 0.92 * height / width
    left = figure.add_axes((0.0, 0.02, 0.97 - side, 0.96))
    right = figure.add_axes((0.985 - side, 0.02, side, 0.92))
    for ax in (left, right):
        ax.set_axis_off()
        ax.set_aspect("equal")
    return figure, left, right


def tree_layout(lam: Sequence[int]) -> NDArray:
    """Lay out the nodes of a tree, (n + 1, 2): the base first, leaves side by side, parents between their children.

    Parameters
    ----------
    lam : sequence of int
        Parent array, -1 for the base.
    """
    n = len(lam)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for k, parent in enumerate(lam):
        children[parent + 1].append(k + 1)
    place = np.zeros((n + 1, 2))
    free = 0.0

    def put(node: int, height: int) -> None:
        nonlocal free
        for child in children[node]:
            put(child, height + 1)
        if children[node]:
            x = np.mean([place[child, 0] for child in children[node]])
        else:
            x, free = free, free + 1.0
        place[node] = x, height

    put(0, 0)
    return place


def draw_tree(
    ax: Axes,
    lam: Sequence[int],
    fills: Mapping[int, str] | None = None,
    arcs: Mapping[int, str] | None = None,
    labels: Sequence[str] | None = None,
    fontsize: float = 10.0,
) -> None:
    """Draw a tree that grows from its base; node k + 1 and the joint below it belong to variable k.

    Parameters
    ----------
    lam : sequence of int
        Parent array, -1 for the base.
    fills, arcs : mapping of int to str, optional
        Colours of nodes, and of joints, by variable; the others are empty, or thin.
    labels : sequence of str, optional
        Of the variables; their numbers from 1 if not given.
    fontsize : float, optional
        Of the labels.
    """
    place = tree_layout(lam)
    place[:, 0] *= max(1.0, 0.55 * np.ptp(place[:, 1]) / max(np.ptp(place[:, 0]), 1.0))
    fills, arcs = fills or {}, arcs or {}
    for k, parent in enumerate(lam):
        below, above = place[parent + 1], place[k + 1]
        way = (above - below) / np.linalg.norm(above - below)
        ends = np.array([below + (RADIUS if parent >= 0 else 0.12) * way, above - RADIUS * way])
        ax.plot(*ends.T, color=arcs.get(k, GROUND), linewidth=5.0 if k in arcs else 1.6, solid_capstyle="butt")
    x, y = place[0]
    ax.add_patch(Rectangle((x - 0.45, y - 0.12), 0.9, 0.24, facecolor=GROUND, edgecolor="none", zorder=2))
    names = [str(k + 1) for k in range(len(lam))] if labels is None else labels
    for k, (x, y) in enumerate(place[1:]):
        ax.add_patch(Circle((x, y), RADIUS, facecolor=_light(fills.get(k)), edgecolor=fills.get(k, GROUND), zorder=3))
        ax.text(x, y, names[k], ha="center", va="center_baseline", fontsize=fontsize, zorder=4)
    reach = place.max(axis=0)
    ax.set(xlim=(place[:, 0].min() - 0.6, reach[0] + 0.6), ylim=(-0.4, reach[1] + 0.45))


def _light(color: str | None) -> Any:
    return to_rgba(GROUND, 0.08) if color is None else to_rgba(color, 0.45)


def draw_matrix(
    ax: Axes,
    colors: Mapping[tuple[int, int], Any],
    n: int,
    framed: Mapping[tuple[int, int], str] | None = None,
    texts: Mapping[tuple[int, int], str] | None = None,
    labels: Sequence[str] | None = None,
) -> None:
    """Draw an n by n matrix: coloured cells, and dots where it is zero.

    Parameters
    ----------
    colors
        Of the cells, by row and column from 0; the others get a dot.
    framed : optional
        Colours of frames about cells.
    texts : optional
        In cells.
    labels : sequence of str, optional
        Of rows and columns; their numbers from 1 if not given.
    """
    for i in range(n):
        for j in range(n):
            if (i, j) in colors:
                ax.add_patch(Rectangle((j + 0.04, i + 0.04), 0.92, 0.92, facecolor=colors[i, j], edgecolor="none"))
            else:
                ax.add_patch(Circle((j + 0.5, i + 0.5), 0.04, facecolor=GROUND, edgecolor="none"))
    for (i, j), color in (framed or {}).items():
        ax.add_patch(Rectangle((j, i), 1.0, 1.0, fill=False, edgecolor=color, linewidth=2.4, zorder=3))
    for (i, j), text in (texts or {}).items():
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center_baseline", fontsize=9.0, zorder=4)
    names = [str(k + 1) for k in range(n)] if labels is None else labels
    for k, name in enumerate(names):
        ax.text(-0.18, k + 0.5, name, ha="right", va="center_baseline", fontsize=9.0)
        ax.text(k + 0.5, -0.18, name, ha="center", va="bottom", fontsize=9.0)
    ax.set(xlim=(-0.6, n + 0.05), ylim=(n + 0.05, -0.6))


def shade(color: str, amount: float) -> tuple[float, float, float, float]:
    """Return a colour with an opacity that grows with the amount from 0 to 1, and never vanishes."""
    return to_rgba(color, 0.12 + 0.83 * float(np.clip(amount, 0.0, 1.0)))
