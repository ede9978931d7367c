"""The stick figure: how a body is drawn that has no geometry of its own.

A rod between each pair of joint frames on the body, so that a mechanism made by hand looks like itself at once.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.scene import equimomental, palette
from rbdkit.scene.bounds import Sizes
from rbdkit.scene.glyphs import ball, rod
from rbdkit.scene.solids import unit_box
from rbdkit.scene.triangles import Triangles, join

MESHED = 5
"""Most joint frames for which every pair gets a rod; with more, rods run from the body's own joint frame only."""


def stick(model: Model, body: int, size: Sizes, without: Collection[int] = ()) -> Triangles | None:
    """Return painted triangles of a body as a stick figure, or None if there is nothing to draw.

    Joint frames are the body's own, those of its children and of loops; a leaf adds its named frames or, with none, its
    centre of mass. A body whose joint frames all coincide becomes the cuboid that has its inertia. without : bodies to
    which no rods lead.
    """
    color = palette.rgb(palette.body_color(body))
    inertia = model.bodies[body].inertia
    points, bob = joint_points(model, body, without)
    points = _distinct(points, 1e-6 * size.extent)
    pairs = combinations(points, 2) if len(points) <= MESHED else ((points[0], p) for p in points[1:])
    pieces = [rod(a, b, size.rod) for a, b in pairs]
    if pieces:
        pieces += [ball(p, 1.7 * size.rod) for p in points]
        if bob is not None:
            pieces.append(ball(bob, 3.4 * size.rod))
    elif body > 0 and inertia is not None and inertia.mass > 0.0:
        edges, pose = equimomental.cuboid(inertia)
        pieces = [unit_box().moved(pose, np.maximum(edges, 2.0 * size.rod))]
    return join(piece.painted(color) for piece in pieces) if pieces else None


def joint_points(model: Model, body: int, without: Collection[int] = ()) -> tuple[list[NDArray], NDArray | None]:
    """Return the origins of joint frames on a body, its own first, in body axes; and a leaf's bob, if any."""
    children = [b for b in model.bodies[1:] if b.parent == body and b.index not in without]
    points = [np.zeros(3)] if body > 0 else []
    points += [b.joint.placement[:3, 3] for b in children if b.joint.nv < 6]
    for loop in model.loops:
        points += [loop.joint.placement[:3, 3]] * (loop.predecessor == body)
        points += [loop.successor_placement[:3, 3]] * (loop.successor == body)
    if body == 0 or children or len(points) > 1:
        return points, None
    tips = [frame.placement[:3, 3] for frame in model.frames if frame.body == body]
    if tips:
        return points + tips, None
    inertia = model.bodies[body].inertia
    if inertia is None or inertia.mass == 0.0 or model.bodies[body].joint.nv == 6:
        return points, None
    com = np.array(inertia.com)
    return [*points, com], com if np.any(com) else None


def _distinct(points: list[NDArray], tolerance: float) -> list[NDArray]:
    kept: list[NDArray] = []
    for point in points:
        if all(np.linalg.norm(point - other) > tolerance for other in kept):
            kept.append(point)
    return kept
