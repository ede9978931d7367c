"""Gears to turn by hand: elliptical wheels, whose ratio changes, and a differential, which has two inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.gears import Gears
from rbdkit.figures import Plot
from rbdkit.library.geared import differential, elliptic_gears
from rbdkit.scene import Arrow
from rbdkit.scene.palette import LINES, SPATIAL
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

ECCENTRICITY, AXLE = 0.5, 0.1
WHEELS = elliptic_gears(ECCENTRICITY, AXLE)
DRIVE = differential()


def elliptic_wheels() -> Playground:
    """Turn the first wheel, and see the second hurry and dawdle."""
    return Playground(
        "A gear that is not linear",
        [
            Slider("y", "rad", -6.28, 6.28, 0.8, "angle of the first wheel"),
            Slider("rate", "rad/s", -5.0, 5.0, 2.0, "of the first wheel, kept constant"),
        ],
        draw_wheels,
        scene=WHEELS.model,
        height=360,
    )


def draw_wheels(y: float, rate: float) -> Picture:
    """Both wheels, where they touch, and G and g as they depend on y."""
    G, g = WHEELS.G([y])[1, 0], WHEELS.g([y], [rate])[1]
    touch = AXLE * (1.0 - ECCENTRICITY**2) / (1.0 + ECCENTRICITY * np.cos(y))
    speed = 0.08 * rate * touch / AXLE
    return Picture(
        q=WHEELS.gamma([y]),
        arrows=[Arrow(0, (float(touch), 0.0, 0.025), (0.0, float(speed), 0.0), SPATIAL["motion"][1])] if rate else [],
        figure=ratio_figure(y),
        readout=[
            ("q2 = γ(y)", f"{WHEELS.gamma([y])[1]:.3f} rad"),
            ("G = dq2/dy", f"{G:.3f}"),
            ("g = Ġ ẏ", f"{g:.3f} rad/s²"),
        ],
        note="The arrow is the speed of both rims where they touch. The first wheel turns steadily; the second must "
        "accelerate with g.",
    )


def ratio_figure(y: float) -> Plot:
    """Draw G over a turn, with the present angle marked."""
    angles = np.linspace(-2.0 * np.pi, 2.0 * np.pi, 161)
    figure = Plot(figsize=(3.6, 1.9), layout="constrained")
    ax = figure.subplots()
    ax.plot(angles, [WHEELS.G([a])[1, 0] for a in angles], color=LINES[0])
    ax.plot(y, WHEELS.G([y])[1, 0], "o", color=LINES[0])
    ax.set_xlabel("y (rad)", fontsize=8)
    ax.set_ylabel("G", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def differential_wheels() -> Playground:
    """Turn the outputs of a differential, and see what carrier, planet and input do."""
    return Playground(
        "Two independent variables",
        [
            Slider("left", "rad", -3.14, 3.14, 0.6, "angle of the left output"),
            Slider("right", "rad", -3.14, 3.14, 1.6, "angle of the right output"),
            Slider("torque", "N m", -20.0, 20.0, 10.0, "at the input"),
        ],
        draw_differential,
        scene=DRIVE.model,
        height=360,
    )


def draw_differential(left: float, right: float, torque: float) -> Picture:
    """All wheels at angles that go together, and the torque at the outputs."""
    y = np.array([left, right])
    q, tau = DRIVE.gamma(y), np.zeros(DRIVE.model.nv)
    angle = {name: q[DRIVE.model.joint(f"{name}_joint").q_slice.start] for name in ("carrier", "planet", "input")}
    tau[DRIVE.model.joint("input_joint").v_slice] = torque
    at_outputs = DRIVE.G(y).T @ tau
    return Picture(
        q=q,
        arrows=arrows_of(DRIVE, torque, at_outputs) if torque else [],
        readout=[
            ("carrier, the mean", f"{angle['carrier']:.2f} rad"),
            ("planet, by the difference", f"{angle['planet']:.2f} rad"),
            ("input", f"{angle['input']:.2f} rad"),
            ("torque at left and right, Gᵀ τ", f"{at_outputs[0]:.1f} and {at_outputs[1]:.1f} N m"),
        ],
        note="Both outputs get the same torque, however they turn: the columns of G have the same entry for the input.",
    )


def arrows_of(gears: Gears, torque: float, at_outputs: NDArray) -> list[Arrow]:
    """Draw the torque of the motor about the input, and the torques at the outputs."""
    scale, color = 0.003, SPATIAL["force"][0]
    body = {name: gears.model.body(name).index for name in ("input", "left", "right")}
    return [
        Arrow(body["input"], (0.0, 0.06, 0.0), (0.0, scale * torque, 0.0), color, "turning"),
        Arrow(body["left"], (-0.27, 0.0, 0.0), (scale * float(at_outputs[0]), 0.0, 0.0), color, "turning"),
        Arrow(body["right"], (0.205, 0.0, 0.0), (scale * float(at_outputs[1]), 0.0, 0.0), color, "turning"),
    ]
