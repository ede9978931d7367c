"""Two balls."""

from __future__ import annotations

from typing import Any

from rbdkit.collision.components import Pose, Slots, direction, stacked


def sphere_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """shape_p, shape_s : radius. Where the centres coincide, which leaves the normal open, it is the first one's z."""
    n, apart = direction(pose_s.p - pose_p.p, pose_p.R[:, 2], 1e-12 * (shape_p[0] + shape_s[0]))
    gap = apart - shape_p[0] - shape_s[0]
    return Slots(stacked([gap]), stacked([pose_p.p + n * (shape_p[0] + 0.5 * gap)]), stacked([n]))
