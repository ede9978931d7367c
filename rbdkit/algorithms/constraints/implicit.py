"""Apply an implicit motion constraint, K qdd = k, to an equation of motion.

If the rows of K are independent, the saddle-point system of Eq 3.17 is solved as it stands. If not, that matrix is
singular, and the SVD of K splits qdd into the part that the constraint determines and the allowed part, which the
equation of motion determines; lambda is then the solution of least norm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.equation import EquationOfMotion
from rbdkit.errors import ModelError, StateError
from rbdkit.spatial import subspace


@dataclass(frozen=True)
class ImplicitResult:
    """Result of `apply_implicit`.

    Attributes
    ----------
    qdd : ndarray (n,)
        Acceleration.
    lam : ndarray (n_c,)
        Constraint-force variables; those of least norm if they are not unique.
    tau_c : ndarray (n,)
        Constraint force K^T lam.
    n_ic : int
        Number of independent constraints; n_c - n_ic elements of lam are indeterminate.
    """

    qdd: NDArray
    lam: NDArray
    tau_c: NDArray
    n_ic: int

    @property
    def indeterminacy(self) -> int:
        """Degrees of indeterminacy of lam, n_c - n_ic; 0 unless the system is overconstrained."""
        return len(self.lam) - self.n_ic


def apply_implicit(equation: EquationOfMotion, K: NDArray, k: NDArray) -> ImplicitResult:
    """Return the accelerations and constraint forces from the saddle-point system (Featherstone 2008, Eq 3.17).

    Parameters
    ----------
    equation : EquationOfMotion
        Equation of the system without the constraint.
    K : ndarray (n_c, n)
        Constraint matrix; its rows may be dependent.
    k : ndarray (n_c,)
        Right-hand side of K qdd = k.

    Raises
    ------
    StateError
        If shapes do not fit, or dependent rows of K demand different accelerations.
    ModelError
        If a motion that the constraint allows moves no inertia.
    """
    n, n_c = equation.n, len(k)
    if K.shape != (n_c, n):
        raise StateError(f"K has shape {K.shape}; {n_c} constraints on {n} freedoms need ({n_c}, {n})")
    n_ic = subspace.dimension(K.T)
    if n_ic == n_c:
        A = np.block([[equation.H, K.T], [K, np.zeros((n_c, n_c))]])  # Eq 3.17
        try:
            x = np.linalg.solve(A, np.concatenate([equation.tau - equation.C, k]))
        except np.linalg.LinAlgError:
            raise ModelError("a motion that the constraint allows moves nothing that has inertia") from None
    else:
        x = _with_dependent_rows(equation, K, k, n_ic)
        left = K @ x[:n] - k
        if np.abs(left).max() > 1e-6 * max(np.abs(k).max(), np.abs(x[:n]).max(), 1e-30):
            raise StateError(
                f"row {int(np.abs(left).argmax())} of K depends on others but demands another acceleration, "
                f"off by {np.abs(left).max():.3g}; constraints that depend on each other must agree"
            )
    lam = -x[n:]
    return ImplicitResult(x[:n], lam, K.T @ lam, n_ic)  # Eq 3.15


def _with_dependent_rows(equation: EquationOfMotion, K: NDArray, k: NDArray, n_ic: int) -> NDArray:
    """Return qdd = K^+ k + N y and -lam; the rank is that of K alone, whatever the masses of the system are."""
    U, s, Vt = np.linalg.svd(K)
    U, s, allowed = U[:, :n_ic], s[:n_ic], Vt[n_ic:].T
    qdd = Vt[:n_ic].T @ ((U.T @ k) / s)
    force = equation.tau - equation.C
    try:
        y = np.linalg.solve(allowed.T @ equation.H @ allowed, allowed.T @ (force - equation.H @ qdd))
    except np.linalg.LinAlgError:
        raise ModelError("a motion that the constraint allows moves nothing that has inertia") from None
    qdd = qdd + allowed @ y
    return np.concatenate([qdd, U @ ((Vt[:n_ic] @ (force - equation.H @ qdd)) / s)])
