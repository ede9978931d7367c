"""Hatched supports, as on a drawing: where the world holds a mechanism, and where springs are attached to it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.model import Model
from rbdkit.scene import palette
from rbdkit.scene.bounds import Sizes
from rbdkit.scene.glyphs import rod
from rbdkit.scene.scene import Band, Part
from rbdkit.scene.solids import unit_box
from rbdkit.scene.triangles import Triangles, join

LAYER = "supports"
STROKES = 6
"""Number of strokes of the hatching."""
THIN = 1e-9
"""Magnitude below which parts of a motion subspace are zero."""


def supports_of(model: Model, q: NDArray, poses: NDArray, size: Sizes, bands: Iterable[Band] = ()) -> list[Part]:
    """Bearings and rails of the joints between the world and what moves, and walls that bands end on.

    None of the joints where the world, or a body that is fixed to it, has a geometry of its own: that is the support.
    Those of a mechanism stand on one side of it, away from its centre of mass along gravity.
    """
    held = _held(model)
    up = _up(model)
    length = float(np.clip(0.35 * size.link, 0.02 * size.extent, 0.07 * size.extent))
    parts: list[Part] = []
    if not any(geometry.role == "visual" for body in held for geometry in model.bodies[body].geometry):
        found = [(b.parent, b.joint.placement, b.joint.motion_subspace(q)) for b in model.bodies[1:]
                 if b.parent in held and b.index not in held]  # fmt: skip
        found += [(loop.predecessor, loop.joint.placement, loop.joint.type.motion_subspace(loop.joint.type.neutral()))
                  for loop in model.loops if loop.predecessor in held]  # fmt: skip
        pivots = [(poses[body] @ placement, S) for body, placement, S in found]
        if pivots:
            away = _away(model, np.mean([pivot[:3, 3] for pivot, _ in pivots], axis=0), up)
            drawn = [_support(pivot, S, away, length) for pivot, S in pivots]
            parts += [Part(0, LAYER, surface) for surface in drawn if surface is not None]
    for band in bands:
        ends = [poses[node] @ [*point, 1.0] for node, point in zip(band.nodes, band.points, strict=True)]
        for node, end, other in zip(band.nodes, ends, reversed(ends), strict=True):
            if node in held and np.linalg.norm((end - other)[:3]) > 0.0:
                parts.append(Part(0, LAYER, _wall(end[:3], (end - other)[:3], up, 0.0, length)))
    return parts


def _held(model: Model) -> set[int]:
    """Return the world and the bodies that are fixed to it."""
    held = {0}
    for body in model.bodies[1:]:
        if body.parent in held and body.joint.nv == 0 and body.joint.type.is_fixed:
            held.add(body.index)
    return held


def _up(model: Model) -> NDArray:
    strength = float(np.linalg.norm(model.gravity))
    return -np.asarray(model.gravity) / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])


def _away(model: Model, pivot: NDArray, up: NDArray) -> NDArray:
    """Return up if a mechanism in its neutral coordinates hangs below its pivots, else down."""
    poses = np.asarray(forward_kinematics(model, model.neutral()).poses)
    massive = [b for b in model.bodies[1:] if b.inertia is not None and b.inertia.mass > 0.0]
    if not massive:
        return -up
    masses = np.array([b.inertia.mass for b in massive])  # type: ignore[union-attr]
    places = np.array([poses[b.index, :3, :3] @ b.inertia.com + poses[b.index, :3, 3] for b in massive])  # type: ignore[union-attr]
    height = float(up @ (masses @ places / masses.sum() - pivot))
    return up if height < -1e-6 * (1.0 + abs(height)) else -up


def _support(pivot: NDArray, S: NDArray, away: NDArray, length: float) -> Triangles | None:
    """Return a bearing for a joint that turns about a point, a rail for one that slides; None for any other."""
    if not 0 < S.shape[1] <= 3:
        return None
    turns = np.linalg.norm(S[:3], axis=0) > THIN
    at = pivot[:3, 3]
    if turns.all() and np.abs(S[3:]).max() < THIN:
        axis = pivot[:3, :3] @ S[:3, 0] if S.shape[1] == 1 else np.cross(away, [1.0, 0.3, 0.2])
        return join([_wall(at, away, axis, length, length), _foot(at, away, axis, length)])
    if S.shape[1] == 1 and not turns.any():
        along = pivot[:3, :3] @ S[3:, 0]
        beside = away - along * float(along @ away) / float(along @ along)
        if np.linalg.norm(beside) < 0.2:
            beside = np.cross(along, [0.0, 1.0, 0.0] if abs(along[1]) < 0.9 else [1.0, 0.0, 0.0])
        return _wall(at, beside, np.cross(along, beside), 0.6 * length, length, 2.6)
    return None


def _frame(away: NDArray, across: NDArray) -> NDArray:
    """Return a rotation with columns along the wall, across it, and away from what it holds."""
    z = away / np.linalg.norm(away)
    y = across - z * float(z @ across)
    if np.linalg.norm(y) < 0.1 * np.linalg.norm(across):  # across it is away: any direction will do
        y = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    y = y / np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


def _wall(at: NDArray, away: NDArray, across: NDArray, far: float, length: float, wide: float = 1.0) -> Triangles:
    """Return a hatched plate at a distance `far` from a point."""
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = _frame(away, across), at
    half, thick = 1.0 * wide * length, 0.09 * length
    plate = np.eye(4)
    plate[:3, 3] = [0.0, 0.0, far + 0.5 * thick]
    pieces = [unit_box().moved(plate, (2.0 * half, 0.9 * length, thick))]
    slant = np.eye(4)
    slant[:3, :3] = [[np.sqrt(0.5), 0.0, np.sqrt(0.5)], [0.0, 1.0, 0.0], [-np.sqrt(0.5), 0.0, np.sqrt(0.5)]]
    count = round(STROKES * wide)
    for x in (np.arange(count) + 0.25) / count:
        stroke = slant.copy()
        stroke[:3, 3] = [half * (2.0 * x - 1.0) + 0.15 * length, 0.0, far + thick + 0.15 * length]
        pieces.append(unit_box().moved(stroke, (0.05 * length, 0.9 * length, 0.42 * length)))
    return join(piece.moved(frame).painted(palette.rgb(palette.SUPPORT)) for piece in pieces)


def _foot(at: NDArray, away: NDArray, across: NDArray, length: float) -> Triangles:
    """Return the pyramid from a wall to its pivot, with the pin at its tip."""
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = _frame(away, across), at
    x, y = 0.62 * length, 0.3 * length
    base = np.array([[-x, -y, length], [x, -y, length], [x, y, length], [-x, y, length]])
    corners, normals = [], []
    for a, b in zip(base, np.roll(base, -1, axis=0), strict=True):
        outward = np.cross(a, b)
        corners += [np.zeros(3), b, a]
        normals += [-outward / np.linalg.norm(outward)] * 3
    pyramid = Triangles(np.array(corners), np.array(normals), np.arange(12).reshape(-1, 3))
    tip = 0.16 * length
    pin = rod(np.array([0.0, -0.5 * length, 0.0]), np.array([0.0, 0.5 * length, 0.0]), tip)
    return join(piece.moved(frame).painted(palette.rgb(palette.SUPPORT)) for piece in (pyramid, pin))
