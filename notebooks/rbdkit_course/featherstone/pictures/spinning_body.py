"""A body that spins evenly: every point accelerates, and the body's spatial acceleration is zero (Fig 2.6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import Revolute
from rbdkit.model import Cylinder, Geometry, Model, Sphere
from rbdkit.scene import Arrow, palette
from rbdkit.spatial import se3
from rbdkit.spatial.fields import velocity_at
from rbdkit.spatial.rates import classical_acceleration
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

SHOWN = ("velocities", "accelerations of points", "change of the field")
RADII, SPOKES = (0.35, 0.7, 1.05), 8


def spinning_body() -> Playground:
    """A turntable with points on it, and their velocities or accelerations."""
    model = Model("turntable", gravity=(0.0, 0.0, 0.0))
    studs = [Geometry(Sphere(0.035), se3.pose(position=[*p[:2], 0.05]), (0.2, 0.22, 0.25)) for p in points_at(0.0)]
    plate = Geometry(Cylinder(1.2, 0.06), se3.pose(position=[0.0, 0.0, 0.0]), (0.80, 0.84, 0.90))
    model.add_body("turntable", joint=Revolute("z"), geometry=[plate, *studs])
    return Playground(
        "The body that does not accelerate",
        [
            Slider("angle", "rad", 0.0, 6.28, 0.3),
            Slider("spin", "rad/s", -2.0, 2.0, 1.0),
            Slider("spin up", "rad/s²", -1.5, 1.5, 0.0, "angular acceleration"),
            Slider("arrows", "", 0, 2, 1, choices=SHOWN),
        ],
        _draw,
        scene=model,
        height=400,
    )


def points_at(angle: float) -> NDArray:
    """Return the marked points of the turntable, (24, 3), m."""
    phi = angle + 2.0 * np.pi * np.arange(SPOKES) / SPOKES
    return np.array([[r * np.cos(p), r * np.sin(p), 0.0] for r in RADII for p in phi])


def arrows_of(angle: float, spin: float, spin_up: float, shown: str) -> tuple[NDArray, NDArray]:
    """Return the points (24, 3) and the vectors to draw at them (24, 3), m/s or m/s2."""
    v, a = np.array([0.0, 0.0, spin, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, spin_up, 0.0, 0.0, 0.0])
    points = points_at(angle)
    if shown == SHOWN[0]:
        return points, velocity_at(v, points)
    if shown == SHOWN[1]:
        return points, np.array([classical_acceleration(a, v, p)[3:] for p in points])
    return points, velocity_at(a, points)  # the field of a: how the velocity found at a fixed place changes


def _draw(angle: float, spin: float, spin_up: float, shown: str) -> Picture:
    points, vectors = arrows_of(angle, spin, spin_up, shown)
    color = palette.SPATIAL["motion"][1] if shown == SHOWN[0] else palette.SPATIAL["force"][0]
    arrows = [Arrow(0, tuple(p + [0, 0, 0.1]), tuple(0.45 * u), color) for p, u in zip(points, vectors)]
    rim = classical_acceleration(np.array([0, 0, spin_up, 0, 0, 0]), np.array([0, 0, spin, 0, 0, 0]), [RADII[-1], 0, 0])
    notes = {
        SHOWN[
            0
        ]: "Velocities of the points. The picture of arrows does not turn with the body: it always looks the same.",
        SHOWN[1]: "Each point is pulled toward the axis. Follow one point: its velocity turns.",
        SHOWN[2]: "Stay at one place and watch who passes: with an even spin the velocity there never changes, "
        "so there is no arrow. That is what spatial acceleration measures.",
    }
    return Picture(
        q=[angle],
        arrows=arrows,
        readout=[
            ("spatial a", f"(0, 0, {spin_up:+.2f}; 0, 0, 0)"),
            ("a point of the rim", f"{np.linalg.norm(rim[3:]):.2f} m/s²"),
        ],
        note=notes[shown],
    )
