"""Sizes of models and outlines of scenes, so that a view can frame them and marks are drawn in proportion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.scene.scene import Band, Part

DIRECTIONS = np.array([d for d in product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
"""The 26 directions to faces, edges and corners of a cube."""


@dataclass(frozen=True)
class Sizes:
    """Lengths of marks, m. extent : diagonal of the model. link : typical distance between neighbouring joints."""

    extent: float
    link: float

    @property
    def rod(self) -> float:
        """Radius of the rods of a stick figure."""
        return float(np.clip(0.055 * self.link, 0.0015 * self.extent, 0.016 * self.extent))

    @property
    def axes(self) -> float:
        """Length of the arrows of a frame."""
        return float(np.clip(0.42 * self.link, 0.004 * self.extent, 0.12 * self.extent))


def outline(points: NDArray) -> NDArray:
    """Return the points (k, 3), out of some (..., 3), that lie furthest in 26 directions: enough to frame them all."""
    flat = points.reshape(-1, 3)
    return flat[np.unique(np.argmax(flat @ DIRECTIONS.T, axis=0))]


def node_outlines(parts: Iterable[Part], nodes: int, bands: Iterable[Band] = ()) -> list[NDArray]:
    """Return for each node the outline (k, 3) of its parts and band ends in its own coordinates; empty without any."""
    vertices: list[list[NDArray]] = [[] for _ in range(nodes)]
    for part in parts:
        vertices[part.node].append(part.surface.vertices)
    for band in bands:
        for node, point in zip(band.nodes, band.points, strict=True):
            vertices[node].append(np.array([point]))
    return [outline(np.concatenate(v)) if v else np.zeros((0, 3)) for v in vertices]


def swept_outline(outlines: list[NDArray], poses: NDArray) -> NDArray:
    """Return the world outline (k, 3) of node outlines that move through poses (..., nodes, 4, 4)."""
    swept = [
        outline(np.einsum("...ij,kj->...ki", poses[..., node, :3, :3], own) + poses[..., node, None, :3, 3])
        for node, own in enumerate(outlines)
        if len(own)
    ]
    return outline(np.concatenate(swept)) if swept else np.array([[-0.5] * 3, [0.5] * 3])


def span(points: NDArray) -> float:
    """Return the diagonal of the bounding box of some points (k, 3)."""
    return float(np.linalg.norm(np.ptp(points, axis=0)))


TINY = 1e-12
"""Distance, m, below which points differ by round-off alone."""


def sizes(model: Model, poses: NDArray, drawn: NDArray | None) -> Sizes:
    """Return the sizes of marks for a model in poses (bodies, 4, 4). drawn : outline of its geometry, if it has any."""
    points = [poses[1:, :3, 3] if len(poses) > 1 else np.zeros((1, 3))]
    massive = [body for body in model.bodies[1:] if body.inertia is not None and body.inertia.mass > 0.0]
    for body in massive:
        pose = poses[body.index]
        points.append((pose[:3, :3] @ body.inertia.com + pose[:3, 3])[None])  # type: ignore[union-attr]
    if drawn is not None:
        points.append(drawn)
    if any(body.parent == 0 and body.joint.nv < 6 for body in model.bodies[1:]):
        points.append(np.zeros((1, 3)))
    extent = span(np.concatenate(points))
    if extent < TINY:  # bodies about one point: their gyration tells their size
        gyration = [np.sqrt(np.trace(b.inertia.inertia_com) / (2.0 * b.inertia.mass)) for b in massive]  # type: ignore[union-attr]
        extent = 4.0 * max(gyration, default=0.0) or 1.0

    joints = [np.linalg.norm(b.joint.placement[:3, 3]) for b in model.bodies[1:] if b.parent > 0 and b.joint.nv < 6]
    arms = [np.linalg.norm(body.inertia.com) for body in massive]  # type: ignore[union-attr]
    for lengths in (joints, arms):
        long = [length for length in lengths if length > 0.05 * max(lengths)]
        if long:
            return Sizes(extent, float(np.quantile(long, 0.7)))
    return Sizes(extent, 0.3 * extent)
