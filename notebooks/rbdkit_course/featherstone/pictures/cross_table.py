"""The multiplication tables of Fig 2.5: what a unit motion does to a basis vector that is carried along."""

from __future__ import annotations

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.scene import Arrow, palette
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.basis import FORCE_BASIS, MOTION_BASIS, cross_table
from rbdkit.spatial.cross import crf, crm
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.bare_frames import bare_frames

FAINT = "#b9bec7"
WORDS = {"d_O": "turning about", "d_": "sliding along", "e_O": "force along", "e_": "couple about"}


def carried(u: str, b: str, time: float) -> tuple[NDArray, NDArray]:
    """Carry a basis vector b along by the unit motion u; return it after `time`, and its initial rate, (6,) each."""
    i = MOTION_BASIS.index(u)
    motion = b in MOTION_BASIS
    vector = np.eye(6)[(MOTION_BASIS if motion else FORCE_BASIS).index(b)]
    there = plucker.inverse(plucker.from_pose(se3.exp(time * np.eye(6)[i])))
    moved = (there if motion else plucker.force(there)) @ vector
    return moved, (crm if motion else crf)(np.eye(6)[i]) @ vector


def crossing() -> Playground:
    """Choose a motion u and a vector b; carry b along; read the product off the table."""
    return Playground(
        "How b changes when u carries it",
        [
            Slider("u", "", 0, 5, 4, "the unit motion that carries", choices=MOTION_BASIS),
            Slider("b", "", 0, 11, 0, "the vector that is carried", choices=(*MOTION_BASIS, *FORCE_BASIS)),
            Slider("time", "s", 0.0, 1.0, 0.5, hard=True),
        ],
        _draw,
        scene=bare_frames("basis vectors", ("O",), length=0.3, reach=0.65),
        height=420,
        tour=[
            (
                "Carry an axis aside",
                {"u": "d_y", "b": "d_Ox", "time": 1.0},
                "It turns about the same direction, elsewhere: what is new is a slide, downward.",
            ),
            ("Carry a slide aside", {"b": "d_x"}, "Nothing happens to it: a slide has no place, and the table says 0."),
            ("Turn the slide instead", {"u": "d_Oz"}, "Now it leans over, toward y."),
            (
                "Carry a force aside",
                {"u": "d_y", "b": "e_Ox"},
                "It has a moment about O now: what is new is a couple, about −z.",
            ),
        ],
    )


def _draw(u: str, b: str, time: float) -> Picture:
    motion = b in MOTION_BASIS
    names = MOTION_BASIS if motion else FORCE_BASIS
    table = cross_table("motion" if motion else "force")
    row, column = MOTION_BASIS.index(u), names.index(b)
    moved, rate = carried(u, b, time)
    start, _ = carried(u, b, 0.0)
    color = palette.SPATIAL["motion" if motion else "force"]
    arrows = [*_drawn(start, motion, (FAINT, FAINT), "b"), *_drawn(moved, motion, color, "b moved")]
    product = table[row][column]
    return Picture(
        arrows=[*arrows, *_drawn(np.eye(6)[row], True, (palette.SELECTED, palette.SELECTED), "u", 0.5)],
        figure=_table(table, names, row, column),
        readout=[
            ("u", f"{u}: {_words(u)}"),
            ("b", f"{b}: {_words(b)}"),
            ("u × b" if motion else "u ×* b", product if product == "0" else f"{product}: {_words(product)}"),
            ("b moved", "\n".join("  ".join(f"{x:+.2f}" for x in half + 0.0) for half in (moved[:3], moved[3:]))),
            ("its rate at 0", "  ".join(f"{x:+.0f}" for x in rate + 0.0)),
        ],
        note="Yellow is u, grey is b at the start, coloured is b after a while; two heads turn, one head slides.",
    )


def _drawn(vector: NDArray, motion: bool, colors: tuple[str, str], name: str, size: float = 0.8) -> list[Arrow]:
    """Draw the line-vector part as an arrow on its line, and the free-vector part as one at the origin."""
    line, free = (vector[:3], vector[3:]) if motion else (vector[3:], vector[:3])
    arrows = []
    rest = free
    if line.any():
        at = np.cross(line, free) / (line @ line)
        rest = line * (line @ free) / (line @ line)  # what the line vector does not explain
        kind = "turning" if motion else "straight"
        arrows.append(Arrow(0, tuple(at), tuple(size * line), colors[0] if motion else colors[1], kind, name))  # type: ignore[arg-type]
    if np.linalg.norm(rest) > 1e-9:
        kind = "straight" if motion else "turning"
        arrows.append(Arrow(0, (0.0, 0.0, 0.0), tuple(size * rest), colors[1] if motion else colors[0], kind, name))  # type: ignore[arg-type]
    return arrows


def _words(name: str) -> str:
    bare, sign = name.lstrip("-"), "backward, " if name.startswith("-") else ""
    stem = bare[:-1]
    return f"{sign}{WORDS[stem]} {bare[-1]}"


def _table(table: list[list[str]], names: tuple[str, ...], row: int, column: int) -> Plot:
    figure = Plot(figsize=(4.6, 3.0))
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    ax.set(xlim=(-1, 6), ylim=(6, -1))
    ax.axis("off")
    ax.add_patch(Rectangle((column, row), 1, 1, color=palette.SELECTED, alpha=0.8, linewidth=0))
    for k in range(6):
        ax.text(-0.5, k + 0.5, _math(MOTION_BASIS[k]), ha="center", va="center", fontsize=10, weight="bold")
        ax.text(k + 0.5, -0.5, _math(names[k]), ha="center", va="center", fontsize=10, weight="bold")
        for j in range(6):
            weight = 0.35 if table[k][j] == "0" else 1.0
            ax.text(j + 0.5, k + 0.5, _math(table[k][j]), ha="center", va="center", fontsize=10, alpha=weight)
    ax.plot([-1, 6], [0, 0], color="black", linewidth=0.8)
    ax.plot([0, 0], [-1, 6], color="black", linewidth=0.8)
    return figure


def _math(name: str) -> str:
    if name == "0":
        return "0"
    sign, bare = ("−", name[1:]) if name.startswith("-") else ("", name)
    return f"{sign}{bare.replace('_', '')}"
