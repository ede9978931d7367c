"""A ball and another shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rbdkit.collision.components import Pose, Slots, direction, stacked
from rbdkit.collision.distance import from_box, from_capsule, from_cone, from_cylinder

Distance = Callable[[Pose, Any, Any], tuple[Any, Any]]


def sphere_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """shape_p, shape_s : radius. Where the centres coincide, which leaves the normal open, it is the first one's z."""
    n, apart = direction(pose_s.p - pose_p.p, pose_p.R[:, 2], 1e-12 * (shape_p[0] + shape_s[0]))
    gap = apart - shape_p[0] - shape_s[0]
    return Slots(stacked([gap]), stacked([pose_p.p + n * (shape_p[0] + 0.5 * gap)]), stacked([n]))


def capsule_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """shape_p : radius. shape_s : radius, length."""
    return _on_ball(pose_p, shape_p, from_capsule(pose_s, shape_s, pose_p.p))


def box_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """shape_p : radius. shape_s : edge lengths."""
    return _on_ball(pose_p, shape_p, from_box(pose_s, shape_s, pose_p.p))


def cylinder_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """shape_p : radius. shape_s : radius, length."""
    return _on_ball(pose_p, shape_p, from_cylinder(pose_s, shape_s, pose_p.p))


def cone_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """shape_p : radius. shape_s : radius, length."""
    return _on_ball(pose_p, shape_p, from_cone(pose_s, shape_s, pose_p.p))


def _on_ball(ball: Pose, shape: Any, found: tuple[Any, Any]) -> Slots:
    """found : distance of the ball's centre from the other shape, and the way out of that."""
    distance, out = found
    place = ball.p - out * (0.5 * (distance + shape[0]))
    return Slots(stacked([distance - shape[0]]), stacked([place]), stacked([-out]))
