"""All joint types side by side: pick one, move it, and see the columns of its S as arrows and as numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.figures import Plot
from rbdkit.library.showcase import joint_showcase
from rbdkit.model import Joint, Model
from rbdkit.scene import Arrow, Ellipsoid, palette, scene_of
from rbdkit.scene.arrows import spatial_arrows
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

MOST = 4
"""Number of sliders for velocity variables; further variables stay zero."""
SCALE = (0.3, 0.3)
"""Length of the arrows of 1 rad/s and of 1 m/s, m."""

GLOW, BELOW = np.array([0.42, 0.42, 0.015]), np.array([0.0, 0.0, -0.12])
"""Radii of the disc under the chosen joint, and its place, m."""


def joint_gallery() -> Playground:
    """A model with one body on each joint type; the one that is chosen moves along its velocity variables."""
    model = joint_showcase()
    names = tuple(joint.name for joint in model.joints[1:] if joint.nv)
    sliders = [Slider("joint", "", 0, len(names) - 1, names.index("rack and pinion"), "which joint", choices=names)]
    sliders += [
        Slider(f"v_{k + 1}", "rad/s or m/s", -2.0, 2.0, 0.8 if k == 0 else 0.0, "along this velocity variable")
        for k in range(MOST)
    ]
    scene = scene_of(model)
    labels = tuple(label for label in scene.labels if not label.text.startswith("stand of"))
    layers = [replace(layer, visible=True) if layer.name == "labels" else layer for layer in scene.layers]

    def draw(joint: str, *u: float) -> Picture:
        return picture(model, joint, np.array(u))

    return Playground(
        "Joint types and their motion subspaces",
        sliders,
        draw,
        replace(scene, layers=tuple(layers), labels=labels),
        height=460,
    )


def picture(model: Model, name: str, u: NDArray) -> Picture:
    """The showcase with one joint moved from neutral along constant velocity u for one unit of time."""
    joint = model.joint(name)
    body = model.joints.index(joint)
    dv = np.zeros(joint.nv)
    dv[: len(u)] = u[: joint.nv]
    q = model.neutral()
    q[joint.q_slice] = joint.type.integrate(joint.type.neutral(), dv)
    S = joint.motion_subspace(q)
    arrows: list[Arrow] = []
    for column in S.T:
        arrows += spatial_arrows(body, column, "motion", SCALE)
    poses = forward_kinematics(model, q).poses
    glow = Ellipsoid(model.parent[body], BELOW, np.eye(3), GLOW, palette.SELECTED)
    own = q[joint.q_slice]
    names, units = joint.type.v_names, joint.type.v_units
    turned = dict(zip((f"v_{k + 1}" for k in range(MOST)), zip(names, units, strict=True), strict=False))
    readout = [("type", repr(joint.type))]
    readout += [(name, f"{meaning or 'velocity'}, {unit}") for name, (meaning, unit) in turned.items()]
    readout += [("S", "columns: motions that the joint allows"), ("T", "columns: forces that it transmits")]
    readout += [(f"q: {label}", f"{x:+.3f}") for label, x in zip(joint.type.q_names, own, strict=True)]
    return Picture(
        poses=poses,
        arrows=arrows,
        ellipsoids=[glow],
        figure=_matrices(joint, q),
        readout=readout,
        note=_note(joint, q),
        idle=[f"v_{k + 1}" for k in range(joint.nv, MOST)],
        units={name: unit for name, (_, unit) in turned.items()},
    )


def _note(joint: Joint, q: NDArray) -> str:
    S = joint.motion_subspace(q)
    elsewhere = joint.type.integrate(joint.coordinates(q), np.full(joint.nv, 0.3))
    constant = np.allclose(joint.type.motion_subspace(elsewhere), S, atol=1e-12)
    return (
        "S does not change as the joint moves: its velocity-product term is zero."
        if constant
        else "S changes as the joint moves: it has a velocity-product term."
    )


def _matrices(joint: Joint, q: NDArray) -> Plot:
    """Tabulate S and T side by side, with the components of motions and forces as row names."""
    own = joint.coordinates(q)
    S, T = joint.motion_subspace(q), joint.type.constraint_subspace(own)
    figure = Plot(figsize=(4.8, 2.5))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(-0.9, 7.9), ylim=(6.2, -1.1))
    ax.axis("off")
    for matrix, start, title, color in ((S, 0.0, "S", palette.LINES[0]), (T, joint.nv + 1.0, "T", palette.LINES[3])):
        width = matrix.shape[1]
        ax.text(start + 0.5 * max(width, 1), -0.55, title, ha="center", va="center", fontsize=11, weight="bold")
        ax.add_patch(Rectangle((start, 0), max(width, 0.06), 6, facecolor=color, alpha=0.12, linewidth=0))
        for i in range(6):
            for k in range(width):
                value = matrix[i, k]
                text = "·" if abs(value) < 5e-4 else f"{value:.2f}".removesuffix(".00").replace("-", "−")
                ax.text(start + k + 0.5, i + 0.5, text, ha="center", va="center", fontsize=9)
    for i in range(6):
        ax.text(-0.2, i + 0.5, "ωv"[i // 3] + "xyz"[i % 3], ha="right", va="center", fontsize=9)
        ax.text(7.2, i + 0.5, "nf"[i // 3] + "xyz"[i % 3], ha="left", va="center", fontsize=9)
    return figure
