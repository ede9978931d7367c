"""A double pendulum and the straight line that stands for it: how far from a pose is a linear model any good?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.derivatives import aba_derivatives
from rbdkit.figures import Plot
from rbdkit.functions import aba
from rbdkit.library import double_pendulum
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

MODEL = double_pendulum()
REACH = np.linspace(-1.5, 1.5, 121)
"""Deviations of the elbow from the pose, for the curve, rad."""


def tangent_of_dynamics() -> Playground:
    """The elbow's acceleration over its angle, and the tangent at the pose where the slope was taken."""
    return Playground(
        "A curve, and the straight line that stands for it",
        [
            Slider("shoulder", "rad", -3.14, 3.14, 0.6, hard=True),
            Slider("elbow", "rad", -3.14, 3.14, 0.9, "where the slope is taken", hard=True),
            Slider("away", "rad", -1.5, 1.5, 0.4, "how far from there the elbow is bent", hard=True),
            Slider("spin", "rad/s", -6.0, 6.0, 2.0, "of the shoulder"),
        ],
        draw,
        scene=MODEL,
        height=400,
        tour=[
            (
                "Bend away by a tenth",
                {"away": 0.1},
                "Curve and line cannot be told apart: that is what a derivative is.",
            ),
            ("Bend far away", {"away": 1.4}, "Now the line has gone its own way; it knows nothing of curves."),
            ("Stop the shoulder", {"spin": 0.0}, "What was left is gravity's part of the slope alone."),
        ],
    )


def accelerations(shoulder: float, elbow: NDArray, spin: float) -> NDArray:
    """Return the elbow's acceleration, rad/s², for each of its angles (n,), without torque."""
    q = np.stack([np.full_like(elbow, shoulder), elbow], axis=-1)
    v = np.broadcast_to([spin, 0.0], q.shape)
    return np.asarray(aba(MODEL, q, v, np.zeros_like(q)))[:, 1]


def slope(shoulder: float, elbow: float, spin: float) -> float:
    """Return the slope of the curve at the pose, 1/s²: the derivative of the elbow's acceleration by its angle."""
    return float(aba_derivatives(MODEL, [shoulder, elbow], [spin, 0.0], [0.0, 0.0]).da_dq[1, 1])


def draw(shoulder: float, elbow: float, away: float, spin: float) -> Picture:
    """The bent pendulum, the curve and its tangent."""
    here, there = accelerations(shoulder, np.array([elbow, elbow + away]), spin)
    steep = slope(shoulder, elbow, spin)
    line = here + steep * away
    figure = Plot(figsize=(4.4, 3.0), layout="constrained")
    ax = figure.subplots()
    ax.plot(elbow + REACH, accelerations(shoulder, elbow + REACH, spin), color=LINES[0], label="the machine")
    ax.plot(elbow + REACH, here + steep * REACH, "--", color=LINES[1], label="the straight line")
    ax.plot([elbow, elbow + away, elbow + away], [here, there, line], "o", color=LINES[2], markersize=4)
    ax.set_xlabel("angle of the elbow (rad)")
    ax.set_ylabel("its acceleration (rad/s²)")
    ax.legend(fontsize=8, frameon=False)
    ax.grid(alpha=0.3)
    return Picture(
        q=np.array([shoulder, elbow + away]),
        figure=figure,
        readout=[
            ("slope, ∂a₂/∂q₂", f"{steep:.2f} 1/s²"),
            ("the machine accelerates by", f"{there:.2f} rad/s²"),
            ("the line says", f"{line:.2f} rad/s²"),
        ],
        note=f"{abs(away):.2f} rad from where the slope was taken the line is off by {abs(there - line):.3f} rad/s².",
    )
