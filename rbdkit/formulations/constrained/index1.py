"""The constrained Newton-Euler equations in their index-1 form (Müller and Terze 2013, Eq 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError

RANK = 1e-10
"""Singular values of J below this fraction of the largest count as zero: a constraint that others imply already."""


@dataclass(frozen=True)
class Index1:
    """``[M J^T; J 0] [vdot; lambda] = [Q; eta]``: equations of motion and constraints on the accelerations.

    M : (n, n) mass matrix. J : (m, n) constraint Jacobian. Q : (n,) forces. eta : (m,) right side of J vdot = eta.
    slip : (m,) rates at which the velocities violate the constraints, J v where no joint is driven.
    independent : True if the rows of J are known to be independent, as those of a tree are.
    """

    M: NDArray
    J: NDArray
    Q: NDArray
    eta: NDArray
    slip: NDArray
    independent: bool = False

    def solve(self) -> tuple[NDArray, NDArray]:
        """Accelerations (n,) and multipliers (m,); lambda is minus the reaction, in the coordinates of the rows.

        Of dependent rows the multipliers are those of least norm, and only their sum J^T lambda has a meaning.

        Raises
        ------
        ModelError
            If something without inertia is free to move.
        """
        try:
            return self._saddle_point() if self.independent else self._null_space()
        except np.linalg.LinAlgError:
            raise ModelError(
                "the equations of motion are singular: a body, or something that its joint moves, has no inertia; "
                "model.validate() names it"
            ) from None

    def _saddle_point(self) -> tuple[NDArray, NDArray]:
        n, m = len(self.Q), len(self.eta)
        A = np.zeros((n + m, n + m))
        A[:n, :n], A[:n, n:], A[n:, :n] = self.M, self.J.T, self.J
        solution = np.linalg.solve(A, np.concatenate([self.Q, self.eta]))
        return solution[:n], solution[n:]

    def _null_space(self) -> tuple[NDArray, NDArray]:
        """vdot = J^+ eta + N y, where the columns of N span the motions that the constraints allow."""
        U, s, Vt, r = self._decomposition
        a = Vt[:r].T @ ((U[:, :r].T @ self.eta) / s[:r])
        N = Vt[r:].T
        a = a + N @ np.linalg.solve(N.T @ self.M @ N, N.T @ (self.Q - self.M @ a))
        reaction = Vt[:r] @ (self.Q - self.M @ a)
        return a, U[:, :r] @ (reaction / s[:r])

    @property
    def _decomposition(self) -> tuple[NDArray, NDArray, NDArray, int]:
        U, s, Vt = np.linalg.svd(self.J)
        return U, s, Vt, int(np.sum(s > RANK * s.max(initial=0.0)))

    @property
    def independent_rows(self) -> NDArray:
        """Combinations of the rows, (m, rank), as columns, that say all of them once."""
        if self.independent:
            return np.eye(len(self.eta))
        U, _, _, r = self._decomposition
        return U[:, :r]

    @property
    def rank(self) -> int:
        """Number of independent constraints."""
        return self._decomposition[3]

    @property
    def freedom(self) -> int:
        """Degrees of freedom that the constraints leave here."""
        return len(self.Q) - self.rank

    @property
    def redundant(self) -> int:
        """Number of rows that follow from the others."""
        return len(self.eta) - self.rank
