"""Signed distance of a point from a shape, and its gradient.

Each function takes the pose and dimensions of a shape and a point in the world. It returns the distance, m, negative
inside, and its gradient, the outward unit vector; where that is not unique, one of the possible ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.collision.components import Pose, both, choose, clamped, direction, dot, seen_from, stacked, turned

CLOSE = 1e-12
"""Distance, relative to the size, from a surface or axis below which the gradient is that of neighbouring points."""


def from_capsule(pose: Pose, shape: Any, x: Any) -> tuple[Any, Any]:
    """Distance from a capsule. shape : radius, length."""
    radius, length = shape
    axis, away = pose.R[:, 2], x - pose.p
    along = clamped(dot(axis, away), -0.5 * length, 0.5 * length)
    out, distance = direction(away - axis * along, pose.R[:, 0], CLOSE * (radius + length))
    return distance - radius, out


def from_box(pose: Pose, shape: Any, x: Any) -> tuple[Any, Any]:
    """Distance from a box. shape : edge lengths."""
    q = seen_from(pose.R, x - pose.p)
    half = [0.5 * shape[k] for k in range(3)]
    sign = [choose(q[k] < 0.0, -1.0, 1.0) for k in range(3)]
    over = [sign[k] * q[k] - half[k] for k in range(3)]
    first = both(over[0] > over[1], over[0] > over[2])
    second = over[1] > over[2]
    level = choose(first, over[0], choose(second, over[1], over[2]))
    face = [
        choose(first, sign[0], 0.0),
        choose(first, 0.0, choose(second, sign[1], 0.0)),
        choose(first, 0.0, choose(second, 0.0, sign[2])),
    ]
    beyond = stacked([sign[k] * np.maximum(over[k], 0.0) for k in range(3)])
    out, distance = direction(beyond, stacked(face), CLOSE * (shape[0] + shape[1] + shape[2]))
    return choose(distance > 0.0, distance, level), turned(pose.R, out)


def from_cylinder(pose: Pose, shape: Any, x: Any) -> tuple[Any, Any]:
    """Distance from a cylinder. shape : radius, length."""
    radius, length = shape
    q = seen_from(pose.R, x - pose.p)
    near = CLOSE * (radius + length)
    side, aside = direction(stacked([q[0], q[1], 0.0 * q[2]]), stacked([1.0 + 0.0 * q[0], 0.0, 0.0]), near)
    sign = choose(q[2] < 0.0, -1.0, 1.0)
    end = stacked([0.0 * q[0], 0.0, sign])
    over, above = aside - radius, sign * q[2] - 0.5 * length
    beyond = side * np.maximum(over, 0.0) + end * np.maximum(above, 0.0)
    out, distance = direction(beyond, choose(over > above, side, end), near)
    return choose(distance > 0.0, distance, np.maximum(over, above)), turned(pose.R, out)


def from_cone(pose: Pose, shape: Any, x: Any) -> tuple[Any, Any]:
    """Distance from a cone. shape : radius, length.

    In the plane of the point and the axis the cone is a triangle, and the distance is that from its base or its flank.
    """
    radius, length = shape
    q = seen_from(pose.R, x - pose.p)
    near = CLOSE * (radius + length)
    side, r = direction(stacked([q[0], q[1], 0.0 * q[2]]), stacked([1.0 + 0.0 * q[0], 0.0, 0.0]), near)
    z = q[2] + 0.5 * length  # above the base
    square = radius * radius + length * length
    slant = np.sqrt(choose(square > 0.0, square, 1.0))
    along = clamped(((radius - r) * radius + z * length) / slant, 0.0, slant)  # from the rim up the flank
    flank_r, flank_z = r - (radius - along * radius / slant), z - along * length / slant
    base_r = r - np.minimum(r, radius)
    flank, base = flank_r * flank_r + flank_z * flank_z, base_r * base_r + z * z
    inside = both(z > 0.0, (r - radius) * length + z * radius < 0.0)
    nearer = flank < base
    toward_r, toward_z = choose(nearer, flank_r, base_r), choose(nearer, flank_z, z)
    face_r, face_z = choose(nearer, length / slant, 0.0), choose(nearer, radius / slant, -1.0)  # way out of the faces
    square = choose(nearer, flank, base)
    apart = square > near * near
    distance = np.sqrt(choose(apart, square, 1.0))
    sign = choose(inside, -1.0, 1.0)
    out_r, out_z = (choose(apart, sign * a / distance, b) for a, b in ((toward_r, face_r), (toward_z, face_z)))
    out = side * out_r + stacked([0.0 * q[0], 0.0, out_z])
    return choose(apart, sign * distance, 0.0), turned(pose.R, out)
