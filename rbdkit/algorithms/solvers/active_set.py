"""Contact forces by an active set: principal pivots that keep the matrix of active contacts regular."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.algorithms.solvers.solution import (
    LcpSolution,
    Pivot,
    infeasible,
    read_problem,
    rounding,
    solution_at,
)
from rbdkit.errors import ConvergenceError, StateError

NOTHING = 1e-24
"""Largest part of the greatest yielding of a contact alone that is no yielding: the square of round-off of its row."""


def active_set(M: ArrayLike, d: ArrayLike, names: Sequence[str] | None = None) -> LcpSolution:
    """Minimise ``1/2 lam^T M lam + lam^T d`` with lam >= 0, one contact at a time (Featherstone 2008, Eq 11.43).

    A contact that would penetrate is loaded while the active ones are held at zero separation acceleration; a force
    that falls to zero on the way leaves the set. The columns of M in the set stay independent, so the solution is
    a basic one, with few nonzero forces.

    Parameters
    ----------
    M : array_like (n, n)
        Symmetric and positive semidefinite.
    d : array_like (n,)
        Value of zeta at lam = 0.
    names : sequence of str, optional
        Names of the rows, for pivots and errors.

    Raises
    ------
    InfeasibleError
        If there is no solution; it names the contacts that contradict each other.
    StateError
        If M is not symmetric or not positive semidefinite, shapes do not fit or a number is not finite.
    ConvergenceError
        If round-off prevents convergence.

    Examples
    --------
    >>> from rbdkit.algorithms.solvers import active_set
    >>> active_set([[2.0, 1.0], [1.0, 2.0]], [-3.0, 1.0]).lam
    array([1.5, 0. ])
    """
    M, d, names = read_problem(M, d, names)
    n, scale = len(d), float(np.abs(M).max(initial=0.0))
    if np.abs(M - M.T).max(initial=0.0) > 1e-10 * scale:
        raise StateError("M must be symmetric for an active set of forces; with friction use lemke")
    least = float(np.linalg.eigvalsh(M)[0]) if n else 0.0
    if least < -1e-9 * scale:
        raise StateError(f"M must be positive semidefinite for an active set of forces, but has eigenvalue {least:.6g}")
    # units in which each contact alone yields 1: a light body beside a heavy one, or a joint at a singular pose, yields
    # so much more that the other contacts looked as if nothing moved them; less than `NOTHING` is round-off of a row
    unit = 1.0 / np.sqrt(np.where(np.diag(M) > NOTHING * scale, np.diag(M), scale or 1.0))
    A, b, zero = unit[:, None] * M * unit, unit * d, unit * rounding(M, d)
    P: list[int] = []
    lam = np.zeros(n)
    pivots: list[Pivot] = []
    for _ in range(50 * (n + 1)):
        zeta = A @ lam + b
        wanting = [i for i in range(n) if i not in P and zeta[i] < -zero[i]]
        if not wanting:
            return solution_at(M, d, P, pivots)
        i = wanting[0]  # the first, not the worst: so no set comes twice (Bland)
        while i not in P:
            y = np.zeros(n)
            y[i] = 1.0
            if P:
                y[P] = -np.linalg.solve(A[np.ix_(P, P)], A[P, i])
            compliance = float(A[i] @ y)  # of contact i while those in P hold
            needed = np.inf if compliance <= 1e-11 else -float(A[i] @ lam + b[i]) / compliance
            falling = [j for j in P if y[j] < -1e-13 * np.abs(y).max()]
            first = min((float(lam[j] / -y[j]) for j in falling), default=np.inf)
            if np.isinf(needed) and np.isinf(first):
                raise infeasible(d, unit * np.maximum(y, 0.0), names)  # M y = 0, d . y < 0
            if needed <= first:
                lam = lam + needed * y
                P.append(i)
                pivots.append(Pivot(f"lambda of {names[i]}", f"zeta of {names[i]}"))
            else:
                out = min(j for j in falling if lam[j] / -y[j] <= first * (1.0 + 1e-13))
                lam = np.maximum(lam + first * y, 0.0)
                lam[out] = 0.0
                P.remove(out)
                pivots.append(Pivot(f"zeta of {names[out]}", f"lambda of {names[out]}"))
    raise ConvergenceError(
        f"the active set of {n} contacts changed {len(pivots)} times without end: M is too ill conditioned"
    )
