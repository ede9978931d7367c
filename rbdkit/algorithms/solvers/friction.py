"""Contact with friction at the level of velocities: one quadratic program, staggered projections, sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.solvers.active_set import active_set
from rbdkit.algorithms.solvers.lemke import lemke
from rbdkit.errors import ConvergenceError, StateError
from rbdkit.spatial.read_numbers import shown


@dataclass(frozen=True, eq=False)
class FrictionImpulses:
    """Velocities after contact and friction have acted.

    Attributes
    ----------
    v : ndarray (nv,)
        Velocity variables.
    alpha : ndarray (n_c,)
        Normal impulses, N s.
    beta : ndarray (n_c, k)
        Tangential ones.
    iterations : int
        Rounds that were made.
    """

    v: NDArray
    alpha: NDArray
    beta: NDArray
    iterations: int


@dataclass(frozen=True, eq=False)
class FrictionProblem:
    """Bodies that would move with v_free and touch.

    Parameters
    ----------
    H : ndarray (nv, nv)
        Inertia matrix.
    v_free : ndarray (nv,)
        Velocity variables without contact, v + h H^-1 (tau - C).
    N : ndarray (nv, n_c)
        Normals in joint space: N^T v are the separation velocities.
    T : ndarray (nv, n_c, k)
        k = 1 or 2 tangents of each contact in joint space, perpendicular unit vectors.
    mu : array_like (n_c,)
        Coefficients of friction; one number for all.
    names : sequence of str, optional
        Of the contacts, for errors.

    Raises
    ------
    StateError
        If shapes do not fit or a coefficient is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdkit.algorithms.solvers import FrictionProblem, staggered_projections

    A block of 2 kg that is pushed along the floor and down:

    >>> T = np.array([[1.0], [0.0]])[:, :, None]
    >>> block = FrictionProblem(2.0 * np.eye(2), np.array([1.0, -1.0]), np.array([[0.0], [1.0]]), T, 0.25)
    >>> staggered_projections(block).v
    array([0.75, 0.  ])
    """

    H: NDArray
    v_free: NDArray
    N: NDArray
    T: NDArray
    mu: ArrayLike
    names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        nv, n_c = self.N.shape
        if self.H.shape != (nv, nv) or self.v_free.shape != (nv,) or self.T.shape[:2] != (nv, n_c) or self.T.ndim != 3:
            shapes = [part.shape for part in (self.H, self.v_free, self.N, self.T)]
            raise StateError(f"H, v_free, N and T of shapes {shapes} do not fit")
        if not np.isfinite(self.mu).all() or np.min(self.mu, initial=0.0) < 0.0:
            raise StateError(f"coefficients of friction {shown(self.mu)} must not be negative")
        object.__setattr__(self, "mu", np.array(np.broadcast_to(np.asarray(self.mu, dtype=float), (n_c,))))
        object.__setattr__(self, "names", tuple(self.names or (f"C{i + 1}" for i in range(n_c))))

    def after(self, alpha: NDArray, beta: NDArray) -> NDArray:
        """v under impulses, (nv,)."""
        return self.v_free + np.linalg.solve(self.H, self.N @ alpha + np.einsum("vck,ck->v", self.T, beta))


def single_program(problem: FrictionProblem) -> FrictionImpulses:
    """Contact and friction in one quadratic program with pyramids for cones (Sueda, Eqs 1.83-1.88).

    Eq 1.88 with its conditions of optimality as one complementarity problem. The program is convex and always has its
    answer, at a price: a contact that slides with speed s lifts off with mu s.
    """
    mu = np.asarray(problem.mu)
    nv, n_c = problem.N.shape
    k = problem.T.shape[2]
    tangents = problem.T.reshape(nv, n_c * k)
    C = np.hstack([problem.N, tangents, -tangents])  # Eq 1.87, beta >= 0 in both directions
    E = np.hstack([np.diag(mu), *2 * [-np.repeat(np.eye(n_c), k, axis=1)]])  # Eq 1.86
    A = C.T @ np.linalg.solve(problem.H, C)
    M = np.block([[A, -E.T], [E, np.zeros((n_c, n_c))]])
    size = len(A)
    found = lemke(M, np.concatenate([C.T @ problem.v_free, np.zeros(n_c)]))
    lam = found.lam[:size]
    alpha, beta = lam[:n_c], (lam[n_c : n_c + n_c * k] - lam[n_c + n_c * k :]).reshape(n_c, k)
    return FrictionImpulses(problem.after(alpha, beta), alpha, beta, len(found.pivots))


def staggered_projections(problem: FrictionProblem, *, tol: float = 1e-12, most: int = 2000) -> FrictionImpulses:
    """Contact and friction in turns, each a quadratic program of its own (Sueda, Algorithm 7, Eqs 2.113, 2.114).

    Signs are those of N^T v >= 0; the boxes of Eq 2.114 are pyramids for cones.

    Parameters
    ----------
    tol : float, optional
        Change of the contact impulse, in the norm of H^-1, that ends it, as a part of the free velocity in that of H.
    most : int, optional
        Rounds.

    Raises
    ------
    ConvergenceError
        If the turns do not settle; with much friction there may be nothing to settle to.
    InfeasibleError
        If no contact impulses part the bodies, with the names of the contacts.
    """
    mu = np.asarray(problem.mu)
    nv, n_c = problem.N.shape
    k = problem.T.shape[2]
    tangents = problem.T.reshape(nv, n_c * k)
    A_n = problem.N.T @ np.linalg.solve(problem.H, problem.N)
    A_t = tangents.T @ np.linalg.solve(problem.H, tangents)
    box = np.block([[A_t, np.eye(n_c * k)], [-np.eye(n_c * k), np.zeros((n_c * k, n_c * k))]])
    alpha, beta = np.zeros(n_c), np.zeros((n_c, k))
    scale = float(np.sqrt(problem.v_free @ problem.H @ problem.v_free))
    for round_ in range(1, most + 1):
        d = problem.N.T @ problem.after(np.zeros(n_c), beta)
        new = active_set(0.5 * (A_n + A_n.T), d, problem.names).lam  # Eq 2.113
        change = problem.N @ (new - alpha)
        alpha = new
        if np.sqrt(change @ np.linalg.solve(problem.H, change)) <= tol * scale and round_ > 1:
            return FrictionImpulses(problem.after(alpha, beta), alpha, beta, round_)
        u = np.repeat(mu * alpha, k)  # -u <= beta <= u, solved for beta + u >= 0
        slip = tangents.T @ problem.after(alpha, np.zeros((n_c, k)))
        beta = (lemke(box, np.concatenate([slip - A_t @ u, 2.0 * u])).lam[: n_c * k] - u).reshape(n_c, k)  # Eq 2.114
    raise ConvergenceError(f"staggered projections of {shown(problem.names)} did not settle in {most} rounds")


def gauss_seidel(problem: FrictionProblem, *, tol: float = 1e-12, most: int = 20000) -> FrictionImpulses:
    """Contact by contact in sweeps, each impulse projected on its cone: a disc of radius mu alpha.

    At rest it is Coulomb's law: no penetration, friction against the slip and of full size where there is any.

    Parameters
    ----------
    tol : float, optional
        Change of the velocity in a sweep, as a part of the free one, both in the norm of H.
    most : int, optional
        Sweeps.

    Raises
    ------
    ConvergenceError
        If the sweeps do not settle.
    """
    mu = np.asarray(problem.mu)
    n_c, k = problem.T.shape[1:]
    yields_n, yields_t = (
        np.linalg.solve(problem.H, problem.N),
        np.linalg.solve(problem.H, problem.T.reshape(-1, n_c * k)),
    )
    yields_t = yields_t.reshape(problem.T.shape)
    alpha, beta, v = np.zeros(n_c), np.zeros((n_c, k)), np.array(problem.v_free)
    scale = float(np.sqrt(v @ problem.H @ v))
    for sweep in range(1, most + 1):
        before = v.copy()
        for i in range(n_c):
            n, T = problem.N[:, i], problem.T[:, i]
            stiff = float(n @ yields_n[:, i])
            new = max(0.0, alpha[i] - float(n @ v) / stiff) if stiff > 0.0 else 0.0
            v += yields_n[:, i] * (new - alpha[i])
            alpha[i] = new
            stiff = float(np.linalg.eigvalsh(T.T @ yields_t[:, i])[-1])
            wanted = beta[i] - T.T @ v / stiff if stiff > 0.0 else np.zeros(k)
            size, limit = float(np.linalg.norm(wanted)), mu[i] * alpha[i]
            wanted = wanted if size <= limit else wanted * (limit / size)
            v += yields_t[:, i] @ (wanted - beta[i])
            beta[i] = wanted
        change = v - before
        if np.sqrt(change @ problem.H @ change) <= tol * scale:
            return FrictionImpulses(problem.after(alpha, beta), alpha, beta, sweep)
    raise ConvergenceError(f"sweeps over {shown(problem.names)} did not settle in {most}; lower the friction or tol")
