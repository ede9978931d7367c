"""The contact problem of one step: find impulses under Signorini's and Coulomb's laws, at velocity level.

The points' velocities answer impulses as ``u = W lam + b``, where ``W = J H^-1 J^T`` is the Delassus matrix. Time
stepping and impacts both pose a `Problem`; `cone`, `even_cone`, `pyramid`, `program`, `staggered` and `newton` solve
it and return `Impulses`. `Problem.residual` measures any solution the same way, so that solvers can be compared and
the report can say how well a step was solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.one_point import Disc, Friction, Parts, missed, steepest


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
    own : tuple of Friction, optional
        Friction of each point, where it is a user's; only `cone` and `even_cone` know it.
    """

    W: NDArray
    b: NDArray
    mu: NDArray
    names: tuple[str, ...]
    start: NDArray
    own: tuple[Friction, ...] | None = None

    def __len__(self) -> int:
        return len(self.mu)

    def islands(self) -> list[NDArray]:
        """Return the groups of points that are coupled by W, as arrays of indices; groups can be solved separately."""
        from scipy.sparse.csgraph import connected_components  # slow to load

        m = len(self)
        # exact zeros: points on different trees have no column of J in common
        tied = np.abs(self.W).reshape(m, 3, m, 3).max(axis=(1, 3)) > 0.0
        count, labels = connected_components(tied, directed=False)
        return [np.flatnonzero(labels == k) for k in range(count)]

    def of(self, rows: NDArray) -> Problem:
        """Return the problem restricted to some points, given by their indices."""
        three = (3 * rows[:, None] + np.arange(3)).ravel()
        names = tuple(self.names[int(i)] for i in rows)
        own = None if self.own is None else tuple(self.own[int(i)] for i in rows)
        return Problem(self.W[np.ix_(three, three)], self.b[three], self.mu[rows], names, self.start[rows], own)

    def own_blocks(self) -> list[NDArray]:
        """Return the upper triangles by rows of each point's own block of W, six arrays (m,)."""
        own = np.einsum("iaib->abi", self.W.reshape(len(self), 3, len(self), 3))
        return [own[a, b] for a, b in zip(*np.triu_indices(3), strict=True)]

    def each(self) -> Sequence[Friction]:
        """Return the friction of each point."""
        return [Disc(mu) for mu in self.mu.tolist()] if self.own is None else self.own

    def all(self) -> Friction:
        """Return the friction of all points as a stack."""
        return Disc(self.mu) if self.own is None else _Stack(self.own)

    def residual(self, lam: NDArray) -> float:
        """Return the residual of impulses (m, 3): the largest velocity by which they violate the laws, m/s."""
        if not len(self):
            return 0.0
        u, own = (self.W @ lam.ravel() + self.b).reshape(-1, 3), self.own_blocks()
        return float(missed(u.T, lam.T, own[0], steepest(*own[3:]), self.all()).max())


class _Stack(Friction):
    """Friction of several points, evaluated point by point, since a user's law may branch on values."""

    def __init__(self, own: Sequence[Friction]) -> None:
        self.own = own

    def nearest(self, wanted: Parts, push: NDArray) -> Parts:
        points = zip(self.own, np.transpose(wanted).tolist(), push.tolist(), strict=True)
        return list(np.transpose([one.nearest(here, n) for one, here, n in points]))


@dataclass(frozen=True, eq=False)
class Impulses:
    """The result of a solver: impulses lam (m, 3), N s; its iterations; whether it converged to its tolerance."""

    lam: NDArray
    rounds: int
    settled: bool = True
