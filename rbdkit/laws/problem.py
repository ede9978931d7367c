"""Contact with friction at the level of velocities, and what every solver of it answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Problem:
    """Find impulses lam with ``u = W lam + b``: Signorini along the normals, Coulomb along the tangents.

    For each point, with lam = (alpha, beta) and u = (u_n, u_t): 0 <= alpha, 0 <= u_n, one of both zero; and
    |beta| <= mu alpha, with beta against u_t where that is not zero.

    Attributes
    ----------
    W : ndarray (3 m, 3 m)
        How velocities at the points answer impulses there; normal, tangent, tangent of each.
    b : ndarray (3 m,)
        Velocities without impulses, those along normals less what is allowed.
    mu : ndarray (m,)
        Coefficients of friction.
    names : tuple of str
        Of the points.
    start : ndarray (m, 3)
        Impulses to begin with, for solvers that come nearer step by step.
    """

    W: NDArray
    b: NDArray
    mu: NDArray
    names: tuple[str, ...]
    start: NDArray

    def __len__(self) -> int:
        return len(self.mu)

    def islands(self) -> list[NDArray]:
        """Numbers of points whose impulses move each other, in groups."""
        from scipy.sparse.csgraph import connected_components  # slow to load

        m = len(self)
        tied = np.abs(self.W).reshape(m, 3, m, 3).max(axis=(1, 3)) > 0.0
        count, labels = connected_components(tied, directed=False)
        return [np.flatnonzero(labels == k) for k in range(count)]

    def of(self, rows: NDArray) -> Problem:
        """The problem of some points alone."""
        three = (3 * rows[:, None] + np.arange(3)).ravel()
        names = tuple(self.names[int(i)] for i in rows)
        return Problem(self.W[np.ix_(three, three)], self.b[three], self.mu[rows], names, self.start[rows])

    def slopes(self) -> tuple[NDArray, NDArray]:
        """How stiffly each point answers by itself: W_nn (m,), and the largest eigenvalue of W_tt (m,)."""
        own = np.einsum("iaib->iab", self.W.reshape(len(self), 3, len(self), 3))
        a, b, c = own[:, 1, 1], own[:, 1, 2], own[:, 2, 2]
        return own[:, 0, 0], 0.5 * (a + c) + np.hypot(0.5 * (a - c), b)

    def residual(self, lam: NDArray) -> float:
        """By how much impulses (m, 3) miss the laws, as the largest velocity that is wrong, m/s."""
        if not len(self):
            return 0.0
        u = (self.W @ lam.ravel() + self.b).reshape(-1, 3)
        n, t = self.slopes()
        normal = np.abs(np.minimum(u[:, 0], n * lam[:, 0]))
        step = np.where(t > 0.0, t, 1.0)[:, None]
        wanted = in_disc(lam[:, 1:] - u[:, 1:] / step, self.mu * np.maximum(lam[:, 0], 0.0))
        return float(max(normal.max(), (step * np.abs(lam[:, 1:] - wanted)).max()))


def in_disc(x: NDArray, radius: NDArray) -> NDArray:
    """The nearest points (m, 2) of discs with these radii (m,)."""
    size = np.hypot(x[:, 0], x[:, 1])
    return x * np.where(size > radius, radius / np.where(size > 0.0, size, 1.0), 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class Impulses:
    """What a solver found: lam (m, 3), N s; the rounds it took; whether it came to an end within its tolerance."""

    lam: NDArray
    rounds: int
    settled: bool = True
