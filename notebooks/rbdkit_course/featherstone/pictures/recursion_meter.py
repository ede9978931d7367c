"""Operations for a chain of n hinges: by recurrence relations, and in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rbdkit.algorithms.recurrence import (
    accelerations_by_recurrence,
    accelerations_in_closed_form,
    velocities_by_recurrence,
    velocities_in_closed_form,
)
from rbdkit.algorithms.recursion_cost import closed_form_operations, spatial
from rbdkit.figures import Plot
from rbdkit.scene.palette import LINES
from rbdkit.trace import trace
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

MOST = 40
"""Largest number of joints on the slider."""


@dataclass(frozen=True)
class Contest:
    """Two ways to compute the same numbers; each function takes n and counts operations, a polynomial in n.

    degree : degree of the polynomial of the closed form.
    """

    recursion: Callable[[int], int]
    closed: Callable[[int], int]
    degree: int


def _counted(function: Callable[..., object], vectors: int) -> Callable[[int], int]:
    return lambda n: trace(function, (n, 6), *[n] * vectors, simplify=False).operations().total


CONTESTS = {
    "velocities": Contest(_counted(velocities_by_recurrence, 1), _counted(velocities_in_closed_form, 1), 2),
    "accelerations": Contest(_counted(accelerations_by_recurrence, 2), _counted(accelerations_in_closed_form, 2), 3),
    "joint forces": Contest(lambda n: spatial(n).operations().total, lambda n: closed_form_operations(n).total, 4),
}


def recursion_meter() -> Playground:
    """Choose what is calculated and for how many joints; both axes of the plot are logarithmic."""
    return Playground(
        "What recursion saves",
        [
            Slider("what", "", 0, 2, 2, "what is calculated for the whole chain", choices=tuple(CONTESTS)),
            Slider("n", "", 1, MOST, 6, "joints of the chain", hard=True),
        ],
        draw,
    )


@lru_cache
def counts(what: str) -> tuple[list[int], list[int]]:
    """Count the operations for 1, 2, ..., MOST joints by recursion and in closed form.

    The first few are counted; the others lie on the polynomial through these, which the count is, exactly.
    """
    contest = CONTESTS[what]
    recursion = extended([contest.recursion(n) for n in range(2, 5)], MOST - 1)
    closed = extended([contest.closed(n) for n in range(1, contest.degree + 2)], MOST)
    return [contest.recursion(1), *recursion], closed


def extended(values: Sequence[int], count: int) -> list[int]:
    """Extend the values of a polynomial at successive integers to `count` values, by differences, in integers."""
    differences = [list(values)]
    while len(differences[-1]) > 1:
        differences.append(np.diff(differences[-1]).tolist())
    ends = [row[-1] for row in differences]
    found = list(values)
    while len(found) < count:
        for k in range(len(ends) - 2, -1, -1):
            ends[k] += ends[k + 1]
        found.append(ends[0])
    return found


def draw(what: str, n: float) -> Picture:
    """The two curves with the chosen n on them."""
    recursion, closed = counts(what)
    k = round(n) - 1
    figure = Plot(figsize=(5.6, 3.4), layout="constrained")
    ax = figure.subplots()
    for name, values, color in (("closed form", closed, LINES[1]), ("recursion", recursion, LINES[0])):
        ax.loglog(np.arange(1, MOST + 1), values, color=color, label=name)
        ax.plot(k + 1, values[k], "o", color=color)
    ax.set_xlabel("n, joints")
    ax.set_ylabel("operations")
    ax.set_xticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    slope = {name: np.log(values[-1] / values[MOST // 2 - 1]) / np.log(2.0)
             for name, values in (("recursion", recursion), ("closed form", closed))}  # fmt: skip
    return Picture(
        figure=figure,
        readout=[
            ("by recursion", f"{recursion[k]:,}".replace(",", " ")),
            ("in closed form", f"{closed[k]:,}".replace(",", " ")),
            ("times as much", f"{closed[k] / recursion[k]:.1f}"),
            ("slope, 20 to 40 joints", f"{slope['recursion']:.2f} and {slope['closed form']:.2f}"),
        ],
        note="Multiplications and additions, counted by running the code on symbols.",
    )
