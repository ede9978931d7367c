"""A ball to be rolled by hand: back at its place it need not look as before (Fig 3.2d)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.library.rolling_sphere import rolling_sphere
from rbdkit.scene import Arrow, palette
from rbdkit.spatial import se3, so3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

RADIUS, REACH = 0.5, 2.0
KEPT = 60


class Rolled:
    """Pose of a ball that is rolled along straight segments without slipping or spinning.

    Attributes
    ----------
    place : ndarray (2,)
        m.
    R : ndarray (3, 3)
        Attitude.
    path
        Places so far.
    """

    def __init__(self, radius: float = RADIUS) -> None:
        self.radius = radius
        self.lay_down(np.zeros(2))

    def lay_down(self, place: NDArray) -> None:
        """Put the ball down upright; its path begins anew."""
        self.place, self.R, self.path = np.array(place, dtype=float), np.eye(3), [np.array(place, dtype=float)]

    def roll_to(self, place: NDArray) -> None:
        """Roll straight on: turn about the level axis at right angles to the way, by way / radius."""
        way = np.asarray(place, dtype=float) - self.place
        if not way.any():
            return
        self.R = so3.exp(np.array([-way[1], way[0], 0.0]) / self.radius) @ self.R
        self.place = self.place + way
        self.path.append(self.place)

    @property
    def turned(self) -> float:
        """Angle between the attitude and the upright one, rad."""
        return float(np.linalg.norm(so3.log(self.R)))


def rolling_ball() -> Playground:
    """Drag the ball around and home again. The sliders do the same, along x and y only."""
    ball = Rolled()
    return Playground(
        "Roll it home",
        [
            Slider("x", "m", -REACH, REACH, 0.0),
            Slider("y", "m", -REACH, REACH, 0.0),
            Slider("ball", "", 0, 1, 0, "lift it to start upright again", choices=("rolls", "is lifted")),
        ],
        lambda x, y, how: _draw(ball, x, y, how),
        scene=framed(rolling_sphere(RADIUS), [-1.6, -1.6, 0.0], [1.6, 1.6, 1.2]),
        height=420,
        on_drag=_dragged,
    )


def _dragged(pose: NDArray) -> Mapping[str, Any]:
    return {name: float(np.clip(pose[k, 3], -REACH, REACH)) for k, name in enumerate("xy")}


def _draw(ball: Rolled, x: float, y: float, how: str) -> Picture:
    if how == "rolls":
        ball.roll_to(np.array([x, y]))
    else:
        ball.lay_down(np.array([x, y]))
    corners = ball.path[-KEPT:]
    trace = [Arrow(0, (*a, 0.01), (*(b - a), 0.0), palette.LINES[1]) for a, b in pairwise(corners)]
    top = Arrow(0, (x, y, RADIUS), tuple(1.7 * RADIUS * ball.R[:, 2]), palette.SELECTED)
    return Picture(
        poses=np.stack([np.eye(4), se3.pose(ball.R, [x, y, RADIUS])]),
        arrows=[*trace, top],
        readout=[
            ("place", f"({x:.2f}, {y:.2f}) m"),
            ("turned by", f"{np.degrees(ball.turned):.1f}°"),
            ("about", "  ".join(f"{n:+.2f}" for n in _axis(ball.R))),
        ],
        note="Three ways to move at any moment, five ways to be: the way home decides how the ball lies.",
        handle=se3.pose(position=[x, y, RADIUS]),
    )


def _axis(R: NDArray) -> NDArray:
    w = so3.log(R)
    length = np.linalg.norm(w)
    return w / length if length > 1e-9 else np.zeros(3)
