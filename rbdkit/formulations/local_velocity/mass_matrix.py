"""Mass matrix and quadratic term of a rigid body in unified local velocity coordinates, by integral and closed.

The paper derives both by integrals over the body with the interpolation N(y), without any rotation (section 3.3), then
in closed form with the matrix D (section 4.2). Both are here: `integrated` is the independent check of `mass_matrix`
and `gamma`. The reference point is the centre of mass. Equation numbers are those of Holzinger, Gerstmayr, Schöberl.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.local_velocity.projection import Projection


def mass_matrix(projection: Projection, mass: float, J: NDArray) -> NDArray:
    """Return M (6, 6) = D^-T diag(m 1, J) D^-1 (Eq 56, where D^-1 = D^T).

    Parameters
    ----------
    mass : kg. J : (3, 3) inertia about the centre of mass, body axes, kg m^2.
    """
    D_inverse = projection.D_inverse
    return D_inverse.T @ _blocks(mass * np.eye(3), J) @ D_inverse


def gamma(projection: Projection, mass: float, J: NDArray, w: NDArray) -> NDArray:
    """Return the matrix Gamma (6, 6) with the quadratic velocity term ``Gamma w``, D^-T diag(E m, E J) D^-1 (Eq 56).

    It differs from the integral of Eq 49, which is skew-symmetric; but not in the product with w, and only that enters
    the equation of motion.
    """
    D_inverse, E = projection.D_inverse, projection.E(w)
    return D_inverse.T @ _blocks(mass * E, E @ J) @ D_inverse


def integrated(projection: Projection, w: NDArray, points: NDArray, masses: NDArray) -> tuple[NDArray, NDArray]:
    """Return M (Eq 48) and Gamma (Eq 49), (6, 6) each, summed over a body's mass: no rotation appears.

    Parameters
    ----------
    points : (n, 3) from the centre of mass, m. masses : (n,) kg; nodes and weights of a quadrature, or point masses.
    """
    N = projection.N(points)
    weighted = masses[:, None, None] * np.swapaxes(N, -1, -2)
    return (weighted @ N).sum(axis=0), (weighted @ projection.P(points, w)).sum(axis=0)


def quadrature(mass: float, J: NDArray) -> tuple[NDArray, NDArray]:
    """Return points (8, 3) and masses (8,) with which `integrated` is exact for this mass and inertia.

    They are the two-point Gauss rule on the homogeneous box that has them: N is linear in y, so the integrands are
    quadratic, and only the second moments ``tr(J)/2 1 - J`` of the mass count.
    """
    moments, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    nodes = np.sqrt(np.maximum(moments, 0.0) / mass)
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    return signs * nodes @ axes.T, np.full(8, mass / 8.0)


def _blocks(A: NDArray, B: NDArray) -> NDArray:
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = A, B
    return M
