"""A hinge driven by a pinion: the radius of the gear wheel changes the bearing force and not the motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit import algorithms
from rbdkit.algorithms.constraints import joint_constraint
from rbdkit.figures import Plot
from rbdkit.joints import Revolute
from rbdkit.library.pinion_hinge import active_force_subspace, pinion_hinge
from rbdkit.scene import Arrow, Ellipsoid, palette
from rbdkit.spatial import plucker, se3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

SCALE = 0.012  # metres of arrow for a newton
PINION = 0.1
UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # shows the wheels from the front
RADII = np.linspace(0.08, 0.6, 80)


def bearing(radius: float, torque: float, angle: float = 0.0) -> tuple[float, NDArray, NDArray]:
    """Return the hinge's acceleration, rad/s2, and the forces (6,) of tooth and bearing on the beam, in base axes.

    The beam is at rest and weightless.
    """
    model = pinion_hinge(gear_radius=None).with_parameters({"gravity": np.zeros(3)})
    q, still, tau = np.array([angle]), np.zeros(1), np.array([torque])
    qdd = algorithms.aba(model, q, still, tau).qdd
    X = model.joints[1].transform(q) @ model.X_tree[1]
    f_J = algorithms.rnea(model, q, still, qdd).f[1]
    active = plucker.force(X) @ active_force_subspace(radius)  # the tooth stays where it is while the beam turns
    borne = joint_constraint(Revolute("z"), q, still, active=active).constraint_force(f_J)
    return float(qdd[0]), X.T @ active @ tau, X.T @ borne


def pinion_bearing() -> Playground:
    """Slide the radius: the arrows at the tooth and in the bearing grow, the acceleration stays."""
    return Playground(
        "Motor, wheel, bearing",
        [
            Slider("gear radius", "m", 0.08, 0.6, 0.3, hard=True),
            Slider("torque", "N m", -6.0, 6.0, 4.0),
            Slider("angle", "rad", -1.5, 1.5, 0.4, "of the beam"),
        ],
        _draw,
        scene=framed(pinion_hinge(gear_radius=None), [-1.0, -0.3, -0.6], [1.2, 0.3, 0.8]),
        height=400,
    )


def _draw(radius: float, torque: float, angle: float) -> Picture:
    qdd, tooth, borne = bearing(radius, torque, angle)
    wheels = [
        Ellipsoid(0, np.zeros(3), UPRIGHT, np.array([radius, radius, 0.03]), palette.GROUND),
        Ellipsoid(0, np.array([-radius - PINION, 0.0, 0.0]), UPRIGHT, np.array([PINION, PINION, 0.05]), palette.JOINT),
    ]
    arrows = [
        _arrow([-radius, 0.0, 0.06], tooth[3:], palette.LINES[1]),
        _arrow([0.0, 0.0, 0.06], borne[3:], palette.LINES[3]),
    ]
    return Picture(
        poses=np.stack([np.eye(4), se3.pose(UPRIGHT @ plucker.rz(angle).T)]),
        arrows=arrows,
        ellipsoids=wheels,
        figure=_curve(radius, torque, angle, float(np.linalg.norm(borne[3:]))),
        readout=[
            ("acceleration", f"{qdd:.3f} rad/s²"),
            ("at the tooth", f"{np.linalg.norm(tooth[3:]):.1f} N"),
            ("in the bearing", f"{np.linalg.norm(borne[3:]):.1f} N"),
        ],
        note="Orange: the pinion's push. Red: what the bearing adds. Their sum does not depend on the wheel.",
    )


def _arrow(start: list[float], force: NDArray, color: str) -> Arrow:
    x, y, z = (float(x) for x in UPRIGHT @ start)
    u, v, w = (float(x) for x in SCALE * UPRIGHT @ force)
    return Arrow(0, (x, y, z), (u, v, w), color)


def _curve(radius: float, torque: float, angle: float, now: float) -> Plot:
    _, tooth, borne = bearing(1.0, torque, angle)
    whole = (tooth + borne)[3:]  # what reaches the beam, whatever the wheel
    forces = np.linalg.norm(whole - tooth[3:] / RADII[:, None], axis=1)
    figure = Plot(figsize=(3.8, 2.0))
    ax = figure.add_axes((0.15, 0.24, 0.82, 0.70))
    ax.plot(RADII, forces, color=palette.LINES[3], linewidth=1.5)
    ax.plot(radius, now, "o", color=palette.LINES[3])
    ax.set_xlabel("gear radius (m)", fontsize=8)
    ax.set_ylabel("bearing force (N)", fontsize=8)
    ax.set_ylim(0, 80)
    ax.tick_params(labelsize=7)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
