"""The tumbling box by five methods, beside its exact motion by elliptic functions."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.figures import Plot
from rbdkit.library import free_rotation, tumbling_box, tumbling_box_state
from rbdkit.library.holzinger import MOMENTS
from rbdkit.scene.palette import AXES
from rbdkit.simulation import SimulationWarning, Trajectory, simulate
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

METHODS = {
    "six speeds, rk4": ("local_velocity", "rk4"),
    "quaternion, rk4": ("quaternion", "rk4"),
    "six speeds, heun": ("local_velocity", "heun"),
    "six speeds, crouch_grossman4": ("local_velocity", "crouch_grossman4"),
    "six speeds, moser_veselov": ("local_velocity", "moser_veselov"),
}
DURATION = 0.4  # s
TIMES = np.linspace(0.0, DURATION, 201)


def flipping() -> Playground:
    """Box, start, step and method; thin lines are the exact motion."""
    return Playground(
        "Against the exact motion",
        [
            Slider("method", "", 0, len(METHODS) - 1, 0, choices=tuple(METHODS)),
            Slider("J2", "kg m²", 1.0, 4.0, MOMENTS[1], hard=True),
            Slider("spin", "rad/s", 10.0, 100.0, 100.0, "about axis 3", hard=True),
            Slider("tilt", "rad/s", 1e-3, 1.0, 0.01, "about axis 1: a little beside it", hard=True, log=True),
            Slider("steps a second", "", 100, 2000, 400, hard=True, whole=True),
        ],
        draw,
        tour=[
            (
                "The paper's box and method",
                {"method": "six speeds, rk4", "J2": MOMENTS[1], "spin": 100.0, "tilt": 0.01, "steps a second": 400},
                "Thick and thin lines are one: 25 steps a turn are enough for order four.",
            ),
            (
                "Order two, six steps a turn",
                {"method": "six speeds, heun", "steps a second": 100},
                "It is late at the flip and never catches up.",
            ),
            (
                "Order four, six steps a turn",
                {"method": "six speeds, rk4"},
                "Twice the price, and hardly an error.",
            ),
            (
                "A method that keeps momentum",
                {"method": "six speeds, moser_veselov", "steps a second": 150},
                "Energy and momentum to the last digits, and the flip at the wrong time: the right kind of motion.",
            ),
            (
                "Ten times closer to the axis",
                {"method": "six speeds, rk4", "steps a second": 400, "tilt": 0.001},
                "It flips a thirtieth of a second later, and not ten times later.",
            ),
        ],
    )


def run(method: str, J2: float, spin: float, tilt: float, steps: float) -> Trajectory:
    """Simulate the box by a method."""
    formulation, integrator = METHODS[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # steps that are too long are what this is about
        return simulate(
            tumbling_box((MOMENTS[0], J2, MOMENTS[2])),
            *tumbling_box_state((tilt, 0.0, spin)),
            DURATION,
            1.0 / steps,
            formulation=formulation,
            integrator=integrator,
            progress=False,
        )


@lru_cache(maxsize=32)
def exact(J2: float, spin: float, tilt: float) -> NDArray:
    """Return the exact Omega (n, 3) at `TIMES`."""
    found, _ = free_rotation((MOMENTS[0], J2, MOMENTS[2]), (tilt, 0.0, spin), TIMES, digits=24)
    return np.asarray(found)


def first_flip(Omega: NDArray) -> float:
    """Return the first time at which the spin about axis 3 is zero, s; infinite if it never is."""
    below = np.flatnonzero(Omega[:, 2] < 0.0)
    return float(TIMES[below[0]]) if len(below) else np.inf


def error(motion: Trajectory, true: NDArray) -> float:
    """Return the largest error of a component of Omega at `TIMES`, rad/s."""
    own = np.stack([np.interp(TIMES, motion.t, motion.v[:, k]) for k in range(3)], axis=-1)
    return float(np.abs(own - true).max())


def draw(method: str, J2: float, spin: float, tilt: float, steps: float) -> Picture:
    """Angular velocity by the method and exactly."""
    moments = (MOMENTS[0], J2, MOMENTS[2])
    if 2 * max(moments) >= sum(moments):
        raise RbdkitError("no body has such moments: the largest must be less than the sum of the others")
    motion, true = run(method, J2, spin, tilt, steps), exact(J2, spin, tilt)
    figure = Plot(figsize=(7.0, 3.0), layout="constrained")
    ax = figure.subplots()
    for k in range(3):
        ax.plot(motion.t, motion.v[:, k], color=AXES[k], linewidth=2.2, alpha=0.6, label=rf"$\Omega_{k + 1}$")
        ax.plot(TIMES, true[:, k], color=AXES[k], linewidth=0.8)
    ax.set(xlabel="t (s)", ylabel="angular velocity (rad/s)", ylim=(-1.3 * spin, 1.3 * spin))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    ax.grid(alpha=0.3)
    flip = first_flip(true)
    return Picture(
        figure=figure,
        readout=[
            ("largest error", f"{error(motion, true):.2g} rad/s"),
            ("steps a turn", f"{2 * np.pi * steps / spin:.1f}"),
            ("first flip, exactly", "none" if np.isinf(flip) else f"{flip:.3f} s"),
        ],
        note=(motion.report.stopped if motion.report else "") or "Thick: by the method. Thin: by elliptic functions.",
    )
