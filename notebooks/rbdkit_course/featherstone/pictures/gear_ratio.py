"""A geared arm: turn the ratio up and see what the rotors do to H, and what the short cut leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.gears import geared_equation, without_rotors
from rbdkit.figures import Plot
from rbdkit.functions import crba
from rbdkit.library.geared import geared_arm
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.tree_picture import shade


@dataclass(frozen=True)
class Inertias:
    """H of the arm (2, 2) in three ways, and q of all joints.

    full : with four bodies. quick : rotors as joint armature. none : as if the rotors did not turn.
    """

    full: NDArray
    quick: NDArray
    none: NDArray
    q: NDArray


def gear_ratio() -> Playground:
    """Two links, two motors: the rotors turn rho times as far as the links."""
    return Playground(
        "What a gear makes of a rotor",
        [
            Slider("ratio", "", 1.0, 300.0, 100.0, "turns of a rotor for one of its joint", hard=True, log=True),
            Slider("rotor", "", 0.1, 10.0, 1.0, "size of the rotors; 1 is 0.2 kg, 1e-5 kg m²", hard=True, log=True),
            Slider("shoulder", "rad", -3.14, 3.14, 0.4),
            Slider("elbow", "rad", -3.14, 3.14, 0.9),
        ],
        draw,
        scene=geared_arm().model,
        height=420,
        tour=[
            ("No gear", {"ratio": 1.0, "rotor": 1.0}, "A rotor of 0.2 kg, and nobody feels that it turns."),
            (
                "A hundred to one",
                {"ratio": 100.0},
                "Its part has grown ten thousand times: more than a third of what the elbow accelerates.",
            ),
            ("Twice that", {"ratio": 200.0}, "Four times as much again, and now it is most of it."),
            ("Twice the rotor instead", {"ratio": 100.0, "rotor": 2.0}, "Only twice: the ratio counts by its square."),
        ],
    )


def inertias(ratio: float, rotor: float, shoulder: float, elbow: float) -> Inertias:
    """Compute H in the three ways."""
    gears, y = geared_arm(ratio, ratio, rotor), np.array([shoulder, elbow])
    quick = without_rotors(gears)
    locked = quick.with_parameters({"shoulder.armature": 0.0, "elbow.armature": 0.0})
    e = geared_equation(gears, y, np.zeros(2))
    return Inertias(e.H_y, np.asarray(crba(quick, y)), np.asarray(crba(locked, y)), e.q)


def draw(ratio: float, rotor: float, shoulder: float, elbow: float) -> Picture:
    """The arm with its rotors turned, and the three matrices."""
    H = inertias(ratio, rotor, shoulder, elbow)
    share = (H.full - H.none)[1, 1] / H.full[1, 1]
    lost = (H.full - H.quick)[0, 1]
    return Picture(
        q=H.q,
        figure=matrices(H),
        readout=[
            ("a rotor alone", f"{1e-5 * rotor:.1e} kg m²"),
            ("seen through the gear, ρ² I", f"{1e-5 * rotor * ratio**2:.4f} kg m²"),
            ("its part of the elbow's inertia", f"{100 * share:.1f} %"),
            ("the quick way leaves out, ρ I", f"{lost:.1e} kg m²"),
        ],
        note="The quick way adds ρ² I to the diagonal and forgets the rest: one part in ρ of what it adds.",
    )


def matrices(H: Inertias) -> Plot:
    """Draw three 2 x 2 matrices; darker cells have more inertia."""
    figure = Plot(figsize=(3.6, 1.75))
    shown = {"all four bodies": H.full, "the quick way": H.quick, "rotors locked": H.none}
    largest = max(float(np.abs(M).max()) for M in shown.values())
    for k, (title, M) in enumerate(shown.items()):
        ax = figure.add_axes((0.01 + 0.335 * k, 0.02, 0.31, 0.78))
        ax.set_axis_off()
        ax.set_xlim(0, 2)
        ax.set_ylim(2, 0)
        ax.set_title(title, fontsize=8, pad=4)
        for i in range(2):
            for j in range(2):
                ax.fill([j + 0.03, j + 0.97, j + 0.97, j + 0.03], [i + 0.03, i + 0.03, i + 0.97, i + 0.97],
                        color=shade(LINES[0], 0.7 * abs(M[i, j]) / largest))  # fmt: skip
                ax.text(j + 0.5, i + 0.5, f"{M[i, j]:.3f}", ha="center", va="center", fontsize=7.5)
    return figure
