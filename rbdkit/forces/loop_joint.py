"""A joint that closes a loop, as force elements see joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.forces.surroundings import BodyMotion


class LoopLike(Protocol):
    """A loop joint in its place: the bodies that it connects, by number, and where its frames are on these."""

    @property
    def joint(self) -> Any: ...
    @property
    def predecessor(self) -> int: ...
    @property
    def successor(self) -> int: ...
    @property
    def successor_placement(self) -> NDArray: ...


class LoopJoint:
    """Coordinates and velocities of a loop joint, from how its bodies move; numbers or symbols.

    The coordinates are those that come closest to where its frames are, angles in (-pi, pi]; the velocities are the
    part of the relative motion that it allows.

    Parameters
    ----------
    loop : LoopLike
        The joint and its ends. Its type's functions take what the motions are made of.
    P, S : BodyMotion
        Of predecessor and successor.
    """

    mimic = None

    def __init__(self, loop: LoopLike, P: BodyMotion, S: BodyMotion) -> None:
        self.type, self.nv = loop.joint.type, loop.joint.type.nv
        X_P, X_S = loop.joint.placement, loop.successor_placement
        R_P, p_P = P.R @ X_P[:3, :3], P.p + P.R @ X_P[:3, 3]
        self.R, self.p = S.R @ X_S[:3, :3], S.p + S.R @ X_S[:3, 3]
        relative = np.hstack([R_P.T @ self.R, (R_P.T @ (self.p - p_P))[:, None]])
        self._pose = np.vstack([relative, np.array([[0.0, 0.0, 0.0, 1.0]])])
        w = S.w - P.w
        v = S.v + np.cross(S.w, self.p - S.p) - P.v - np.cross(P.w, self.p - P.p)
        self._across = np.concatenate([self.R.T @ w, self.R.T @ v])

    def coordinates(self, q: NDArray) -> NDArray:
        """Its own coordinates (nq,)."""
        return np.asarray(self.type.project(self._pose))

    def velocities(self, v: NDArray) -> NDArray:
        """Its own velocity variables (nv,)."""
        S = self._subspace()
        return _solved(S.T @ S, S.T @ self._across)

    def displacement(self, q: NDArray, start: Any) -> NDArray:
        """The u (nv,) from coordinates `start`, or neutral ones, to its own."""
        neutral = self.type.neutral()
        own = neutral if start is None else np.atleast_1d(start) * np.ones(np.shape(neutral))
        return np.asarray(self.type.difference(own, self.coordinates(q)))

    def local_force(self, u: NDArray, f: NDArray) -> NDArray:
        """``A.T f`` (nv,), where the displacement u (nv,) changes as ``A v``."""
        return np.asarray(self.type.local_rate(u)).T @ f

    def wrench(self, tau: NDArray) -> tuple[NDArray, NDArray]:
        """Couple and force at its origin, on the successor, in world axes: the shortest f with S^T f = tau.

        What such wrenches differ by, the joint itself takes up.
        """
        S = self._subspace()
        f = S @ _solved(S.T @ S, tau)
        return self.R @ f[:3], self.R @ f[3:]

    def _subspace(self) -> NDArray:
        own = self.type.neutral() if self.type.constant_S else self.coordinates(np.zeros(0))
        return np.asarray(self.type.motion_subspace(own))


def _solved(A: NDArray, b: NDArray) -> NDArray:
    """x with A x = b, A symmetric and positive definite; of symbols, too, where NumPy solves nothing."""
    if A.dtype != object and b.dtype != object:
        return np.asarray(np.linalg.solve(A, b))
    A, b, n = A.astype(object), b.astype(object), len(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i] = A[i] - factor * A[k]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - A[k, k + 1 :] @ b[k + 1 :]) / A[k, k]
    return b
