"""Equation of motion in blocks of forward- and inverse-dynamics variables; to look at, not to compute with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.hybrid.joint_sets import forward_joints, split_variables
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


@dataclass(frozen=True)
class HybridEquation:
    """Permuted equation of motion (Featherstone 2008, Eq 9.1).

    Attributes
    ----------
    Q : ndarray (nv, nv)
        Permutation that brings the n1 forward-dynamics variables to the front.
    H : ndarray (nv, nv)
        Permuted inertia matrix Q H Q^T.
    C : ndarray (nv,)
        Permuted bias force Q C.
    n1 : int
        Number of forward-dynamics variables.
    """

    Q: NDArray
    H: NDArray
    C: NDArray
    n1: int

    def left(self) -> NDArray:
        """Return the matrix [H11 0; H21 -1] of the unknowns (qdd1, tau2), Eq 9.2."""
        matrix = np.zeros_like(self.H)
        matrix[:, : self.n1] = self.H[:, : self.n1]
        matrix[self.n1 :, self.n1 :] = -np.eye(len(self.C) - self.n1)
        return matrix

    def right(self) -> NDArray:
        """Return the matrix [1 -H12; 0 -H22] of the given (tau1, qdd2), Eq 9.4."""
        matrix = np.eye(len(self.C))
        matrix[:, self.n1 :] = -self.H[:, self.n1 :]
        return matrix

    def solved(self) -> tuple[NDArray, NDArray]:
        """Return A, b with (qdd1, tau2) = A (tau1, qdd2) + b: Eq 10 of Jain and Rodriguez (1993), Example 9.1."""
        solution = np.linalg.solve(self.left(), np.column_stack([self.right(), -self.C]))
        return solution[:, :-1], solution[:, -1]


def hybrid_equation(
    model: Model, q: NDArray, qd: NDArray, forward: Iterable[str | int], *, f_ext: ExternalForces = None, t: float = 0.0
) -> HybridEquation:
    """Return the blocks of Eqs 9.1, 9.2 and 9.4 in one state; parameters and errors are those of `hybrid_dynamics`."""
    require_tree(model, "hybrid dynamics")
    first, second = split_variables(model, forward_joints(model, forward))
    Q = np.eye(model.nv)[np.concatenate([first, second])]
    H, C = crba(model, q, t=t).H, bias_force(model, q, qd, f_ext=f_ext, t=t)
    return HybridEquation(Q, Q @ H @ Q.T, Q @ C, len(first))
