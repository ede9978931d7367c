"""Points of moving bodies, and forces on several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.spatial.fields import material_jacobian
from rbdkit.spatial.so3 import skew


@dataclass(frozen=True, eq=False)
class Attached:
    """Point of a body at one state.

    Parameters
    ----------
    E : ndarray (4, 4)
        Pose of the body in the world.
    x : ndarray (3,)
        Position in body coordinates, m.
    phi : ndarray (6,), optional
        Twist of the body, in body coordinates; zero if not given.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import Attached
    >>> point = Attached(np.eye(4), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0]))
    >>> point.velocity.tolist()
    [0.0, 2.0, 0.0]
    """

    E: NDArray
    x: NDArray
    phi: NDArray = field(default_factory=lambda: np.zeros(6))

    @property
    def R(self) -> NDArray:
        """Rotation of the body, (3, 3)."""
        return self.E[:3, :3]

    @property
    def p(self) -> NDArray:
        """Origin of the body in the world, (3,) m."""
        return self.E[:3, 3]

    @property
    def Gamma(self) -> NDArray:
        """Material Jacobian [skew(x)^T, 1], (3, 6) (Eq 1.12)."""
        return material_jacobian(self.x)

    @property
    def position(self) -> NDArray:
        """Position of the point in the world, (3,) m."""
        return self.p + self.R @ self.x

    @property
    def velocity(self) -> NDArray:
        """Velocity of the point in world axes, (3,) m/s: R Gamma phi (Eq 1.48)."""
        return self.R @ self.Gamma @ self.phi

    def wrench(self, force: NDArray) -> NDArray:
        """Return the wrench Gamma^T R^T f, (6,), of a force (3,) in world axes on the body (Eq 1.13)."""
        return self.Gamma.T @ (self.R.T @ force)

    def row(self, d: NDArray) -> NDArray:
        """Return d^T R Gamma, (6,): derivative of ``d . position`` by the pose and of ``d . velocity`` by the twist."""
        return d @ self.R @ self.Gamma

    def row_of_velocity(self, d: NDArray) -> NDArray:
        """Return the derivative (6,) of ``d . velocity`` by the pose, twist constant: d(R y)/dw = -R [y] (Eq 1.34)."""
        return np.concatenate([-d @ self.R @ skew(self.Gamma @ self.phi), np.zeros(3)])


@dataclass(frozen=True, eq=False)
class PointForces:
    """Wrenches of a force on the bodies of its points, with their derivatives.

    Attributes
    ----------
    f : ndarray (6 n,)
        Wrenches in body coordinates, for each point in turn.
    K, D : ndarray (6 n, 6 n)
        Stiffness df/dE and damping -df/dPhi.
    V : float
        Potential energy, J.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import PointForces
    >>> PointForces(np.zeros(2), np.array([[0.0, 2.0], [0.0, 1.0]]), np.zeros((2, 2)), 0.0).symmetrized().K.tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """

    f: NDArray
    K: NDArray
    D: NDArray
    V: float

    def symmetrized(self) -> PointForces:
        """Return the forces with (K + K^T) / 2 and (D + D^T) / 2, as Baraff and Witkin do (section 1.9.2)."""
        return replace(self, K=0.5 * (self.K + self.K.T), D=0.5 * (self.D + self.D.T))


def onto_bodies(forces: PointForces, bodies: Sequence[int | None], n: int) -> PointForces:
    """Assemble forces on points to forces on n bodies, (6 n,) and (6 n, 6 n); contributions to a body add up.

    Parameters
    ----------
    bodies : sequence of int or None
        Index of the body of each point, from 0; None for the world.
    n : int
        Number of bodies.

    Raises
    ------
    ModelError
        If there is not one body for each point, or an index is not below n.

    Examples
    --------
    Two points of one body:

    >>> import numpy as np
    >>> from rbdkit.algorithms.elastic import PointForces, onto_bodies
    >>> forces = PointForces(np.ones(12), np.ones((12, 12)), np.zeros((12, 12)), 0.0)
    >>> onto_bodies(forces, [0, 0], 1).K[0, 0].item()
    4.0
    """
    points = len(forces.f) // 6
    if len(bodies) != points or not all(b is None or 0 <= b < n for b in bodies):
        raise ModelError(f"bodies {list(bodies)} must name one of {n} bodies, or None, for each of {points} points")
    P = np.zeros((6 * points, 6 * n))
    for k, body in enumerate(bodies):
        if body is not None:
            P[6 * k : 6 * k + 6, 6 * body : 6 * body + 6] = np.eye(6)
    return PointForces(P.T @ forces.f, P.T @ forces.K @ P, P.T @ forces.D @ P, forces.V)


def between(one: Attached, two: Attached) -> tuple[NDArray, float]:
    """dx from the first point to the second in the world, (3,), and its length l, m.

    Raises
    ------
    StateError
        If the points meet: then no force along the line between them has a direction.
    """
    dx = two.position - one.position
    l = float(np.sqrt(dx @ dx))
    if l == 0.0:
        raise StateError("two points of a force along the line between them meet; there it has no direction")
    return dx, l


def wrenches(one: Attached, two: Attached, force: NDArray) -> NDArray:
    """A force (3,) on the first point, and its reaction on the second, as wrenches (12,) (Eq 1.35)."""
    return np.concatenate([one.wrench(force), -two.wrench(force)])


def row(one: Attached, two: Attached, d: NDArray) -> NDArray:
    """(d^T R1 Gamma1, -d^T R2 Gamma2), (12,), the row of Eqs 1.52, 1.55, 1.63 and others: that of ``-d . dx``."""
    return np.concatenate([one.row(d), -two.row(d)])


def rate_of_length(one: Attached, two: Attached) -> tuple[float, NDArray, NDArray]:
    """v of Eq 1.48, m/s, and how it changes with the poses while the twists stay, and with the twists: (12,) each."""
    dx, l = between(one, two)
    u = dx / l
    w = two.velocity - one.velocity
    v = float(u @ w)
    turning = row(one, two, -(w - v * u) / l)  # of u
    moving = np.concatenate([-one.row_of_velocity(u), two.row_of_velocity(u)])
    return v, turning + moving, -row(one, two, u)
