"""Loop closure of a triangle with two fixed sides and a linear actuator as the third (Featherstone 2008, Fig 8.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError


@dataclass(frozen=True)
class LinearActuator:
    """Closed-form gamma, G and g of a two-link arm with a linear actuator on its first link, in closed form.

    The triangle has corners at joint 1 (the arm's bearing), joint 2 (the cylinder's) and joint 5 (where the piston
    holds the first link). q = (angle of the link, angle of the cylinder, length of the actuator, angle of the second
    link); y = (q1, q4). Angles are measured from the line from joint 1 to joint 2.

    Parameters
    ----------
    l1 : float
        Distance from joint 1 to joint 2, m.
    l2 : float
        Distance from joint 1 to joint 5, m.

    Raises
    ------
    ModelError
        If a length is not positive.
    """

    l1: float
    l2: float

    def __post_init__(self) -> None:
        for name in ("l1", "l2"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ModelError(f"{name} = {getattr(self, name)!r} of a linear actuator must be a positive length (m)")

    def gamma(self, y: NDArray) -> NDArray:
        """Return q = (q1, q2, q3, q4) for y; plain NumPy code, so that `LoopClosure` can trace it."""
        theta_2 = np.arctan2(self.l2 * np.sin(y[0]), self.l2 * np.cos(y[0]) - self.l1)
        return np.array([y[0], theta_2, self.length(y), y[1]])

    def length(self, y: NDArray) -> NDArray:
        """Return the length d of the actuator, m."""
        return np.sqrt(self.l1**2 + self.l2**2 - 2.0 * self.l1 * self.l2 * np.cos(y[0]))

    def acceptable(self, y: NDArray) -> dict[str, float]:
        """Return d, which is positive on the set C; this excludes y1 = 0 if the sides are equal."""
        why = "length d of the actuator" + (", zero where l1 = l2 and y[0] = 0," if self.l1 == self.l2 else "")
        d = float(self.length(y))
        return {why: d if d > 1e-9 * (self.l1 + self.l2) else 0.0}

    def G(self, y: ArrayLike) -> NDArray:
        """Return G (4, 2), the derivative of gamma."""
        y1 = float(np.asarray(y)[0])
        u1, u2 = self._u(y1)[:2]
        return np.array([[1.0, 0.0], [u1, 0.0], [u2, 0.0], [0.0, 1.0]])

    def g(self, y: ArrayLike, yd: ArrayLike) -> NDArray:
        """Return g (4,) with qdd = G ydd + g."""
        u3, u4 = (np.asarray(yd)[0] ** 2 * u for u in self._u(float(np.asarray(y)[0]))[2:])
        return np.array([0.0, u3, u4, 0.0])

    def _u(self, y1: float) -> tuple[float, float, float, float]:
        """Return u1, u2, and u3, u4 divided by the square of the rate of y1."""
        l1, l2, c, s = self.l1, self.l2, float(np.cos(y1)), float(np.sin(y1))
        d = float(self.length(np.array([y1])))
        u1, u2 = (l2**2 - l1 * l2 * c) / d**2, l1 * l2 * s / d
        return u1, u2, (l1**2 - l2**2) * l1 * l2 * s / d**4, (l1 * l2 * c - u2**2) / d
