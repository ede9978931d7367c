"""Contact of capsules with each other and with boxes.

A capsule is a sphere swept along a segment. Contact points belong to the sphere nearest to the other shape, and to
those at the ends of the part of the segment that lies alongside it: a capsule at rest needs two points to be stable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.collision.components import (
    FAR,
    Pose,
    Slots,
    both,
    choose,
    clamped,
    direction,
    dot,
    seen_from,
    stacked,
)
from rbdkit.collision.distance import from_box

PARALLEL = 1e-12
"""Squared sine of the angle between two lines below which they count as parallel."""
SAME = 1e-9
"""Relative distance below which two contact points count as one."""


def capsule_on_capsule(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of two capsules. shape_p, shape_s : radius, length.

    The points are those of the nearest spheres, and of end spheres of one that lie alongside the other.
    """
    (r_p, l_p), (r_s, l_s) = shape_p, shape_s
    h_p, h_s = 0.5 * l_p, 0.5 * l_s
    a, b = pose_p.R[:, 2], pose_s.R[:, 2]
    apart = pose_s.p - pose_p.p
    ab, pa, pb = dot(a, b), dot(a, apart), dot(b, apart)
    square = 1.0 - ab * ab
    crossing = square > PARALLEL
    # of lines c + s a and d + t b: s = t (a . b) + a . (d - c), t = s (a . b) - b . (d - c)
    s = clamped(choose(crossing, (pa - ab * pb) / choose(crossing, square, 1.0), 0.0), -h_p, h_p)
    t = clamped(ab * s - pb, -h_s, h_s)
    s = clamped(ab * t + pa, -h_p, h_p)
    beside_p, beside_s = (1.0 + SAME) * h_s, (1.0 - SAME) * h_p  # if two ends are level, only the first one's counts
    places = [(s, t, None)]
    for end in (h_p, -h_p):
        other = ab * end - pb
        away = abs(s - end) > SAME * h_p
        places.append((end, clamped(other, -h_s, h_s), both(abs(other) <= beside_p, away)))
    for end in (h_s, -h_s):
        other = ab * end + pa
        away = abs(t - end) > SAME * h_s
        places.append((clamped(other, -h_p, h_p), end, both(abs(other) < beside_s, away)))
    gaps, points, normals = [], [], []
    for s, t, there in places:
        x, y = pose_p.p + a * s, pose_s.p + b * t
        n, distance = direction(y - x, pose_p.R[:, 0], SAME * (r_p + r_s))
        gap = distance - r_p - r_s
        gaps.append(gap if there is None else choose(there, gap, FAR))
        points.append(x + n * (r_p + 0.5 * gap))
        normals.append(n)
    return Slots(stacked(gaps), stacked(points), stacked(normals))


def box_on_capsule(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of a capsule and a box. shape_p : radius, length. shape_s : edge lengths.

    The points are those of the nearest sphere, and of the first and last sphere above a face. If the axis of the
    capsule intersects the box, the nearest sphere is that in the middle of the intersection.
    """
    radius, length = shape_p
    axis, h = pose_p.R[:, 2], 0.5 * length
    c, a = seen_from(pose_s.R, pose_p.p - pose_s.p), seen_from(pose_s.R, axis)
    half = [0.5 * shape_s[k] for k in range(3)]
    enter, leave = zip(*(_slab(c[k], a[k], half[k], h) for k in range(3)), strict=True)
    nearest = _nearest(c, a, half, h, [*enter, *leave])
    _, out = from_box(pose_s, shape_s, pose_p.p + axis * nearest)
    m = [abs(x) for x in seen_from(pose_s.R, out)]
    first, second = both(m[0] >= m[1], m[0] >= m[2]), m[1] >= m[2]  # the axis of the face
    low = choose(first, np.maximum(enter[1], enter[2]), choose(second, _most(enter, 0, 2), _most(enter, 0, 1)))
    high = choose(first, np.minimum(leave[1], leave[2]), choose(second, _least(leave, 0, 2), _least(leave, 0, 1)))
    above = low <= high
    places = [
        (nearest, both(abs(nearest - low) > SAME * h, abs(nearest - high) > SAME * h), above),
        (low, above, None),
        (high, both(above, high - low > SAME * h), None),
    ]
    gaps, points, normals = [], [], []
    for s, there, unless in places:
        x = pose_p.p + axis * s
        distance, out = from_box(pose_s, shape_s, x)
        gap = distance - radius
        present = choose(there, gap, FAR)
        gaps.append(present if unless is None else choose(unless, present, gap))
        points.append(x - out * (0.5 * (distance + radius)))
        normals.append(-out)
    return Slots(stacked(gaps), stacked(points), stacked(normals))


def _most(x: Any, i: int, j: int) -> Any:
    return np.maximum(x[i], x[j])


def _least(x: Any, i: int, j: int) -> Any:
    return np.minimum(x[i], x[j])


def _slab(c: Any, a: Any, half: Any, h: Any) -> tuple[Any, Any]:
    """Return the interval of s within -h to h in which c + s a is within -half to half.

    Its start exceeds its end, or both are at one end of the range, if it is empty.
    """
    slanted = abs(a) > SAME
    slope = choose(slanted, a, 1.0)
    s, t = (-half - c) / slope, (half - c) / slope
    inside = abs(c) <= half
    low = choose(slanted, np.minimum(s, t), choose(inside, -h, h))
    high = choose(slanted, np.maximum(s, t), choose(inside, h, -h))
    return clamped(low, -h, h), clamped(high, -h, h)


def _nearest(c: Any, a: Any, half: list[Any], h: Any, places: list[Any]) -> Any:
    """Return the s within -h to h at which the line c + s a is nearest to a box; the middle of several such s.

    Half the squared distance is convex in s, and its derivative is linear between the given `places`, where the line
    enters and leaves the slabs of the box. So the zero of the derivative is found by linear interpolation between the
    two places around it.
    """
    low, low_slope, high, high_slope = -h, -1.0, h, 1.0
    for s in [-h, h, *places]:
        slope = 0.0
        for k in range(3):
            q = c[k] + a[k] * s
            slope = slope + a[k] * (q - clamped(q, -half[k], half[k]))
        before, after = both(slope <= 0.0, s >= low), both(slope >= 0.0, s <= high)
        low, low_slope = choose(before, s, low), choose(before, slope, low_slope)
        high, high_slope = choose(after, s, high), choose(after, slope, high_slope)
    rise = high_slope - low_slope
    rising = rise > 0.0
    share = choose(rising, -low_slope / choose(rising, rise, 1.0), 0.5)
    return low + (high - low) * share
