"""A motion constraint given implicitly, K qdd = k, applied to an equation of motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.equation import EquationOfMotion
from rbdkit.errors import ModelError, StateError
from rbdkit.spatial import subspace


@dataclass(frozen=True)
class ImplicitResult:
    """What `apply_implicit` computed.

    qdd : (n,) acceleration. lam : (n_c,) constraint-force variables; the smallest ones where they are not unique.
    tau_c : (n,) constraint force K^T lam. n_ic : number of independent constraints; n_c - n_ic variables are free.
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
    """Accelerations and constraint forces from the saddle-point system (Featherstone 2008, Eq 3.17).

    Parameters
    ----------
    equation : of the system without the constraint.
    K : (n_c, n) its rows may depend on each other. k : (n_c,) right-hand side of K qdd = k.

    Raises
    ------
    StateError
        If shapes do not fit, or dependent rows of K demand different accelerations.
    ModelError
        If a motion that the constraint allows moves nothing that has inertia.
    """
    n, n_c = equation.n, len(k)
    if K.shape != (n_c, n):
        raise StateError(f"K has shape {K.shape}; {n_c} constraints on {n} freedoms need ({n_c}, {n})")
    n_ic = subspace.dimension(K.T)
    A = np.block([[equation.H, K.T], [K, np.zeros((n_c, n_c))]])  # Eq 3.17
    b = np.concatenate([equation.tau - equation.C, k])
    if n_ic == n_c:
        try:
            x = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            raise ModelError("a motion that the constraint allows moves nothing that has inertia") from None
    else:
        x = np.linalg.lstsq(A, b, rcond=subspace.ROUND_OFF)[0]
        left = K @ x[:n] - k
        if np.abs(left).max() > 1e-6 * max(np.abs(k).max(), np.abs(x[:n]).max(), 1e-30):
            raise StateError(
                f"row {int(np.abs(left).argmax())} of K depends on others but demands another acceleration, "
                f"off by {np.abs(left).max():.3g}; constraints that depend on each other must agree"
            )
    lam = -x[n:]
    return ImplicitResult(x[:n], lam, K.T @ lam, n_ic)  # Eq 3.15
