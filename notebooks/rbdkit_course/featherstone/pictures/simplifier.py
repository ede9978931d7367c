"""The symbolic simplifier at work on an assignment file: which lines stay, change or vanish, and why (Table 10.3)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rbdkit.costs import Assignment, assignments
from rbdkit.costs.simplification import Fate
from rbdkit.figures import Plot
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.trace import Trace, trace
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0), "general": (0.48, 0.6, 0.64)}
KNOWN = ("from the model", "at run time")
COLORS: dict[Fate, str] = {
    "kept": LINES[0],
    "constant": LINES[3],
    "copy": LINES[1],
    "repeated": LINES[4],
    "unused": GROUND,
}
MEANINGS: dict[Fate, str] = {
    "kept": "stays",
    "constant": "is a number",
    "copy": "is a copy",
    "repeated": "was computed before",
    "unused": "is never used",
}
COLUMNS = 2
LEGEND = (0.03, 0.14, 0.32, 0.49, 0.79)
"""Positions at which the entries of the legend begin."""


def simplifier() -> Playground:
    """Choose the axis and the inertia, and who knows the inertia; the list shows what is thrown out, and why."""
    return Playground(
        "τ = s · (v × I v), line by line",
        [
            Slider("axis s", "", 0, len(AXES) - 1, 2, "of the joint", choices=tuple(AXES)),
            Slider("I12", "kg m²", -0.5, 0.5, 0.0, "product of inertia"),
            Slider("I known", "", 0, 1, 0, "when they become known", choices=KNOWN),
        ],
        draw,
    )


def draw(axis: str, product: float, known: str) -> Picture:
    """The assignment file in two columns, each line with its fate."""
    lines = assignments(example(axis, product, known))
    count = Counter(line.fate for line in lines)
    rows = -(-len(lines) // COLUMNS)
    figure = Plot(figsize=(6.2, 0.55 + 0.2 * rows))
    ax: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0.0, 1.0), ylim=(rows + 2.4, 0.2))
    ax.set_axis_off()
    for k, line in enumerate(lines):
        _line(ax, line, 0.02 + 0.5 * (k // rows), k % rows + 1.0)
    for x, (fate, word) in zip(LEGEND, MEANINGS.items(), strict=True):
        ax.plot(x, rows + 1.7, "s", color=COLORS[fate], markersize=7)
        ax.text(x + 0.018, rows + 1.7, word, va="center", fontsize=9)
    return Picture(
        figure=figure,
        readout=[
            ("operations before", str(len(lines))),
            ("operations after", str(count["kept"])),
            *((f"  {MEANINGS[fate]}", str(count[fate])) for fate in MEANINGS if fate != "kept"),
        ],
        note="Each rule opens the door for the next: a product with zero makes a sum a copy, and lines go unused.",
    )


def example(axis: str, product: float, known: str) -> Trace:
    """Record the calculation of Table 10.3 without simplification; I is a constant or an argument."""
    I, s = np.diag([1.5, 1.6, 1.7]), np.array(AXES[axis])
    I[0, 1] = I[1, 0] = product
    if known == KNOWN[0]:
        return trace(lambda v: s @ np.cross(v, I @ v), 3, names=["v"], simplify=False)
    return trace(lambda v, I: s @ np.cross(v, I @ v), 3, (3, 3), names=["v", "I"], simplify=False)


def _line(ax: Axes, line: Assignment, x: float, y: float) -> None:
    kept = line.fate == "kept"
    ax.plot(x + 0.01, y, "s", color=COLORS[line.fate], markersize=6)
    ax.text(x + 0.03, y, str(line), va="center", fontsize=9, family="monospace", alpha=1.0 if kept else 0.55)
    if not kept and line.fate != "unused":
        ax.text(x + 0.31, y, f"→ {line.value}", va="center", fontsize=9, family="monospace", alpha=0.8)
