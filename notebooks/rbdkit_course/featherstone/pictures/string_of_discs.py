"""Three discs flying inside one taut string, seen from above (Fig 3.2c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Circle
from numpy.typing import NDArray

from rbdkit.algorithms.constraints import TautString, constrained_motion
from rbdkit.figures import Plot
from rbdkit.library.taut_string import discs_at, string_around, three_discs
from rbdkit.scene import palette
from rbdkit.simulation import simulate, untraced
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

RADIUS, DURATION, STEP = 0.3, 4.0, 0.02
NONE = np.zeros(9)
SPINS = np.array([1.0, -0.7, 0.5])  # rad/s; nothing will change them


@dataclass(frozen=True)
class Flight:
    """A simulated motion of the discs: times (k,), coordinates and velocities (k, 9), tensions (k,), the constraint."""

    t: NDArray
    q: NDArray
    v: NDArray
    tension: NDArray
    string: TautString


def fly(velocities: NDArray) -> Flight:
    """Simulate the discs from velocities (3, 2), m/s, less the part that would lengthen the string."""
    model, q = three_discs(RADIUS), discs_at()
    string = TautString(RADIUS, TautString(RADIUS, 1e3).length(q))
    wish = np.column_stack([SPINS, velocities]).reshape(9)
    K = string.K(q)
    v = wish - np.linalg.pinv(K) @ K @ wish

    def tau(t: float, q: NDArray, v: NDArray) -> NDArray:
        return constrained_motion(model, string, q, v, NONE).tau_c

    run = simulate(model, q, v, DURATION, STEP, tau=untraced(tau), every=2, progress=False)
    tension = [constrained_motion(model, string, x, u, NONE).lam[0] for x, u in zip(run.q, run.v)]
    return Flight(run.t, run.q, run.v, np.array(tension), string)


def string_of_discs(velocities: NDArray | None = None) -> Playground:
    """Slide through the motion. velocities : (3, 2) with which the discs are thrown, m/s."""
    thrown = np.array([[0.9, 0.2], [-0.3, 0.6], [-0.2, -0.9]]) if velocities is None else np.asarray(velocities, float)
    flight = fly(thrown)
    arrows = ("velocities", "gradient of the length", "nothing")
    return Playground(
        "Three discs and a string",
        [
            Slider("time", "s", 0.0, DURATION, 0.8, hard=True),
            Slider("arrows", "", 0, 2, 0, choices=arrows),
        ],
        lambda time, shown: _draw(flight, time, shown),
    )


def _draw(flight: Flight, time: float, shown: str) -> Picture:
    k = int(np.argmin(np.abs(flight.t - time)))
    q, v, string = flight.q[k], flight.v[k], flight.string
    centers, angles = q.reshape(3, 3)[:, 1:], q[::3]
    figure = Plot(figsize=(4.2, 3.9))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(-2.1, 2.1), ylim=(-1.9, 2.0), aspect="equal")
    ax.axis("off")
    ax.plot(*flight.q[: k + 1].reshape(-1, 3, 3)[:, :, 1:].transpose(2, 0, 1), color="black", alpha=0.25, linewidth=0.8)
    ax.plot(*string_around(centers, string.radius).T, color="black", linewidth=2.0)
    slopes = -string.K(q).reshape(3, 3)[:, 1:]
    for i in range(3):
        c, s = np.cos(angles[i]), np.sin(angles[i])
        R, center = np.array([[c, -s], [s, c]]), centers[i]
        ax.add_patch(Circle(tuple(center), string.radius, color=palette.BODIES[i], alpha=0.85, linewidth=0))
        ax.plot(*np.stack([center, center + string.radius * R[:, 0]]).T, color="black", linewidth=0.8)
        arrow = R @ (v.reshape(3, 3)[i, 1:] if shown == "velocities" else slopes[i])
        if shown != "nothing":
            ax.annotate("", center + 0.6 * arrow, center, arrowprops={"arrowstyle": "-|>", "color": "black"})
    return Picture(
        figure=figure,
        readout=[
            ("length", f"{string.length(q):.9f} m"),
            ("given", f"{string.perimeter:.9f} m"),
            ("tension λ", f"{flight.tension[k]:.3f} N"),
        ],
        note="The string is one constraint on three bodies. It may pull, so its tension must stay positive."
        if shown != "gradient of the length"
        else "Move a disc along its arrow and the string would have to grow fastest: the tension pulls the other way.",
    )
