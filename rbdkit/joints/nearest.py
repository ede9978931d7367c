"""Projection of a pose onto a joint: damped Gauss-Newton from several starting points.

For joints such as spline curves and composites, plain Gauss-Newton steps may diverge or end in another minimum. So a
step is halved until it does not increase the distance, and the nearest result from several starting points counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError
from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.joints.joint_type import JointType

STEPS, HALVINGS = 60, 12
"""Largest number of steps from each start, and of halvings of a step."""
LEVEL = 1.0 + 1e-14
"""Allowed growth of the squared distance in a step: near the minimum rounding decides on its last digits."""
SETTLED = 1e-11
"""Step size, rad and m, at which the iteration has converged."""
THERE = 1e-10
"""Remaining distance, rad and m, at which no other start is tried."""
CLOSER = 0.999
"""Factor by which the distance from a later start must be smaller. Starts often lead to one pose with angles that
differ by whole turns, and rounding errors must not choose between these."""
CLOSE = 1e-6
"""Size of a step that no halving improves below which it is due to rounding, so that the iteration has converged."""


def nearest(joint: JointType, pose: NDArray, starts: Iterable[NDArray]) -> NDArray:
    """Return coordinates (nq,) whose pose comes closest to a given one (4, 4), the best from several starts (nq,).

    Raises
    ------
    StateError
        If the steps converge from no start.
    """
    best, q_best = np.inf, None
    for start in starts:
        q, left, settled = _from(joint, pose, start)
        if settled and left < CLOSER * best:
            best, q_best = left, q
        if best < THERE:
            break
    if q_best is None:
        raise StateError(f"{joint.known_as} joint: no coordinates were found whose pose comes close to the given one")
    return q_best


def _from(joint: JointType, pose: NDArray, q: NDArray) -> tuple[NDArray, float, bool]:
    """Step from q towards a pose; return coordinates, remaining distance and whether the steps converged."""
    ahead = se3.log(se3.inverse(joint.pose(q)) @ pose)
    for _ in range(STEPS):
        step = np.linalg.lstsq(joint.motion_subspace(q), ahead, rcond=None)[0]
        size = float(np.max(np.abs(step), initial=0.0))
        for _ in range(HALVINGS):
            there = joint.integrate(q, step)
            left = se3.log(se3.inverse(joint.pose(there)) @ pose)
            if left @ left <= LEVEL * (ahead @ ahead) or size < SETTLED:
                break
            step = 0.5 * step
        else:
            return q, float(np.linalg.norm(ahead)), size < CLOSE
        q, ahead = there, left
        if size < SETTLED:
            return q, float(np.linalg.norm(ahead)), True
    return q, float(np.linalg.norm(ahead)), False
