"""Closure error of loop joints from the entries of X: Table 8.1, and joint types beyond it.

``X = X_err X_J`` is the actual transform across the joint, X_J one that the joint allows, and
``X_err ~ 1 - d x`` (Featherstone 2008, Eqs 8.25, 8.26); ``delta = T^T d`` (Eq 8.27). The formulas hold to first order
in d. Axes of the table are z; entries are numbered from 1, as in the book. E and r are those of
``X = [E 0; -E r x, E]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import (
    Cylindrical,
    EulerSpherical,
    Fixed,
    Free,
    Helical,
    JointType,
    Planar,
    Prescribed,
    Prismatic,
    RackAndPinion,
    Revolute,
    SphereInCylinder,
    Spherical,
    Universal,
)
from rbdkit.joints.axis import plane_basis
from rbdkit.spatial import plucker


class Entries:
    """Entries of a transform, ``X[2, 3]`` in row 2 and column 3, and E and r. X : ndarray (6, 6)."""

    def __init__(self, X: NDArray) -> None:
        self.X = X
        self.E, self.r = plucker.split(X)

    def __getitem__(self, place: tuple[int, int]) -> float:
        return float(self.X[place[0] - 1, place[1] - 1])

    def angle(self, advance: float = 0.0) -> float:
        """Return the rotation about z, rad, with the whole turns that bring it nearest to `advance`."""
        theta = float(np.arctan2(self[1, 2], self[1, 1]))
        return theta + 2.0 * np.pi * float(np.round((advance - theta) / (2.0 * np.pi)))


# --- Table 8.1 --------------------------------------------------------------------------------------------------------


def zero_dof(X: Entries) -> list[float]:
    """Return d of a joint without freedom."""
    return [
        0.5 * (X[2, 3] - X[3, 2]), 0.5 * (X[3, 1] - X[1, 3]), 0.5 * (X[1, 2] - X[2, 1]),
        0.5 * (X[5, 3] - X[6, 2]), 0.5 * (X[6, 1] - X[4, 3]), 0.5 * (X[4, 2] - X[5, 1]),
    ]  # fmt: skip


def revolute(X: Entries) -> list[float]:
    """Return d1, d2, d4, d5, d6."""
    return [X[2, 3], -X[1, 3], X[5, 3], -X[4, 3], X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2]]


def prismatic(X: Entries) -> list[float]:
    """Return d1, d2, d3, d4, d5."""
    return [
        0.5 * (X[2, 3] - X[3, 2]), 0.5 * (X[3, 1] - X[1, 3]), 0.5 * (X[1, 2] - X[2, 1]), X[5, 3], -X[4, 3],
    ]  # fmt: skip


def cylindrical(X: Entries) -> list[float]:
    """Return d1, d2, d4, d5."""
    return [X[2, 3], -X[1, 3], X[5, 3], -X[4, 3]]


def spherical(X: Entries) -> list[float]:
    """Return d4, d5, d6."""
    return [
        X[5, 1] * X[3, 1] + X[5, 2] * X[3, 2] + X[5, 3] * X[3, 3],
        X[6, 1] * X[1, 1] + X[6, 2] * X[1, 2] + X[6, 3] * X[1, 3],
        X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2] + X[4, 3] * X[2, 3],
    ]


# --- joints beyond the table ------------------------------------------------------------------------------------------


def helical(X: Entries, pitch: float) -> list[float]:
    """Return d1, d2, d4, d5, and d6 - pitch d3, the advance minus that of the rotation."""
    if pitch == 0.0:
        return revolute(X)
    return [*cylindrical(X), X.r[2] - pitch * X.angle(X.r[2] / pitch)]


def planar(X: Entries) -> list[float]:
    """Return d1, d2, d6; d6 is the height above the predecessor's plane, since the successor's is tilted."""
    return [X[2, 3], -X[1, 3], X.r[2]]


def universal(X: Entries, axis1: NDArray, axis2: NDArray) -> list[float]:
    """Return d about the common normal of both axes, the error of the angle between them; and d4, d5, d6."""
    first = X.E @ axis1
    tilt = (axis1 @ axis2 - first @ axis2) / np.linalg.norm(np.cross(first, axis2))
    return [float(tilt), *spherical(X)]


def sphere_in_cylinder(X: Entries) -> list[float]:
    """Return the distances of the centre from the bore, along x and y of the predecessor."""
    return [X.r[0], X.r[1]]


def rack_and_pinion(X: Entries, radius: float) -> list[float]:
    """Return d1, d2, and the centre's distance from its place on the rack, in successor axes."""
    theta = X.angle(X.r[0] / radius) if radius else X.angle()
    return [X[2, 3], -X[1, 3], *(X.E @ (X.r - [radius * theta, 0.0, 0.0]))]


def position_error(kind: JointType, X_sp: NDArray, *, t: float = 0.0) -> NDArray:
    """Return delta of a loop joint by the formula for its type, in the order of the columns of its own T.

    Parameters
    ----------
    kind : JointType
        Joint type; those without a formula here (`Reversed`, user-defined) use `JointType.calc_loop`.
    X_sp : ndarray (6, 6)
        Motion transform from predecessor to successor coordinates, at the actual poses of the bodies.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    (6 - nv,), rad and m; to first order the same as in `JointType.calc_loop`.
    """
    if type(kind) is Prescribed:
        return np.array(zero_dof(Entries(X_sp @ plucker.inverse(kind.transform(np.zeros(0), t)))))
    if type(kind) is Universal:
        return np.array(universal(Entries(X_sp), kind.axis1, kind.axis2))
    if type(kind) not in FORMULAS:
        return kind.calc_loop(X_sp, t)[0]
    B = plane_basis(getattr(kind, "axis", _Z))  # its third column is the axis
    X = Entries(plucker.rot(B.T) @ X_sp @ plucker.rot(B))
    if type(kind) is SphereInCylinder:
        return np.array(sphere_in_cylinder(X))
    places, formula = FORMULAS[type(kind)]
    d = np.zeros(6)
    d[[place - 1 for place in places]] = formula(X, kind)
    return kind.constraint_subspace(kind.neutral()).T @ plucker.rot(B) @ d  # Eq 8.27


_Z = np.array([0.0, 0.0, 1.0])
FORMULAS: dict[type[JointType], tuple[tuple[int, ...], Callable[[Entries, Any], list[float]]]] = {
    Fixed: ((1, 2, 3, 4, 5, 6), lambda X, kind: zero_dof(X)),
    Revolute: ((1, 2, 4, 5, 6), lambda X, kind: revolute(X)),
    Prismatic: ((1, 2, 3, 4, 5), lambda X, kind: prismatic(X)),
    Cylindrical: ((1, 2, 4, 5), lambda X, kind: cylindrical(X)),
    Spherical: ((4, 5, 6), lambda X, kind: spherical(X)),
    EulerSpherical: ((4, 5, 6), lambda X, kind: spherical(X)),
    Helical: ((1, 2, 4, 5, 6), lambda X, kind: helical(X, kind.pitch)),
    Planar: ((1, 2, 6), lambda X, kind: planar(X)),
    RackAndPinion: ((1, 2, 4, 5, 6), lambda X, kind: rack_and_pinion(X, kind.radius)),
    SphereInCylinder: ((4, 5), lambda X, kind: sphere_in_cylinder(X)),
    Free: ((), lambda X, kind: []),
}
"""For each joint type the entries of d that its formula gives, the others being zero, and the formula."""
