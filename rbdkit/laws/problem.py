"""The contact problem of one step: find impulses under Signorini's and Coulomb's laws, at velocity level.

The points' velocities answer impulses as ``u = W lam + b``, where ``W = J H^-1 J^T`` is the Delassus matrix. Time
stepping and impacts both pose a `Problem`; `cone`, `even_cone`, `pyramid`, `program`, `staggered` and `newton` solve
it and return `Impulses`. `Problem.residual` measures any solution the same way, so that solvers can be compared and
the report can say how well a step was solved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Problem:
    """The friction problem ``u = W lam + b``: Signorini's law along the normals, Coulomb's along the tangents.

    For each point, with lam = (alpha, beta) and u = (u_n, u_t): 0 <= alpha, 0 <= u_n, one of both zero; and
    |beta| <= mu alpha, with beta against u_t where that is not zero.

    Attributes
    ----------
    W : ndarray (3 m, 3 m)
        Delassus matrix, 1/kg: change of the points' velocities per impulse; rows normal, tangent, tangent of each
        point.
    b : ndarray (3 m,)
        Velocities without impulses, m/s; along normals minus the lowest velocity that is allowed.
    mu : ndarray (m,)
        Coefficients of friction.
    names : tuple of str
        Names of the points, for messages.
    start : ndarray (m, 3)
        Initial guess of the impulses for iterative solvers, N s.
    """

    W: NDArray
    b: NDArray
    mu: NDArray
    names: tuple[str, ...]
    start: NDArray

    def __len__(self) -> int:
        return len(self.mu)

    def islands(self) -> list[NDArray]:
        """Return the groups of points that are coupled by W, as arrays of indices; groups can be solved separately."""
        from scipy.sparse.csgraph import connected_components  # slow to load

        m = len(self)
        tied = np.abs(self.W).reshape(m, 3, m, 3).max(axis=(1, 3)) > 0.0
        count, labels = connected_components(tied, directed=False)
        return [np.flatnonzero(labels == k) for k in range(count)]

    def of(self, rows: NDArray) -> Problem:
        """Return the problem restricted to some points, given by their indices."""
        three = (3 * rows[:, None] + np.arange(3)).ravel()
        names = tuple(self.names[int(i)] for i in rows)
        return Problem(self.W[np.ix_(three, three)], self.b[three], self.mu[rows], names, self.start[rows])

    def slopes(self) -> tuple[NDArray, NDArray]:
        """Return each point's own diagonal terms: W_nn (m,) and the largest eigenvalue of its block W_tt (m,)."""
        own = np.einsum("iaib->iab", self.W.reshape(len(self), 3, len(self), 3))
        a, b, c = own[:, 1, 1], own[:, 1, 2], own[:, 2, 2]
        return own[:, 0, 0], 0.5 * (a + c) + np.hypot(0.5 * (a - c), b)

    def residual(self, lam: NDArray) -> float:
        """Return the residual of impulses (m, 3): the largest velocity by which they violate the laws, m/s.

        Both laws are written as projections (onto alpha >= 0, onto the friction disc), scaled to velocities by W_nn
        and W_tt.
        """
        if not len(self):
            return 0.0
        u = (self.W @ lam.ravel() + self.b).reshape(-1, 3)
        n, t = self.slopes()
        normal = np.abs(np.minimum(u[:, 0], n * lam[:, 0]))
        step = np.where(t > 0.0, t, 1.0)[:, None]
        wanted = in_disc(lam[:, 1:] - u[:, 1:] / step, self.mu * np.maximum(lam[:, 0], 0.0))
        return float(max(normal.max(), (step * np.abs(lam[:, 1:] - wanted)).max()))


def in_disc(x: NDArray, radius: NDArray) -> NDArray:
    """Project points (m, 2) onto discs about the origin with the given radii (m,)."""
    size = np.hypot(x[:, 0], x[:, 1])
    return x * np.where(size > radius, radius / np.where(size > 0.0, size, 1.0), 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class Impulses:
    """The result of a solver: impulses lam (m, 3), N s; its iterations; whether it converged to its tolerance."""

    lam: NDArray
    rounds: int
    settled: bool = True
