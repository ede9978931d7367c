"""The constrained Newton-Euler equations in index-1 form (Müller and Terze 2013, Eq 3), with redundant constraints.

The constraints are differentiated twice, so they hold on accelerations: ``J vdot = eta``. With the reactions as
multipliers this is a linear system for vdot and lambda, ``[M J^T; J 0] [vdot; lambda] = [Q; eta]``, which is regular
exactly if the rows of J are independent and M is regular along what J leaves free. There are three ways of solving, for
three kinds of rows:

1. A tree: its rows are independent, and the system is solved as it is.
2. Loops on a tree with inertia everywhere: one factorisation of the tree gives its accelerations and its responses to
   unit reactions of all loop rows; multiples of these close the loops. A rank decision on the small matrix
   Lambda = L A^-1 L^T (`rbdkit.engine.rows.dependence`) picks the rows that count; redundant ones get no reaction.
3. A tree that is singular by itself (a massless branch that only the loop determines): the null-space method, with
   ``vdot = J^+ eta + N y``, and the equations of motion along N.

The accelerations do not depend on which of several dependent rows carry the reactions; the multipliers do, and the ones
of least norm are taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.rows.dependence import LoopRows, reactions
from rbdkit.errors import ModelError
from rbdkit.formulations.system import System
from rbdkit.model.closing.massless import require_inertia
from rbdkit.model.closing.rank import FLOOR


@dataclass(frozen=True)
class Index1:
    """``[M J^T; J 0] [vdot; lambda] = [Q; eta]``: equations of motion and constraints on the accelerations.

    M : (n, n) mass matrix. J : (m, n) constraint Jacobian. Q : (n,) forces. eta : (m,) right-hand side of J vdot = eta.
    slip : (m,) violation of the constraints by the velocities: J v, if no joint is prescribed.
    independent : True if the rows of J are known to be independent, as those of a tree are.
    loops : data for the rank decision on rows of loops, which may depend on earlier rows; see `dependence`.
    states : number of variables, the last ones, that are states of force elements.
    """

    M: NDArray
    J: NDArray
    Q: NDArray
    eta: NDArray
    slip: NDArray
    independent: bool = False
    loops: LoopRows | None = None
    states: int = 0

    def accelerations(self) -> NDArray:
        """Return the accelerations vdot (n,).

        Raises
        ------
        ModelError
            If something without inertia is free to move.
        """
        try:
            if self.independent:
                return self._saddle_point()[0]
            return self._tree_and_loops[0] if self._tree_answers else self._null_space()[0]
        except np.linalg.LinAlgError:
            raise self._singular() from None

    def solve(self) -> tuple[NDArray, NDArray]:
        """Return accelerations (n,) and multipliers (m,); lambda is minus the reaction, in the coordinates of the rows.

        If rows are dependent, the multipliers of least norm are returned; only J^T lambda is unique then.

        Raises
        ------
        ModelError
            If something without inertia is free to move.
        """
        try:
            if self.independent:
                return self._saddle_point()
            if not self._tree_answers:
                return self._null_space()
            # J^T lambda = Q - M a by the pseudo-inverse: of all multipliers those of least norm
            a, U, s, Vt = self._tree_and_loops[0], *self._decomposition
            return a, U @ ((Vt @ (self.Q - self.M @ a)) / s)
        except np.linalg.LinAlgError:
            raise self._singular() from None

    @property
    def _tree_answers(self) -> bool:
        return self.loops is not None and self.loops.tree_answers

    def _singular(self) -> ModelError:
        return ModelError(
            "the equations of motion are singular: a body, or something that its joint moves, has no inertia, and no "
            "loop or constraint determines how it moves here; model.validate() names it"
        )

    def _saddle_point(self) -> tuple[NDArray, NDArray]:
        n, m = len(self.Q), len(self.eta)
        A = np.zeros((n + m, n + m))
        A[:n, :n], A[:n, n:], A[n:, :n] = self.M, self.J.T, self.J
        solution = np.linalg.solve(A, np.concatenate([self.Q, self.eta]))
        return solution[:n], solution[n:]

    @cached_property
    def _tree_and_loops(self) -> tuple[NDArray, NDArray]:
        """vdot, and which rows of the loops are independent, by the tree's responses to reactions.

        Bodies lighter than others by a factor of 1e-9 make Lambda ill-conditioned; then the residual of the constraints
        is removed once more in the same way (iterative refinement).
        """
        assert self.loops is not None
        n, first = len(self.Q), self.loops.first
        T, L = self.J[:first], self.J[first:]
        A, b = np.zeros((n + first, n + first)), np.zeros((n + first, 1 + len(L)))
        A[:n, :n], A[:n, n:], A[n:, :n] = self.M, T.T, T
        # one factorisation for the forces, and for a unit reaction of each loop row
        b[:n, 0], b[n:, 0], b[:n, 1:] = self.Q, self.eta[:first], L.T
        answers = np.linalg.solve(A, b)[:n]
        tree, responses = answers[:, 0], answers[:, 1:]
        Lambda = L @ responses
        # pivots are chosen on the diagonal, which takes a symmetric matrix
        Lambda = 0.5 * (Lambda + Lambda.T)
        counting, clear = self.loops.counting(Lambda)
        found = tree
        for _ in range(1 if clear else 2):
            found = found - responses @ reactions(Lambda, L @ found - self.eta[first:], counting)
        return found, counting

    def _null_space(self) -> tuple[NDArray, NDArray]:
        """Return vdot = J^+ eta + N y, where N spans the null space of J, and multipliers."""
        U, s, Vt = self._decomposition
        r = len(s)
        a = Vt.T @ ((U.T @ self.eta) / s)
        # right singular vectors beyond the rank span what J leaves free
        N = np.linalg.svd(self.J)[2][r:].T
        require_inertia(self.M, N)
        a = a + N @ np.linalg.solve(N.T @ self.M @ N, N.T @ (self.Q - self.M @ a))
        return a, U @ ((Vt @ (self.Q - self.M @ a)) / s)

    @cached_property
    def _decomposition(self) -> tuple[NDArray, NDArray, NDArray]:
        """Truncated singular value decomposition U, s, V^T of J, of the rank that was decided if there is one."""
        counting = self._counting
        U, s, Vt = np.linalg.svd(self.J, full_matrices=False)
        r = int(np.sum(s > np.sqrt(FLOOR) * s.max(initial=0.0))) if counting is None else int(np.sum(counting))
        return U[:, :r], s[:r], Vt[:r]

    @property
    def _counting(self) -> NDArray | None:
        """Independent rows as a mask (m,), or None without a rank decision."""
        if self.independent:
            return np.ones(len(self.eta), dtype=bool)
        if self.loops is None:
            return None
        counting = self._tree_and_loops[1] if self._tree_answers else self._says > 0.0
        return np.concatenate([np.ones(self.loops.first, dtype=bool), counting])

    @cached_property
    def _says(self) -> NDArray:
        """Measure s^2 of what each loop row adds to the others by its geometry, see `dependence`."""
        return np.zeros(0) if self.loops is None else self.loops.says()

    @property
    def independent_rows(self) -> NDArray:
        """Combinations of the rows, (m, rank), as columns, that are independent and imply all rows."""
        counting = self._counting
        return self._decomposition[0] if counting is None else np.eye(len(self.eta))[:, counting]

    @property
    def rank(self) -> int:
        """Number of independent constraints."""
        counting = self._counting
        return len(self._decomposition[1]) if counting is None else int(np.sum(counting))

    @property
    def weakest(self) -> float:
        """Smallest s^2 (see `dependence`) of the independent loop rows; 1 if there are none, or without rank decision.

        It tends to 0 towards singular poses, where rows become dependent that are independent elsewhere.
        """
        return float(self._says[self._says > 0.0].min(initial=1.0))

    @property
    def freedom(self) -> int:
        """Degrees of freedom that the constraints leave here."""
        return len(self.Q) - self.states - self.rank

    @property
    def redundant(self) -> int:
        """Number of rows that follow from the others."""
        return len(self.eta) - self.rank


@runtime_checkable
class ConstrainedSystem(System, Protocol):
    """A system with constrained equations of motion as matrices; a recorded one has `corrected`."""

    def index1(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return M, J and Q of ``M vdot + J^T lambda = Q`` at one state."""
        ...

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        """Return the constraint errors g(x), shape (m,)."""
        ...

    def corrected(
        self, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float = 0.0
    ) -> NDArray:
        """Return the accelerations a with ``M a + J^T lambda = Q``, ``J a = J vdot - closing g + moving sigma``.

        sigma are the velocities of prescribed joints across the constraints.
        """
        ...


def corrected_accelerations(
    system: ConstrainedSystem, t: float, x: NDArray, v: NDArray, vdot: NDArray, closing: float, moving: float
) -> NDArray:
    """Return accelerations that obey ``J a = J vdot - closing g + moving sigma``; see `VelocityLevel.corrected`."""
    here = system.index1(t, x, v)
    eta = here.J @ vdot - closing * system.constraint_error(x, t)
    if moving:
        # slip is J v - sigma
        eta = eta + moving * (here.J @ v - here.slip)
    return replace(here, eta=eta).accelerations()
