"""Poses as URDF writes them: a position and roll, pitch, yaw."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.xml.numbers import vector
from rbdkit.formats.xml.reader import Element


def read_origin(element: Element | None, subject: str) -> NDArray:
    """Pose (4, 4) of an <origin xyz="" rpy="">; the identity if the element is missing."""
    pose = np.eye(4)
    pose[:3, 3] = vector(element, "xyz", 3, subject, default=(0.0, 0.0, 0.0))
    pose[:3, :3] = matrix_from_rpy(*vector(element, "rpy", 3, subject, default=(0.0, 0.0, 0.0)))
    return pose


def matrix_from_rpy(roll: float, pitch: float, yaw: float) -> NDArray:
    """Rotation matrix of a roll about x, then a pitch about the fixed y, then a yaw about the fixed z axis (rad)."""
    cr, sr, cp, sp, cy, sy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_matrix(R: NDArray) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation matrix (rad), to round-off for every pitch, +-pi/2 included."""
    yaw = math.atan2(R[1, 0], R[0, 0])
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    # near pitch = +-pi/2 the yaw is round-off; the roll that belongs to that very yaw makes up for it
    cy, sy = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(sy * R[0, 2] - cy * R[1, 2], cy * R[1, 1] - sy * R[0, 1])
    return roll, pitch, yaw
