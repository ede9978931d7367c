"""Constraint on three bodies at once: equal discs inside a taut loop of string (Featherstone, Fig 3.2c)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.model.constraint import Row

PAIRS = ((0, 1), (1, 2), (2, 0))


@dataclass(frozen=True)
class TautString:
    """Taut string, l_1 + l_2 + l_3 + 2 pi r = p, for a model of three discs on `Planar('z')` joints to the world.

    The coordinates of a disc are (angle, x, y) and its velocity variables (omega, vx, vy) along its own axes. The
    string slides on the discs without friction, so their rotation does not matter. lam is its tension, N.

    Parameters
    ----------
    radius : float
        Radius of the discs, m.
    perimeter : float
        Length of the string, m.

    Raises
    ------
    ModelError
        If the string is too short to go around three discs.
    """

    radius: float
    perimeter: float
    unilateral: ClassVar[tuple[int, ...]] = (0,)  # a string pulls and never pushes
    rows: ClassVar[tuple[Row, ...]] = (Row("string", "m", holonomic=True, unilateral=True),)

    def __post_init__(self) -> None:
        shortest = (6.0 + 2.0 * np.pi) * self.radius
        if not (self.radius > 0.0 and np.isfinite(self.perimeter) and self.perimeter >= shortest):
            raise ModelError(
                f"a string of {self.perimeter} m does not go around three discs of radius {self.radius} m; "
                f"it needs {shortest:.4g} m or more"
            )

    def length(self, q: NDArray) -> float:
        """Return the length of string around the discs, m: three straight parts, and arcs that add up to one circle."""
        x = _centers(q)
        return float(sum(np.linalg.norm(x[i] - x[j]) for i, j in PAIRS) + 2.0 * np.pi * self.radius)

    def phi(self, q: NDArray) -> float:
        """Return the slack of the string, m: zero while it is taut, never negative."""
        return self.perimeter - self.length(q)

    def gap(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the slack `phi` as an array (1,), m."""
        return np.array([self.phi(q)])

    def K(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the Jacobian of `phi` in the velocity variables, shape (1, 9)."""
        x, R, K = _centers(q), _axes(q), np.zeros((3, 3))
        for i, j in PAIRS:
            u = _direction(x, i, j)
            K[i, 1:] -= R[i].T @ u
            K[j, 1:] += R[j].T @ u
        return K.reshape(1, 9)

    def w(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return zero, (1,): the string keeps its length."""
        return np.zeros(1)

    def k(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Return -dK/dt qd, (1,)."""
        x, R, v = _centers(q), _axes(q), qd.reshape(3, 3)
        rate = np.array([R[i] @ v[i, 1:] for i in range(3)])
        turned = np.array([v[i, 0] * np.array([-rate[i, 1], rate[i, 0]]) for i in range(3)])  # omega x v of own axes
        total = 0.0
        for i, j in PAIRS:
            u, d = _direction(x, i, j), rate[i] - rate[j]
            across = d - u * (u @ d)
            total += across @ across / np.linalg.norm(x[i] - x[j]) + u @ (turned[i] - turned[j])
        return np.array([total])


def _centers(q: NDArray) -> NDArray:
    return q.reshape(3, 3)[:, 1:]


def _axes(q: NDArray) -> NDArray:
    """Return the rotations (3, 2, 2) of the three discs."""
    c, s = np.cos(q[::3]), np.sin(q[::3])
    return np.array([[c, -s], [s, c]]).transpose(2, 0, 1)


def _direction(x: NDArray, i: int, j: int) -> NDArray:
    """Return the unit vector from disc j to disc i, (2,)."""
    d = x[i] - x[j]
    length = np.linalg.norm(d)
    if length == 0.0:
        raise StateError(f"discs {j + 1} and {i + 1} are at the same place, {x[i].tolist()}: move one of them")
    return d / length
