"""A pendulum on a driven pivot: the motion is given at one joint, the force at the other, the rest is found."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics, rnea
from rbdkit.library.shaken_pendulum import shaken_pendulum, shaking, upright_frequency
from rbdkit.scene import scene_of
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.view import reaching

LENGTH, DAMPING, DURATION = 0.5, 0.03, 2.5
"""Length of the rod (m), damping of the hinge (N m s/rad), and duration shown (s)."""
STEPS_A_PERIOD = 24


def shaken_pivot() -> Playground:
    """Kapitza's pendulum: shake faster, and it stands on its head; see what force the shaking takes."""
    return Playground(
        "A pivot that is shaken",
        [
            Slider("amplitude", "m", 0.0, 0.06, 0.03, "of the pivot, up and down", hard=True),
            Slider("frequency", "rad/s", 10.0, 200.0, 130.0, "of the shaking", hard=True),
            Slider("tilt", "rad", -1.5, 1.5, 0.35, "where it starts, measured from upright"),
            Slider("time", "s", 0.0, DURATION, 0.0, hard=True),
        ],
        draw,
        scene=reaching(scene_of(_MODEL), _poses([[0.0, angle] for angle in np.linspace(0.0, 6.0, 9)])),
        height=400,
        tour=[
            (
                "Shake it too slowly",
                {"amplitude": 0.04, "frequency": 60.0, "tilt": 0.35, "time": DURATION},
                "It falls, as any pendulum does.",
            ),
            ("Shake it faster", {"frequency": 130.0}, "It gets up from 20° beside, and stands on its head."),
            (
                "Start far aside",
                {"tilt": 1.4},
                "From there it finds no way up: the shaking lifts it only near the top.",
            ),
            (
                "Shake with less, but more often",
                {"amplitude": 0.02, "frequency": 190.0, "tilt": 0.35},
                "It stands again: what counts is how fast the pivot moves, and not how far.",
            ),
        ],
    )


@lru_cache(maxsize=8)
def motion(amplitude: float, frequency: float, tilt: float) -> tuple[NDArray, NDArray, NDArray]:
    """Simulate the pendulum; return t (n,), angle of the hinge (n,), rad, and force on the pivot (n,), N.

    RK4 on the one equation that is left when the pivot's motion is known: ``H11 qdd = tau - C1'`` for the hinge.
    """
    inertia = _MODEL.body("bob").inertia
    assert inertia is not None
    H11, moment = float(inertia.matrix[1, 1]), inertia.mass * LENGTH
    steps = max(int(np.ceil(DURATION * frequency / (2 * pi) * STEPS_A_PERIOD)), 300)
    dt = DURATION / steps
    lift = amplitude * frequency**2

    def acceleration(t: float, angle: float, rate: float) -> float:
        return -(DAMPING * rate + moment * (9.81 - lift * cos(frequency * t)) * sin(angle)) / H11

    states, x, v = [], pi + tilt, 0.0
    for k in range(steps + 1):
        t = k * dt
        a1 = acceleration(t, x, v)
        states.append((x, v, a1))
        v2 = v + 0.5 * dt * a1
        a2 = acceleration(t + 0.5 * dt, x + 0.5 * dt * v, v2)
        v3 = v + 0.5 * dt * a2
        a3 = acceleration(t + 0.5 * dt, x + 0.5 * dt * v2, v3)
        v4 = v + dt * a3
        a4 = acceleration(t + dt, x + dt * v3, v4)
        x, v = x + dt / 6.0 * (v + 2 * v2 + 2 * v3 + v4), v + dt / 6.0 * (a1 + 2 * a2 + 2 * a3 + a4)
    times = np.arange(steps + 1) * dt
    hinge, pivot = np.array(states).T, np.array(shaking(amplitude, frequency)(times))  # type: ignore[arg-type]
    q, qd, qdd = np.stack([pivot, hinge], axis=-1)
    return times, hinge[0], rnea(_MODEL, q, qd, qdd)[:, 0]


def draw(amplitude: float, frequency: float, tilt: float, time: float) -> Picture:
    """The pendulum at that time, its angle over time, and the force that moves its pivot."""
    times, angles, force = motion(amplitude, frequency, tilt)
    now = min(round(time / DURATION * (len(times) - 1)), len(times) - 1)
    from_upright = (angles[-len(angles) // 10 :] - pi) / pi
    settled = np.round(from_upright.mean() / 2.0) * 2.0
    upright = bool(np.abs(from_upright - settled).max() < 0.35)
    readout = [
        ("needed to stand", "shaking" if amplitude == 0.0 else f"{upright_frequency(amplitude, LENGTH):.0f} rad/s"),
        ("a²ω² / 2gl", f"{(amplitude * frequency) ** 2 / (2 * 9.81 * LENGTH):.2f}"),
        ("at the end it", "stands" if upright else "does not stand"),
        ("largest force", f"{np.abs(force).max():.0f} N, its weight is 9.81 N"),
    ]
    return Picture(
        poses=_poses([amplitude * cos(frequency * times[now]), angles[now]]),
        figure=_figure(times, (angles - pi) / pi, force, times[now]),
        readout=readout,
        note="Given: the motion of the pivot, and no force in the hinge but its friction. Found: the motion of the "
        "hinge and the force on the pivot.",
    )


_MODEL = shaken_pendulum(length=LENGTH)


def _poses(q: ArrayLike) -> NDArray:
    return np.asarray(forward_kinematics(_MODEL, q).poses)


def _figure(times: NDArray, turns: NDArray, force: NDArray, now: float) -> Plot:
    figure = Plot(figsize=(4.2, 3.3), layout="constrained")
    top, bottom = figure.subplots(2, sharex=True)
    top.plot(times, turns, color=LINES[0], linewidth=1.2)
    top.set_ylabel("from upright\n(half turns)")
    bottom.plot(times, force, color=LINES[1], linewidth=0.6)
    bottom.set(ylabel="force on the\npivot (N)", xlabel="t (s)", xlim=(0.0, DURATION))
    for ax in (top, bottom):
        ax.axvline(now, color=GROUND, linewidth=1.0)
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    return figure
