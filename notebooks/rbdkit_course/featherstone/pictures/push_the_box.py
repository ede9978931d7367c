"""Push the box of Example 7.1, and feel how much of the cylinder comes along (section 7.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import aba, forward_kinematics
from rbdkit.figures import Plot
from rbdkit.library.box_and_cylinder import TRAVEL, box_and_cylinder
from rbdkit.model import Model
from rbdkit.scene import Arrow, scene_of, triple
from rbdkit.scene.palette import LINES, SPATIAL
from rbdkit.spatial import ArticulatedInertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.answers import call, numbers

BOX_MASS = 2.0
"""Mass of the box, kg."""
FAR, NEAR = 1.5, 0.9
"""Distances of the pushing arrow's tail and head from the point that it pushes at, m; other arrows start opposite."""
ROOM = 1.15
"""Distance from the middle to the sides of the picture, m."""


def push_the_box(own: Callable[..., Any] | None = None) -> Playground:
    """The box, a force that can be dragged around it, and the apparent mass in every direction.

    own: a function ``(model, q, qd, tau) -> qdd`` that moves the box, in place of the library's.
    """
    return Playground(
        "Push the box",
        [
            Slider("azimuth", "rad", -np.pi, np.pi, 0.7, "of the force; or drag its handle", hard=True),
            Slider("elevation", "rad", -np.pi / 2, np.pi / 2, 0.0, "of the force above the x-y plane", hard=True),
            Slider("cylinder", "kg", 0.1, 10.0, 3.0, "its mass; the box has 2 kg", hard=True, log=True),
            Slider("slide", "m", -TRAVEL, TRAVEL, 0.0, "where in the slot the cylinder is", hard=True),
            Slider("through", "", 0, 1, 0, "where the force acts", choices=("origin", "centre of apparent mass")),
        ],
        draw if own is None else partial(draw, own=own),
        replace(scene_of(box_and_cylinder()), outline=ROOM * np.array([[-1.0, -1.0, -0.5], [1.0, 1.0, 0.5]])),
        height=430,
        on_drag=dragged,
        tour=[
            (
                "Push along x",
                {"azimuth": 0.0, "elevation": 0.0, "cylinder": 3.0, "slide": 0.0, "through": "origin"},
                "Across the slot nothing gives way: you move both, 5 kg.",
            ),
            ("Push along y", {"azimuth": np.pi / 2}, "Along the slot the cylinder stays where it is: 2 kg."),
            ("Push in between", {"azimuth": np.pi / 4}, "The box swerves, toward the side where it is light."),
            ("The same with a heavy cylinder", {"cylinder": 10.0}, "It swerves more: 2 kg that way, 12 kg the other."),
        ],
    )


def draw(
    azimuth: float,
    elevation: float,
    cylinder: float,
    slide: float,
    through: str,
    own: Callable[..., Any] | None = None,
) -> Picture:
    """The box under a force of 1 N."""
    model, q = placed(cylinder, slide)
    IA = felt(model, q) if own is None else felt_by(own, model, q)
    if IA is None:
        return Picture(poses=forward_kinematics(model, q).poses, note="The box does not move by your function yet.")
    point = np.zeros(3) if through == "origin" else np.array([0.0, centre(cylinder, slide), 0.0])
    d = direction(azimuth, elevation)
    a = IA.inverse().acceleration(np.concatenate([np.cross(point, d), d]))
    at_point = a[3:] + np.cross(a[:3], point)
    readout = [
        ("apparent mass", f"{IA.apparent_mass(d, point):.3f} kg"),
        ("box alone, both together", f"{BOX_MASS:g} kg, {BOX_MASS + cylinder:.3g} kg"),
        ("acceleration at the force", f"{np.linalg.norm(at_point):.3f} m/s²"),
        ("it leaves the force's direction by", f"{np.degrees(angle(at_point, d)):.1f}°"),
        ("turning", f"{np.linalg.norm(a[:3]):.3f} rad/s²"),
    ]
    push = Arrow(0, triple(point - FAR * d), triple((FAR - NEAR) * d), SPATIAL["force"][1], name="push")
    moves = Arrow(0, triple(point + NEAR * unit(at_point)), triple(1.5 * at_point), SPATIAL["motion"][1], name="moves")
    turns = Arrow(0, triple(point + NEAR * unit(a[:3])), triple(0.8 * a[:3]), SPATIAL["motion"][0], "turning", "turns")
    handle = np.eye(4)
    handle[:3, 3] = point - FAR * d
    return Picture(
        poses=forward_kinematics(model, q).poses,
        arrows=[push, moves] + [turns] * bool(np.linalg.norm(a[:3]) > 1e-6),
        figure=polar(IA, azimuth, elevation, point, cylinder),
        readout=readout,
        note="Orange: 1 N on the box. Green: how the box accelerates there, violet: how it turns. Along y the cylinder "
        "stays behind, and only the box is felt; the ring shows what is felt in every direction at this elevation.",
        handle=handle,
    )


