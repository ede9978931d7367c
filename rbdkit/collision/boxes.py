"""Contact of two boxes, by the separating-axis test and face clipping.

If two boxes are disjoint they have a separating plane that is parallel to a face of one or to an edge of each
(Gottschalk, Lin and Manocha 1996, OBBTree, section 5). Of these 15 directions the one with the largest separation, or
the least overlap, is the contact normal. If it is a face normal, the facing face of the other box is clipped at the
sides of that face (Ericson 2005, Real-Time Collision Detection, section 8.3.4), and the corners of the remaining
polygon are the contact points; if it comes from two edges, there is one point where these are closest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rbdkit.collision.components import FAR, Pose, Slots, both, choose, cross, dot, stacked

PARALLEL = 1e-8
"""Squared sine of the angle between two edges below which they count as parallel, without a normal."""
PREFER_FACES = 0.05
"""Relative margin of overlap by which a face contact wins over an edge contact, as its several points are stable."""
CLOSE = 1e-9
"""Relative distance below which a corner counts as on the outline of a face."""


class _Box(NamedTuple):
    """A box. p : its centre. axes : unit vectors along its edges. half : half the edge lengths."""

    p: Any
    axes: list[Any]
    half: list[Any]


def box_on_box(pose_p: Pose, shape_p: Any, pose_s: Pose, shape_s: Any) -> Slots:
    """Contact of two boxes. shape_p, shape_s : edge lengths.

    If the boxes overlap, the smallest gap is minus their overlap, except for `PREFER_FACES`. If they are disjoint, it
    is their distance if a face or edge of one is opposite one of the other; otherwise, as with two corners, there is no
    contact point.
    """
    one, two = (
        _Box(pose.p, [pose.R[:, k] for k in range(3)], [0.5 * shape[k] for k in range(3)])
        for pose, shape in ((pose_p, shape_p), (pose_s, shape_s))
    )
    t = two.p - one.p
    R = [[dot(a, b) for b in two.axes] for a in one.axes]
    size = sum(one.half) + sum(two.half)
    along_one, along_two = [dot(a, t) for a in one.axes], [dot(b, t) for b in two.axes]
    faces_one = [abs(along_one[i]) - one.half[i] - _sum(two.half, R[i]) for i in range(3)]
    faces_two = [abs(along_two[j]) - two.half[j] - _sum(one.half, [R[i][j] for i in range(3)]) for j in range(3)]
    best_one, axis_one = _farthest(faces_one, one.axes)
    best_two, axis_two = _farthest(faces_two, two.axes)
    swapped = best_two > best_one + CLOSE * size
    upper = _chosen(swapped, one, two)  # the box whose face is clipped
    lower = _chosen(swapped, two, one)  # the box with the reference face
    up = choose(swapped, axis_two, axis_one)
    up = up * choose(dot(up, upper.p - lower.p) < 0.0, -1.0, 1.0)
    heights, points = _clipped(lower, upper, up)
    sense = choose(swapped, -1.0, 1.0)
    edge, gap, point, normal = _edges(one, two, t, R)
    of_faces = choose(swapped, best_two, best_one)
    there = gap > of_faces + PREFER_FACES * abs(of_faces) + CLOSE * size
    gaps = [choose(there, FAR, height) for height in heights]
    gaps[0] = choose(there, choose(both(edge, there), gap, FAR), heights[0])
    points[0] = choose(there, point, points[0])
    n = choose(there, normal, up * sense)
    return Slots(stacked(gaps), stacked(points), stacked([n] * len(gaps)))


def _sum(lengths: Sequence[Any], cosines: Sequence[Any]) -> Any:
    """Return half the extent of a box along a direction, from half edge lengths and cosines (3,)."""
    return sum(length * abs(cosine) for length, cosine in zip(lengths, cosines, strict=True))


def _farthest(distances: Sequence[Any], axes: Sequence[Any]) -> tuple[Any, Any]:
    """Return the largest distance, the first of equal ones, and its direction."""
    best, axis = distances[0], axes[0]
    for distance, other in zip(distances[1:], axes[1:], strict=True):
        farther = distance > best
        best, axis = choose(farther, distance, best), choose(farther, other, axis)
    return best, axis


def _chosen(condition: Any, a: _Box, b: _Box) -> _Box:
    return _Box(
        choose(condition, a.p, b.p),
        [choose(condition, x, y) for x, y in zip(a.axes, b.axes, strict=True)],
        [choose(condition, x, y) for x, y in zip(a.half, b.half, strict=True)],
    )


def _face(box: _Box, n: Any) -> tuple[Any, Any, Any, Any]:
    """Return the face of a box whose normal is nearest to n: centre, two half edges as vectors, and outward normal."""
    c = [dot(n, a) for a in box.axes]
    size = [abs(x) for x in c]
    first, second = both(size[0] >= size[1], size[0] >= size[2]), size[1] >= size[2]
    edges = [a * half for a, half in zip(box.axes, box.half, strict=True)]

    def pick(x: Any, y: Any, z: Any) -> Any:
        return choose(first, x, choose(second, y, z))

    out = pick(*(a * choose(x < 0.0, -1.0, 1.0) for a, x in zip(box.axes, c, strict=True)))
    center = box.p + out * pick(*box.half)
    return center, pick(edges[1], edges[2], edges[0]), pick(edges[2], edges[0], edges[1]), out


def _clipped(lower: _Box, upper: _Box, up: Any) -> tuple[list[Any], list[Any]]:
    """Clip the face of the upper box at the outline of the lower box's face; return heights and contact points.

    The 12 candidates are the two ends of the part of each of its four sides that is above the lower face, and the four
    corners of the lower face that are below it. Candidates that do not exist have the height `FAR`.
    """
    base, u, v, _ = _face(lower, up)
    top, e, f, _ = _face(upper, -up)
    (hu, u), (hv, v) = _unit(u), _unit(v)
    x0, y0, z0 = (dot(a, top - base) for a in (u, v, up))
    (ex, ey, ez), (fx, fy, fz) = ([dot(a, side) for a in (u, v, up)] for side in (e, f))
    corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
    heights, places, entered = [], [], []

    def enter(alpha: Any, beta: Any, there: Any) -> None:
        height = z0 + alpha * ez + beta * fz
        entered.append((there, x0 + alpha * ex + beta * fx, y0 + alpha * ey + beta * fy))
        heights.append(choose(there, height, FAR))
        places.append(top + e * alpha + f * beta - up * (0.5 * height))

    for k, (alpha, beta) in enumerate(corners):
        to = corners[(k + 1) % 4]
        da, db = to[0] - alpha, to[1] - beta
        from_x, from_y = x0 + alpha * ex + beta * fx, y0 + alpha * ey + beta * fy
        in_x, out_x = _within(from_x, da * ex + db * fx, hu)
        in_y, out_y = _within(from_y, da * ey + db * fy, hv)
        begin, end = np.maximum(np.maximum(in_x, in_y), 0.0), np.minimum(np.minimum(out_x, out_y), 1.0)
        enter(alpha + da * begin, beta + db * begin, begin <= end)
        enter(alpha + da * end, beta + db * end, both(end < 1.0, begin < end))
    # whether an edge that lies on another is cut there is up to round-off: a corner is entered if no end of a side is
    near, sides = 4.0 * CLOSE * (hu + hv + abs(ex) + abs(ey) + abs(fx) + abs(fy)), tuple(entered)
    turn = ex * fy - ey * fx
    solid = abs(turn) > 0.0
    turn = choose(solid, turn, 1.0)
    for sx, sy in corners:
        x, y = sx * hu - x0, sy * hv - y0
        alpha, beta = (x * fy - y * fx) / turn, (ex * y - ey * x) / turn
        there = both(both(abs(alpha) <= 1.0 + CLOSE, abs(beta) <= 1.0 + CLOSE), solid)
        for taken, at_x, at_y in sides:
            far = choose(abs(at_x - sx * hu) + abs(at_y - sy * hv) > near, 1.0, 0.0)
            there = both(there, choose(taken, far, 1.0) > 0.5)
        enter(choose(there, alpha, 0.0), choose(there, beta, 0.0), there)
    return heights, places


def _unit(edge: Any) -> tuple[Any, Any]:
    """Return length and unit direction of an edge; zero direction if it has no length."""
    square = dot(edge, edge)
    long = square > 0.0
    length = np.sqrt(choose(long, square, 1.0))
    return choose(long, length, 0.0), edge / length


def _within(x: Any, dx: Any, half: Any) -> tuple[Any, Any]:
    """Return the interval of s in which x + s dx is within -half to half; its start exceeds its end if it is empty."""
    moving = abs(dx) > CLOSE * half
    rate = choose(moving, dx, 1.0)
    s, t = (-half - x) / rate, (half - x) / rate
    inside = abs(x) <= half * (1.0 + CLOSE)
    first = choose(moving, np.minimum(s, t), choose(inside, 0.0, 2.0))
    return first, choose(moving, np.maximum(s, t), choose(inside, 1.0, -1.0))


def _edges(one: _Box, two: _Box, t: Any, R: Sequence[Sequence[Any]]) -> tuple[Any, Any, Any, Any]:
    """Return the contact of the pair of edges with the largest separation: whether it exists, gap, point and normal.

    It exists if the closest points of the two lines lie within both edges.
    """
    best, any_edge = -FAR, 0.0
    normal = a_along = b_along = one.axes[0]
    for i, a in enumerate(one.axes):
        for j, b in enumerate(two.axes):
            square = 1.0 - R[i][j] * R[i][j]
            slanted = square > PARALLEL
            n = cross(a, b) / np.sqrt(choose(slanted, square, 1.0))
            n = n * choose(dot(n, t) < 0.0, -1.0, 1.0)
            gap = dot(n, t) - _sum(one.half, [dot(n, x) for x in one.axes]) - _sum(
                two.half, [dot(n, x) for x in two.axes]
            )  # fmt: skip
            farther = both(slanted, gap > best)
            best, any_edge = choose(farther, gap, best), choose(farther, 1.0, any_edge)
            normal = choose(farther, n, normal)
            a_along, b_along = choose(farther, a, a_along), choose(farther, b, b_along)
    x = one.p + _support(one, normal, a_along)
    y = two.p - _support(two, normal, b_along)
    ab, apart = dot(a_along, b_along), y - x
    square = choose(any_edge > 0.5, 1.0 - ab * ab, 1.0)
    s = (dot(a_along, apart) - ab * dot(b_along, apart)) / square
    t = (ab * dot(a_along, apart) - dot(b_along, apart)) / square
    beside = both(abs(s) <= _length(one, a_along), abs(t) <= _length(two, b_along))
    return beside, best, x + a_along * s + normal * (0.5 * best), normal


def _length(box: _Box, along: Any) -> Any:
    """Return half the length of the edges of a box in the direction of one of its axes."""
    first, second = (abs(dot(a, along)) > 0.5 for a in box.axes[:2])
    return choose(first, box.half[0], choose(second, box.half[1], box.half[2]))


def _support(box: _Box, n: Any, along: Any) -> Any:
    """Return the vector from the centre of a box to the middle of its edge farthest along n. along : edge direction."""
    total: Any = 0.0
    for a, half in zip(box.axes, box.half, strict=True):
        side = choose(dot(n, a) < 0.0, -half, half)
        total = total + a * choose(abs(dot(a, along)) > 0.5, 0.0, side)
    return total
