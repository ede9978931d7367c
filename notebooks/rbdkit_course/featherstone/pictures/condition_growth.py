"""The condition of the inertia matrix against the number of bodies, for chains and for trees."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from rbdkit.accuracy import depth, growth
from rbdkit.figures import Plot
from rbdkit.functions import crba, forward_kinematics
from rbdkit.library import branched_parents, chain_parents, rod_tree, zigzag_angles
from rbdkit.model import Model
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.powers_of_ten import log_y

SHAPES: dict[str, Callable[[int], tuple[int, ...]]] = {
    "chain": chain_parents,
    "two children each": branched_parents,
    "three children each": lambda n: branched_parents(n, 3),
}
SIZES = (2, 3, 4, 6, 9, 13, 19, 28, 40)


def condition_growth() -> Playground:
    """Choose how the rods hang together, how many there are and how they are folded."""
    return Playground(
        "Depth is what hurts",
        [
            Slider("shape", "", 0, len(SHAPES) - 1, 0, "how the rods hang together", choices=tuple(SHAPES)),
            Slider("rods", "", 2, 40, 10, hard=True),
            Slider("angle", "°", 0.0, 150.0, 40.0, "of every joint, one way or the other", hard=True),
        ],
        draw,
    )


def draw(shape: str, rods: float, angle: float) -> Picture:
    """Draw the rods, and the condition number of H over their number for all shapes."""
    n, fold = round(rods), np.deg2rad(angle)
    tree = _tree(shape, n)
    condition = condition_of(tree, fold)
    figure = Plot(figsize=(7.6, 3.5))
    left, right = figure.add_axes((0.0, 0.02, 0.4, 0.96)), figure.add_axes((0.5, 0.15, 0.48, 0.82))
    _rods(left, tree, fold)
    slope = _curves(right, shape, fold)
    right.plot([n], [condition], "o", color=LINES[1], markersize=8, zorder=5)
    return Picture(
        figure=figure,
        readout=[
            ("condition of H", f"{condition:,.0f}".replace(",", " ")),
            ("digits that may be lost", f"{np.log10(condition):.1f}"),
            ("depth of the tree", str(depth(SHAPES[shape](n)))),
            ("grows with the power", f"{slope:.2f}"),
        ],
        note="Grey: 4 N⁴, close to the straight chain (3.88 N⁴ for very many rods). "
        "The power is taken between 19 and 40 rods.",
    )


@lru_cache(maxsize=256)
def _tree(shape: str, n: int) -> Model:
    return rod_tree(SHAPES[shape](n))


def condition_of(tree: Model, fold: float) -> float:
    """Return the condition number of H with the joints at +fold and -fold in turn."""
    return float(np.linalg.cond(crba(tree, zigzag_angles(tree.nv, fold))))


def _curves(ax: Axes, chosen: str, fold: float) -> float:
    """Draw the curve of every shape; return the power of the chosen one."""
    slope = np.nan
    for shape, color in zip(SHAPES, LINES, strict=False):
        conditions = [condition_of(_tree(shape, n), fold) for n in SIZES]
        ax.plot(
            SIZES, conditions, ".-", color=color, linewidth=1.6, alpha=1.0 if shape == chosen else 0.35, label=shape
        )
        if shape == chosen:
            slope = growth(SIZES[-3:], conditions[-3:])
    reach = np.array([4.0, 40.0])
    ax.plot(reach, 4.0 * reach**4, color=GROUND, linewidth=2.0, alpha=0.6, label="4 N⁴")
    ax.set_xscale("log")
    ax.set_xticks((2, 5, 10, 20, 40), ("2", "5", "10", "20", "40"))
    ax.xaxis.set_minor_locator(NullLocator())
    log_y(ax, range(8))
    ax.set(xlabel="rods", ylabel="condition of H")
    ax.grid(alpha=0.25)
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)
    return slope


def _rods(ax: Axes, tree: Model, fold: float) -> None:
    for start, end in rods_in_plane(tree, zigzag_angles(tree.nv, fold)):
        ax.plot(*np.transpose([start, end]), color=LINES[0], linewidth=3.0, solid_capstyle="round", alpha=0.75)
    ax.plot(0.0, 0.0, "s", color=GROUND, markersize=9)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.set_axis_off()


def rods_in_plane(tree: Model, q: NDArray) -> NDArray:
    """Return the ends (n, 2, 2) of the rods, the hinge first; x and y."""
    poses = forward_kinematics(tree, q).poses[1:]
    return np.stack([poses[:, :2, 3], poses[:, :2, 3] + poses[:, :2, 0]], axis=1)
