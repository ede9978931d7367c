"""Nonholonomic constraint of a ball that rolls without slipping on a level plane (Featherstone 2008, Fig 3.2d)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model.constraint import Row
from rbdkit.spatial import quaternion
from rbdkit.spatial.so3 import skew

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class RollingContact:
    """Rolling constraint of a ball on the plane z = 0, for a model with one `Free()` joint at the ball's centre.

    The rows state, along x, y and z, that the contact point of the ball has the velocity of the plane there.

    Parameters
    ----------
    radius : float
        Radius of the ball, m.
    turntable : float, optional
        Angular velocity of the plane about the z axis, rad/s.

    Raises
    ------
    ModelError
        If the radius is not positive or a number is not finite.
    """

    radius: float
    turntable: float = 0.0
    unilateral: ClassVar[tuple[int, ...]] = (2,)  # the plane pushes up and never pulls
    rows: ClassVar[tuple[Row, ...]] = (
        Row("rolling", "m/s", holonomic=False, unilateral=False),
        Row("rolling", "m/s", holonomic=False, unilateral=False),
        Row("rolling", "m", holonomic=True, unilateral=True),
    )

    def __post_init__(self) -> None:
        if not (np.isfinite(self.radius) and self.radius > 0.0 and np.isfinite(self.turntable)):
            raise ModelError(f"a ball of radius {self.radius} m on a plane that turns with {self.turntable} rad/s")

    def gap(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return (3,): the third row is the height of the contact point, m; the others are nonholonomic, so 0."""
        return np.array([0.0, 0.0, q[6] - self.radius])

    def K(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the Jacobian (3, 6) from the twist in body axes to the contact point's velocity in world axes."""
        R = quaternion.to_matrix(q[:4])
        return np.hstack([self.radius * skew(UP) @ R, R])  # x' + w x (-r n)

    def w(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the velocity of the plane where the ball touches it, (3,)."""
        return self.turntable * np.cross(UP, q[4:])

    def k(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Return dw/dt - dK/dt qd, (3,); dK/dt comes only from the rotation of the body axes."""
        R = quaternion.to_matrix(q[:4])
        return self.turntable * np.cross(UP, R @ qd[3:]) - R @ np.cross(qd[:3], qd[3:])

    def G(self, q: NDArray) -> NDArray:
        """Return the explicit form G (6, 3) on a plane at rest: from angular velocity in world axes to the twist."""
        R = quaternion.to_matrix(q[:4])
        return np.vstack([R.T, self.radius * R.T @ skew(-UP)])  # x' = w x r n

    def g(self, q: NDArray, qd: NDArray) -> NDArray:
        """Return dG/dt times the angular velocity in world axes, (6,)."""
        return np.concatenate([np.zeros(3), -np.cross(qd[:3], qd[3:])])

    def start(self, q: NDArray, omega: NDArray, t: float = 0.0) -> NDArray:
        """Return the body twist (6,) of a ball that rolls with angular velocity omega (3,) in world axes, rad/s."""
        R, omega = quaternion.to_matrix(q[:4]), np.asarray(omega, dtype=float)
        center = self.w(q, t) + np.cross(omega, self.radius * UP)
        return np.concatenate([R.T @ omega, R.T @ center])
