"""Dense convex quadratic program with equality and inequality rows, for contacts and joints together.

The equations are eliminated with a basis of the null space of G; what remains is a least-distance problem with
inequalities, see `rbdkit.algorithms.solvers.least_distance`. An SVD of G finds the basis, so that dependent rows do no
harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.solvers.least_distance import Solver, least_distance
from rbdkit.errors import StateError
from rbdkit.spatial.read_numbers import shown

ROUND_OFF = 1e-10
"""Singular values of G below this fraction of the largest one count as zero."""


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """Solution of a quadratic program with its multipliers: H x = f + C^T lam + G^T nu.

    Attributes
    ----------
    x : ndarray (n,)
        Minimiser, unique.
    lam : ndarray (m,)
        Multipliers of the inequalities, none negative; zero for inactive ones.
    nu : ndarray (k,)
        Multipliers of the equations; those of least norm if rows are dependent.
    """

    x: NDArray
    lam: NDArray
    nu: NDArray


def quadratic_program(
    H: ArrayLike,
    f: ArrayLike,
    *,
    C: ArrayLike | None = None,
    c: ArrayLike | None = None,
    G: ArrayLike | None = None,
    g: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    solver: Solver = "auto",
) -> ProgramSolution:
    """Minimize ``1/2 x^T H x - x^T f`` with ``C x >= c`` and ``G x = g`` (Sueda, Eqs 1.72, 1.79, 1.80, 2.105).

    With x = x_g + Z y, where the columns of Z are a basis of the null space of G, only inequalities remain, a
    least-distance problem. Without rows it is H x = f; with equations alone the answer is that of the KKT system, Eq
    1.73, with multipliers of opposite sign.

    Parameters
    ----------
    H : array_like (n, n)
        Symmetric, and positive definite on the null space of G.
    f : array_like (n,)
    C : array_like (m, n), optional
        Rows of the inequalities: contact normals, joint limits.
    c : array_like (m,), optional
        Zeros if not given.
    G : array_like (k, n), optional
        Rows that hold exactly: joints, loops. They may depend on each other.
    g : array_like (k,), optional
        Zeros if not given.
    names : sequence of str, optional
        Of the bounds, for errors.
    solver : {'auto', 'scipy', 'daqp'}, optional
        See `least_distance`.

    Raises
    ------
    InfeasibleError
        If the bounds contradict each other or the equations; it names the bounds.
    StateError
        If shapes do not fit, a number is not finite, equations contradict each other, or H is not positive definite
        where it must be.

    Examples
    --------
    A ball of 2 kg that falls on the floor with 3 m/s and rolls on:

    >>> import numpy as np
    >>> from rbdkit.algorithms.solvers import quadratic_program
    >>> found = quadratic_program(2.0 * np.eye(2), 2.0 * np.array([1.0, -3.0]), C=[[0.0, 1.0]])
    >>> found.x.round(9), found.lam.round(9)
    (array([1., 0.]), array([6.]))
    """
    H, f = _matrix("H", H, None), np.asarray(f, dtype=float)
    n = len(H)
    if H.shape != (n, n) or f.shape != (n,) or not np.isfinite(f).all():
        raise StateError(f"H {H.shape} and f {f.shape} must be finite and have the shapes (n, n) and (n,)")
    if np.abs(H - H.T).max(initial=0.0) > 1e-10 * np.abs(H).max(initial=0.0):
        raise StateError("H of a quadratic program must be symmetric")
    C, G = _matrix("C", C, n), _matrix("G", G, n)
    c, g = _side("c", c, C), _side("g", g, G)
    called = tuple(f"C{i + 1}" for i in range(len(C))) if names is None else tuple(names)
    if len(called) != len(C):
        raise StateError(f"{len(called)} names {shown(called)} for {len(C)} bounds; give one for each")
    U, s, V = np.linalg.svd(G)
    r = int(np.count_nonzero(s > ROUND_OFF * s[0])) if len(s) and s[0] > 0.0 else 0
    x_g = V[:r].T @ ((U[:, :r].T @ g) / s[:r])
    off = float(np.abs(G @ x_g - g).max(initial=0.0))
    if off > 1e-8 * float(np.abs(g).max(initial=0.0)):
        raise StateError(f"equations G x = g contradict each other: no x comes nearer to all of them than {off:.3g}")
    Z = V[r:].T
    reduced = Z.T @ H @ Z
    force = Z.T @ (f - H @ x_g)
    try:
        np.linalg.cholesky(reduced)
    except np.linalg.LinAlgError:
        raise StateError("H must be positive definite where G leaves x free: a motion moves nothing") from None
    near = least_distance(reduced, np.linalg.solve(reduced, force), (C @ Z).T, C @ x_g - c, called, solver=solver)
    x = x_g + Z @ near.x
    rest = H @ x - f - C.T @ near.lam
    nu = U[:, :r] @ ((V[:r] @ rest) / s[:r])
    return ProgramSolution(x, near.lam, nu)


def _matrix(which: str, given: ArrayLike | None, n: int | None) -> NDArray:
    if given is None:
        return np.zeros((0, n or 0))
    rows = np.asarray(given, dtype=float)
    if rows.ndim != 2 or (n is not None and rows.shape[1] != n) or not np.isfinite(rows).all():
        raise StateError(f"{which} {rows.shape} must hold rows of {n or 'n'} finite numbers")
    return rows


def _side(which: str, given: ArrayLike | None, rows: NDArray) -> NDArray:
    values = np.zeros(len(rows)) if given is None else np.asarray(given, dtype=float)
    if values.shape != (len(rows),) or not np.isfinite(values).all():
        raise StateError(f"{which} {values.shape} must hold {len(rows)} finite numbers, one for each row")
    return values
