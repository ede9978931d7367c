"""Products with the inverse of the reduced inertia matrix in linear time, also as a preconditioner."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.recursive_hybrid import require_own_velocities
from rbdkit.algorithms.redmax.stiffness import Stiffness


class InverseInertia:
    """Operator y = M_r^-1 x in linear time (Sueda, Algorithm 10).

    With stiffness and damping it is ``(M_r + J^T blkdiag(h D_m - h^2 K_m) J + h D_r - h^2 K_r)^-1``, in which only
    the diagonal blocks of D_m, K_m, D_r and K_r are used, since couplings outside the tree would break its structure.
    So it is a preconditioner of the full matrix.

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.
    stiffness : Stiffness, optional
        K and D at that state.
    h : float, optional
        Step in s.

    Raises
    ------
    ModelError
        If joints share velocities, or one of them moves no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import InverseInertia, bodies_at, reduced_equation
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.array([0.3, 0.4]), np.zeros(2))
    >>> x = np.array([1.0, 2.0])
    >>> bool(np.allclose(reduced_equation(arm).M_r @ InverseInertia(arm).times(x), x))
    True
    """

    def __init__(self, bodies: Bodies, stiffness: Stiffness | None = None, h: float = 0.0) -> None:
        require_own_velocities(bodies, "the inverse inertia product")
        self.bodies, n = bodies, len(bodies.parent)
        self._M_hat, self._Psi = bodies.M_j.copy(), [np.zeros((0, 0))] * n
        own_blocks = _diagonal(bodies, stiffness, h)
        for j in reversed(bodies.order):  # backward traversal, once
            S, own, Ad = bodies.S[j], bodies.own[j], bodies.Ad_jp[j]
            P_m, P_r = own_blocks[j]
            self._M_hat[j] += bodies.Ad_J[j].T @ P_m @ bodies.Ad_J[j]  # line 7
            D = S.T @ self._M_hat[j] @ S + np.diag(bodies.rotors[own]) + P_r
            self._Psi[j] = solve_joint(D, np.eye(len(D)), bodies.names[j])  # line 10
            M_S = self._M_hat[j] @ S
            Pi = self._M_hat[j] - M_S @ self._Psi[j] @ (S.T @ self._M_hat[j])  # line 11
            self._M_hat[bodies.parent[j]] += Ad.T @ Pi @ Ad  # line 9 of the parent

    def times(self, x: NDArray) -> NDArray:
        """Return y (nv,) or (nv, m) for one or several vectors x, by the last two loops of the algorithm.

        For the identity x it returns the inverse, with cost O(n^2).
        """
        bodies, more = self.bodies, np.shape(x)[1:]
        B_hat, V_dot = np.zeros((2, len(bodies.parent), 6, *more))
        y = np.zeros((bodies.nv, *more))
        for j in reversed(bodies.order):  # backward traversal
            S, own = bodies.S[j], bodies.own[j]
            beta = B_hat[j] + self._M_hat[j] @ (S @ (self._Psi[j] @ (x[own] - S.T @ B_hat[j])))  # line 17
            B_hat[bodies.parent[j]] += bodies.Ad_jp[j].T @ beta  # line 16 of the parent
        for j in bodies.order:  # forward traversal
            S, own = bodies.S[j], bodies.own[j]
            come = bodies.Ad_jp[j] @ V_dot[bodies.parent[j]]
            y[own] = self._Psi[j] @ (x[own] - S.T @ (self._M_hat[j] @ come + B_hat[j]))  # line 20
            V_dot[j] = come + S @ y[own]  # line 21
        return y


def _diagonal(bodies: Bodies, stiffness: Stiffness | None, h: float) -> dict[int, tuple[NDArray, NDArray]]:
    """Return the diagonal blocks of h D - h^2 K of each body and of its joint."""
    if stiffness is None:
        return {j: (np.zeros((6, 6)), np.zeros((len(bodies.S[j].T),) * 2)) for j in bodies.order}
    added, first = stiffness.implicit(h), 6 * bodies.n
    blocks = {}
    for j in bodies.order:
        body, own = bodies.block(j), slice(first + bodies.own[j].start, first + bodies.own[j].stop)
        blocks[j] = added[body, body].toarray(), added[own, own].toarray()
    return blocks