def placed(cylinder: float, slide: float) -> tuple[Model, NDArray]:
    """Return the model with a cylinder of that mass (and inertia in proportion), and its coordinates."""
    model = box_and_cylinder(BOX_MASS, m2=cylinder, I2=0.4 * cylinder / 3.0)
    q = model.neutral()
    q[model.joint("slide").q_slice] = slide
    return model, q


def felt(model: Model, q: NDArray) -> ArticulatedInertia:
    """Return the articulated inertia of the box."""
    rest = np.zeros(model.nv)
    return ArticulatedInertia(aba(model, q, rest, rest).IA[1])


def felt_by(own: Callable[..., Any], model: Model, q: NDArray) -> ArticulatedInertia | None:
    """Return the articulated inertia of the box by a student's function; None if that gives no inertia.

    The box is free, so the first six entries of tau are a force on it, and unit forces give the columns of the inverse.
    """
    rest, accelerations = np.zeros(model.nv), []
    for tau in np.eye(6, model.nv):
        result, fault = call(own, model, q.copy(), rest.copy(), tau)
        qdd = None if fault else numbers(result[0] if isinstance(result, tuple) else result, model.nv)
        if qdd is None:
            return None
        accelerations.append(qdd[:6])
    inverse = np.array(accelerations)
    if not np.allclose(inverse, inverse.T) or np.linalg.eigvalsh(inverse).min() < 1e-9:
        return None
    return ArticulatedInertia(np.linalg.inv(inverse))


def centre(cylinder: float, slide: float) -> float:
    """Return y of the centre of apparent mass: that of both masses, since along x and z both are felt."""
    return cylinder * slide / (BOX_MASS + cylinder)


def direction(azimuth: float, elevation: float) -> NDArray:
    """Return the unit vector (3,) at an azimuth and elevation."""
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


def unit(u: NDArray) -> NDArray:
    """Normalise a vector; zero stays zero."""
    return u / max(float(np.linalg.norm(u)), 1e-12)


def angle(u: NDArray, v: NDArray) -> float:
    """Return the angle between two vectors, rad."""
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


def dragged(pose: NDArray) -> dict[str, float]:
    """Return the sliders for a handle at a pose: the force pushes from there towards the middle."""
    d = -pose[:3, 3]
    length = float(np.linalg.norm(d))
    if length < 1e-6:
        return {}
    return {"azimuth": float(np.arctan2(d[1], d[0])), "elevation": float(np.arcsin(np.clip(d[2] / length, -1.0, 1.0)))}


def polar(IA: ArticulatedInertia, azimuth: float, elevation: float, point: NDArray, cylinder: float) -> Plot:
    """Draw the apparent mass over the direction of the force."""
    angles = np.linspace(0.0, 2.0 * np.pi, 121)
    masses = [IA.apparent_mass(direction(phi, elevation), point) for phi in angles]
    figure = Plot(figsize=(3.4, 3.4), layout="constrained")
    ax = figure.subplots(subplot_kw={"projection": "polar"})
    for mass, style in ((BOX_MASS, ":"), (BOX_MASS + cylinder, "--")):
        ax.plot(angles, np.full_like(angles, mass), style, color="black", linewidth=0.8, alpha=0.6)
    ax.plot(angles, masses, color=LINES[0], linewidth=2.0)
    own = IA.apparent_mass(direction(azimuth, elevation), point)
    ax.plot([azimuth], [own], "o", color=SPATIAL["force"][1], markersize=8)
    ax.set_xticks(np.radians([0, 90, 180, 270]), ["x", "y", "−x", "−y"])
    ax.set_ylim(0.0, 1.08 * (BOX_MASS + cylinder))
    ax.set_yticks([])
    ax.grid(alpha=0.25)
    ax.set_title("apparent mass\ndotted: the box alone, dashed: both", fontsize="small")
    return figure
