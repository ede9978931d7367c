"""Marks of joint freedoms, read from the motion subspace, so that they serve every joint type."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.scene import palette
from rbdkit.scene.glyphs import arrow, rod, turn
from rbdkit.scene.triangles import Triangles, join


def joint_mark(model: Model, body: int, q: NDArray, length: float) -> Triangles | None:
    """Return painted triangles, in body coordinates, for the joint of a body; None for a fixed or a free joint.

    A column (omega, v) of S is a screw: a turn about the line through omega x v / omega^2, a slide along v, or both.
    length : m, of the axis.
    """
    joint = model.bodies[body].joint
    if joint.nv in (0, 6):
        return None
    thickness = 0.018 * length
    pieces: list[Triangles] = []
    for column in joint.motion_subspace(q).T:
        omega, v = column[:3], column[3:]
        speed = float(np.linalg.norm(omega))
        if speed > 1e-12:
            axis = omega / speed
            origin = np.cross(omega, v) / speed**2
            pieces += [rod(origin - 0.7 * length * axis, origin + 0.7 * length * axis, thickness, 10)]
            pieces += [turn(origin, axis, 0.3 * length, 1.3 * thickness)]
            pitch = float(omega @ v) / speed**2
            pieces += [arrow(origin, np.sign(pitch) * length * axis, 1.6 * thickness)] if abs(pitch) > 1e-12 else []
        elif np.any(v):
            axis = v / np.linalg.norm(v)
            pieces += [arrow(np.zeros(3), sign * 0.8 * length * axis, 1.6 * thickness) for sign in (-1.0, 1.0)]
    color = palette.rgb(palette.JOINT)
    return join(piece.painted(color) for piece in pieces) if pieces else None
