"""Quadratic program in accelerations (Gauss' principle with inequalities) as a least-distance problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.solvers.active_rows import active_rows
from rbdkit.algorithms.solvers.solution import infeasible
from rbdkit.errors import StateError
from rbdkit.spatial.read_numbers import shown

Solver = Literal["auto", "scipy", "daqp"]


@dataclass(frozen=True, eq=False)
class LeastDistance:
    """Solution of a least-distance problem: the nearest point that satisfies inequalities.

    Attributes
    ----------
    x : ndarray (n,)
        The point; unique.
    lam : ndarray (n_c,)
        Multipliers >= 0: H (x - x_0) = T lam. With few nonzeros; not unique if rows are dependent.
    """

    x: NDArray
    lam: NDArray


def least_distance(
    H: NDArray,
    x_0: NDArray,
    T: NDArray,
    b: NDArray,
    names: Sequence[str] | None = None,
    *,
    solver: Solver = "auto",
) -> LeastDistance:
    """Minimize ``1/2 (x - x_0)^T H (x - x_0)`` with ``T^T x + b >= 0`` (Featherstone 2008, Eq 11.44).

    With H = L L^T and y = L^T (x - x_0) it is the shortest y under linear inequalities, which is one problem of
    nonnegative least squares (Lawson and Hanson 1974, chapter 23). `daqp`, if installed, finds the active rows
    faster; the solution is computed from the active rows in either case.

    Parameters
    ----------
    H : ndarray (n, n)
        Inertia matrix, symmetric and positive definite.
    x_0 : ndarray (n,)
        Free acceleration H^-1 (tau - C), or free velocity.
    T : ndarray (n, n_c)
        Contact normals in joint space.
    b : ndarray (n_c,)
        Bias term of the inequalities, such as Tdot^T qd.
    names : sequence of str, optional
        Names of the contacts, for errors.
    solver : {'auto', 'scipy', 'daqp'}, optional
        Method that finds the active rows: daqp ('auto' uses it if installed), or nonnegative least squares, which also
        takes over if the answer of daqp fails a check.

    Raises
    ------
    InfeasibleError
        If no x satisfies all inequalities; it names the contacts that contradict each other.
    StateError
        If H is not positive definite, or there is no such solver.
    ImportError
        If 'daqp' is given and not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.solvers import least_distance
    >>> least_distance(np.diag([1.0, 2.0]), np.array([0.0, -9.81]), np.array([[0.0], [1.0]]), np.zeros(1)).x
    array([0., 0.])
    """
    if solver not in ("auto", "scipy", "daqp"):
        raise StateError(f"solver {shown(solver)} must be 'auto', 'scipy' or 'daqp'")
    try:
        L = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        raise StateError("H must be positive definite: a motion moves nothing that has inertia") from None
    n_c = T.shape[1]
    called = [f"C{i + 1}" for i in range(n_c)] if names is None else names
    h = -(T.T @ x_0 + b)  # G y >= h with G = T^T L^-T
    size = float(np.abs(h).max(initial=0.0))
    if not n_c or size == 0.0:
        return LeastDistance(np.array(x_0, dtype=float), np.zeros(n_c))
    G_T = np.linalg.solve(L, T)
    moving = np.linalg.norm(G_T, axis=0)
    fixed = moving <= 1e-13 * moving.max()  # no motion changes these contacts: round-off, or infeasible
    G_T[:, fixed] = 0.0
    h = np.where(fixed & (np.abs(h) <= 1e-12 * size), 0.0, h)
    held = None if solver == "scipy" else active_rows(G_T, h, required=solver == "daqp")
    if held is None:
        held = _rows_by_least_squares(G_T / (moving.max() or 1.0), h / size, called)
    lam = np.zeros(n_c)
    if held.size:  # from the rows themselves: NNLS residuals cancel far from x_0
        G_held = G_T[:, held]
        lam[held] = np.maximum(np.linalg.solve(G_held.T @ G_held, h[held]), 0.0)
    return LeastDistance(x_0 + np.linalg.solve(L.T, np.linalg.solve(L, T @ lam)), lam)


def _rows_by_least_squares(G_T: NDArray, h: NDArray, called: Sequence[str]) -> NDArray:
    """Return the active rows of the shortest y with G y >= h, by nonnegative least squares."""
    from scipy.optimize import nnls  # slow to load

    E = np.vstack([G_T, h])
    lengths = np.linalg.norm(E, axis=0)
    lengths[lengths == 0.0] = 1.0
    f = np.concatenate([np.zeros(len(G_T)), [1.0]])
    u = nnls(E / lengths, f)[0] / lengths
    r = f - E @ u
    if r[-1] < 1e-12:  # f itself is a positive combination of the columns: T u = 0 and h . u > 0
        raise infeasible(-h, u, called)
    return np.flatnonzero(u)
