"""Equation of motion of a floating base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.floating_base.base_solve import solve_base
from rbdkit.algorithms.floating_base.floating_crba import floating_crba
from rbdkit.algorithms.floating_base.floating_rnea import floating_rnea
from rbdkit.algorithms.floating_base.system import FloatingBase
from rbdkit.algorithms.sparse.expanded_parent import ParentArray, expanded_parent
from rbdkit.algorithms.sparse.factors import factorize


@dataclass(frozen=True)
class FloatingEquation:
    """Equation ``[I_0c F; F^T H] [a_0; qdd] + [p_0c; C] = [0; tau]`` in one state (Featherstone 2008, Eq 9.13).

    Attributes
    ----------
    I_0c : ndarray (6, 6)
        Composite inertia of all bodies, in base coordinates.
    F : ndarray (6, nv)
        Forces on the base for unit joint accelerations, in base coordinates.
    H : ndarray (nv, nv)
        Joint-space inertia matrix.
    p_0c : ndarray (6,)
        Bias force on the base, in base coordinates.
    C : ndarray (nv,)
        Joint-space bias force.
    system : FloatingBase
        The system.
    """

    I_0c: NDArray
    F: NDArray
    H: NDArray
    p_0c: NDArray
    C: NDArray
    system: FloatingBase

    @property
    def matrix(self) -> NDArray:
        """Coefficient matrix of (a_0, qdd), (6 + nv, 6 + nv)."""
        return np.block([[self.I_0c, self.F], [self.F.T, self.H]])

    @property
    def bias(self) -> NDArray:
        """Bias vector, p_0c above C, (6 + nv,)."""
        return np.concatenate([self.p_0c, self.C])

    def solve(self, tau: NDArray) -> tuple[NDArray, NDArray]:
        """Return a_0 (6,) and qdd (nv,) under joint forces tau (nv,), using the branch-induced sparsity."""
        rhs = np.concatenate([np.zeros(6), tau]) - self.bias
        a = factorize(self.matrix, floating_parent(self.system)).solve(rhs)
        return a[:6], a[6:]

    @property
    def H_fl(self) -> NDArray:
        """Floating inertia H^fl = H - F^T I_0c^-1 F (nv, nv), Eq 9.15, which the joints feel; it is dense."""
        return self.H - self.F.T @ solve_base(self.I_0c, self.F, self.system.name)

    @property
    def C_fl(self) -> NDArray:
        """Floating bias force C^fl = C - F^T I_0c^-1 p_0c (nv,), Eq 9.16, with ``H_fl qdd + C_fl = tau`` (Eq 9.14)."""
        return self.C - self.F.T @ solve_base(self.I_0c, self.p_0c, self.system.name)


def floating_equation(
    system: FloatingBase,
    q: NDArray,
    qd: NDArray,
    v_0: NDArray,
    *,
    f_ext: ExternalForces = None,
    a_g: NDArray | None = None,
    t: float = 0.0,
) -> FloatingEquation:
    """Return the coefficients of Eq 9.13 by Table 9.5; the parameters are those of `floating_aba`."""
    inertia, bias = floating_crba(system, q, t=t), floating_rnea(system, q, qd, v_0, f_ext=f_ext, a_g=a_g, t=t)
    return FloatingEquation(inertia.I_0c, inertia.F, inertia.H, bias.p_0c, bias.C, system)


def floating_parent(system: FloatingBase) -> ParentArray:
    """Return the parent array of the rows of Eq 9.13: a chain for the base, with the tree on top."""
    return (-1, 0, 1, 2, 3, 4, *(5 if k < 0 else k + 6 for k in expanded_parent(system.tree)))
