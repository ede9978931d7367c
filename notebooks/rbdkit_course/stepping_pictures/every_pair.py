"""Three machines in any formulation by any integrator: what it keeps, and how far it is off."""

from __future__ import annotations

import numpy as np

from rbdkit.figures import Plot
from rbdkit.formulations import FORMULATIONS
from rbdkit.integrators import INTEGRATORS
from rbdkit.scene.palette import ENERGY, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.one_table import MACHINES, run, truth

OFFERED = tuple(
    name for name in FORMULATIONS if "non_twisting" not in name and name not in ("local_velocity", "quaternion")
)
"""Formulations that accept at least one of the mechanisms."""


def every_pair() -> Playground:
    """A machine, a formulation, an integrator and a step: energy, joints and poses of what comes of it."""
    methods = tuple(INTEGRATORS)
    return Playground(
        "Any formulation by any method",
        [
            Slider("machine", "", 0, len(MACHINES) - 1, 0, choices=tuple(MACHINES)),
            Slider("formulation", "", 0, len(OFFERED) - 1, OFFERED.index("so3xr3"), choices=OFFERED),
            Slider("integrator", "", 0, len(methods) - 1, methods.index("rk4"), choices=methods),
            Slider("step", "ms", 0.2, 10.0, 1.0, hard=True, log=True),
        ],
        draw,
        tour=[
            (
                "A top in two accounts",
                {"machine": "heavy top", "formulation": "so3xr3", "integrator": "rk4", "step": 1.0},
                "Off by a tenth of a millimetre, energy drifts by half a joule, the pivot opens.",
            ),
            ("The same by screws", {"formulation": "se3"}, "Now the pivot is closed to round-off, and all is better."),
            (
                "A method that keeps energy",
                {"formulation": "directors", "integrator": "energy_momentum"},
                "The energy stands still to round-off; but look how far the poses are off. To keep is not to be right.",
            ),
            (
                "A closed loop",
                {"machine": "four-bar", "formulation": "se3", "integrator": "rk4", "step": 2.0},
                "No formulation has a loop for nothing: here it opens, slowly.",
            ),
            ("Put back after each step", {"integrator": "rk4_projected"}, "Closed to round-off."),
            (
                "What does not exist",
                {"integrator": "variational"},
                "Not every method can step every formulation. It says what it needs.",
            ),
        ],
    )


def draw(machine: str, formulation: str, integrator: str, step: float) -> Picture:
    """Energy and gaps over time, and the error at the end."""
    motion = run(machine, formulation, integrator, 1e-3 * step)
    total = motion.energy().total
    gap = np.abs(motion.constraint_error()).reshape(len(motion.t), -1).max(axis=1, initial=0.0)
    figure = Plot(figsize=(8.4, 2.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(motion.t, total - total[0], color=ENERGY["total"], linewidth=1.0)
    right.plot(motion.t, gap, color=LINES[3], linewidth=1.0)
    for ax, label in ((left, "energy drift (J)"), (right, "joints open by (m)")):
        ax.set(xlabel="t (s)", ylabel=label)
        ax.grid(alpha=0.3)
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
        ax.spines[["top", "right"]].set_visible(False)
    stopped = motion.report.stopped if motion.report else ""
    off = np.abs(motion.poses()[-1] - truth(machine).poses()[-1]).max()
    return Picture(
        figure=figure,
        readout=[
            ("poses at the end are off by", "–" if stopped else f"{off:.0e}"),
            ("energy drifts by", f"{np.abs(total - total[0]).max():.0e} J"),
            ("joints open by", f"{gap.max():.0e} m"),
        ],
        note=stopped or "Look at the scales: each diagram has its own.",
    )
