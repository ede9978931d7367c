"""Table of the operations that the types of spatial arithmetic allow, found by trying all pairs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from rbdkit.figures import Plot
from rbdkit.scene import palette
from rbdkit.spatial.compact import fv, mv, plx, rbi, scrz
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.tree_picture import draw_matrix, shade

_I = rbi(2.0, (0.2, 0.0, -0.4), (0.5, 0.0, 0.1, 0.6, 0.0, 0.4))
_X = plx(np.eye(3), (0.1, 0.2, 0.3))
VALUES: dict[str, Any] = {
    "mv": mv((0.0, 0.0, 1.0), (0.5, 0.0, 0.0)),
    "fv": fv((0.0, 2.0, 0.0), (3.0, 0.0, 1.0)),
    "rbi": _I,
    "abi": _I.articulated(),
    "plx": _X,
    "X*": _X.star,
    "scrz": scrz(0.3, 0.2),
}
"""One of each kind; X* is the force transform of a plx."""

OPERATIONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "plus": ("{a} + {b}", operator.add),
    "dot": ("{a} · {b}", lambda a, b: a.dot(b)),
    "cross": ("{a} × {b}", lambda a, b: a.cross(b)),
    "times": ("{a} @ {b}", operator.matmul),
    "apply": ("{a}.apply({b})", lambda a, b: a.apply(b)),
    "assign": ("{a} = {b}", lambda a, b: type(a).of(b) if type(a) is not type(b) else b),
}

COLORS = {"mv": palette.SPATIAL["motion"][1], "fv": palette.SPATIAL["force"][1], "number": palette.SELECTED}


@lru_cache(maxsize=512)
def tried(operation: str, left: str, right: str) -> tuple[str, str]:
    """Try an operation; return the type of the result, or '' and the message of the error."""
    try:
        result = OPERATIONS[operation][1](VALUES[left], VALUES[right])
    except AttributeError as refusal:
        having = [kind for kind, value in VALUES.items() if hasattr(value, str(refusal.name))]
        return "", f"{left} has no {refusal.name}; {', '.join(having)} have one."
    except TypeError as refusal:
        return "", str(refusal)
    return "number" if isinstance(result, float) else type(result).__name__, ""


def type_table() -> Playground:
    """Choose an operation and two kinds; the table says what comes out."""
    kinds = tuple(VALUES)
    return Playground(
        "What goes with what?",
        [
            Slider("operation", "", 0, len(OPERATIONS) - 1, 0, "which is tried", choices=tuple(OPERATIONS)),
            Slider("a", "", 0, len(kinds) - 1, 0, "what stands on the left: a row", choices=kinds),
            Slider("b", "", 0, len(kinds) - 1, 1, "what stands on the right: a column", choices=kinds),
        ],
        draw,
    )


def draw(operation: str, a: str, b: str) -> Picture:
    """All pairs, the chosen one framed, with its result or with the refusal."""
    kinds = tuple(VALUES)
    found = {(i, j): tried(operation, p, q)[0] for i, p in enumerate(kinds) for j, q in enumerate(kinds)}
    allowed = {place: kind for place, kind in found.items() if kind}
    figure = Plot(figsize=(5.0, 5.0))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    ax.set_aspect("equal")
    colors = {place: shade(COLORS.get(kind, palette.INERTIA), 0.5) for place, kind in allowed.items()}
    framed = {(kinds.index(a), kinds.index(b)): palette.SELECTED}
    draw_matrix(ax, colors, len(kinds), framed, allowed, kinds)
    kind, refusal = tried(operation, a, b)
    written = OPERATIONS[operation][0].format(a=a, b=b)
    return Picture(
        figure=figure,
        readout=[
            ("expression", written),
            ("gives", kind or "an error"),
            ("allowed here", f"{len(allowed)} of {len(found)}"),
        ],
        note=refusal or f"{written} is fine, and gives {'a number' if kind == 'number' else kind}.",
    )
