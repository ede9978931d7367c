"""A rigid body by three directors and the constraints between them (Gebhardt and Romero, section 3.5).

The directors d1, d2, d3 are the axes of the body as vectors in space. Kinetic energy is then quadratic in their
velocities with constant coefficients, ``1/2 sum E_ij d_i' . d_j'`` with the Euler inertia E: the mass matrix is
constant, and there are no gyroscopic terms and no rotation parameters. The price is six constraints: the products of
directors are 0 or 1 on the exact motion, but not by themselves on a numerical one.

Everything that a constraint needs is linear in q: the Jacobian H(q), so its rate is H(qdot), and the reactions,
``H(q)^T lambda = S(lambda) q``. Energy-momentum and variational methods live on that. `Directors` has these pieces as
functions (`H`, `G`, `reactions`, `generalized_force`), from which the methods in `rbdkit.integrators` build the
equations of their steps; `rate` solves the equations with constraints differentiated twice, for all other methods.

Moments act as forces on the directors, by the virtual work of Eq 68. Between two orientations, where methods evaluate
loads, the directors are not orthonormal; with the dual directors the forces still do the right work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.directors.equations import UNIT, Body, flat, triad_of
from rbdkit.formulations.directors.turning import TurningBody, orthonormal, triad
from rbdkit.formulations.formulation import Force
from rbdkit.model import Model
from rbdkit.spatial import so3
from rbdkit.spatial.vector3 import Vector

_EYE = np.eye(3)


class Directors(TurningBody):
    """The standard body: x = q = (d1, d2, d3), v = qdot, a constant mass matrix M, and six constraints h(q) = 0.

    ``M qddot + H(q)^T lambda = Q``, ``h(q) = 0`` (Eqs 64, 81). Each vector moves in R^3: only the constraints keep the
    directors orthonormal, so methods that know nothing of h drift off. A floating body has its centre of mass as a
    fourth vector of q; n below is then 12.

    Parameters
    ----------
    model : Model
        One body on a ball joint at its centre of mass, or floating.
    tau : callable, optional
        Joint forces as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) as a function of (t, x, v), or None.

    Attributes
    ----------
    n
        9 or 12.
    M : ndarray (n, n)
        Mass matrix, kg m2 (Eq 88), and kg.
    twists
        Whether the body may turn about its own d3.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import Directors
    >>> system = Directors(rbd.library.fixed_point_model())
    >>> system.n, system.M.shape
    (9, (9, 9))
    """

    name: ClassVar[str] = "directors"
    twists: ClassVar[bool] = True
    split: ClassVar[bool] = False
    equations_recorded = True
    a = 0.5  # without meaning for a body that may twist

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None) -> None:
        super().__init__(model, tau, f_ext)
        self.n = 12 if self.body.floats else 9
        self.M = np.zeros((self.n, self.n))
        # kinetic energy 1/2 sum E_ij d_i' . d_j' (Eq 88): a multiple of the unit matrix for each pair of directors
        self.M[:9] = self._matrix(flat(self.equations.momenta(UNIT)))
        self.M[9:, 9:] = self.body.mass * np.eye(self.n - 9)

    def _own_numbers(self) -> list[float]:
        return [self.a]

    # --- the pieces of the equations ----------------------------------------------------------------------------------

    @cached_property
    def equations(self) -> Body:
        """The equations on three vectors."""
        weight = triad_of(self.body.weight.ravel().tolist())
        return Body(self.body.euler_inertia.tolist(), weight, self.twists, self.a)

    def _matrix(self, rows: Sequence[Any]) -> NDArray:
        """Return the matrix (k, n) of k numbers that are linear in directors, of their values for `UNIT`."""
        matrix = np.zeros((len(rows), self.n))
        for k, row in enumerate(rows):
            matrix[k, :9] = row
        return matrix

    def H(self, q: NDArray) -> NDArray:
        """Return the Jacobian (6, n) of the constraints `constraint_error`, linear in q."""
        return self._matrix(self.equations.rates(triad_of(q.tolist()), UNIT)[:6])

    def G(self, q: NDArray) -> NDArray:
        """Return the Jacobian (k, n) of the constraints on the velocity, ``G(q) qdot = 0``, linear in q.

        k is 0 here, and 1 for a body without twist, with the row ((1 - a) d2, -a d1, 0) (Eqs 80, 83).
        """
        return self._matrix(self.equations.twist(triad_of(q.tolist()), UNIT))

    def G_gradient(self, u: NDArray) -> NDArray:
        """Return the derivative (k, n) of G(q) u with respect to q."""
        return self._matrix(self.equations.twist(UNIT, triad_of(u.tolist())))

    def reaction_stiffness(self, multipliers: NDArray) -> NDArray:
        """Return the matrix S (n, n) with ``S q = H(q)^T lambda + G(q)^T mu``; multipliers = (lambda, mu)."""
        S = np.zeros((self.n, self.n))
        S[:9] = self._matrix(flat(self.equations.reactions(UNIT, multipliers.tolist())))
        return S

    def reactions(self, q: NDArray, multipliers: NDArray) -> NDArray:
        """Return the reactions H(q)^T lambda + G(q)^T mu (n,); multipliers = (lambda, mu)."""
        return self.reaction_stiffness(multipliers) @ q

    def constraints(self, q1: NDArray, q: NDArray, u: NDArray) -> NDArray:
        """Return the constraints h(q1) and G(q) u, of a step that ends at q1."""
        return np.concatenate([self.constraint_error(q1), self.G(q) @ u])

    def joined(self, u: NDArray, multipliers: NDArray | None = None) -> NDArray:
        """Return u (n,) and multipliers, zero if not given, as the unknowns of a step, of one array."""
        return np.concatenate([u, np.zeros(6 + len(self.G(u))) if multipliers is None else multipliers])

    def separated(self, z: NDArray) -> tuple[NDArray, NDArray]:
        """Return u and multipliers of the unknowns of a step; the residual is a force and constraints in that form."""
        return z[: self.n], z[self.n :]

    def orthonormal(self, q: NDArray) -> NDArray:
        """Return the state at which loads are evaluated between two orientations: with the rotation nearest to q."""
        return orthonormal(q) if self.loaded else q

    def normal(self, q: NDArray) -> NDArray:
        """Return d1 x d2 (3,)."""
        return np.cross(q[:3], q[3:6])

    def generalized_force(self, t: float, q: NDArray, v: NDArray, at: NDArray | None = None) -> NDArray:
        """Return the generalised force (n,) on the directors, of moments and gravity, and on the centre of mass.

        The virtual work of Eq 68, ``1/2 sum (d_i x delta d_i) . m``, is that of the forces f_i = 1/2 m x d_i. At a
        midpoint between two orientations, q is no orthonormal triad; with the dual directors d^i instead of d_i, the
        forces still do the work ``m . delta theta`` in a rotation delta theta. For a triad there is no difference.

        Parameters
        ----------
        at : the state at which the moments are taken if they depend on it; q if not given.
        """
        at, moments, on_com = q if at is None else at, None, self.body.mass * self.body.gravity
        if self.loaded:
            (M, F), (m, f) = self._acting(t, at, v)
            moments, on_com = (Vector(M.tolist()), Vector(m.tolist())), on_com + triad(at) @ F + f
        return np.array([*flat(self.equations.forces(triad_of(q.tolist()), moments)), *on_com][: self.n])

    def force_gradient(self, t: float, q: NDArray, v: NDArray, at: NDArray | None = None) -> NDArray:
        """Return the derivative (n, n) of the forces on the directors by q, for moments that do not depend on it."""
        gradient = np.zeros((self.n, self.n))
        if not self.loaded:
            return gradient
        M, m = self.moments(t, q if at is None else at, v)
        A = triad(q)
        dual = np.linalg.inv(A)
        turned = np.cross(A @ M + m, dual)
        for i in range(3):  # of f_i by d_j
            for j in range(3):
                # the moment A M turns with d_j; the dual director d^i changes by -(d^i . delta d_j) d^j
                block = -0.5 * M[j] * so3.skew(dual[i]) - 0.5 * np.outer(turned[j], dual[i])
                gradient[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = block
        return gradient

    def constraint_jacobian(self, q: NDArray) -> NDArray:
        """Return H(q) above G(q), (6 + k, n)."""
        return np.vstack([self.H(q), self.G(q)])

    def saddle(self, mass: NDArray, reactions: NDArray, C: NDArray) -> NDArray:
        """Return the matrix ``[[mass, reactions^T], [C, 0]]`` of equations for u (n,) and multipliers."""
        return np.block([[mass, reactions.T], [C, np.zeros((len(C), len(C)))]])

    def _solved(self, C: NDArray, reactions: NDArray, p: NDArray, bias: NDArray | float = 0.0) -> NDArray:
        """Solve ``M y + reactions^T multipliers = p`` and ``C y = -bias`` for y (n,) and the multipliers."""
        right_side = np.concatenate([p, np.broadcast_to(-np.asarray(bias), len(C))])
        return np.linalg.solve(self.saddle(self.M, reactions, C), right_side)

    # --- as a system --------------------------------------------------------------------------------------------------

    def multipliers(self, t: float, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Solve for acceleration (n,) and multipliers (lambda, mu), with the constraints differentiated twice."""
        C = self.constraint_jacobian(x)
        bias = self.constraint_jacobian(v) @ v  # the Jacobians are linear: their rates are H(qdot), G(qdot)
        solution = self._solved(C, C, self.generalized_force(t, x, v), bias)
        return solution[: self.n], solution[self.n :]

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        return self.multipliers(t, x, v)[0]

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return x + u

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        return v

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return x1 - x0

    def tangent_velocity(self, x: NDArray, v: NDArray, normal: NDArray | None = None) -> NDArray:
        """Project v to the tangent space at x by reactions of the constraints; return a velocity (n,).

        Reactions of the constraints between directors have no moment: for the standard body, the result has the
        momentum of v, and the least energy of all such velocities.

        Parameters
        ----------
        normal : (3,) direction of the moment that keeps a body without twist from twisting; d3 if not given.
        """
        H, G = self.H(x), self.G(x)
        reactions = np.zeros_like(G)
        reactions[:, :9] = 0.5 * np.cross(x[6:9] if normal is None else normal, x[:9].reshape(3, 3)).ravel()  # Eq 68
        return self._solved(np.vstack([H, G]), np.vstack([H, reactions]), self.M @ v)[: self.n]

    def velocity_after(self, x: NDArray, v: NDArray, impulse: NDArray) -> NDArray:
        """Return the velocity (n,) on the tangent space at x after an impulse (n,) of generalized forces."""
        C = self.constraint_jacobian(x)
        return v + self._solved(C, C, impulse)[: self.n]

    # --- what it says of the model ------------------------------------------------------------------------------------

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        x = self.start(q)
        rates = np.cross(v[..., None, :3], _EYE) @ np.swapaxes(triad(x), -1, -2)  # row i: R (W x e_i)
        rates = rates.reshape(*x.shape[:-1], 9)
        return x, np.concatenate([rates, self.com_velocity(q, v)], axis=-1) if self.body.floats else rates

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        """Return world poses, with the rotation nearest to the directors; `constraint_error` says how far that is."""
        poses = super().poses(x)
        if np.isfinite(x).all():
            poses[..., 1, :3, :3] = so3.project(poses[..., 1, :3, :3])
        return poses

    def spin(self, x: NDArray, v: NDArray) -> NDArray:
        R = triad(x)
        # the sum of d_i x d_i' is twice the angular velocity
        w = 0.5 * np.cross(np.swapaxes(R, -1, -2), v[..., :9].reshape(*v.shape[:-1], 3, 3)).sum(axis=-2)
        return (np.swapaxes(R, -1, -2) @ w[..., None])[..., 0]

    def kinetic_energy(self, x: NDArray, v: NDArray) -> NDArray:
        """Return 1/2 qdot . M qdot, also for velocities that violate the constraints."""
        return 0.5 * np.einsum("...i,ij,...j", v, self.M, v)

    def angular_momentum(self, x: NDArray, v: NDArray) -> NDArray:
        """Return pi = sum d_i x pi^i with pi^i = sum_j E_ij d_j' (Eqs 65, 109), world axes (..., 3), kg m2/s."""
        p = (v[..., :9] @ self.M[:9, :9]).reshape(*v.shape[:-1], 3, 3)
        return np.cross(x[..., :9].reshape(p.shape), p).sum(axis=-2)

    def velocity_error(self, x: NDArray, v: NDArray) -> NDArray:
        """Return the constraint violation of the velocity, (H; G) qdot, shape (..., 6 + k), rad/s."""
        states = zip(x.reshape(-1, self.n), v.reshape(-1, self.n), strict=True)
        errors = np.array([np.concatenate([self.H(x_k) @ v_k, self.G(x_k) @ v_k]) for x_k, v_k in states])
        return errors.reshape(*x.shape[:-1], -1)

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return K and pi while gravity has no moment (Eq 54); else the energy, and pi along gravity."""
        pi = self.angular_momentum(x, v)
        kept = self._kept(x, v, {"pi": pi})
        if self.body.weight.any() and not self.model.acting:
            up = -self.body.gravity / np.linalg.norm(self.body.gravity)
            kept["angular momentum about the vertical"] = pi @ up
        return kept
