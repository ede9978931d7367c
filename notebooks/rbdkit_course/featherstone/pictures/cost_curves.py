"""Costs of the dynamics algorithms over the number of joints: Figs 10.4 and 10.5, with branches and addition costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rbdkit.costs import Branching, best, branching
from rbdkit.figures import Plot
from rbdkit.library import branched_parents
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

LARGEST = 40
JOINTS = np.arange(1, LARGEST + 1)
CHILDREN = {"1, a chain": 1, "2": 2, "3": 3, "4": 4}
PARTS = {"RNEA": "rnea", "CRBA": "crba", "factorize and solve": "factor_and_solve"}


def cost_curves() -> Playground:
    """Joints, what an addition costs, and how many children a body has."""
    return Playground(
        "Forward dynamics, two ways",
        [
            Slider("joints", "", 1, LARGEST, 8, hard=True),
            Slider("addition", "", 0.0, 1.0, 1.0, "what one costs, in multiplications", hard=True),
            Slider("children", "", 0, len(CHILDREN) - 1, 0, "of every body", choices=tuple(CHILDREN)),
        ],
        draw,
    )


def draw(joints: float, addition: float, children: str) -> Picture:
    """Totals on the left, the parts of the inertia-matrix method on the right."""
    n, shape = round(joints), CHILDREN[children]
    parts, aba = part_costs(shape, addition), best("aba").total(JOINTS, addition)
    total, chain = (np.sum(list(costs.values()), axis=0) for costs in (parts, part_costs(1, addition)))
    figure = Plot(figsize=(7.6, 3.5))
    left, right = figure.add_axes((0.1, 0.15, 0.38, 0.82)), figure.add_axes((0.6, 0.15, 0.38, 0.82))
    if shape != 1:
        left.plot(JOINTS, chain, color=LINES[1], linewidth=1.2, alpha=0.4, linestyle="--", label="the same, on a chain")
    left.plot(JOINTS, total, color=LINES[1], linewidth=1.8, label="RNEA + CRBA + solve")
    left.plot(JOINTS, aba, color=LINES[0], linewidth=1.8, label="articulated bodies")
    left.set_ylim(0.0, 1.9 * aba[-1])
    for (name, costs), color in zip(parts.items(), LINES[2:], strict=False):
        right.plot(JOINTS, costs, color=color, linewidth=1.8, label=name)
    right.set_ylim(0.0, None)
    for ax in (left, right):
        for line in [line for line in ax.lines if line.get_linestyle() == "-"]:
            ax.plot(n, np.asarray(line.get_ydata())[n - 1], "o", color=line.get_color(), markersize=7)
        _finish(ax)
    ahead = "articulated bodies" if aba[n - 1] < total[n - 1] else "the inertia matrix"
    return Picture(
        figure=figure,
        readout=[
            ("articulated bodies", f"{aba[n - 1]:.0f}"),
            ("by the inertia matrix", f"{total[n - 1]:.0f}"),
            *((f"  {name}", f"{costs[n - 1]:.0f}") for name, costs in parts.items()),
            ("cheaper", ahead),
            ("inertia matrix wins up to", f"{last_win(total, aba)} joints"),
        ],
        note="Costs in multiplications, by the best rows of Table 10.1 and Eq 10.12.",
    )


def part_costs(children: int, addition: float) -> dict[str, NDArray]:
    """Return costs of RNEA, CRBA and factorization with solution, for trees of 1 to 40 joints filled level by level."""
    trees = _trees(children)
    return {
        name: np.array([cost.mul + addition * cost.add for cost in (getattr(tree, part) for tree in trees)])
        for name, part in PARTS.items()
    }


def last_win(total: NDArray, aba: NDArray) -> int | str:
    """Return the largest number of joints up to which the first never costs more, counted from 2 joints on."""
    dearer = np.flatnonzero((total > aba)[1:])
    return int(JOINTS[1:][dearer[0]]) - 1 if len(dearer) else f"more than {LARGEST}"


@lru_cache(maxsize=8)
def _trees(children: int) -> Sequence[Branching]:
    return [branching(branched_parents(int(n), children)) for n in JOINTS]


def _finish(ax: Axes) -> None:
    ax.set(xlabel="joints", xlim=(1, LARGEST), ylabel="multiplications")
    ax.grid(alpha=0.25)
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)
