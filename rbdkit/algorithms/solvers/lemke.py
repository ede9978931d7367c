"""Lemke's complementary pivoting for linear complementarity problems, with every pivot step named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.solvers.solution import (
    LcpSolution,
    Pivot,
    infeasible,
    is_certificate,
    read_problem,
    rounding,
    solution_at,
)
from rbdkit.errors import ConvergenceError


def lemke(M: ArrayLike, d: ArrayLike, names: Sequence[str] | None = None) -> LcpSolution:
    """Solve ``zeta = M lam + d >= 0, lam >= 0, zeta . lam = 0`` along Lemke's path (Cottle and Dantzig 1968).

    An artificial variable z_0 lifts all rows until they hold, and is then driven out: the complement of the variable
    that left the basis last enters next. Ties are broken lexicographically, so that no basis recurs.

    Parameters
    ----------
    M : array_like (n, n)
        Any matrix; with a positive semidefinite one, symmetric or not, a solution is found whenever there is one.
    d : array_like (n,)
        Value of zeta at lam = 0.
    names : sequence of str, optional
        Names of the rows, for pivots and errors.

    Raises
    ------
    InfeasibleError
        If no lam >= 0 makes zeta >= 0; it names the rows that contradict each other.
    ConvergenceError
        If the path ends on a ray although such lam exist: then M is not positive semidefinite, there may be no
        solution or several, and this method cannot tell.
    StateError
        If shapes do not fit or a number is not finite.

    Examples
    --------
    >>> from rbdkit.algorithms.solvers import lemke

    Two feet under a beam, pushed down between them:

    >>> solution = lemke([[2.0, -1.0], [-1.0, 2.0]], [-3.0, -3.0], ["left", "right"])
    >>> solution.lam
    array([3., 3.])
    >>> [pivot.enters for pivot in solution.pivots]
    ['z_0', 'lambda of right', 'lambda of left']
    """
    M, d, names = read_problem(M, d, names)
    n, zero = len(d), rounding(np.asarray(M), np.asarray(d))
    called = [*(f"zeta of {name}" for name in names), *(f"lambda of {name}" for name in names), "z_0"]
    basis, pivots = list(range(n)), []  # zeta_i is variable i, lambda_i is n + i, z_0 is 2 n
    if not n or d.min() >= -zero:
        return solution_at(M, d, (), ())
    A = np.column_stack([np.eye(n), -M, -np.ones(n), d])  # zeta - M lam - z_0 = d
    row, enters = max(i for i in range(n) if d[i] <= d.min() + zero), 2 * n
    for _ in range(50 * (n + 1)):
        leaves = basis[row]
        _exchange(A, row, enters)
        basis[row] = enters
        pivots.append(Pivot(called[enters], called[leaves]))
        if leaves == 2 * n:
            return solution_at(M, d, [i - n for i in basis if i >= n], pivots)
        enters = leaves + n if leaves < n else leaves - n
        found = _leaving(A, basis, enters, n)
        if found is None:
            raise _on_a_ray(M, d, names, A, basis, enters)
        row = found
    raise ConvergenceError(f"Lemke's method made {len(pivots)} pivots for {n} contacts: M is too ill conditioned")


def _exchange(A: NDArray, row: int, column: int) -> None:
    A[row] /= A[row, column]
    others = np.arange(len(A)) != row
    A[others] -= np.outer(A[others, column], A[row])


def _leaving(A: NDArray, basis: list[int], enters: int, n: int) -> int | None:
    """The row whose variable first falls to zero, of several the lexicographically first; None if none falls."""
    column = A[:, enters]
    rows = [i for i in range(n) if column[i] > 1e-11 * max(1.0, float(np.abs(column).max()))]
    if not rows:
        return None
    keys = np.column_stack([A[:, -1], A[:, :n]])[rows] / column[rows, None]  # of d, then of the inverse of the basis
    kept = np.arange(len(rows))
    for k in range(n + 1):
        values = keys[kept, k]
        kept = kept[values <= values.min() + 1e-12 * max(1.0, float(np.abs(values).max()))]
        out = [rows[i] for i in kept if basis[rows[i]] == 2 * n]
        if out:
            return out[0]  # z_0 may go: done
        if len(kept) == 1:
            break
    return rows[int(kept[0])]


def _on_a_ray(M: NDArray, d: NDArray, names: Sequence[str], A: NDArray, basis: list[int], enters: int) -> Exception:
    n = len(d)
    y = np.zeros(2 * n + 1)
    y[basis] = -A[:, enters]
    y[enters] = 1.0
    candidate = np.maximum(y[n : 2 * n], 0.0)
    if not is_certificate(M, d, candidate):  # of a matrix that is not semidefinite the ray says little
        from scipy.optimize import nnls  # slow to load, and only failures need it

        sizes = float(np.abs(M).max()) or 1.0, float(np.abs(d).max())
        A = np.block([[M.T / sizes[0], np.eye(n)], [d / sizes[1], np.zeros(n)]])  # M^T y + s = 0, d . y = -1, y, s >= 0
        candidate = nnls(A, np.append(np.zeros(n), -1.0))[0][:n]
    if is_certificate(M, d, candidate):
        return infeasible(d, candidate, names)
    return ConvergenceError(
        "Lemke's path ended on a ray: M is not positive semidefinite, and whether there is a solution this method "
        f"cannot tell ({', '.join(names)}); lower the friction"
    )
