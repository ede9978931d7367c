"""Yaw, pitch and roll of an aircraft, its three axes of rotation, and the singularity of the joint at gimbal lock."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import crba
from rbdkit.errors import StateError
from rbdkit.figures import Plot
from rbdkit.joints import EulerSpherical, JointType, Spherical
from rbdkit.model import Box, Capsule, Geometry, Model
from rbdkit.scene import Arrow, palette
from rbdkit.spatial import euler, quaternion, se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

PITCHES = np.arctan(np.sinh(np.linspace(-5.5, 5.5, 81)))  # dense near the lock
REACH = 0.75
"""Length of the arrows, m."""

COLORS = {"yaw": palette.AXES[2], "pitch": palette.AXES[1], "roll": palette.AXES[0]}


def aircraft(joint: JointType) -> Model:
    """Build a body with wings on a ball joint at its centre."""
    model = Model("aircraft", gravity=(0.0, 0.0, 0.0))
    model.add_body("pole", geometry=Geometry(Capsule(0.008, 2.0 * REACH)))
    parts = [
        Geometry(Box(size), se3.pose(position=np.array(at)))
        for size, at in (
            ((0.8, 0.09, 0.09), (-0.05, 0.0, 0.0)),
            ((0.2, 0.9, 0.02), (0.05, 0.0, 0.0)),
            ((0.12, 0.34, 0.02), (-0.39, 0.0, 0.0)),
            ((0.12, 0.02, 0.2), (-0.39, 0.0, 0.13)),
        )
    ]
    model.add_body("aircraft", "pole", joint, None, Inertia.box([0.8, 0.9, 0.2], mass=1.0), parts)
    return model


def gimbal_lock() -> Playground:
    """Sliders for the three angles; the condition of the inertia matrix in angles and in quaternion coordinates."""
    sliders = [
        Slider("yaw", "rad", -3.14, 3.14, 0.4, "about the fixed z axis, first"),
        Slider("pitch", "rad", -1.5707, 1.5707, 0.5, "about y as it then stands; lock at a quarter turn", hard=True),
        Slider("roll", "rad", -3.14, 3.14, 0.2, "about x as it then stands"),
    ]
    return Playground("Yaw, pitch, roll", sliders, draw, aircraft(EulerSpherical()), height=420)


def conditions(q: NDArray) -> tuple[float, float]:
    """Return the condition number of H in yaw, pitch and roll, and in quaternion coordinates."""
    p = quaternion.from_matrix(euler.to_matrix(q))
    angles, balls = _models()
    return float(np.linalg.cond(crba(angles, q).H)), float(np.linalg.cond(crba(balls, p).H))


def draw(yaw: float, pitch: float, roll: float) -> Picture:
    """The aircraft with the axis of each angle, and the two condition numbers over pitch."""
    q = np.array([yaw, pitch, roll])
    turn = euler.to_matrix(np.array([yaw, 0.0, 0.0]))
    directions = {"yaw": np.array([0.0, 0.0, 1.0]), "pitch": turn[:, 1], "roll": euler.to_matrix(q)[:, 0]}
    arrows = [
        *_axis(directions["yaw"], "yaw", 0.0),
        *_axis(directions["pitch"], "pitch", -1.0),  # both ways, as one end hides in a wing
        *_axis(directions["roll"], "roll", 0.0),
    ]
    in_angles, in_quaternions = conditions(q)
    try:
        rates = "  ".join(f"{rate:+.2f}" for rate in euler.rates(q, np.array([0.0, 0.0, 1.0])))
    except StateError:
        rates = "infinite"
    between = np.degrees(np.arccos(np.clip(abs(directions["yaw"] @ directions["roll"]), 0.0, 1.0)))
    readout = [
        ("yaw and roll axes apart", f"{between:.2f}°"),
        ("1 / cond S (lock at 0)", f"{float(euler.conditioning(q)):.4f}"),
        ("cond H, angles", f"{in_angles:.3g}"),
        ("cond H, quaternion", f"{in_quaternions:.3g}"),
        ("q̇ for 1 rad/s about its z", rates),
    ]
    note = "Blue is the axis of yaw, green that of pitch, red that of roll. At a quarter turn of pitch blue meets red."
    return Picture(q=q, arrows=arrows, figure=_figure(pitch, in_angles), readout=readout, note=note)


def _axis(direction: NDArray, name: str, start: float) -> list[Arrow]:
    """Draw an arrow along an axis of rotation, from `start` along it to its end."""
    tail, shaft = REACH * start * direction, REACH * (1.0 - start) * direction
    return [Arrow(0, tuple(map(float, tail)), tuple(map(float, shaft)), COLORS[name], "turning")]  # type: ignore[arg-type]


@lru_cache
def _models() -> tuple[Model, Model]:
    return aircraft(EulerSpherical()), aircraft(Spherical())


@lru_cache
def _curves() -> tuple[NDArray, NDArray]:
    found = np.array([conditions(np.array([0.0, pitch, 0.0])) for pitch in PITCHES])
    return found[:, 0], found[:, 1]


def _figure(pitch: float, here: float) -> Plot:
    in_angles, in_quaternions = _curves()
    figure = Plot(figsize=(4.4, 2.7))
    ax = figure.add_axes((0.16, 0.19, 0.81, 0.77))
    ax.semilogy(np.degrees(PITCHES), in_angles, color=palette.LINES[1], label="angles")
    ax.semilogy(np.degrees(PITCHES), in_quaternions, color=palette.LINES[0], label="quaternion")
    ax.plot(np.degrees(pitch), here, "o", color=palette.LINES[1])
    ax.set(xlabel="pitch (°)", ylabel="condition of H", xticks=[-90, -45, 0, 45, 90], ylim=(1, 3e5))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, loc="upper center")
    return figure
