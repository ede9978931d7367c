"""Rates of gaps, contact points and normals: exact derivatives of the contact functions, by tracing them.

The drift of a contact constraint needs how its point and normal move along the surfaces. Forward differentiation of the
trace along the motions of both shapes gives this without a formula for each pair of shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.collision.components import Pose, cross
from rbdkit.collision.kinds import Kind
from rbdkit.trace import Graph, Trace, compile_python, python_source, symbols, tangents

MOTION = 18
"""Numbers of a shape's motion in world axes: rotation by rows 9, position 3, angular velocity 3, velocity of the origin
3."""


def recorded(kind: Kind) -> Trace:
    """Return the contact function of a pair and its rates as a trace.

    The arguments are the motions (`MOTION` numbers each) and dimensions of both shapes, "motion_p", "motion_s",
    "shape_p" and "shape_s"; the result is (k, 2, 7): for each contact point gap, point and normal, then their rates.
    """
    graph = Graph()
    n_p, n_s = kind.numbers
    sizes = {"motion_p": MOTION, "motion_s": MOTION, "shape_p": n_p, "shape_s": n_s}
    given = {name: symbols([graph.load(name, None, k) for k in range(n)]) for name, n in sizes.items()}
    seeds, poses = {}, []
    for name in ("motion_p", "motion_s"):
        x = given[name]
        pose = Pose(x[:9].reshape(3, 3), x[9:12])
        poses.append(pose)
        turning = [cross(x[12:15], pose.R[:, k]) for k in range(3)]  # w x R, column by column
        for i in range(3):
            seeds[graph.position(pose.p[i])] = x[15 + i]
            for k in range(3):
                seeds[graph.position(pose.R[i, k])] = turning[k][i]
    slots = kind.function(poses[0], given["shape_p"], poses[1], given["shape_s"])
    values = [x for k in range(kind.slots) for x in (slots.gap[k], *slots.point[k], *slots.normal[k])]
    rates = tangents(graph, [graph.position(x) for x in values], seeds)
    both = [x for k in range(0, len(values), 7) for x in (*values[k : k + 7], *rates[k : k + 7])]
    return Trace(graph, tuple(sizes), tuple((n,) for n in sizes.values()), tuple(both), (kind.slots, 2, 7))


@cache
def with_rates(kind: Kind) -> Callable[[NDArray, NDArray, NDArray, NDArray], NDArray]:
    """Return the trace of `recorded` compiled to a function of four arrays of numbers, which returns (k, 2, 7)."""
    compiled = compile_python(python_source(recorded(kind), "places"), "places")

    def touching(motion_p: NDArray, motion_s: NDArray, shape_p: NDArray, shape_s: NDArray) -> NDArray:
        lists = (x.tolist() for x in (motion_p, motion_s, shape_p, shape_s))
        return np.reshape(compiled(*lists), (kind.slots, 2, 7))

    return touching
