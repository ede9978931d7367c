"""A frame that is carried round a triangle on the sphere without twist, and comes home turned by its area."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Geometry, Model, Sphere
from rbdkit.scene import Arrow, Ellipsoid
from rbdkit.scene.palette import AXES, LINES, SELECTED
from rbdkit.spatial import se3, sphere, twist
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

NORTH = np.array([0.0, 0.0, 1.0])
STEPS, STATIONS = 24, 4
"""Number of points on each side of the triangle, and of those at which a frame is drawn."""
LENGTH = 0.3
"""Length of the arrows that are carried, m."""
FACING = np.radians(-65.0)
"""Longitude of the triangle's middle, which faces the viewer."""


def carried_home() -> Playground:
    """Two arrows go round a triangle with a corner at the pole; the grip is one of the other corners."""
    return Playground(
        "Home, and turned",
        [
            Slider("down", "°", 10, 170, 90, "from the pole to the other two corners"),
            Slider("apart", "°", 5, 175, 90, "how far these are apart, about the pole"),
            Slider("way", "%", 0, 100, 100, "how much of the triangle is behind"),
        ],
        draw,
        scene=_globe(),
        height=430,
        on_drag=dragged,
        tour=[
            ("Set out", {"down": 90, "apart": 90, "way": 0}, "At the pole. One arrow points ahead, one to the left."),
            (
                "Down to the equator",
                {"way": 33},
                "A side is a great circle: who walks straight on keeps both arrows as they are beside him.",
            ),
            (
                "Along it",
                {"way": 66},
                "The arrow that pointed ahead points south now, all along. Nobody turned it.",
            ),
            ("And home", {"way": 100}, "A right angle between the arrows that left and those that came."),
            (
                "A smaller triangle",
                {"down": 30},
                "The turn is smaller, as the area is: on a small piece of the sphere as in the plane there is none.",
            ),
            (
                "Nearly half of the sphere",
                {"down": 135, "apart": 170},
                "It is always the area. Pull at the corner and watch both numbers.",
            ),
        ],
    )


def corners(down: float, apart: float) -> NDArray:
    """Return the corners of the triangle, (3, 3) on the unit sphere, the pole first; arguments in degrees."""
    a, b = np.radians([down, apart])
    sides = [[np.sin(a) * np.cos(at), np.sin(a) * np.sin(at), np.cos(a)] for at in (FACING - 0.5 * b, FACING + 0.5 * b)]
    return np.array([NORTH, *sides])


def path(down: float, apart: float, way: float = 100.0) -> NDArray:
    """Return points (n, 3) along the triangle's sides, from the pole on, for the first `way` percent of the way."""
    round_trip = [*corners(down, apart), NORTH]
    s = np.linspace(0.0, 1.0, STEPS + 1)
    sides = [sphere.geodesic(a, sphere.log(a, b), s)[k > 0 :] for k, (a, b) in enumerate(pairwise(round_trip))]
    points = np.concatenate(sides)
    return points[: max(2, round(way / 100.0 * len(points)))]


def carried(points: NDArray) -> NDArray:
    """Return the parallel-transported triads (n, 3, 3) along the points of a path; the first has d1 ahead."""
    ahead = sphere.log(points[0], points[1])
    d1 = ahead / np.linalg.norm(ahead)
    first = np.stack([d1, np.cross(points[0], d1), points[0]], axis=-1)
    return twist.non_twisting_frame(points, first)


def turned(triads: NDArray) -> float:
    """Return the angle from the first triad to the last about their common d3, rad from 0 to 2 pi."""
    turn = triads[0].T @ triads[-1]
    return float(np.arctan2(turn[1, 0], turn[0, 0]) % (2.0 * np.pi))


def area(down: float, apart: float) -> float:
    """Return the area of the triangle on the unit sphere, from two sides and the angle between (Euler's formula)."""
    square, between = np.tan(0.5 * np.radians(down)) ** 2, np.radians(apart)
    return float(2.0 * np.arctan2(square * np.sin(between), 1.0 + square * np.cos(between)))


def draw(down: float, apart: float, way: float) -> Picture:
    """Draw the path so far, frames along it, and the rotation on return."""
    whole, gone = path(down, apart), path(down, apart, way)
    triads = carried(gone)
    home = len(gone) == len(whole)
    shown = [*range(0, len(gone) - 1, STEPS // STATIONS), len(gone) - 1]
    arrows = []
    for k in shown:
        long = LENGTH * (1.4 if k in (0, len(gone) - 1) else 0.7)
        for axis in range(2):
            vector = long * triads[k, :, axis]
            name = ("d1", "d2")[axis]
            arrows.append(Arrow(0, tuple(gone[k]), tuple(vector), AXES[axis], "straight", name))
    readout = [("area of the triangle", f"{np.degrees(area(down, apart)):.2f}°")]
    if home:
        readout.append(("turned at home by", f"{np.degrees(turned(triads)):.2f}°"))
    return Picture(
        arrows=arrows,
        ellipsoids=[
            Ellipsoid(0, point, np.eye(3), np.full(3, 0.014), SELECTED if k < len(gone) else LINES[0], "the way")
            for k, point in enumerate(whole)
        ],
        readout=readout,
        note="Each arrow is parallel to the one before, as seen on the sphere. An area is told as its part of the "
        "sphere's: 720° are all of it.",
        handle=se3.pose(position=1.02 * corners(down, apart)[2]),
    )


def _globe() -> Model:
    model = Model("sphere", gravity=(0.0, 0.0, 0.0))
    model.add_body("globe", geometry=Geometry(Sphere(0.97), color=(0.62, 0.68, 0.75)))
    return model


def dragged(pose: NDArray) -> Mapping[str, Any]:
    """Sliders for the corner nearest to a grip at a pose."""
    x, y, z = pose[:3, 3]
    beside = (np.arctan2(y, x) - FACING + np.pi) % (2.0 * np.pi) - np.pi
    down, apart = np.degrees([np.arctan2(np.hypot(x, y), z), 2.0 * beside])
    return {"down": float(np.clip(down, 10.0, 170.0)), "apart": float(np.clip(apart, 5.0, 175.0))}
