"""A spatial vector as what it does at every point: a screw with its field of arrows (Featherstone, chapter 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Cylinder, Geometry, Model
from rbdkit.scene import Arrow, palette
from rbdkit.spatial import se3
from rbdkit.spatial.fields import moment_about, velocity_at
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

REACH = 1.2
POINTS = np.stack(np.meshgrid(*[np.linspace(-REACH, REACH, 5)] * 2, [-0.9, 0.0, 0.9]), axis=-1).reshape(-1, 3)
SCALE = 0.22
KINDS = ("twist", "wrench")


def axis_of(x: float, y: float, tilt: float) -> tuple[NDArray, NDArray]:
    """Return the point nearest to the origin and the direction of an axis through (x, y, 0), tilted toward x (rad)."""
    direction = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    through = np.array([x, y, 0.0])
    return through - direction * (direction @ through), direction


def screw_field() -> Playground:
    """Drag the axis, change the pitch: arrows show the velocity, or the moment, at points all around."""
    return Playground(
        "A screw and its field",
        [
            Slider("magnitude", "rad/s or N", 0.1, 2.0, 1.0, "how fast it turns, or how hard it pushes", hard=True),
            Slider("pitch", "m", -0.8, 0.8, 0.2, "sliding along the axis for each radian of turning"),
            Slider("axis x", "m", -1.0, 1.0, 0.4),
            Slider("axis y", "m", -1.0, 1.0, 0.0),
            Slider("tilt", "rad", -1.4, 1.4, 0.0, "of the axis, from z toward x"),
            Slider("read as", "", 0, 1, 0, "the same six numbers mean different things", choices=KINDS),
        ],
        _draw,
        scene=_rod(),
        height=430,
        on_drag=_dragged,
        tour=[
            ("Turn only", {"pitch": 0.0, "read as": "twist"}, "Without pitch the points on the axis stand still."),
            (
                "Turn and slide",
                {"pitch": 0.8},
                "Every point slides along the axis as well, those on it do nothing else.",
            ),
            ("The other way", {"pitch": -0.8}, "A left-handed screw: it turns the same way and slides back."),
            (
                "Read it as a wrench",
                {"read as": "wrench"},
                "The same arrows, but now each is the moment of a force about its own point.",
            ),
        ],
    )


def _rod() -> Model:
    model = Model("screw")
    model.add_body("axis", geometry=Geometry(Cylinder(0.025, 3.2), color=(0.94, 0.53, 0.17)))
    return model


def _dragged(pose: NDArray) -> Mapping[str, Any]:
    return {"axis x": float(np.clip(pose[0, 3], -1.0, 1.0)), "axis y": float(np.clip(pose[1, 3], -1.0, 1.0))}


def _draw(turn: float, pitch: float, x: float, y: float, tilt: float, kind: str) -> Picture:
    point, direction = axis_of(x, y, tilt)
    motion = kind == "twist"
    main = turn * direction
    beside = np.cross(point, main) + pitch * main
    vector = np.concatenate([main, beside] if motion else [beside, main])
    field = velocity_at(vector, POINTS) if motion else moment_about(vector, POINTS)
    colors = palette.SPATIAL["motion" if motion else "force"]
    color, style = (colors[1], "straight") if motion else (colors[0], "turning")
    arrows = [Arrow(0, tuple(P), tuple(SCALE * u), color, style, "field") for P, u in zip(POINTS, field)]  # type: ignore[arg-type]
    along = 0.9 * main
    color, style = (colors[0], "turning") if motion else (colors[1], "straight")
    own = Arrow(0, tuple(point), tuple(along), color, style, "axis")  # type: ignore[arg-type]
    axis = np.array([[x, y, 0.0]])
    names = ("ω", "v_O", "rad/s", "m/s") if motion else ("n_O", "f", "N m", "N")
    least = np.linalg.norm(velocity_at(vector, axis) if motion else moment_about(vector, axis))
    note = (
        "Each arrow is the velocity of the point that it starts from. They are shortest on the axis: pitch times turn."
        if motion
        else "Each arrow is the moment about the point it starts from; smallest on the axis: pitch times force."
    )
    return Picture(
        poses=np.stack([np.eye(4), _place(point, direction)]),
        arrows=[*arrows, own],
        readout=[
            (f"{names[0]} ({names[2]})", _three(vector[:3])),
            (f"{names[1]} ({names[3]})", _three(vector[3:])),
            ("on the axis", f"{least:.3f} {names[3] if motion else names[2]}"),
        ],
        note=note,
        handle=se3.pose(position=[x, y, 0.0]),
    )


def _place(point: NDArray, direction: NDArray) -> NDArray:
    c, s = direction[2], direction[0]
    return se3.pose(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]), point)


def _three(x: NDArray) -> str:
    return "  ".join(f"{value:+.2f}" for value in x + 0.0)
