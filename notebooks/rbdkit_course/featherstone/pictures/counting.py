"""Cost of a spatial operation by the storage of its operands: choose both, and see each multiplication and addition."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from rbdkit.figures import Plot
from rbdkit.scene.palette import LINES
from rbdkit.trace import Operations
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.counted_operations import CATALOGUE, WAYS, Counted, counted
from rbdkit_course.featherstone.pictures.tree_picture import INK

COLORS = {"mul": LINES[0], "add": LINES[1]}
SHOWN = 15
"""Number of lines of the listing that are visible."""


def counting() -> Playground:
    """Choose an operation and a representation, and walk through what is executed."""
    return Playground(
        "What does it cost?",
        [
            Slider("operation", "", 0, len(CATALOGUE) - 1, 2, "what is calculated", choices=tuple(CATALOGUE)),
            Slider("way", "", 0, len(WAYS) - 1, 0, "how the operands are stored", choices=WAYS),
            Slider("place", "%", 0, 100, 0, "how far down the listing", hard=True),
        ],
        draw,
        tour=[
            (
                "As matrices",
                {"operation": "Xᵀ I X", "way": "matrices"},
                "Two products of 6 by 6, most with zeros.",
            ),
            ("As what they are", {"way": "compact"}, "Ten numbers for an inertia, a rotation and a shift: a sixth."),
            ("About one axis", {"way": "screw about z"}, "A joint turns about one axis only: a third of that again."),
            ("An articulated body", {"operation": "Xᵀ Iᴬ X"}, "21 numbers instead of ten: more than twice the work."),
        ],
    )


def draw(operation: str, way: str, place: float) -> Picture:
    """Bars of all ways, a square for each operation executed, and the listing around the place."""
    found = counted(operation, way)
    current = min(round(place / 100.0 * len(found.lines)), len(found.lines) - 1)
    figure = Plot(figsize=(7.6, 4.1))
    bars = figure.add_axes((0.17, 0.62, 0.46, 0.36))
    squares = figure.add_axes((0.01, 0.01, 0.62, 0.56))
    listing = figure.add_axes((0.68, 0.01, 0.31, 0.97))
    for ax in (bars, squares, listing):
        ax.set_axis_off()
    _bars(bars, operation, way)
    _squares(squares, found, current)
    _listing(listing, found, current)
    printed, price = CATALOGUE[operation][way].printed, str(found.operations)
    return Picture(
        figure=figure,
        readout=[
            ("counted", price),
            ("in the book", printed if printed == price else f"{printed} (fewer are possible)"),
            ("of the matrices' cost", f"{found.operations.total / counted(operation, WAYS[0]).operations.total:.0%}"),
        ],
        note="Blue multiplies, orange adds or subtracts; a change of sign is free. Each square is one line of the "
        "listing, in the order in which our code ran on symbols.",
    )


def _bars(ax: Axes, operation: str, way: str) -> None:
    """Draw bars of the operations of each way; the chosen one in full colour."""
    ways = CATALOGUE[operation]
    most = max(counted(operation, name).operations.total for name in ways)
    for row, name in enumerate(WAYS):
        weight = "bold" if name == way else "normal"
        ax.text(-0.02 * most, row, name, ha="right", va="center_baseline", fontsize=9, color=INK, weight=weight)
        if name not in ways:
            ax.text(0.01 * most, row, "–", va="center_baseline", fontsize=9, color=INK)
            continue
        own, start = counted(operation, name).operations, 0
        for sort, number in (("mul", own.mul), ("add", own.add)):
            ax.barh(row, number, 0.62, start, color=COLORS[sort], alpha=1.0 if name == way else 0.45)
            start += number
        ax.text(start + 0.015 * most, row, _price(own), va="center_baseline", fontsize=9, color=INK, weight=weight)
    ax.set(xlim=(0.0, 1.38 * most), ylim=(len(WAYS) - 0.5, -0.5))


def _price(found: Operations) -> str:
    return f"{found.mul}m + {found.add}a"


def _squares(ax: Axes, found: Counted, current: int) -> None:
    """Draw one square for each operation, row by row, as large as fits."""
    n = len(found.lines)
    columns = max(16, int(np.ceil(np.sqrt(2.05 * n))))
    x, y = np.arange(n) % columns, np.arange(n) // columns
    side = 0.62 * 7.6 * 72.0 / columns  # points
    colors = [COLORS[sort] for sort, _ in found.lines]
    ax.scatter(x, y, s=(0.78 * side) ** 2, c=colors, marker="s", linewidths=0)
    ax.scatter(
        x[current], y[current], s=(0.9 * side) ** 2, marker="s", facecolors="none", edgecolors=INK, linewidths=1.6
    )
    rows = 4.1 * 0.56 * 72.0 / side
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))


def _listing(ax: Axes, found: Counted, current: int) -> None:
    """Draw the lines of the listing around the current one."""
    n = len(found.lines)
    first = max(0, min(current - SHOWN // 2, n - SHOWN))
    for row, (sort, text) in enumerate(found.lines[first : first + SHOWN]):
        if first + row == current:
            ax.axhspan(row - 0.5, row + 0.5, color=COLORS[sort], alpha=0.25, linewidth=0)
        ax.add_patch(Rectangle((0.015, row - 0.22), 0.03, 0.44, facecolor=COLORS[sort], edgecolor="none"))
        ax.text(0.07, row, text, va="center_baseline", fontsize=9.5, family="monospace", color=INK)
    ax.text(0.0, SHOWN + 0.1, f"line {current + 1} of {n}", va="center_baseline", fontsize=9, color=INK)
    ax.set(xlim=(0.0, 1.0), ylim=(SHOWN + 0.7, -0.6))
