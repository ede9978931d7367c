"""Constraints on reduced and maximal coordinates, by their dual problem and recursive algorithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.algorithms.redmax.inverse_inertia import InverseInertia
from rbdkit.algorithms.redmax.jacobian_products import jacobian_product, transposed_product
from rbdkit.algorithms.redmax.recursive_hybrid import recursive_hybrid
from rbdkit.algorithms.solvers import lemke
from rbdkit.errors import ModelError


@dataclass(frozen=True)
class Rows:
    """Constraints on accelerations: ``G_r qdd = b_r`` and ``G_m (accelerations of the bodies) = b_m`` (Eq 2.102).

    For constraints ``G q-dot = 0``, b is ``-G-dot q-dot`` (Eqs 2.96, 2.100); for prescribed joint accelerations, b is
    that acceleration (Eq 2.106). Rows with >= in place of = are unilateral (Eq 2.104).

    Attributes
    ----------
    G_r : ndarray (k, nv)
        Rows on the reduced velocities.
    b_r : ndarray (k,)
        Right-hand side of these.
    G_m : ndarray (l, 6 n)
        Rows on the twists of bodies, each in its own frame.
    b_m : ndarray (l,)
        Right-hand side of these.
    """

    G_r: NDArray
    b_r: NDArray
    G_m: NDArray
    b_m: NDArray

    @classmethod
    def reduced(cls, bodies: Bodies, G_r: NDArray, b_r: NDArray) -> Rows:
        """Return rows on reduced velocities only."""
        return cls(np.atleast_2d(G_r), np.atleast_1d(b_r), np.zeros((0, 6 * bodies.n)), np.zeros(0))

    @classmethod
    def maximal(cls, bodies: Bodies, G_m: NDArray, b_m: NDArray) -> Rows:
        """Return rows on twists only."""
        return cls(np.zeros((0, bodies.nv)), np.zeros(0), np.atleast_2d(G_m), np.atleast_1d(b_m))

    @classmethod
    def none(cls, bodies: Bodies) -> Rows:
        """Return an empty set of rows."""
        return cls(np.zeros((0, bodies.nv)), np.zeros(0), np.zeros((0, 6 * bodies.n)), np.zeros(0))

    def matrix(self, bodies: Bodies) -> NDArray:
        """Return G-bar (k + l, nv) of Eq 2.102, in linear time for each row of G_m."""
        return np.vstack([self.G_r, transposed_product(bodies, self.G_m.T).T])

    def wanting(self, bodies: Bodies, qdd: NDArray) -> NDArray:
        """Return the residual ``b - G-bar qdd`` (k + l,) at accelerations qdd (nv,), J-dot q-dot included."""
        V_dot = jacobian_product(bodies, qdd)[0] + bodies.stacked(bodies.drift)
        return np.concatenate([self.b_r - self.G_r @ qdd, self.b_m - self.G_m @ V_dot])


@dataclass(frozen=True)
class Constrained:
    """Accelerations under constraints.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Accelerations.
    multipliers : ndarray (k + l,)
        Multipliers of the equations; their forces are ``G-bar^T multipliers`` (Eq 2.124).
    bounds : ndarray
        Multipliers of the bounds, not negative.
    force : ndarray (nv,)
        Sum of all constraint forces along the velocities.
    """

    qdd: NDArray
    multipliers: NDArray
    bounds: NDArray
    force: NDArray


def constrained_by_dual(bodies: Bodies, equations: Rows, bounds: Rows | None = None) -> Constrained:
    """Return the accelerations under equality and unilateral constraints (Sueda, Eqs 2.121-2.127).

    The unconstrained motion comes first, then the forces that remove its residual. M_r is never formed: products with
    its inverse use Algorithm 10, and Algorithm 9 runs again with the constraint forces.

    Parameters
    ----------
    bodies : Bodies
        The tree at one state.
    equations : Rows
        ``G qdd = b``; independent rows.
    bounds : Rows, optional
        ``C qdd >= b``.

    Raises
    ------
    ModelError
        If the equations are dependent, joints share velocities, or one of them moves no inertia.
    InfeasibleError
        If no accelerations satisfy the bounds.

    Examples
    --------
    Two hinges that are to turn alike:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import Rows, bodies_at, constrained_by_dual
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.array([0.3, 0.3]), np.zeros(2))
    >>> found = constrained_by_dual(arm, Rows.reduced(arm, np.array([[1.0, -1.0]]), np.zeros(1)))
    >>> bool(abs(found.qdd[0] - found.qdd[1]) < 1e-12)
    True
    """
    bounds = Rows.none(bodies) if bounds is None else bounds
    free = recursive_hybrid(bodies).qdd  # qdd*
    G, C = equations.matrix(bodies), bounds.matrix(bodies)
    A = np.vstack([C, G])  # Eq 2.126
    Delassus = A @ InverseInertia(bodies).times(A.T)  # Eq 2.123
    missing = np.concatenate([bounds.wanting(bodies, free), equations.wanting(bodies, free)])
    c, e = slice(0, len(C)), slice(len(C), None)
    try:
        held = np.linalg.solve(Delassus[e, e], np.column_stack([Delassus[e, c], missing[e]]))
    except np.linalg.LinAlgError:
        raise ModelError("equations of constraint depend on each other: leave out what others say already") from None
    coupling, alone = held[:, : len(C)], held[:, len(C)]
    lam_c = np.zeros(len(C))
    if len(C):  # Eq 2.127 with lam_c >= 0, the equations eliminated: a linear complementarity problem
        rest = Delassus[c, c] - Delassus[c, e] @ coupling
        lam_c = lemke(0.5 * (rest + rest.T), Delassus[c, e] @ alone - missing[c]).lam
    lam_e = alone - coupling @ lam_c
    force = C.T @ lam_c + G.T @ lam_e  # Eq 2.124
    return Constrained(recursive_hybrid(bodies, extra=force).qdd, lam_e, lam_c, force)
