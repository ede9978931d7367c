"""Divide and conquer: which parts of a chain are assembled in which round (section 7.5)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes

from rbdkit.algorithms.articulated.assembly_tree import Order, balanced, bodies_of, depth, one_by_one
from rbdkit.figures import Plot
from rbdkit.joints import Revolute
from rbdkit.model import Model
from rbdkit.scene.palette import GROUND, LINES, SELECTED
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

MOST = 31
"""Links of the longest chain."""
ORDERS = ("halves", "one by one")


@dataclass(frozen=True)
class Piece:
    """A part of the chain. first, last : numbers of its bodies. round : round that assembles it; 0 for one body."""

    first: int
    last: int
    round: int


def assembly_rounds() -> Playground:
    """The rounds of assembly of a chain on the ground, and how their number grows with it."""
    return Playground(
        "Assembly in rounds",
        [
            Slider("links", "", 1, MOST, 15, "of the chain, beside the ground", hard=True, whole=True),
            Slider("order", "", 0, 1, 0, "of the assembly", choices=ORDERS),
            Slider("round", "", 0, MOST, 2, "so many are done", hard=True, whole=True),
        ],
        draw,
    )


def draw(links: float, order: str, round: float) -> Picture:
    """Draw the assembled pieces after a number of rounds."""
    n = int(np.rint(links))
    plan = order_of(n, order)
    rounds = depth(plan)
    done = min(int(np.rint(round)), rounds)
    made = pieces(plan)
    now = [piece for piece in made if piece.round == done > 0]
    figure = Plot(figsize=(7.6, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.9, 1.0))
    draw_pieces(left, made, n, rounds, done)
    draw_growth(right, n, order)
    return Picture(
        figure=figure,
        readout=[
            ("round", f"{done} of {rounds}"),
            ("assemblies in this round", str(len(now))),
            ("assemblies in all", str(n)),
            ("processors that have work", f"{max(sum(p.round == r for p in made) for r in range(1, rounds + 1))}"),
        ],
        note="Each bar is an articulated body with a handle at either end; yellow ones are made in this round, all at "
        "the same time if there are processors enough. The ground is body 0.",
    )


@lru_cache
def chain(n: int) -> Model:
    """Build bodies 1 to n on hinges; only the connectivity matters here."""
    model = Model("chain")
    for k in range(1, n + 1):
        model.add_body(str(k), "world" if k == 1 else str(k - 1), Revolute("y"))
    return model


def order_of(n: int, order: str) -> Order:
    """Return the plan of the assembly."""
    return balanced(chain(n)) if order == "halves" else one_by_one(chain(n))


def pieces(plan: Order) -> list[Piece]:
    """List every body and every assembly of a plan."""
    numbers = [0 if name == "world" else int(name) for name in bodies_of(plan)]
    own = Piece(min(numbers), max(numbers), depth(plan))
    return [own] if isinstance(plan, str) else [*pieces(plan[0]), *pieces(plan[1]), own]


def draw_pieces(ax: Axes, made: list[Piece], n: int, rounds: int, done: int) -> None:
    """Draw bodies along x and rounds upwards; pieces not assembled yet are pale."""
    for piece in made:
        color = GROUND if piece.round == 0 else SELECTED if piece.round == done else LINES[0]
        alpha = 0.9 if piece.round <= done else 0.12
        x = [piece.first - 0.38, piece.last + 0.38, piece.last + 0.38, piece.first - 0.38]
        y = [piece.round - 0.3, piece.round - 0.3, piece.round + 0.3, piece.round + 0.3]
        ax.fill(x, y, color=color, alpha=alpha, linewidth=0)
    ax.set(xlabel="body", ylabel="round", xlim=(-0.8, n + 0.8), ylim=(-0.6, rounds + 0.6))
    ax.set_yticks(np.unique(np.linspace(0, rounds, min(rounds, 8) + 1).round()))
    ax.spines[["top", "right"]].set_visible(False)


@lru_cache
def rounds_of(order: str) -> list[int]:
    """Return the number of rounds for chains of 1, 2, ... links."""
    return [depth(order_of(n, order)) for n in range(1, MOST + 1)]


def draw_growth(ax: Axes, n: int, order: str) -> None:
    """Draw the number of rounds over the length of the chain, for both orders."""
    lengths = np.arange(1, MOST + 1)
    for name, color in zip(ORDERS, (LINES[0], LINES[1]), strict=True):
        rounds = rounds_of(name)
        ax.step(lengths, rounds, where="post", color=color, label=name)
        if name == order:
            ax.plot([n], [rounds[n - 1]], "o", color=color, markersize=7)
    ax.set(xlabel="links", ylabel="rounds", ylim=(0, None))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
