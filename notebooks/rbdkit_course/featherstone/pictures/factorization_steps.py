"""L^T L and L^T D L step by step: which element is written, from which others, and in which area of Fig 6.4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.colors import to_rgba
from numpy.typing import NDArray

from rbdkit.algorithms.sparse import Method, ancestors, expand_parents, ltdl, ltl, sparsity_pattern
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.inertia_pattern import TREES, matrix
from rbdkit_course.featherstone.pictures.tree_picture import INK, draw_matrix, draw_tree, pair

METHODS: dict[str, Method] = {"LᵀL": "ltl", "LᵀDL": "ltdl"}
AREAS = {1: LINES[3], 2: LINES[1], 3: LINES[0]}
Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Step:
    """Record of one element being written.

    Attributes
    ----------
    place : Place
        Row and column.
    read : tuple of Place
        Row and column of the elements read since the last step.
    k : int
        Row that is being eliminated.
    area : int
        Area 1, 2 or 3 of Fig 6.4.
    after : ndarray
        The matrix (n, n) after the step.
    """

    place: Place
    read: tuple[Place, ...]
    k: int
    area: int
    after: NDArray


class Watched:
    """A matrix that records reads and writes; the factorizations run on it unchanged."""

    def __init__(self, H: NDArray) -> None:
        self.H = np.array(H, dtype=float)
        self.steps: list[Step] = []
        self._read: list[Place] = []

    def __getitem__(self, place: Place) -> Any:
        self._read.append(place)
        return self.H[place]

    def __setitem__(self, place: Place, value: Any) -> None:
        self.H[place] = value
        row = place[0]
        k = self._read[-1][0] if self._read else row  # the last factor of a product stands in row k
        area = 3 if k != row else 1 if place == (k, k) else 2
        self.steps.append(Step(place, tuple(dict.fromkeys(self._read)), k, area, self.H.copy()))
        self._read = []


def steps_of(H: NDArray, lam: Sequence[int], method: Method) -> list[Step]:
    """Record the elements that a factorization writes, in order."""
    watched: Any = Watched(H)
    (ltl if method == "ltl" else ltdl)(watched, lam)
    return watched.steps


@lru_cache
def recorded(tree: str, method: Method) -> tuple[Step, ...]:
    """Return the steps for H of one of the trees (cached)."""
    return tuple(steps_of(matrix(tree, "as given"), expand_parents(TREES[tree]), method))


def factorization_steps(tree: str = "binary tree") -> Playground:
    """A factorization that is gone through, element by element."""
    most = max(len(recorded(tree, method)) for method in METHODS.values())

    def draw_step(method: str, step: float) -> Picture:
        return draw(tree, METHODS[method], round(step))

    return Playground(
        f"Factorizing the {tree}",
        [
            Slider("method", "", 0, 1, 0, "with square roots or without", choices=tuple(METHODS)),
            Slider("step", "", 0, most, 4, "so many elements are written", hard=True, whole=True),
        ],
        draw_step,
    )


def draw(tree: str, method: Method, number: int) -> Picture:
    """Draw the matrix after `number` elements were written, and the current row in the tree."""
    lam, steps = expand_parents(TREES[tree]), recorded(tree, method)
    number = min(max(number, 0), len(steps))
    n, step = len(lam), steps[number - 1] if number else None
    k = n - 1 if step is None else step.k
    values = matrix(tree, "as given") if step is None else step.after
    figure, left, right = pair()
    path = list(ancestors(lam, k))
    draw_tree(left, lam, {k: AREAS[1]} | {i: AREAS[2] for i in path}, {j: AREAS[2] for j in [k, *path]})
    cells = [(i, j) for i, j in np.argwhere(np.tril(sparsity_pattern(lam))).tolist()]
    colors = {place: area_color(place, k, path) for place in cells}
    texts = {place: f"{values[place]:.2f}" for place in cells}
    framed = {} if step is None else {place: GROUND for place in step.read} | {step.place: INK}
    draw_matrix(right, colors, n, framed, texts)
    return Picture(figure=figure, readout=readout(steps[:number], len(steps), method), note=said(step, method))


def area_color(place: Place, k: int, path: list[int]) -> Any:
    """Return the colour of a cell while row k is eliminated: by its area if touched, grey if done, else pale."""
    i, j = place
    if i > k:
        return to_rgba(GROUND, 0.45)
    if i == k:
        return to_rgba(AREAS[1 if j == k else 2], 0.55)
    return to_rgba(AREAS[3], 0.5) if i in path else to_rgba(GROUND, 0.13)


def readout(done: Sequence[Step], total: int, method: Method) -> list[tuple[str, str]]:
    """Count the operations done so far."""
    area = {a: sum(step.area == a for step in done) for a in AREAS}
    rows = [("elements written", f"{len(done)} of {total}")]
    if method == "ltl":
        rows.append(("area 1, square roots", str(area[1])))
    return [*rows, ("area 2, divisions", str(area[2])), ("area 3, products subtracted", str(area[3]))]


def said(step: Step | None, method: Method) -> str:
    """Describe the step as a formula, with indices from 1."""
    if step is None:
        return "H as it is, its lower triangle. The dots are never looked at, nor is anything above the diagonal."
    (i, j), k = (index + 1 for index in step.place), step.k + 1
    element = f"H{i}{j}"
    if step.area == 1:
        text = f"{element} = √{element}"
    elif step.area == 2:
        text = f"{element} = {element} / H{k}{k}"
    elif method == "ltl":
        text = f"{element} = {element} - H{k}{i} H{k}{j}"
    else:
        text = f"{element} = {element} - a H{k}{j}, a = H{k}{i} / H{k}{k}"
    return f"Row {k}, area {step.area}: {text}."
