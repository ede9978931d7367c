"""Equation of motion in reduced coordinates, and the symplectic step of the notes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.jacobian import redmax_jacobian
from rbdkit.errors import ModelError


@dataclass(frozen=True)
class ReducedEquation:
    """Reduced equation of motion ``M_r q-ddot = f_r`` (Eq 2.18).

    Attributes
    ----------
    M_r : ndarray (nv, nv)
        Reduced inertia matrix, with rotors on its diagonal.
    f_r : ndarray (nv,)
        Reduced forces, including the quadratic velocity vector.
    J : ndarray (6 n, nv)
        Jacobian J_mr.
    """

    M_r: NDArray
    f_r: NDArray
    J: NDArray

    def accelerations(self) -> NDArray:
        """Return q-ddot (nv,), by a dense solution of cost O(n^3).

        Raises
        ------
        ModelError
            If M_r is singular: a motion moves no inertia.
        """
        return self._solve(self.f_r)

    def step(self, qd: NDArray, h: float) -> NDArray:
        """Return the velocities after a step of h seconds: ``M_r qd_new = M_r qd + h f_r`` (Eq 2.20)."""
        return self._solve(self.M_r @ qd + h * self.f_r)

    def _solve(self, right: NDArray) -> NDArray:
        try:
            return np.linalg.solve(self.M_r, right)
        except np.linalg.LinAlgError:
            raise ModelError(
                "the reduced inertia matrix is singular: a joint moves something without inertia; model.validate() "
                "names it"
            ) from None


def reduced_equation(bodies: Bodies) -> ReducedEquation:
    """Return the reduced equation of motion of a tree (Sueda, Eq 2.18).

    The notes' ``J-dot q-dot`` is the drift of the bodies, which includes prescribed joints.

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, reduced_equation
    >>> q, qd, model = np.array([0.3, 0.4]), np.array([1.0, -2.0]), rbd.library.double_pendulum()
    >>> qdd = reduced_equation(bodies_at(model, q, qd)).accelerations()
    >>> bool(np.allclose(qdd, rbd.forward_dynamics(model, q, qd, np.zeros(2))))
    True
    """
    J = redmax_jacobian(bodies)
    M_J = np.zeros_like(J)  # M_m J_mr, a body at a time
    for i in bodies.order:
        M_J[bodies.block(i)] = bodies.M[i] @ J[bodies.block(i)]
    M_r = J.T @ M_J + np.diag(bodies.rotors)
    f_r = bodies.f_r + J.T @ bodies.stacked(bodies.f_m) - M_J.T @ bodies.stacked(bodies.drift)
    return ReducedEquation(M_r, f_r, J)
