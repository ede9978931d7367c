"""Contact of a sphere with another shape, from the signed distance of its centre."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rbdkit.collision.components import Pose, Slots, direction, stacked
from rbdkit.collision.distance import from_box, from_capsule, from_cone, from_cylinder

Distance = Callable[[Pose, Any, Any], tuple[Any, Any]]


def sphere_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of two spheres. shape_p, shape_s : radius. If the centres coincide the normal is the z axis of pose_p."""
    n, apart = direction(pose_s.p - pose_p.p, pose_p.R[:, 2], 1e-12 * (shape_p[0] + shape_s[0]))
    gap = apart - shape_p[0] - shape_s[0]
    return Slots(stacked([gap]), stacked([pose_p.p + n * (shape_p[0] + 0.5 * gap)]), stacked([n]))


def capsule_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of a sphere and a capsule. shape_p : radius. shape_s : radius, length."""
    return _on_ball(pose_p, shape_p, from_capsule(pose_s, shape_s, pose_p.p))


def box_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of a sphere and a box. shape_p : radius. shape_s : edge lengths."""
    return _on_ball(pose_p, shape_p, from_box(pose_s, shape_s, pose_p.p))


def cylinder_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of a sphere and a cylinder. shape_p : radius. shape_s : radius, length."""
    return _on_ball(pose_p, shape_p, from_cylinder(pose_s, shape_s, pose_p.p))


def cone_on_sphere(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of a sphere and a cone. shape_p : radius. shape_s : radius, length."""
    return _on_ball(pose_p, shape_p, from_cone(pose_s, shape_s, pose_p.p))


def _on_ball(ball: Pose, shape: Any, found: tuple[Any, Any]) -> Slots:
    """Contact of a sphere. found : signed distance of its centre from the other shape, and the outward direction."""
    distance, out = found
    place = ball.p - out * (0.5 * (distance + shape[0]))
    return Slots(stacked([distance - shape[0]]), stacked([place]), stacked([-out]))
