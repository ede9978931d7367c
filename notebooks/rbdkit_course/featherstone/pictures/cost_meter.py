"""Operations saved by branch-induced sparsity: the counts of Table 6.6 for trees of every size and shape."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes

from rbdkit.algorithms.sparse import (
    Method,
    SparseCosts,
    area_2,
    area_3,
    density,
    depths,
    expand_parents,
    sparse_costs,
)
from rbdkit.figures import Plot
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.library.sparse_trees import limbed_parents
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.factorization_steps import METHODS
from rbdkit_course.featherstone.pictures.tree_picture import draw_tree

SHAPES: dict[str, Callable[[int], tuple[int, ...]]] = {
    "humanoid": limbed_parents,
    "six legs": lambda n: limbed_parents(n, 6),
    "binary tree": branched_parents,
    "chain": chain_parents,
    "all on the base": lambda n: (0,) * n,
    "random": lambda n: random_parents(n, 5, 0.6),
}
ROWS = {"factorize": "factorization", "back-substitute": "back_substitution", "H x": "multiply_H"}


def cost_meter() -> Playground:
    """Choose a shape and a size; the bars are operations with and without the zeros."""
    return Playground(
        "What the branches save",
        [
            Slider("shape", "", 0, len(SHAPES) - 1, 0, "how the tree branches", choices=tuple(SHAPES)),
            Slider("n", "", 2, 60, 36, "velocity variables", hard=True, whole=True),
            Slider("method", "", 0, 1, 1, "with square roots or without", choices=tuple(METHODS)),
        ],
        lambda shape, n, method: draw(shape, round(n), METHODS[method]),
    )


def draw(shape: str, n: int, method: Method) -> Picture:
    """The tree, its costs beside those of a full matrix, and what they follow from."""
    lam, chain = expand_parents(SHAPES[shape](n)), expand_parents(chain_parents(n))
    sparse, full = sparse_costs(lam, method), sparse_costs(chain, method)
    d, rho = max(depths(lam)), density(lam)
    figure = Plot(figsize=(7.6, 4.4))
    left, right = figure.add_axes((0.0, 0.02, 0.33, 0.96)), figure.add_axes((0.48, 0.15, 0.42, 0.75))
    left.set_axis_off()
    left.set_aspect("equal")
    draw_tree(left, lam, labels=None if n <= 24 else [""] * n)
    draw_bars(right, sparse, full)
    saved = sparse.factorization.total / full.factorization.total
    return Picture(
        figure=figure,
        readout=[
            ("D1, divisions", f"{area_2(lam)} of {area_2(chain)}"),
            ("D1 at most, n(d - 1)", str(n * (d - 1))),
            ("D2, products", f"{area_3(lam)} of {area_3(chain)}"),
            ("D2 at most, nd(d - 1)/2", str(n * d * (d - 1) // 2)),
            ("depth d", str(d)),
            ("density ρ", f"{rho:.3f}"),
            ("part of the work left", f"{saved:.3f}"),
            ("ρ², the rule of thumb", f"{rho**2:.3f}"),
            ("factorization", str(sparse.factorization)),
            ("back-substitution", str(sparse.back_substitution)),
        ],
        note="m: multiplications, a: additions, d: divisions, r: square roots.",
    )


def draw_bars(ax: Axes, sparse: SparseCosts, full: SparseCosts) -> None:
    """Draw bars of the operations of the sparse algorithms, above those for a full matrix."""
    for k, field in enumerate(ROWS.values()):
        for costs, shift, color in ((sparse, -0.19, LINES[0]), (full, 0.19, GROUND)):
            total = getattr(costs, field).total
            ax.barh(k + shift, total, 0.34, color=color)
            ax.text(total, k + shift, f" {total:,}".replace(",", " "), va="center_baseline", fontsize=9.0)
    ax.set_xlim(0.0, 1.18 * max(full.factorization.total, full.back_substitution.total))
    ax.locator_params(axis="x", nbins=5)
    ax.set_yticks(range(len(ROWS)), list(ROWS))
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0.0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_title("operations: along the tree above, full matrix below", fontsize=10.0, loc="left")
