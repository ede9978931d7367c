"""A disc of states of a pendulum, carried along by an integrator, which keeps its area or does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

State = tuple[NDArray, NDArray]
CENTRE, RADIUS, CORNERS = 1.1, 0.45, 2000
"""Centre and radius of the disc, rad, and corners of the polygon that stands for it: many, since it gets stretched."""
GREEN, GREY = LINES[2], "#7a8592"


def carried_area() -> Playground:
    """A disc of states of a pendulum that a method carries along: its area, and how far it leaves the orbits."""
    return Playground(
        "A disc of states",
        [
            Slider("method", "", 0, len(METHODS) - 1, 0, choices=tuple(METHODS)),
            Slider("step", "", 0.05, 1.0, 0.3, "in units of 1/ω", hard=True),
            Slider("steps", "", 0, 40, 12, hard=True, whole=True),
        ],
        draw,
        tour=[
            (
                "Explicit Euler",
                {"method": "explicit Euler", "step": 0.3, "steps": 12},
                "The disc grows: where states drift apart, energy comes from nowhere.",
            ),
            (
                "Turn two lines round",
                {"method": "symplectic Euler"},
                "It is bent and drawn out, and its area is what it was.",
            ),
            (
                "A step that is far too long",
                {"step": 1.0},
                "Wrong by far, but the area is kept: that is no question of accuracy.",
            ),
            (
                "RK4 by the same step",
                {"method": "RK4"},
                "Much closer to the orbits; but the area shrinks, step by step.",
            ),
            ("Implicit midpoint", {"method": "implicit midpoint"}, "Keeps the area, and follows the orbits, too."),
        ],
    )


def explicit_euler(x: NDArray, p: NDArray, h: float) -> State:
    """Explicit Euler: both from the old state."""
    return x + h * p, p - h * np.sin(x)


def symplectic_euler(x: NDArray, p: NDArray, h: float) -> State:
    """Symplectic Euler: velocity first, then the angle by the new velocity."""
    p = p - h * np.sin(x)
    return x + h * p, p


def implicit_midpoint(x: NDArray, p: NDArray, h: float) -> State:
    """Implicit midpoint rule, solved by Newton's method."""
    middle = x + 0.5 * h * p
    for _ in range(8):
        off = middle - x - 0.5 * h * p + 0.25 * h**2 * np.sin(middle)
        middle = middle - off / (1.0 + 0.25 * h**2 * np.cos(middle))
    return 2.0 * middle - x, p - h * np.sin(middle)


def rk4(x: NDArray, p: NDArray, h: float) -> State:
    """Classical Runge-Kutta method, with four evaluations."""
    k1, a1 = p, -np.sin(x)
    k2, a2 = p + 0.5 * h * a1, -np.sin(x + 0.5 * h * k1)
    k3, a3 = p + 0.5 * h * a2, -np.sin(x + 0.5 * h * k2)
    k4, a4 = p + h * a3, -np.sin(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), p + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


METHODS: dict[str, Callable[[NDArray, NDArray, float], State]] = {
    "explicit Euler": explicit_euler,
    "symplectic Euler": symplectic_euler,
    "implicit midpoint": implicit_midpoint,
    "RK4": rk4,
}
"""A step of ``x'' = -sin x``, for many states at once."""


def disc() -> State:
    """Return the states on the edge of the initial disc."""
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    return CENTRE + RADIUS * np.cos(turn), RADIUS * np.sin(turn)


def area(x: NDArray, p: NDArray) -> float:
    """Return the area of a polygon from its corners in order (shoelace formula)."""
    return abs(0.5 * float(np.sum(x * np.roll(p, -1) - np.roll(x, -1) * p)))


def carried(method: str, step: float, steps: float) -> list[State]:
    """Return the disc at the start and after each step."""
    found = [disc()]
    for _ in range(round(steps)):
        found.append(METHODS[method](*found[-1], step))
    return found


def draw(method: str, step: float, steps: float) -> Picture:
    """Orbits of the pendulum, the disc at the start, on its way, and at the end."""
    found = carried(method, step, steps)
    figure = Plot(figsize=(6.6, 4.0), layout="constrained")
    ax = figure.subplots()
    x, p = np.meshgrid(np.linspace(-4.2, 4.2, 169), np.linspace(-3.2, 3.2, 129))
    ax.contour(x, p, 0.5 * p**2 - np.cos(x), levels=[-0.9, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0], colors=GREY, linewidths=0.5)
    for k in range(0, len(found) - 1, max(1, len(found) // 8)):
        ax.fill(*found[k], facecolor=GREY, alpha=0.35)
    ax.fill(*found[-1], facecolor=GREEN, alpha=0.7)
    centre = np.array([[np.mean(x), np.mean(p)] for x, p in found])
    ax.plot(*centre.T, ".-", color=GREEN, linewidth=0.8, markersize=3)
    ax.set(xlim=(-4.2, 4.2), ylim=(-3.2, 3.2), xlabel="angle x (rad)", ylabel="p = x' / ω (rad)", aspect="equal")
    ratio = area(*found[-1]) / area(*found[0])
    return Picture(
        figure=figure,
        readout=[
            ("area, of that at the start", f"{ratio:.3f}"),
            ("time", f"{step * round(steps) / (2 * np.pi):.2f} small swings"),
        ],
        note="Thin lines are orbits, on which the true motion stays. Every point of the disc is one pendulum.",
    )
