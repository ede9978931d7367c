"""A loop joint with the interface of a tree joint, for force elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbdkit.forces.surroundings import BodyMotion


class LoopLike(Protocol):
    """Interface of a loop joint of a model: indices of the bodies that it connects, and placements of its frames."""

    @property
    def joint(self) -> Any: ...
    @property
    def predecessor(self) -> int: ...
    @property
    def successor(self) -> int: ...
    @property
    def successor_placement(self) -> NDArray: ...


class LoopJoint:
    """Coordinates and velocities of a loop joint, from the motions of its bodies; numbers or symbols.

    The coordinates are those that come closest to the relative pose of its frames, angles in (-pi, pi]; the velocities
    are the least-squares fit to the relative velocity.

    Parameters
    ----------
    loop : LoopLike
        The joint and its ends.
    P, S : BodyMotion
        Motions of predecessor and successor.
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
        """Return the joint's coordinates (nq,)."""
        return np.asarray(self.type.project(self._pose))

    def velocities(self, v: NDArray) -> NDArray:
        """Return the joint's velocity variables (nv,)."""
        S = self._subspace()
        return _solved(S.T @ S, S.T @ self._across)

    def displacement(self, q: NDArray, start: Any) -> NDArray:
        """Return the displacement u (nv,) from coordinates `start`, or the neutral ones, to the present ones."""
        neutral = self.type.neutral()
        own = neutral if start is None else np.atleast_1d(start) * np.ones(np.shape(neutral))
        return np.asarray(self.type.difference(own, self.coordinates(q)))

    def local_force(self, u: NDArray, f: NDArray) -> NDArray:
        """``A.T f`` (nv,), where the displacement u (nv,) changes as ``A v``."""
        return np.asarray(self.type.local_rate(u)).T @ f

    def wrench(self, tau: NDArray) -> tuple[NDArray, NDArray]:
        """Return the couple and force on the successor for a joint force tau (nv,), at the joint origin, in world axes.

        It is the smallest f with S^T f = tau; other solutions differ by constraint forces, which the joint resists.
        """
        S = self._subspace()
        f = S @ _solved(S.T @ S, tau)
        return self.R @ f[:3], self.R @ f[3:]

    def _subspace(self) -> NDArray:
        own = self.type.neutral() if self.type.constant_S else self.coordinates(np.zeros(0))
        return np.asarray(self.type.motion_subspace(own))


def _solved(A: NDArray, b: NDArray) -> NDArray:
    """Solve A x = b, A symmetric positive definite; symbols by Gaussian elimination, as NumPy cannot solve these."""
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
