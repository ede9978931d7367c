"""Contact of shapes with a half-space, which is solid below the plane z = 0 of its frame.

Each shape is represented by the few points of its surface that can touch the plane; the gap of such a point is its
height above the plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.collision.components import FAR, Pose, Slots, choose, direction, dot, seen_from, stacked, turned

UPRIGHT = 1e-6
"""Tilt of a rim, rad, below which it has no lowest point, as this would jump around at the smallest rotation."""


def point_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """A point of a body, such as a vertex of a mesh; shape_s : its coordinates x, y, z in the frame of pose_s."""
    return _over(pose_p, [pose_s.p + turned(pose_s.R, shape_s)])


def sphere_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """A ball; shape_s : radius."""
    return _over(pose_p, [pose_s.p - pose_p.R[:, 2] * shape_s[0]])


def capsule_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """A capsule, by the balls at its ends; shape_s : radius, length."""
    radius, length = shape_s
    end, down = pose_s.R[:, 2] * (0.5 * length), pose_p.R[:, 2] * radius
    return _over(pose_p, [pose_s.p + end - down, pose_s.p - end - down])


def box_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """A box, by its corners; shape_s : edge lengths."""
    x, y, z = (pose_s.R[:, k] * (0.5 * shape_s[k]) for k in range(3))
    signs = [(i, j, k) for i in (1.0, -1.0) for j in (1.0, -1.0) for k in (1.0, -1.0)]
    return _over(pose_p, [pose_s.p + i * x + j * y + k * z for i, j, k in signs])


def cylinder_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """A cylinder; shape_s : radius, length. The lowest points of both rims, and four fixed ones of the lower rim."""
    radius, length = shape_s
    axis, n = pose_s.R[:, 2], pose_p.R[:, 2]
    lower = axis * choose(dot(n, axis) > 0.0, -0.5 * length, 0.5 * length)
    out, tilted = _lowest(pose_s, n, radius)
    lowest = [pose_s.p + lower + out, pose_s.p - lower + out]
    places = _over(pose_p, [*lowest, *_around(pose_s, pose_s.p + lower, radius)])
    return _only(places, [tilted, tilted])


def cone_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """A cone; shape_s : radius, length. Its base, as that of a cylinder, and its apex."""
    radius, length = shape_s
    half = pose_s.R[:, 2] * (0.5 * length)
    out, tilted = _lowest(pose_s, pose_p.R[:, 2], radius)
    base = pose_s.p - half
    return _only(_over(pose_p, [base + out, *_around(pose_s, base, radius), pose_s.p + half]), [tilted])


def ellipsoid_on_half_space(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """An ellipsoid; shape_s : semi-axes. Its lowest point is where its normal looks down."""
    m = seen_from(pose_s.R, pose_p.R[:, 2])
    stretched = stacked([shape_s[k] * m[k] for k in range(3)])
    square = dot(stretched, stretched)
    height = np.sqrt(choose(square > 0.0, square, 1.0))  # of a flat one that lies on its side: any point will do
    lowest = stacked([shape_s[k] * stretched[k] / height for k in range(3)])
    return _over(pose_p, [pose_s.p - turned(pose_s.R, lowest)])


def _lowest(pose: Pose, n: Any, radius: Any) -> tuple[Any, Any]:
    """Return the vector from the centre of a disc about the z axis of a frame to its lowest point, if it has one.

    The second result tells whether the disc is tilted enough to have one.
    """
    axis = pose.R[:, 2]
    out, length = direction(axis * dot(n, axis) - n, pose.R[:, 0], UPRIGHT)
    return out * radius, length > 0.0


def _around(pose: Pose, center: Any, radius: Any) -> list[Any]:
    """Return four body-fixed points of a rim, on which it stands when the whole rim touches the plane."""
    x, y = pose.R[:, 0] * radius, pose.R[:, 1] * radius
    return [center + x, center + y, center - x, center - y]


def _over(plane: Pose, points: list[Any]) -> Slots:
    """Return contacts of surface points with a plane."""
    n = plane.R[:, 2]
    heights = [dot(n, x - plane.p) for x in points]
    return Slots(
        stacked(heights),
        stacked([x - n * (0.5 * height) for x, height in zip(points, heights, strict=True)]),
        stacked([n] * len(points)),
    )


def _only(places: Slots, present: list[Any]) -> Slots:
    """Return the contacts with the gap of the first ones set to `FAR` where they are not `present`."""
    gaps = [choose(there, places.gap[k], FAR) for k, there in enumerate(present)]
    return Slots(stacked([*gaps, *places.gap[len(present) :]]), places.point, places.normal)
