"""Stiffness and damping matrices K and D of the passive forces of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.jacobian_products import jacobian_product, transposed_product


@dataclass(frozen=True)
class Stiffness:
    """Matrices K = df/dx and D = -df/dv at one state (section 1.9), as in ``M + h D - h^2 K`` of Eqs 1.30, 2.79.

    Rows and columns belong to the twists of all bodies, each in its own frame, followed by the velocities. A force
    element along several bodies has a block for each pair of them; blocks are summed, also if it passes a body twice.

    Attributes
    ----------
    K, D : csr_array (6 n + nv, 6 n + nv)
        Stiffness and damping matrices, sparse.
    n : int
        Number of bodies.
    """

    K: csr_array
    D: csr_array
    n: int

    @property
    def K_m(self) -> csr_array:
        """Derivatives of wrenches by displacements of bodies."""
        return self.K[: 6 * self.n, : 6 * self.n]

    @property
    def D_m(self) -> csr_array:
        """Minus the derivatives of wrenches by twists of bodies."""
        return self.D[: 6 * self.n, : 6 * self.n]

    @property
    def K_r(self) -> csr_array:
        """Derivatives of forces along the velocities by displacements along them."""
        return self.K[6 * self.n :, 6 * self.n :]

    @property
    def D_r(self) -> csr_array:
        """Minus the derivatives of forces along the velocities by the velocities."""
        return self.D[6 * self.n :, 6 * self.n :]

    def implicit(self, h: float) -> csr_array:
        """Return h D - h^2 K, which an implicit step of h seconds adds to the inertia."""
        return (h * self.D - h**2 * self.K).tocsr()

    def along(self, bodies: Bodies) -> tuple[NDArray, NDArray]:
        """Return K and D along the velocities, (nv, nv) each: ``J^T K_m J + K_r`` (Eq 2.79)."""
        first, one = 6 * self.n, np.eye(bodies.nv)
        both = np.vstack([jacobian_product(bodies, one)[0], one])
        found = [matrix @ both for matrix in (self.K, self.D)]
        K, D = (transposed_product(bodies, x[:first]) + x[first:] for x in found)
        return K, D

    def symmetrised(self) -> Stiffness:
        """Return K and D symmetrised, as Baraff and Witkin do (section 1.9.2).

        Conjugate gradients need symmetric matrices. Steps change only within the error of their linearisation.
        """
        K, D = ((0.5 * (x + x.T)).tocsr() for x in (self.K, self.D))
        return Stiffness(K, D, self.n)
