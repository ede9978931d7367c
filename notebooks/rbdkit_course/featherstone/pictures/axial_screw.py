"""The inertia felt through a hinge, carried home by two axial screws: one keeps its zeros, the other loses them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.joints import Fixed
from rbdkit.model import Box, Cylinder, Geometry, Model
from rbdkit.scene import Arrow, Ellipsoid, Grid, Part, Scene, palette, scene_of, triangulate, triple
from rbdkit.scene.equimomental import ellipsoid
from rbdkit.spatial import plucker, se3, so3
from rbdkit.spatial.compact import abi, abi_z, fv, rbi, scrx, scrz
from rbdkit.spatial.compact.chain import Joint
from rbdkit.spatial.inertia import Inertia
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.counted_operations import counted
from rbdkit_course.featherstone.pictures.tree_picture import INK, draw_matrix, shade

STEPS = ("at the body", "after the screw about z", "after the screw about x")
KINDS = {"Iᵃ through the hinge": "Xᵀ Iᵃ X", "I of the body": "Xᵀ I X"}
SIZE = (0.5, 0.16, 0.1)
POSE = se3.pose(so3.exp([0.2, 0.3, 0.25]), [0.32, 0.08, 0.05])
BODY = Inertia.box(SIZE, mass=2.0).transformed(POSE)
LABELS = ("ωx", "ωy", "ωz", "vx", "vy", "vz")


def hinge_inertia() -> abi_z:
    """Return I^a of the body about a free hinge along the z axis of its frame."""
    IA = rbi.of(BODY.ten_parameters).articulated()
    return Joint.of(IA, fv.of([0.0] * 6), 0.0).freed(IA)


def carried(kind: str, step: str, theta: float, d: float, alpha: float, a: float) -> rbi | abi | abi_z:
    """Transform the inertia to one of the frames on the way from the body's frame to its parent's."""
    inertia: rbi | abi | abi_z = hinge_inertia() if KINDS[kind] == "Xᵀ Iᵃ X" else rbi.of(BODY.ten_parameters)
    for screw in (scrz(theta, d), scrx(alpha, a))[: STEPS.index(step)]:
        inertia = screw.inv_apply(inertia)
    return inertia


def axial_screw() -> Playground:
    """Turn and shift the two screws; step through the frames; watch row and column 3."""
    return Playground(
        "An inertia on its way home",
        [
            Slider("frame", "", 0, 2, 0, "whose coordinates the matrix is in", choices=STEPS),
            Slider("θ", "rad", -np.pi, np.pi, 0.7, "turn about z: the joint's angle", hard=True),
            Slider("d", "m", -0.5, 0.5, 0.25, "shift along z"),
            Slider("α", "rad", -np.pi, np.pi, 0.9, "turn about x", hard=True),
            Slider("a", "m", -0.5, 0.5, 0.3, "shift along x"),
            Slider("inertia", "", 0, 1, 0, "of the body alone, or what is felt of it", choices=tuple(KINDS)),
        ],
        draw,
        scene=glass_body(),
        height=430,
    )


def glass_body() -> Scene:
    """Return the body on the line of its hinge, transparent, so that its ellipsoid is visible."""
    model = Model("body on a hinge")
    model.add_body("body", "world", Fixed(), None, BODY, Geometry(Box(SIZE), POSE))
    scene = scene_of(model, trails=[])
    parts = tuple(replace(part, opacity=0.35) for part in scene.parts if part.layer == "bodies")
    line = triangulate(Cylinder(0.007, 1.2)).painted(palette.rgb(palette.JOINT))
    room = np.array([[-0.2, -0.4, -0.25], [0.7, 0.4, 0.6]])
    return replace(
        scene,
        parts=(*parts, Part(1, "bodies", line)),
        outline=room,
        layers=scene.layers[:1],
        labels=(),
        grid=Grid(-0.5, 0.1, 12),
    )


def draw(frame: str, theta: float, d: float, alpha: float, a: float, inertia: str) -> Picture:
    """Three frames about the body, and the matrix in one of them."""
    current = STEPS.index(frame)
    frames = frame_poses(theta, d, alpha, a)
    moved = carried(inertia, frame, theta, d, alpha, a)
    matrix = np.array(moved.rows(), dtype=float)
    radii, pose = ellipsoid(BODY)
    arrows: list[Arrow] = []
    for k, pose_k in enumerate(frames):
        arrows += frame_arrows(pose_k, 0.28 if k == current else 0.14, k == current)
    operation = KINDS[inertia]
    return Picture(
        poses=np.array([np.eye(4), frames[0]]),
        arrows=arrows,
        ellipsoids=[Ellipsoid(1, pose[:3, 3], pose[:3, :3], radii, palette.INERTIA)],
        figure=heat_map(matrix),
        readout=[
            ("stored as", f"{type(moved).__name__}, {moved.size} numbers"),
            ("row and column 3", "not zero" if matrix[2].any() else "zero"),
            ("screw about z", str(counted(operation, "screw about z").operations)),
            ("screw about x", str(counted(operation, "screw about x").operations)),
            ("a general transform", str(counted(operation, "compact").operations)),
        ],
        note="The orange line is the hinge, the large axes are those of the matrix. The hinge is the z axis of the "
        "first two frames, so turning about z takes no torque in either; the third has left it.",
    )


def frame_poses(theta: float, d: float, alpha: float, a: float) -> list[NDArray]:
    """Return world poses of the body's frame, of the one between, and of the parent's, which is the world."""
    between = plucker.to_pose(np.array(scrx(alpha, a).plx().rows()))
    return [between @ plucker.to_pose(np.array(scrz(theta, d).plx().rows())), between, np.eye(4)]


def frame_arrows(pose: NDArray, size: float, strong: bool) -> list[Arrow]:
    """Draw three axes; pale if the matrix is not in their frame."""
    colors = palette.AXES if strong else ("#e7a9a4", "#9fd0bb", "#a9c2f0")
    return [Arrow(0, triple(pose[:3, 3]), triple(size * pose[:3, k]), colors[k]) for k in range(3)]


def heat_map(matrix: NDArray) -> Plot:
    """A 6x6 matrix with its numbers: red positive, blue negative, a dot for zero; row and column 3 framed."""
    figure = Plot(figsize=(4.6, 4.6))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    ax.set_aspect("equal")
    size = np.abs(matrix).max()
    places = [(i, j) for i in range(6) for j in range(6) if abs(matrix[i, j]) > 1e-13 * size]
    colors = {
        (i, j): shade(
            palette.LINES[3] if matrix[i, j] > 0 else palette.LINES[0], np.sqrt(abs(matrix[i, j]) / size) * 0.8
        )
        for i, j in places
    }
    texts = {(i, j): f"{matrix[i, j]:.2g}" for i, j in places}
    draw_matrix(ax, colors, 6, texts=texts, labels=LABELS)
    for x, y, width, height in ((0, 2, 6, 1), (2, 0, 1, 6)):
        ax.plot(
            [x, x + width, x + width, x, x], [y, y, y + height, y + height, y], color=palette.SELECTED, linewidth=2.0
        )
    ax.plot([3, 3], [0, 6], color=INK, linewidth=0.6)
    ax.plot([0, 6], [3, 3], color=INK, linewidth=0.6)
    return figure
