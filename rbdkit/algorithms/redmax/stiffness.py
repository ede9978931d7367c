"""K and D of everything that acts in a model by itself: how its forces change with poses and velocities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.jacobian_products import jacobian_product, transposed_product


@dataclass(frozen=True)
class Stiffness:
    """K = df/dx and D = -df/dv at one state (section 1.9), as ``M + h D - h^2 K`` of Eqs 1.30 and 2.79 has them.

    Maximal and reduced terms together: rows and columns are those of the twists of all bodies, each in its own frame,
    and behind these of the velocities. An element that passes several bodies has a block for each pair of them; blocks
    are summed, also where a body is passed twice.

    Attributes
    ----------
    K, D : csr_array (6 n + nv, 6 n + nv)
        Sparse.
    n : int
        Number of bodies.
    """

    K: csr_array
    D: csr_array
    n: int

    @property
    def K_m(self) -> csr_array:
        """Of wrenches by displacements of bodies."""
        return self.K[: 6 * self.n, : 6 * self.n]

    @property
    def D_m(self) -> csr_array:
        """Of wrenches by twists of bodies."""
        return self.D[: 6 * self.n, : 6 * self.n]

    @property
    def K_r(self) -> csr_array:
        """Of forces along the velocities by displacements along them."""
        return self.K[6 * self.n :, 6 * self.n :]

    @property
    def D_r(self) -> csr_array:
        """Of forces along the velocities by the velocities."""
        return self.D[6 * self.n :, 6 * self.n :]

    def implicit(self, h: float) -> csr_array:
        """h D - h^2 K, what a step of h s adds to the inertia."""
        return (h * self.D - h**2 * self.K).tocsr()

    def along(self, bodies: Bodies) -> tuple[NDArray, NDArray]:
        """K and D along the velocities, (nv, nv) each: ``J^T K_m J + K_r`` (Eq 2.79), by products in linear time."""
        first, one = 6 * self.n, np.eye(bodies.nv)
        both = np.vstack([jacobian_product(bodies, one)[0], one])
        found = [matrix @ both for matrix in (self.K, self.D)]
        K, D = (transposed_product(bodies, x[:first]) + x[first:] for x in found)
        return K, D

    def symmetrised(self) -> Stiffness:
        """With the mean of each matrix and its transpose, as Baraff and Witkin have it (section 1.9.2).

        Conjugate gradients need that. Steps change by no more than their linearisation leaves open.
        """
        K, D = ((0.5 * (x + x.T)).tocsr() for x in (self.K, self.D))
        return Stiffness(K, D, self.n)
