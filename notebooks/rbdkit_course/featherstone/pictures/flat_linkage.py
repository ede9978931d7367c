"""A parallelogram that lies flat: for an instant it has one freedom more, and two ways on."""

from __future__ import annotations

from math import atan2, cos, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops import loop_mobility
from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.library.four_bars import planar_four_bar
from rbdkit.scene.ghost import with_ghost
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

SHORT, LONG = 0.3, 0.5  # m
WAYS = ("parallelogram", "antiparallelogram")


def flat_linkage() -> Playground:
    """Turn the crank by whole degrees; at 0° all bars lie in line."""
    return Playground(
        "Mobility that jumps",
        [
            Slider("crank", "°", -90, 90, 40, "its angle over the base, in whole degrees", hard=True, whole=True),
            Slider("way", "", 0, 1, 0, "which of the two ways the bars are put together", choices=WAYS),
        ],
        draw,
        scene=with_ghost(framed(MODEL, [-0.4, -0.15, -0.4], [0.9, 0.15, 0.45])),
        height=400,
    )


def coordinates(phi: float, way: str) -> NDArray:
    """Return q (3,) with the crank at an angle over the base, rad, counterclockwise; in closed form."""
    top, foot = SHORT * np.array([cos(phi), sin(phi)]), np.array([LONG, 0.0])
    end = top + foot
    if way == WAYS[1]:  # mirrored in the diagonal from the crank's end to the rocker's foot
        along = (foot - top) / np.hypot(*(foot - top))
        end = top + 2.0 * (end - top) @ along * along - (end - top)
    gamma, psi = atan2(*(end - top)[::-1]), atan2(*(end - foot)[::-1])
    q = np.array([pi / 2 - phi, -gamma - (pi / 2 - phi), pi / 2 - psi])  # it stands upright at neutral
    return (q + pi) % (2.0 * pi) - pi


def draw(crank: float, way: str) -> Picture:
    """The linkage, the other way as a ghost, and the singular values of K over the angle."""
    other = WAYS[1 - WAYS.index(way)]
    q = coordinates(radians(crank), way)
    numbers = loop_mobility(MODEL, q)
    ways = [forward_kinematics(MODEL, x).poses for x in (q, coordinates(radians(crank), other))]
    return Picture(
        poses=np.concatenate(ways),
        figure=_figure(crank, way),
        readout=[
            ("counted in the plane, 4 − 3 · 1", str(numbers.counted_in_plane)),
            ("counted in space, 4 − 6 · 1", str(numbers.counted)),
            ("n − r, the truth here", f"{numbers.n} − {numbers.r} = {numbers.mobility}"),
            ("redundant rows of K", f"{numbers.excess} of {numbers.n_c}"),
        ],
        note="Faint: the other way to put the same bars together. Where all bars lie in line both are the same.",
    )


MODEL = planar_four_bar(crank=SHORT, coupler=LONG, base=LONG, rocker=SHORT)


def _figure(crank: float, way: str) -> Plot:
    figure = Plot(figsize=(3.7, 2.3), layout="constrained")
    ax = figure.subplots()
    for name, color in zip(WAYS, (LINES[0], GROUND)):
        ax.plot(ANGLES, _SMALLEST[name], color=color if name == way else f"{GROUND}88", linewidth=1.5, label=name)
    ax.plot(crank, np.interp(crank, ANGLES, _SMALLEST[way]), "o", color=LINES[1])
    ax.set(xlabel="crank (°)", ylabel="second singular\nvalue of K", xticks=(-90, -45, 0, 45, 90), ylim=(0.0, None))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


ANGLES = np.arange(-90.0, 91.0, 3.0)
_SMALLEST = {
    way: [float(loop_mobility(MODEL, coordinates(radians(a), way)).singular_values[1]) for a in ANGLES] for way in WAYS
}
