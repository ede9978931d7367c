"""Thin bars, of which linkages are made, and where two circles meet, which closes most of them."""

from __future__ import annotations

from math import acos, atan2, cos, hypot, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.model import Body, Capsule, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

RADIUS = 0.02  # m, of the bars


def add_bar(
    model: Model,
    name: str,
    parent: str,
    joint: JointType,
    at: ArrayLike,
    tip: ArrayLike,
    joint_name: str,
    *,
    radius: float = RADIUS,
    density: float = 1.0,
) -> Body:
    """A bar from its joint to its tip.

    Parameters
    ----------
    model : Model
        It is added to this one.
    name, parent, joint, joint_name
        As for `Model.add_body`.
    at : array_like
        Placement of its joint frame in the parent.
    tip : array_like (3,)
        Its end in its own coordinates, m.
    radius : float, optional
        m.
    density : float, optional
        kg/m.

    Returns
    -------
    Body
    """
    end = np.asarray(tip, dtype=float)
    length = float(np.linalg.norm(end))
    along = lying(end)
    inertia = Inertia.cylinder(radius, length, mass=density * length).transformed(along)
    shape = Geometry(Capsule(radius, length), along)
    return model.add_body(name, parent, joint, at, inertia, shape, joint_name=joint_name)


def lying(tip: NDArray) -> NDArray:
    """Pose (4, 4) with its z axis along a vector from the origin, its origin half-way."""
    return se3.pose(pointing(tip), 0.5 * tip)


def pointing(tip: NDArray) -> NDArray:
    """A rotation matrix with this direction as third column."""
    z = tip / np.linalg.norm(tip)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def require_lengths(**values: float) -> None:
    """Raise `ModelError` unless all of these are positive numbers."""
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(f"{name} = {value!r} must be a positive length (m)")


def apex(a: NDArray, b: NDArray, from_a: float, from_b: float, left: bool = True) -> NDArray | None:
    """The third corner (2,) of a triangle in a plane, None if its sides are too short or too long.

    Parameters
    ----------
    a, b : ndarray (2,)
        Two corners, m.
    from_a, from_b : float
        Distances of the third one from these, m.
    left : bool, optional
        Whether it lies to the left of the way from a to b.
    """
    way = b - a
    d = hypot(*way)
    if d == 0.0 or not abs(from_a - from_b) <= d <= from_a + from_b:
        return None
    cosine = (d * d + from_a * from_a - from_b * from_b) / (2.0 * d * from_a)
    turn = acos(min(1.0, max(-1.0, cosine)))
    angle = atan2(way[1], way[0]) + (turn if left else -turn)
    return a + from_a * np.array([cos(angle), sin(angle)])
