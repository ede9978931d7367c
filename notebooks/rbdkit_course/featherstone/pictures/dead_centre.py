"""A four-bar that is dragged through its dead centre: the loop follows, and its two ways to close meet and part."""

from __future__ import annotations

from math import atan2, cos, degrees, pi, radians, remainder, sin

import numpy as np
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.scene import Arrow, triple
from rbdkit.scene.ghost import with_ghost
from rbdkit.scene.palette import FORCE, GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.four_bar import (
    BASE,
    CRANK,
    MODEL,
    ROCKER,
    closed,
    crank_angle,
    dead_centres,
    rocker_angle,
    same_rocker,
    speed_ratio,
)
from rbdkit_course.featherstone.pictures.framing import framed

MOTORS = ("rocker", "crank")
LONGEST = 0.4  # m of arrow
SCALE = 0.06  # m of arrow for 1 N
FEET = {"crank": np.zeros(3), "rocker": np.array([BASE, 0.0, 0.0])}


def dead_centre() -> Playground:
    """Drag the end of the crank all the way round."""
    return Playground(
        "Through the dead centre",
        [
            Slider("crank", "°", -180.0, 180.0, 70.0, "its angle over the base; or drag its end", hard=True),
            Slider("motor at", "", 0, 1, 0, "which bar is held; the ghost is the other way to close", choices=MOTORS),
        ],
        draw,
        scene=with_ghost(framed(MODEL, [-0.3, -0.15, -0.35], [0.65, 0.15, 0.5])),
        height=430,
        on_drag=dragged,
        tour=[
            (
                "A motor at the rocker",
                {"crank": 70.0, "motor at": "rocker"},
                "The ghost is the other way to close the loop with the rocker where it is.",
            ),
            (
                "Toward the dead centre",
                {"crank": 32.0},
                "Both ways to close come together, and what the motor can hold at the crank shrinks.",
            ),
            (
                "Dead",
                {"crank": 28.955},
                "Crank and coupler lie in line: whatever the motor does, it holds nothing at the crank.",
            ),
            (
                "The motor at the crank",
                {"motor at": "crank"},
                "In the same place the least torque holds any load at the rocker: a press works so.",
            ),
        ],
    )


def draw(crank: float, motor_at: str) -> Picture:
    """The linkage at an angle of its crank (degrees), and its other assembly mode with the motor's bar held."""
    phi = radians(crank)
    q = closed(phi)
    other = closed(phi, crossed=True) if motor_at == "crank" else same_rocker(q)
    at, beside = (forward_kinematics(MODEL, x).poses for x in (q, other))
    ratio = speed_ratio(q)
    passed = ratio if motor_at == "rocker" else 1.0 / ratio if ratio else np.inf
    held = f"{abs(passed):.2f} N m" if abs(passed) < 1e3 else "any torque"
    handle = np.eye(4)
    handle[:3, 3] = CRANK * cos(phi), 0.0, CRANK * sin(phi)
    far = "crank" if motor_at == "rocker" else "rocker"
    return Picture(
        poses=np.concatenate([at, beside]),
        arrows=[_push(motor_at, q, 1.0, FORCE), _push(far, q, -passed, LINES[4])],
        figure=_figure(phi, q, other, motor_at),
        readout=[
            ("rocker", f"{degrees(rocker_angle(q)):.1f}°"),
            ("rocker : crank, speeds", f"{ratio:+.3f}"),
            (f"1 N m at the {motor_at} holds", f"{held} at the {far}"),
            ("between the two ways to close", f"{degrees(apart(q, other, motor_at)):.0f}°"),
        ],
        note="Pink: the push of the motor, at the end of its bar. Violet: the push that it can hold at the other one. "
        "Faint: the same bars put together the other way, with the motor's bar where it is.",
        handle=handle,
    )


def dragged(pose: NDArray) -> dict[str, float]:
    """Return the angle of the crank for a handle at a pose."""
    x, _, z = pose[:3, 3]
    return {} if np.hypot(x, z) < 1e-6 else {"crank": degrees(atan2(z, x))}


def apart(q: NDArray, other: NDArray, motor_at: str) -> float:
    """Return the angle between the free shafts of two assembly modes, rad."""
    free = crank_angle if motor_at == "rocker" else rocker_angle
    return abs(remainder(free(q) - free(other), 2.0 * pi))


def _push(bar: str, q: NDArray, torque: float, color: str) -> Arrow:
    """Draw the force across the end of a bar that has this torque about its foot, counterclockwise."""
    angle, length = (crank_angle(q), CRANK) if bar == "crank" else (rocker_angle(q), ROCKER)
    end = FEET[bar] + length * np.array([cos(angle), 0.0, sin(angle)])
    across = np.array([-sin(angle), 0.0, cos(angle)])
    size = float(np.clip(SCALE * torque / length, -LONGEST, LONGEST))
    return Arrow(0, triple(end), triple(size * across), color)


def _figure(phi: float, q: NDArray, other: NDArray, motor_at: str) -> Plot:
    figure = Plot(figsize=(3.7, 2.7), layout="constrained")
    ax = figure.subplots()
    angles = np.linspace(-pi, pi, 181)
    for crossed, color in ((False, LINES[0]), (True, GROUND)):
        curve = np.array([rocker_angle(closed(a, crossed)) for a in angles])
        curve[:-1][np.abs(np.diff(curve)) > pi] = np.nan  # where it leaves at the bottom to come in at the top
        ax.plot(np.degrees(angles), np.degrees(curve), color=color, linewidth=1.6)
    centres = dead_centres()
    ax.plot(
        np.degrees(centres), np.degrees([rocker_angle(closed(c)) for c in centres]), "|", color="black", markersize=12
    )
    if motor_at == "rocker":
        ax.axhline(degrees(rocker_angle(q)), color=FORCE, linewidth=0.9, linestyle="--")
    else:
        ax.axvline(degrees(phi), color=FORCE, linewidth=0.9, linestyle="--")
    ax.plot(degrees(crank_angle(other)), degrees(rocker_angle(other)), "o", color="white", markeredgecolor=FORCE)
    ax.plot(degrees(crank_angle(q)), degrees(rocker_angle(q)), "o", color=FORCE)
    ax.set(xlabel="crank (°)", ylabel="rocker (°)", xticks=(-180, -90, 0, 90, 180), xlim=(-185, 185))
    ax.set(yticks=(-180, -90, 0, 90, 180), ylim=(-185, 185))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
