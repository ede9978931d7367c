"""Characteristic length of a model, which puts angles and lengths on one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def length_of(model: Model) -> float:
    """Return the characteristic length of a model, m: how far joints and centres of mass lie apart on its bodies.

    It is the root mean square of the distances of these points from their centroids on each body; if all are zero, as
    of a free ball, that of the radii of gyration; without these, 1.
    """
    points: list[list[NDArray]] = [[np.zeros(3)] for _ in model.bodies]
    for body in model.bodies[1:]:
        points[model.parent[body.index]].append(model.joints[body.index].placement[:3, 3])
        if body.inertia is not None and body.inertia.mass > 0.0:
            points[body.index].append(body.inertia.com)
    for loop in model.loops:
        points[loop.predecessor].append(loop.joint.placement[:3, 3])
        points[loop.successor].append(loop.successor_placement[:3, 3])
    squares = [np.sum((x - np.mean(x, axis=0)) ** 2, axis=1) for x in points[1:] if len(x) > 1]
    mean = float(np.mean(np.concatenate(squares))) if squares else 0.0
    if not mean > 0.0:
        solid = [body.inertia for body in model.bodies[1:] if body.inertia is not None and body.inertia.mass > 0.0]
        mean = float(np.mean([np.trace(own.inertia_com) / (2.0 * own.mass) for own in solid])) if solid else 0.0
    return float(np.sqrt(mean)) if mean > 0.0 else 1.0
