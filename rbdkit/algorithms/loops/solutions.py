"""Three methods to solve the equation of motion of a closed-loop system (Featherstone 2008, section 8.5).

Method 1 solves the whole saddle-point system; bodies may be massless. Method 2 eliminates qdd by the sparse factors of
H and solves for lambda; it needs H positive definite. Method 3 eliminates lambda by projection onto the independent
variables; it is small if the mobility is. All return the same qdd, and the lambda of least norm.
"""

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
    """Solve all of Eq 8.36 at once, without redundant rows (method 1).

    It is the simplest to write and does not need an invertible H: bodies in the loops may be massless.

    Parameters
    ----------
    equation : LoopEquation
        Equation of motion at a state.
    rows : sequence of int, optional
        Indices of the r rows of K to keep, if known in advance; found if not given.

    Raises
    ------
    StateError
        If the given rows are dependent, or fewer than r.
    ModelError
        If a motion that the loops allow moves no inertia.
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
    """Return scale factors (n + r,), powers of two that bring inertias of H (n, n) and then rows of K (r, n) near 1.

    In metres and kilograms a mechanism of micrometres has inertias of 1e-30 next to rows of 1. Such a system is well
    conditioned all the same, and pivoting must not depend on its units. Powers of two cause no round-off.
    """
    inertia = np.diag(H)
    moved = inertia > 0.0
    unit = np.where(moved, 1.0 / np.sqrt(np.where(moved, inertia, 1.0)), 0.0)
    row = np.abs(K * unit).max(axis=1, initial=0.0)
    of_row = 1.0 / np.where(row > 0.0, row, 1.0)
    column = np.abs(of_row[:, None] * K).max(axis=0, initial=0.0)  # massless variables are scaled by their rows
    unit = np.where(moved, unit, 1.0 / np.where(column > 0.0, column, 1.0))
    return np.exp2(np.round(np.log2(np.concatenate([unit, of_row]))))


def solve_for_forces(equation: LoopEquation, factorization: Method = "ltl", z: NDArray | None = None) -> LoopMotion:
    """Solve for lambda first, with the sparse factors of H (method 2).

    Parameters
    ----------
    equation : LoopEquation
        Equation of motion at a state.
    factorization : {'ltl', 'ltdl'}, optional
        Factorization of H.
    z : ndarray (n_c,), optional
        The arbitrary vector of Eq 8.41, which changes only indeterminate elements of lambda; zero if not given.

    Raises
    ------
    ModelError
        If H is not positive definite: the spanning tree has a motion without inertia.
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
    """Result of method 3.

    Attributes
    ----------
    motion : LoopMotion
        Solution, as from the other methods.
    explicit : ExplicitConstraint
        G, g and the choice of independent variables.
    ydd : ndarray (n - r,)
        Accelerations of the independent variables.
    H_G : ndarray (n - r, n - r)
        Projected inertia G^T H G.
    """

    motion: LoopMotion
    explicit: ExplicitConstraint
    ydd: NDArray
    H_G: NDArray


def solve_for_independents(equation: LoopEquation, independent: Sequence[int] | None = None) -> IndependentMotion:
    """Solve for the accelerations of independent variables (method 3).

    Parameters
    ----------
    equation : LoopEquation
        Equation of motion at a state.
    independent : sequence of int, optional
        Indices of the independent velocity variables, n - r of them; chosen by pivoting if not given.

    Raises
    ------
    StateError
        If the chosen variables do not determine the others.
    ModelError
        If a motion that the loops allow moves no inertia.
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
    """Return the lambda of least norm with the same effect: its null-space part is removed."""
    U = equation.space.U[:, equation.space.r :]
    return lam - U @ (U.T @ lam)


def _no_inertia(equation: LoopEquation) -> ModelError:
    return ModelError(
        f"a motion that the loops of model {equation.model.name!r} allow moves nothing with inertia; give the bodies "
        "that take part in it some, or prescribe it"
    )
