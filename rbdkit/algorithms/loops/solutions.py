"""The three ways to solve the equation of motion of a closed-loop system (Featherstone 2008, section 8.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops.explicit_constraint import ExplicitConstraint, explicit_constraint
from rbdkit.algorithms.loops.independent_rows import independent_rows
from rbdkit.algorithms.loops.loop_equation import LoopEquation, LoopMotion
from rbdkit.algorithms.sparse.factors import Method, factorize
from rbdkit.algorithms.sparse.solves import solve_LT
from rbdkit.errors import ModelError, StateError
from rbdkit.model.closing.massless import require_inertia


def solve_directly(equation: LoopEquation, rows: Sequence[int] | None = None) -> LoopMotion:
    """Method 1: the whole of Eq 8.36 at once, without the rows that depend on others.

    It asks least of who writes it, and nothing of H: bodies without inertia may hang in the loops.

    Parameters
    ----------
    equation : LoopEquation
        At a state.
    rows : sequence of int, optional
        Those of K to keep, r of them, where it is known in advance which; found if not given.

    Raises
    ------
    StateError
        If the rows given are dependent, or less than all that count.
    ModelError
        If a motion that the loops allow moves nothing with inertia.
    """
    from scipy.linalg import null_space  # slow to load

    space, n = equation.space, len(equation.tau)
    kept = list(independent_rows(equation.constraint, space) if rows is None else rows)
    K, k = equation.constraint.K[kept], space.k[kept]
    if len(kept) != space.r or np.linalg.matrix_rank(K) < space.r:
        raise StateError(f"rows {kept} of K: {space.r} of them are independent; give as many that are")
    matrix = np.block([[equation.H, K.T], [K, np.zeros((len(kept), len(kept)))]])  # Eq 8.36, pruned
    unit = _units(equation.H, K)
    try:
        require_inertia(equation.H, unit[:n, None] * null_space(K * unit[:n]))
        x = unit * np.linalg.solve(
            unit[:, None] * matrix * unit, unit * np.concatenate([equation.tau - equation.C_, k])
        )
    except np.linalg.LinAlgError:
        raise _no_inertia(equation) from None
    lam = np.zeros(equation.constraint.n_c)
    lam[kept] = -x[n:]
    return equation.motion(x[:n], _smallest(equation, lam))


def _units(H: NDArray, K: NDArray) -> NDArray:
    """Powers of two that bring the inertias of H (n, n), and the rows of K (r, n) then, near 1; (n + r,).

    In metres and kilograms a mechanism of micrometres has inertias of 1e-30 beside rows of 1: the whole is well
    conditioned all the same, and pivots are to be chosen by what it says and not by its units.
    """
    inertia = np.diag(H)
    moved = inertia > 0.0
    unit = np.where(moved, 1.0 / np.sqrt(np.where(moved, inertia, 1.0)), 0.0)
    row = np.abs(K * unit).max(axis=1, initial=0.0)
    of_row = 1.0 / np.where(row > 0.0, row, 1.0)
    column = np.abs(of_row[:, None] * K).max(axis=0, initial=0.0)  # what has no inertia is as large as rows make it
    unit = np.where(moved, unit, 1.0 / np.where(column > 0.0, column, 1.0))
    return np.exp2(np.round(np.log2(np.concatenate([unit, of_row]))))


def solve_for_forces(equation: LoopEquation, factorization: Method = "ltl", z: NDArray | None = None) -> LoopMotion:
    """Method 2: lambda first, on the sparse factors of H.

    Parameters
    ----------
    equation : LoopEquation
        At a state.
    factorization : {'ltl', 'ltdl'}, optional
        Of H.
    z : ndarray (n_c,), optional
        The arbitrary vector of Eq 8.41: of lambda it changes what is indeterminate, of qdd nothing. Zero if not given.

    Raises
    ------
    ModelError
        If H is not positive definite: the spanning tree by itself has a motion without inertia.
    """
    K, space, lam_ = equation.constraint.K, equation.space, equation.lam
    factors = factorize(equation.H, lam_, factorization)  # step 1
    tau_ = equation.tau - equation.C_  # step 2
    unit = factorization == "ltdl"
    Y, z_ = (solve_LT(factors.packed, x, lam_, unit) for x in (K.T, tau_))  # step 3
    D = factors.D
    A = (Y.T / D) @ Y  # step 4, Eq 8.38
    b = space.k - (Y.T / D) @ z_  # Eq 8.39
    U = space.U[:, : space.r]  # of A and of K the range is the same
    lam = U @ np.linalg.solve(U.T @ A @ U, U.T @ b)  # step 5: A^+ b
    if z is not None:
        lam = lam + z - U @ (U.T @ z)  # Eq 8.41: 1 - A^+ A takes the range away
    return equation.motion(factors.solve(tau_ + K.T @ lam), lam)  # step 6


@dataclass(frozen=True, eq=False)
class IndependentMotion:
    """What method 3 finds.

    Attributes
    ----------
    motion : LoopMotion
        As the others find it.
    explicit : ExplicitConstraint
        G, g and which variables are independent.
    ydd : ndarray (n - r,)
        Their accelerations.
    H_G : ndarray (n - r, n - r)
        G^T H G.
    """

    motion: LoopMotion
    explicit: ExplicitConstraint
    ydd: NDArray
    H_G: NDArray


def solve_for_independents(equation: LoopEquation, independent: Sequence[int] | None = None) -> IndependentMotion:
    """Method 3: the accelerations of independent variables.

    Parameters
    ----------
    equation : LoopEquation
        At a state.
    independent : sequence of int, optional
        Numbers of the velocity variables to take, n - r of them; chosen by pivoting if not given.

    Raises
    ------
    StateError
        If the variables chosen do not determine the others.
    ModelError
        If a motion that the loops allow moves nothing with inertia.
    """
    space, H = equation.space, equation.H
    kept = list(independent_rows(equation.constraint, space))
    K = equation.constraint.K[kept]
    explicit = explicit_constraint(K, space.k[kept], space.r, independent, tol=0.0 if independent is None else 1e-9)
    G, g = explicit.G, explicit.g  # Eq 8.42
    H_G = G.T @ H @ G
    try:
        L = np.linalg.cholesky(H_G)
    except np.linalg.LinAlgError:
        raise _no_inertia(equation) from None
    u = G.T @ (equation.tau - equation.C_ - H @ g)
    ydd = np.linalg.solve(L.T, np.linalg.solve(L, u))  # Eq 8.46
    qdd = G @ ydd + g
    found = np.linalg.lstsq(K.T, H @ qdd + equation.C_ - equation.tau, rcond=None)[0]  # Eq 8.34, solved for lambda
    lam = np.zeros(equation.constraint.n_c)
    lam[kept] = found
    return IndependentMotion(equation.motion(qdd, _smallest(equation, lam)), explicit, ydd, H_G)


def _smallest(equation: LoopEquation, lam: NDArray) -> NDArray:
    """The smallest lambda that does the same: what does nothing is taken out."""
    U = equation.space.U[:, equation.space.r :]
    return lam - U @ (U.T @ lam)


def _no_inertia(equation: LoopEquation) -> ModelError:
    return ModelError(
        f"a motion that the loops of model {equation.model.name!r} allow moves nothing with inertia; give the bodies "
        "that take part in it some, or prescribe it"
    )
