"""A chain is hung on a handle link by link: what the handle feels like after each assembly (section 7.2.2)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.algorithms.articulated import Handle, assembly, take_apart
from rbdkit.figures import Plot
from rbdkit.joints import Fixed, Free, JointType, Revolute, Spherical
from rbdkit.model import Capsule, Geometry, Model
from rbdkit.scene import Ellipsoid, scene_of
from rbdkit.scene.palette import INERTIA, LINES
from rbdkit.spatial import quaternion, se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.stepping.drawing import apparent_mass
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

LINKS, LENGTH, MASS, FOLD = 8, 0.4, 1.0, 0.6
"""Number of links, length (m) and mass (kg) of each, and initial joint angle (rad)."""
GAP = 0.45
"""Gap in the picture between the assembled links and the others, m."""
LARGEST = 0.55
"""Radius of an ellipsoid that shows the mass of all links, m."""
JOINTS: dict[str, JointType] = {"hinges": Revolute("y"), "ball joints": Spherical(), "welded": Fixed()}


def chain_on_a_handle() -> Playground:
    """The first link is the handle; the ellipsoid about it is its apparent mass in every direction."""
    model = chain("hinges", FOLD)
    scene = scene_of(model, coordinates(model, FOLD))
    room = np.vstack([scene.outline, scene.outline + [GAP, 0.0, 0.0], [[0.0, 0.0, LARGEST], [0.0, 0.0, -LARGEST]]])
    return Playground(
        "A chain on a handle",
        [
            Slider("links", "", 1, LINKS, 3, "how many are assembled, the handle with them", hard=True, whole=True),
            Slider("fold", "rad", -2.4, 2.4, FOLD, "at every joint, to and fro", hard=True),
            Slider("joints", "", 0, len(JOINTS) - 1, 0, "between the links", choices=tuple(JOINTS)),
        ],
        draw,
        replace(scene, outline=room),
        height=400,
    )


def draw(links: float, fold: float, joints: str) -> Picture:
    """Draw the chain with the given number of links assembled to the handle."""
    k = round(links)
    model = chain(joints, fold)
    q = coordinates(model, fold)
    felt = on_handle(model, q)
    center, masses, axes = apparent_mass(felt[k - 1].I)
    radii = LARGEST * np.sqrt(masses / (LINKS * MASS))
    poses = np.array(forward_kinematics(model, q).poses)
    poses[k + 1 :, 0, 3] += GAP
    readout = [
        ("apparent mass", " · ".join(f"{m:.2f}" for m in masses) + " kg"),
        ("mass of what is assembled", f"{k * MASS:g} kg"),
        ("heaviest over lightest direction", f"{masses[-1] / masses[0]:.3f}"),
    ]
    return Picture(
        poses=poses,
        ellipsoids=[Ellipsoid(1, center, axes, radii, INERTIA)],
        figure=growth(felt, k),
        readout=readout,
        note="Across the chain the joints give way, and links far away are hardly felt. Along a straight chain, and "
        "along the axes of hinges, nothing gives way. Welded together the links are felt alike in all directions.",
    )


def chain(joints: str, fold: float) -> Model:
    """Build weightless links along x, the first on a free joint; welded ones have the fold in their placement."""
    model = Model("chain", gravity=(0.0, 0.0, 0.0))
    middle = se3.pose([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]], [0.5 * LENGTH, 0.0, 0.0])
    inertia = Inertia.cylinder(0.1 * LENGTH, LENGTH, mass=MASS).transformed(middle)
    shape = Geometry(Capsule(0.1 * LENGTH, 0.82 * LENGTH), middle)
    model.add_body("link1", "world", Free(), None, inertia, shape)
    for n, turn in enumerate(turns(fold), start=2):
        place = about_y(turn if joints == "welded" else 0.0, [LENGTH, 0.0, 0.0])
        model.add_body(f"link{n}", f"link{n - 1}", JOINTS[joints], place, inertia, shape)
    return model


def turns(fold: float) -> list[float]:
    """Return the alternating joint angles about y, rad."""
    return [fold if n % 2 == 0 else -fold for n in range(LINKS - 1)]


def coordinates(model: Model, fold: float) -> NDArray:
    """Return the coordinates of the zigzag, with its middle line along x."""
    q = model.neutral()
    q[: model.joints[1].nq] = Free().project(about_y(-0.5 * fold, [0.0, 0.0, 0.0]))
    for joint, turn in zip(model.joints[2:], turns(fold), strict=True):
        q[joint.q_slice] = {0: [], 1: [turn], 4: quaternion.exp(np.array([0.0, turn, 0.0]))}[joint.nq]
    return q


def on_handle(model: Model, q: NDArray) -> list[Handle]:
    """Return articulated inertia and bias force of the first link, in its axes, with 0, 1, 2, ... links on it."""
    rest = np.zeros(model.nv)
    system = take_apart(model, q, rest, rest)
    to_handle = np.linalg.inv(system.X[1])
    felt = []
    for links in range(1, LINKS + 1):
        handle = system.bodies[links]
        for n in range(links, 1, -1):  # from the far end towards the handle
            handle = assembly.assemble(system.bodies[n - 1], handle, system.joint(n))
        felt.append(Handle(to_handle.T @ handle.I @ to_handle, to_handle.T @ handle.p))
    return felt


def growth(felt: list[Handle], k: int) -> Plot:
    """Draw the principal apparent masses over the number of links."""
    figure = Plot(figsize=(4.4, 2.9), layout="constrained")
    ax = figure.subplots()
    numbers = np.arange(1, len(felt) + 1)
    masses = np.array([apparent_mass(handle.I)[1] for handle in felt])
    ax.plot(numbers, MASS * numbers, "--", color="black", linewidth=0.9, alpha=0.6, label="mass of the links")
    for m, color, name in zip(masses.T[::-1], LINES, ("heaviest", "middle", "lightest"), strict=False):
        ax.plot(numbers, m, "o-", color=color, markersize=3.5, label=name)
        ax.plot([k], [m[k - 1]], "o", color=color, markersize=8)
    ax.set(xlabel="links", ylabel="apparent mass (kg)", xticks=numbers, ylim=(0.0, None))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    return figure


def about_y(angle: float, position: ArrayLike) -> NDArray:
    """Return a pose turned about y."""
    c, s = np.cos(angle), np.sin(angle)
    return se3.pose([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]], position)
