"""Move the origin away from a body and watch the digits go: Figs 10.1 and 10.2."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from rbdkit.accuracy import PlanarBody, far_frame_errors, planar_acceleration
from rbdkit.figures import Plot
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.powers_of_ten import log_x, log_y

DISTANCES = np.geomspace(1e-2, 1e4, 37)
DIRECTION = np.array([100.0, 10.0]) / np.hypot(100.0, 10.0)
"""Direction of the book's c."""
PRECISIONS = {"double": np.float64, "single": np.float32}
COMPONENTS = ("angular acceleration", "x acceleration of C", "y acceleration of C")


def far_frame() -> Playground:
    """Distance of the origin and speed of the body; a bar for each component says how many digits are left."""
    return Playground(
        "Seen from afar",
        [
            Slider("distance", "m", DISTANCES[0], DISTANCES[-1], 100.5, "from the origin to C", hard=True, log=True),
            Slider("speed", "m/s", 1e-2, 1e4, 1e-2, "of the centre of mass", hard=True, log=True),
            Slider("precision", "", 0, 1, 0, "of the arithmetic", choices=tuple(PRECISIONS)),
        ],
        draw,
        tour=[
            ("Sit on the body", {"distance": 0.01, "speed": 0.01, "precision": "double"}, "All digits are there."),
            ("A hundred metres away", {"distance": 100.0}, "Beyond a metre a factor of ten costs two digits: slope 2."),
            ("The other end of the valley", {"distance": 1e4}, "Half of them are gone, for a body that is the same."),
            ("In single precision", {"precision": "single"}, "Nothing is left; the answer is noise."),
            ("And near by", {"distance": 0.1}, "Single precision is good enough, if one measures from the body."),
        ],
    )


def draw(distance: float, speed: float, precision: str) -> Picture:
    """The curve of Fig 10.2 with the present place on it, and the digits that are left there."""
    velocity = speed * np.array([0.6, 0.8])
    body = planar_acceleration(distance * DIRECTION, velocity, PRECISIONS[precision])
    digits = digits_left(body)
    figure = Plot(figsize=(7.6, 3.3))
    left, right = figure.add_axes((0.1, 0.16, 0.46, 0.8)), figure.add_axes((0.62, 0.16, 0.36, 0.8))
    _curves(left, precision, speed, distance, float(np.abs(body.error).max()))
    _bars(right, digits, PRECISIONS[precision])
    return Picture(
        figure=figure,
        readout=[
            ("condition of I_O", f"{body.condition:.3g}"),
            *((name, f"off by {abs(error):.1e}") for name, error in zip(COMPONENTS, body.error, strict=True)),
        ],
        note="The body is the same everywhere, and so is the force on it. Only the point moves that everything is "
        "measured from.",
    )


def digits_left(body: PlanarBody) -> NDArray:
    """Return the correct digits (3,) of the components at C, from 0 to the 17 that a double can show."""
    scale = np.maximum(np.abs([1.0, *body.exact[1:]]), 1.0)
    return np.clip(-np.log10(np.maximum(np.abs(body.error) / scale, 1e-17)), 0.0, 17.0)


@lru_cache(maxsize=64)
def _errors(precision: str, speed: float) -> NDArray:
    velocity = speed * np.array([0.6, 0.8])
    return far_frame_errors(DISTANCES, PRECISIONS[precision], directions=4, velocity=velocity)


def _curves(ax: Axes, precision: str, speed: float, distance: float, error: float) -> None:
    still = 1e-2
    for name, color in zip(PRECISIONS, LINES, strict=False):
        ax.plot(DISTANCES, _errors(name, still), color=color, linewidth=1.6, alpha=1.0 if name == precision else 0.35)
        ax.annotate(
            name, (DISTANCES[0], _errors(name, still)[0]), xytext=(2, 9), textcoords="offset points", fontsize=9
        )
    if speed > 2.0 * still:
        ax.plot(DISTANCES, _errors(precision, float(f"{speed:.2g}")), color=LINES[3], linewidth=1.2, linestyle="--")
    ax.plot([10.0, 1e3], [1e-18 * 100.0, 1e-18 * 1e6], color=GROUND, linewidth=1.0)
    ax.annotate("slope 2", (1e2, 1e-14), xytext=(6, -12), textcoords="offset points", fontsize=9)
    ax.plot([distance], [max(error, 1e-17)], "o", color=LINES[1], markersize=8)
    log_x(ax, range(-2, 5))
    log_y(ax, range(-16, 3, 3))
    ax.set(xlabel="|c| (m)", ylabel="error seen at C", ylim=(1e-17, 1e2))
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)


def _bars(ax: Axes, digits: NDArray, precision: type) -> None:
    full = -np.log10(np.finfo(precision).eps)
    ax.barh(range(3), [full] * 3, 0.5, color=GROUND, alpha=0.25)
    ax.barh(range(3), np.minimum(digits, full), 0.5, color=LINES[0])
    for k, (name, left) in enumerate(zip(COMPONENTS, digits, strict=True)):
        ax.text(0.0, k - 0.33, f"{name}: {min(left, full):.0f} digits", fontsize=9, va="bottom")
    ax.set(xlim=(0.0, 16.5), xlabel="correct digits", ylim=(2.6, -0.75), yticks=[])
    ax.spines[["top", "right", "left"]].set_visible(False)
