"""The loop-closure error, in few operations; it sets the tolerance of the redundancy decision, see `dependence`.

A joint lets its successor turn about all axes, about one, or about none, and shift along some. What must stay is
measured in coordinates of the two reference frames, with R and p their relative pose: an axis that the turn must leave
where it is, a second one that must not turn about it, and a shift ``D (p + R p_S - p_P)`` that must vanish. To first
order this is the norm of the residuals of `JointConstraints.position`. One text computes stacks of states and is
recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import JointType
from rbdkit.model.places import Place
from rbdkit.spatial.compact import Pose
from rbdkit.spatial.vector3 import Matrix, Vector, dot
from rbdkit.trace import Scalar, cos, sin

KEPT_S, KEPT_P, SIDE_S, SIDE_P, ACROSS_P, SCREW, POINT_S, POINT_P, SHIFT, GAP_NUMBERS = (*range(0, 25, 3), 33)
"""Where the numbers of a joint begin: n and e in S and P, the third axis in P, axis / pitch, p_S, p_P; D; and the end.

n is the axis that stays, e one across it that stays too where the joint does not turn, zero where it does.
"""


def covered(type: JointType) -> bool:
    """Return whether `gap_numbers` describes joints of this type; for others the residuals themselves are used."""
    return type.constant_T and type.constant_S and not type.is_users_own


def gap_numbers(place: Place) -> NDArray:
    """Return the numbers (33,) from which the closure error of a joint is computed."""
    found = np.zeros(GAP_NUMBERS)
    S = place.type.motion_subspace(place.type.neutral())
    turns, shifts = S[:3], S[3:]
    R_S, R_P = place.successor_placement[:3, :3], place.predecessor_placement[:3, :3]
    # the first columns span the axes that the joint turns about
    axes = np.linalg.svd(turns)[0] if turns.any() else np.eye(3)
    free = np.linalg.matrix_rank(turns) if turns.any() else 0
    if free < 3:
        n, e = axes[:, 0], axes[:, 1]
        found[KEPT_S:KEPT_P], found[KEPT_P:SIDE_S] = R_S @ n, R_P @ n
        slide = float(n @ shifts @ (turns.T @ n)) if free else 0.0  # m/rad, of a helical joint
        if free == 0 or slide != 0.0:
            found[SIDE_S:SIDE_P], found[SIDE_P:ACROSS_P], found[ACROSS_P:SCREW] = R_S @ e, R_P @ e, R_P @ np.cross(n, e)
        if slide != 0.0:
            found[SCREW:POINT_S] = R_P @ n / slide
            found[SIDE_S:SIDE_P] *= abs(slide) / np.hypot(1.0, slide)  # as the row of unit length has it
    found[POINT_S:POINT_P], found[POINT_P:SHIFT] = place.successor_placement[:3, 3], place.predecessor_placement[:3, 3]
    found[SHIFT:] = ((np.eye(3) - shifts @ np.linalg.pinv(shifts)) @ R_P.T).ravel()
    return found


def gap_squared(numbers: Sequence[Any], T: Pose, length: Scalar) -> Scalar:
    """Return the squared closure error of a joint, rad^2, with shifts divided by a length.

    T : pose of the successor's frame in the predecessor's.
    """
    R, p = T
    n_S, n_P, e_S, e_P, b_P, screw, p_S, p_P = (Vector(numbers[3 * k : 3 * k + 3]) for k in range(8))
    between = p + R @ p_S - p_P
    angle = dot(screw, between)
    tilt = R @ n_S - n_P
    twist = dot(R @ e_S, cos(angle) * b_P - sin(angle) * e_P)
    shift = (1.0 / length) * (Matrix.of(numbers[SHIFT:]) @ between)
    return dot(tilt, tilt) + twist * twist + dot(shift, shift)
