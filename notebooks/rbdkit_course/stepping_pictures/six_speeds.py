"""Six speeds of six points, and the one motion of a body that they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.figures import draw_projection
from rbdkit.formulations.local_velocity import Projection
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

CUBE = Projection.hexahedral(1.0, 1.0, 1.0)
START = (0.7, 0.7, 0.0, 0.0, 0.3, -0.3)
ZERO = {f"w{k}": 0.0 for k in range(1, 7)}


def six_speeds() -> Playground:
    """A speed for each of six points of a cube, along its direction: what does the body do?"""
    return Playground(
        "Six speeds make a motion",
        [Slider(f"w{k}", "m/s", -1.0, 1.0, w, f"speed of point {k} along its line") for k, w in enumerate(START, 1)],
        draw,
        tour=[
            ("Points 1 and 2 alike", ZERO | {"w1": 0.7, "w2": 0.7}, "A turn about e3, and nothing else."),
            ("One against the other", {"w2": -0.7}, "Their lines are opposite, so both go along e1: the body slides."),
            (
                "All three pairs so",
                {"w3": 0.7, "w4": -0.7, "w5": 0.7, "w6": -0.7},
                "It slides along a diagonal of the cube and does not turn.",
            ),
            ("All six alike", {f"w{k}": 0.7 for k in range(1, 7)}, "And now it turns about that diagonal."),
        ],
    )


def motion(w: tuple[float, ...]) -> tuple[NDArray, NDArray]:
    """Return U (3,), m/s, and Omega (3,), rad/s, for the six speeds."""
    v_L = np.linalg.solve(CUBE.D, w)
    return v_L[:3], v_L[3:]


def draw(*w: float) -> Picture:
    """The points with their velocities, and the motion that it is."""
    slide, turn = motion(w)
    return Picture(
        figure=draw_projection(CUBE, w, width=4.5),
        readout=[
            ("U, of the centre", f"{_three(slide)} m/s"),
            ("Ω", f"{_three(turn)} rad/s"),
        ],
        note="Purple: velocities of the six points. The others are their directions; speeds are measured along them.",
    )


def _three(x: NDArray) -> str:
    return "  ".join(f"{value:+.2f}" for value in np.round(x, 2) + 0.0)
