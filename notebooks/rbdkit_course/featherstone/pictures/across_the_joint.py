"""Apparent inertia of a body through a joint: I^a = I^A - U D^-1 U^T loses the directions of S (section 7.2.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import aba
from rbdkit.figures import Plot
from rbdkit.joints import Cylindrical, Helical, JointType, Prismatic, Revolute, Spherical
from rbdkit.model import Box, Geometry, Model
from rbdkit.scene import Arrow, Ellipsoid, scene_of
from rbdkit.scene.palette import GROUND, INERTIA, JOINT, LINES
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.stepping.drawing import apparent_mass
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

SIZE, MASS = (0.9, 0.35, 0.2), 4.0
"""Size (m) and mass (kg) of the body."""
RADIUS = 0.34
"""Radius of an ellipsoid that stands for the whole mass, m."""
ZERO = 1e-12
"""Elements smaller than this, in kg, kg m and kg m2, count as zero."""
ROWS = ("nx", "ny", "nz", "fx", "fy", "fz")
JOINTS: dict[str, Callable[[NDArray], JointType]] = {
    "hinge": Revolute,
    "slider": Prismatic,
    "screw, 0.3 m/rad": lambda axis: Helical(axis, pitch=0.3),
    "cylinder": Cylindrical,
    "ball joint": lambda axis: Spherical(),
}


def across_the_joint() -> Playground:
    """A body on a joint, its inertia before and after, as ellipsoids and as a matrix."""
    return Playground(
        "Across the joint",
        [
            Slider("joint", "", 0, len(JOINTS) - 1, 0, "what connects the body to its parent", choices=tuple(JOINTS)),
            Slider("tilt", "rad", -np.pi / 2, np.pi / 2, 0.0, "of the joint axis, from z towards x", hard=True),
            Slider("offset", "m", 0.0, 0.6, 0.4, "of the body's centre from the joint, along x", hard=True),
        ],
        draw,
        replace(scene_of(model("hinge", 0.0, 0.4)), outline=np.array([[-0.3, -0.5, -0.5], [1.1, 0.5, 0.9]])),
        height=400,
    )


def draw(joint: str, tilt: float, offset: float) -> Picture:
    """I^A of the body and I^a behind the joint."""
    IA, Ia, S = felt(joint, tilt, offset)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, 0, 3] = offset - 0.4  # the body was drawn with the offset at rest
    ellipsoids = []
    for I, color in ((IA, GROUND), (Ia, INERTIA)):
        center, masses, axes = apparent_mass(I)
        radii = np.maximum(RADIUS * np.sqrt(np.maximum(masses, 0.0) / MASS), 4e-3)
        ellipsoids.append(Ellipsoid(0, center, axes, radii, color))
    n = axis(tilt)
    ends = tuple(float(x) for x in 0.75 * n)
    shown = [] if joint == "ball joint" else [Arrow(0, (0.0, 0.0, 0.0), (ends[0], ends[1], ends[2]), JOINT)]
    left = np.maximum(apparent_mass(Ia)[1], 0.0)
    zero = [name for name, row in zip(ROWS, Ia, strict=True) if np.abs(row).max() < ZERO]
    readout = [
        ("apparent mass behind the joint", " · ".join(f"{m:.2f}" for m in left) + " kg"),
        ("rank of I^A and of I^a", f"{rank(IA)} and {rank(Ia)}"),
        ("largest element of I^a S", f"{np.abs(Ia @ S).max():.0e}".replace("0e+00", "0")),
        ("rows and columns of zeros", ", ".join(zero) or "none"),
    ]
    return Picture(
        poses=poses,
        arrows=shown,
        ellipsoids=ellipsoids,
        figure=matrix(Ia),
        readout=readout,
        note="Grey: the apparent mass of the body, the same in all directions. Violet: what is left of it behind the "
        "joint. Tilt the axis: the zeros spread over the matrix, but its rank stays.",
    )


def model(joint: str, tilt: float, offset: float) -> Model:
    """Build the body on its joint at the origin."""
    made = Model("a body behind a joint", gravity=(0.0, 0.0, 0.0))
    pose = se3.pose(position=[offset, 0.0, 0.0])
    inertia, shape = Inertia.box(SIZE, mass=MASS).transformed(pose), Geometry(Box(SIZE), pose)
    made.add_body("body", joint=JOINTS[joint](axis(tilt)), inertia=inertia, geometry=shape, joint_name="joint")
    return made


def felt(joint: str, tilt: float, offset: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return I^A, I^a and S at the joint."""
    body = model(joint, tilt, offset)
    rest = np.zeros(body.nv)
    result = aba(body, body.neutral(), rest, rest)
    return result.IA[1], result.Ia[1], result.S[1]


def axis(tilt: float) -> NDArray:
    """Unit vector (3,) in the x-z plane."""
    return np.array([np.sin(tilt), 0.0, np.cos(tilt)])


def rank(I: NDArray) -> int:
    """Return the rank of a 6 x 6 inertia, to round-off."""
    return int(np.linalg.matrix_rank(I, tol=1e-10 * float(np.abs(I).max())))


def matrix(I: NDArray) -> Plot:
    """Draw the 36 numbers, zeros as dots."""
    figure = Plot(figsize=(4.1, 3.3), layout="constrained")
    ax = figure.subplots()
    for (i, j), x in np.ndenumerate(I):
        nothing = abs(x) < ZERO
        if not nothing:
            strength = 0.12 + 0.5 * min(1.0, abs(x) / float(np.sqrt(abs(I[i, i] * I[j, j])) or 1.0))
            color = LINES[0] if x > 0 else LINES[1]
            ax.fill([j - 0.5, j + 0.5, j + 0.5, j - 0.5], [i - 0.5, i - 0.5, i + 0.5, i + 0.5], color, alpha=strength)
        text = "·" if nothing else f"{x:.2f}"
        ax.text(j, i, text, ha="center", va="center", fontsize=8, color="black")
    ax.set(xlim=(-0.5, 5.5), ylim=(5.5, -0.5), aspect="equal")
    ax.set_yticks(range(6), ROWS)
    ax.set_xticks(range(6), ["αx", "αy", "αz", "ax", "ay", "az"])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    return figure
