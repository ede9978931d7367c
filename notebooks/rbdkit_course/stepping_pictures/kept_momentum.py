"""Momentum of a body that may not twist, in space and in the body: what a method keeps, whatever its step."""

from __future__ import annotations

import warnings
from math import hypot

import numpy as np

from rbdkit.figures.directors import momentum_figure
from rbdkit.library.gebhardt_romero import fixed_point_model
from rbdkit.simulation import Motion, SimulationWarning, simulate
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

METHODS = {
    "energy-momentum": "energy_momentum",
    "Lagrange-d'Alembert": "lagrange_dalembert",
    "RK4": "rk4",
}
UNITS = {"Pi1": "kg m²/s", "Pi2": "kg m²/s", "K": "J"}


def kept_momentum() -> Playground:
    """A free body without twist for a second: its momentum in space and in the body, by three methods."""
    return Playground(
        "What stays, and what does not",
        [
            Slider("J1", "kg m²", 3.0, 7.0, 3.0, "about d1; about d3 it is 5", hard=True),
            Slider("J2", "kg m²", 3.0, 7.0, 4.0, "about d2", hard=True),
            Slider("W1", "rad/s", -20.0, 20.0, 6.0, "spin about d1 at the start", hard=True),
            Slider("W2", "rad/s", -20.0, 20.0, -18.0, "and about d2", hard=True),
            Slider("step", "ms", 1, 30, 5, hard=True, whole=True),
            Slider("method", "", 0, len(METHODS) - 1, 0, choices=tuple(METHODS)),
        ],
        draw,
        tour=[
            (
                "The body of the paper",
                {"J1": 3.0, "J2": 4.0, "W1": 6.0, "W2": -18.0, "step": 5, "method": "energy-momentum"},
                "On the left all three components wander; on the right two lines are straight.",
            ),
            (
                "A step six times as long",
                {"step": 30},
                "The lines on the right stay straight to the last digits: what a method keeps does not ask for its "
                "step.",
            ),
            ("The same by RK4", {"method": "RK4"}, "Now they leave: nothing tells this method what there is to keep."),
            (
                "RK4 by steps of a millisecond",
                {"step": 1},
                "They look straight again. That is accuracy, and it ends with the next longer step.",
            ),
        ],
    )


def run(J1: float, J2: float, W1: float, W2: float, step: float, method: str) -> Motion:
    """Simulate the body for one second, with steps in milliseconds."""
    model = fixed_point_model([[J1, -1 / 7, 0.0], [-1 / 7, J2, 0.0], [0.0, 0.0, 5.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # steps that are too long are what this is about
        motion = simulate(
            model,
            v0=[W1, W2, 0.0],
            duration=1.0,
            dt=1e-3 * step,
            formulation="non_twisting_directors",
            integrator=METHODS[method],
            progress=False,
        )
    assert isinstance(motion, Motion)  # as of every formulation
    return motion


def draw(J1: float, J2: float, W1: float, W2: float, step: float, method: str) -> Picture:
    """Both pictures of the momentum, and how far each invariant wanders."""
    motion = run(J1, J2, W1, W2, step, method)
    spread = {name: float(np.ptp(values)) for name, values in motion.invariants().items()}
    return Picture(
        figure=momentum_figure(motion),
        readout=[
            *((f"{name} spreads by", f"{spread[name]:.1e} {unit}") for name, unit in UNITS.items()),
            ("turn in a step", f"{np.degrees(1e-3 * step * hypot(W1, W2)):.1f}°"),
        ],
        note=(motion.report.stopped if motion.report else "")
        or "One second without a load. Π has its components along the directors.",
    )
