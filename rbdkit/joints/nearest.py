"""Coordinates whose pose comes nearest to a given one, for joints that may be led astray on the way there."""

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
"""So many steps are taken from each start, and so often is one halved."""
LEVEL = 1.0 + 1e-14
"""A step may lengthen the square of what is left by this factor: close to the least, rounding decides on its digits."""
SETTLED = 1e-11
"""Of a step: rad, m."""
THERE = 1e-10
"""Of a displacement that is left, rad and m: then no other start is tried."""
CLOSER = 0.999
"""Of what is left from an earlier start: what is left from a later one must be less. They often lead to one pose, with
angles whole turns apart, and rounding errors shall not choose among these."""
CLOSE = 1e-6
"""Of a step that no halving improves: it is one of rounding errors."""


def nearest(joint: JointType, pose: NDArray, starts: Iterable[NDArray]) -> NDArray:
    """By the steps of Gauss and Newton, none of which leads further away, from several starts.

    Raises
    ------
    StateError
        If they settle from none of them.
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
    """Where the steps lead, the size of the displacement that is left, and whether they settled."""
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
