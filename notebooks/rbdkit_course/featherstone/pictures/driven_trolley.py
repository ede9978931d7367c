"""A load under a trolley whose way over time is a spline: edit it until nothing swings (a prescribed joint, 9.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import BSpline

from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics, rnea
from rbdkit.joints import Prismatic, Revolute
from rbdkit.model import Box, Capsule, Geometry, Model, Sphere
from rbdkit.scene import scene_of
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.view import reaching

WAY, LENGTH, DRIVE, DURATION = 2.0, 1.0, 2.5, 5.0
"""Way of the trolley (m), length of the rope (m), duration of the drive and of the simulation (s)."""
DEGREE, STEPS = 5, 500
KNOTS = np.concatenate([np.zeros(DEGREE), np.linspace(0.0, DRIVE, 5), np.full(DEGREE, DRIVE)])
"""Knots of the spline; three equal coefficients of nine at each end make the trolley start and stop smoothly."""


def driven_trolley() -> Playground:
    """Three numbers say how the trolley drives; what hangs from it answers."""
    return Playground(
        "Drive the load across",
        [
            Slider("early", "m", -1.0, 3.0, 1.0, "pulls the spline in its first part", hard=True),
            Slider("middle", "m", -1.0, 3.0, 1.0, "pulls it in the middle", hard=True),
            Slider("late", "m", -1.0, 3.0, 1.0, "pulls it in its last part", hard=True),
            Slider("time", "s", 0.0, DURATION, 0.0, hard=True),
        ],
        draw,
        scene=reaching(scene_of(_MODEL), _poses([[x, angle] for x in (0.0, WAY) for angle in (-1.0, 1.0)])),
        height=400,
        tour=[
            (
                "Start late, and hurry",
                {"early": 1.0, "middle": 1.0, "late": 1.0, "time": DURATION},
                "All three in the middle: off with a jerk, stopped with another. The load goes on swinging by 29°.",
            ),
            (
                "Drive as evenly as you can",
                {"early": 0.0, "middle": 1.0, "late": 2.0},
                "Worse, 47°: what is even in place need not be even in acceleration.",
            ),
            (
                "Somewhere in between",
                {"early": 0.6, "late": 1.4},
                "The load arrives with the trolley, and hangs. What it gained at the start it gives back at the end.",
            ),
            (
                "Another way to arrive",
                {"early": 0.36, "middle": 1.2, "late": 1.17},
                "At rest again: angle and speed are two numbers, and you have three. This takes a stronger motor.",
            ),
        ],
    )


def path(early: float, middle: float, late: float) -> BSpline:
    """Return the position of the trolley over time (m), a spline."""
    return BSpline(KNOTS, [0.0, 0.0, 0.0, early, middle, late, WAY, WAY, WAY], DEGREE)


def motion(early: float, middle: float, late: float) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Simulate trolley and load by RK4 on the row of Eq 9.1 that is free; return t (n,), q, qd and qdd (n, 2)."""
    spline = path(early, middle, late)
    dt = DURATION / STEPS
    halves = np.arange(2 * STEPS + 1) * dt / 2.0
    driven = [spline.derivative(k)(np.minimum(halves, DRIVE)) for k in range(3)]  # at rest from there on
    lift = driven[2]

    def acceleration(k: int, angle: float) -> float:
        return float((lift[k] * np.cos(angle) - 9.81 * np.sin(angle)) / LENGTH)

    x, v, states = 0.0, 0.0, []
    for n in range(STEPS + 1):
        k = 2 * n
        a1 = acceleration(k, x)
        states.append((x, v, a1))
        if n == STEPS:
            break
        v2 = v + 0.5 * dt * a1
        a2 = acceleration(k + 1, x + 0.5 * dt * v)
        v3 = v + 0.5 * dt * a2
        a3 = acceleration(k + 1, x + 0.5 * dt * v2)
        v4 = v + dt * a3
        a4 = acceleration(k + 2, x + dt * v3)
        x, v = x + dt / 6.0 * (v + 2 * v2 + 2 * v3 + v4), v + dt / 6.0 * (a1 + 2 * a2 + 2 * a3 + a4)
    load = np.array(states).T
    q, qd, qdd = (np.stack([own[::2], angle], axis=-1) for own, angle in zip(driven, load, strict=True))
    return halves[::2], q, qd, qdd


def left_over(q: NDArray, qd: NDArray) -> float:
    """Return the amplitude of the load's residual swing, rad, from its energy at the end."""
    height = 1.0 - np.cos(q[-1, 1]) + 0.5 * LENGTH * qd[-1, 1] ** 2 / 9.81
    return float(np.arccos(np.clip(1.0 - height, -1.0, 1.0)))


def draw(early: float, middle: float, late: float, time: float) -> Picture:
    """Trolley and load at that time, and how they got there."""
    times, q, qd, qdd = motion(early, middle, late)
    force = rnea(_MODEL, q, qd, qdd)[:, 0]
    now = min(round(time / DURATION * STEPS), STEPS)
    return Picture(
        poses=_poses(q[now]),
        figure=_figure(times, q, force, (early, middle, late), times[now]),
        readout=[
            ("swing left over", f"{np.degrees(left_over(q, qd)):.1f}°"),
            ("largest force on the trolley", f"{np.abs(force).max():.0f} N"),
            ("farthest from upright", f"{np.degrees(np.abs(q[:, 1]).max()):.0f}°"),
        ],
        note="Given: the motion of the trolley, and no force in the rope's hinge. Found: how the load swings, and the "
        "force that the motor needs.",
    )


def _model() -> Model:
    made = Model("trolley and load")
    trolley = made.add_body(
        "trolley",
        joint=Prismatic("x"),
        inertia=Inertia.box([0.3, 0.2, 0.12], mass=2.0),
        geometry=Box((0.3, 0.2, 0.12)),
        joint_name="rail",
    )
    below = se3.pose(position=[0.0, 0.0, -LENGTH])
    made.add_body(
        "load",
        trolley,
        Revolute("y"),
        inertia=Inertia(1.0, [0.0, 0.0, -LENGTH], np.zeros((3, 3))),  # of a point: the rope's angle is all there is
        geometry=[
            Geometry(Sphere(0.09), below),
            Geometry(Capsule(0.008, LENGTH), se3.pose(position=[0.0, 0.0, -0.5 * LENGTH])),
        ],
        joint_name="rope",
    )
    return made


_MODEL = _model()


def _poses(q: ArrayLike) -> NDArray:
    return np.asarray(forward_kinematics(_MODEL, q).poses)


def _figure(times: NDArray, q: NDArray, force: NDArray, pulls: tuple[float, ...], now: float) -> Plot:
    figure = Plot(figsize=(4.2, 4.0), layout="constrained")
    way, swing, motor = figure.subplots(3, sharex=True)
    moments = [KNOTS[k + 1 : k + DEGREE + 1].mean() for k in (3, 4, 5)]  # where each number pulls most
    way.plot(times, q[:, 0], color=LINES[0])
    way.plot(moments, pulls, "o--", color=GROUND, markersize=4, linewidth=0.8)
    way.set_ylabel("trolley (m)")
    swing.plot(times, np.degrees(q[:, 1]), color=LINES[1])
    swing.set_ylabel("load (°)")
    motor.plot(times, force, color=LINES[2])
    motor.set(ylabel="force (N)", xlabel="t (s)", xlim=(0.0, DURATION))
    for ax in (way, swing, motor):
        ax.axvline(now, color=GROUND, linewidth=1.0)
        ax.axvline(DRIVE, color=GROUND, linewidth=0.8, linestyle=":")
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    return figure
