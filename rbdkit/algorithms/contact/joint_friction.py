"""Dry friction in joints and at contacts, by bilateral staggered projections (Sueda, section 2.11).

Friction depends on normal forces, and these on friction; so both are found in turns until they agree. One half of a
round solves for the motion in joint coordinates with the friction forces given; its difference from the motion of the
loose bodies are the joint reactions, which the points of the bearings share as normal impulses. The other half
maximises dissipation within the friction bounds that those set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.contact.bearings import Bearing
from rbdkit.algorithms.contact.loose_bodies import LooseBodies, loose_bodies
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.solvers.quadratic_program import quadratic_program
from rbdkit.errors import ConvergenceError, ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_mimics
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.read_numbers import shown


@dataclass(frozen=True, eq=False)
class LoopRows:
    """Loop constraint on the twists of loose bodies: G_m phi = 0.

    Parameters
    ----------
    name : str
        Name of the loop, for errors and for the `joint` of a bearing.
    predecessor, successor : str
        Names of the bodies that it connects.
    G_m, G_rate_phi : ndarray (k, 6 n), (k,)
        Jacobian, and its rate times phi.
    """

    name: str
    predecessor: str
    successor: str
    G_m: NDArray
    G_rate_phi: NDArray


@dataclass(frozen=True, eq=False)
class JointFriction:
    """Result of a step with friction in joints.

    Attributes
    ----------
    qd : ndarray (nv,)
        Velocities after the step.
    f_beta : ndarray (6 n,)
        Friction forces on the bodies, the initial guess of the next step.
    reactions : dict of str to ndarray (6,)
        Force through each joint without friction, on its successor body and in coordinates of that body.
    alpha : dict of str to ndarray (k,)
        Normal impulses of the points of each bearing, of either sign, N s.
    beta : dict of str to ndarray (k, 2)
        Tangential impulses of these points, N s.
    contacts : ndarray (m, 3)
        Impulses at external contacts, N s: one normal, two tangential.
    misfit : float
        Largest fraction of a reaction that the points of its bearing cannot carry; round-off if the points constrain
        everything that the joint constrains.
    iterations : int
        Number of rounds.
    """

    qd: NDArray
    f_beta: NDArray
    reactions: dict[str, NDArray]
    alpha: dict[str, NDArray]
    beta: dict[str, NDArray]
    contacts: NDArray
    misfit: float
    iterations: int


def bilateral_staggered_projections(
    model: Model,
    q: NDArray,
    qd: NDArray,
    h: float,
    bearings: Sequence[Bearing],
    *,
    tau: NDArray | None = None,
    contacts: Sequence[PointContact] = (),
    mu: ArrayLike = 0.0,
    loops: Sequence[LoopRows] = (),
    f_beta: NDArray | None = None,
    f_ext: ExternalForces = None,
    epsilon: float = 1e-9,
    tol: float = 1e-9,
    most: int = 500,
    t: float = 0.0,
) -> JointFriction:
    """Make one step of Algorithm 8: joint reactions and friction in turns (Sueda, Eqs 2.113-2.120).

    Instead of solving a contact problem, the motion in joint coordinates is compared with that of loose bodies; the
    difference is due to the joint forces (Eq 2.117, with the rate of J in both places). External contacts and loops
    constrain the motion in joint coordinates only, and their impulses are subtracted from the difference. Eq 2.119
    applies them to the loose bodies too; joint reactions would then do work.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities before the step.
    h : float
        Step, s.
    bearings : sequence of Bearing
        Bearings of the joints with friction.
    tau : ndarray (nv,), optional
        Joint forces; springs and dampers are not added.
    contacts : sequence of PointContact, optional
        External contacts, unilateral: N phi >= 0 after the step.
    mu : array_like (m,), optional
        Their coefficients of friction; one number for all.
    loops : sequence of LoopRows, optional
        Loop constraints, bilateral.
    f_beta : ndarray (6 n,), optional
        Friction forces of the last step, as initial guess.
    f_ext : ExternalForces, optional
        External forces, see `external_forces`.
    epsilon : float, optional
        Regularization of Eq 2.118, as a fraction of the mean of the diagonal: it selects the smallest of all impulses
        that carry a reaction, since a joint that squeezes itself would have more friction.
    tol : float, optional
        Change of the reactions at which the iteration ends, in the norm of M^-1, as a fraction of the momenta.
    most : int, optional
        Largest number of rounds.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If a joint or body is unknown, the model has loop joints (give `loops`) or mimic joints.
    InfeasibleError
        If contacts and loops contradict each other.
    ConvergenceError
        If the rounds do not converge.
    StateError
        If h is not positive or mu negative.
    """
    require_no_mimics(model, "friction in joints", "a tree without them")
    if not h > 0.0:
        raise StateError(f"step h = {h} s must be positive")
    bodies = loose_bodies(model, q, qd, f_ext=f_ext, t=t)
    M, J, n_ext = bodies.M, bodies.J, len(contacts)
    tau = np.zeros(model.nv) if tau is None else np.asarray(tau, dtype=float)
    friction = np.broadcast_to(np.asarray(mu, dtype=float), (n_ext,))
    if (friction < 0.0).any():
        raise StateError(f"coefficients of friction {shown(friction)} must not be negative")
    C_m = bodies.normal_rows(contacts)
    G_m = np.vstack([np.zeros((0, len(M))), *(loop.G_m for loop in loops)])
    G_rate = np.concatenate([np.zeros(0), *(loop.G_rate_phi for loop in loops)])
    places = _places(model, bodies, bearings, loops)
    T = np.vstack([*(place.T for place in places), bodies.tangent_rows(contacts)])
    coefficients = np.concatenate([*(np.full(len(place.contacts), place.mu) for place in places), friction])
    M_r = J.T @ M @ J
    L = np.linalg.cholesky(M)
    scale = float(np.linalg.norm(np.linalg.solve(L, bodies.pushed(h)))) or 1.0
    f_beta = np.zeros(len(M)) if f_beta is None else np.array(f_beta, dtype=float)
    f_alpha, beta = np.full(len(M), np.inf), np.zeros(len(T))
    rounds = 0
    while True:
        rounds += 1
        if rounds > most:
            raise ConvergenceError(f"friction in {shown([b.joint for b in bearings])} did not settle in {most} rounds")
        pushed = h * (bodies.f + f_beta)
        held = quadratic_program(  # Eqs 2.117, 2.120: the motion in joint coordinates
            M_r, M_r @ qd + h * tau + J.T @ (pushed - h * M @ bodies.drift), C=C_m @ J, c=-h * C_m @ bodies.drift,
            G=G_m @ J, g=-h * (G_rate + G_m @ bodies.drift), names=[contact.name for contact in contacts],
        )  # fmt: skip
        v_con = J @ held.x + h * bodies.drift
        external = C_m.T @ held.lam + G_m.T @ held.nu
        before, f_alpha = f_alpha, (M @ (v_con - bodies.phi) - pushed - external) / h
        reactions = _distributed(model, bodies, f_alpha, q, tau)
        for loop, nu in zip(loops, _split(held.nu, [len(loop.G_m) for loop in loops]), strict=True):
            j = bodies.names.index(loop.successor)
            reactions[loop.name] = (loop.G_m.T @ nu)[6 * j : 6 * j + 6] / h
        alphas = [place.impulses(h * reactions[place.joint], epsilon) for place in places]
        if h * np.linalg.norm(np.linalg.solve(L, f_alpha - before)) <= tol * scale:
            break
        limits = np.repeat(coefficients * np.abs(np.concatenate([*alphas, held.lam])), 2)
        beta = _friction(T, L, J @ held.x - h * np.linalg.solve(M, f_beta), limits)
        f_beta = T.T @ beta / h
    parts = _split(beta.reshape(-1, 2), [len(place.contacts) for place in places] + [len(contacts)])
    return JointFriction(
        held.x,
        f_beta,
        reactions,
        {place.joint: alpha for place, alpha in zip(places, alphas, strict=True)},
        {place.joint: part for place, part in zip(places, parts[:-1], strict=True)},
        np.column_stack([held.lam, parts[-1]]),
        max(
            (place.misfit(a, h * reactions[place.joint]) for place, a in zip(places, alphas, strict=True)), default=0.0
        ),
        rounds,
    )


@dataclass(frozen=True, eq=False)
class _Place:
    """Bearing at one state.

    T : (2 k, 6 n) tangent rows on all twists. N : (k, 6) normal rows on the successor's twist. M : (6, 6) inertia of
    it.
    """

    joint: str
    mu: float
    contacts: list[PointContact]
    T: NDArray
    N: NDArray
    M: NDArray

    def impulses(self, iota: NDArray, epsilon: float) -> NDArray:
        """Return the normal impulses alpha (k,) for an impulse iota (6,) through the joint, Eq 2.118."""
        # by singular values: a solver would leave rounding / epsilon of shares that cancel each other
        L = np.linalg.cholesky(self.M)
        U, s, V = np.linalg.svd(np.linalg.solve(L, self.N.T).T, full_matrices=False)
        shares = np.divide(s, s * s + epsilon * (s @ s) / len(self.N), out=np.zeros(len(s)), where=s > 1e-13 * s[:1])
        return U @ (shares * (V @ np.linalg.solve(L, iota)))

    def misfit(self, alpha: NDArray, iota: NDArray) -> float:
        """Return the fraction of the impulse iota that alpha does not carry, in the norm of M^-1."""
        L = np.linalg.cholesky(self.M)
        size = float(np.linalg.norm(np.linalg.solve(L, iota)))
        return float(np.linalg.norm(np.linalg.solve(L, self.N.T @ alpha - iota))) / size if size > 0.0 else 0.0


def _places(model: Model, bodies: LooseBodies, bearings: Sequence[Bearing], loops: Sequence[LoopRows]) -> list[_Place]:
    ends = {joint.name: (model.bodies[model.parent[i]].name, model.bodies[i].name)
            for i, joint in enumerate(model.joints) if i > 0}  # fmt: skip
    ends |= {loop.name: (loop.predecessor, loop.successor) for loop in loops}
    places = []
    for bearing in bearings:
        if bearing.joint not in ends:
            raise ModelError(f"bearing of {bearing.joint!r}: there is no such joint; there are {shown(list(ends))}")
        predecessor, successor = ends[bearing.joint]
        j = bodies.names.index(successor)
        pose, rows = bodies.poses[j], slice(6 * j, 6 * j + 6)
        points, normals = bearing.points @ pose[:3, :3].T + pose[:3, 3], bearing.normals @ pose[:3, :3].T
        contacts = [
            PointContact(f"{bearing.joint} {i}", predecessor, successor, point, normal, np.zeros(3), np.zeros(3))
            for i, (point, normal) in enumerate(zip(points, normals, strict=True))
        ]
        N = bodies.normal_rows(contacts)[:, rows]
        T = bodies.tangent_rows(contacts, bearing.along @ pose[:3, :3].T)
        places.append(_Place(bearing.joint, bearing.mu, contacts, T, N, bodies.M[rows, rows]))
    return places


def _distributed(model: Model, bodies: LooseBodies, f: NDArray, q: NDArray, tau: NDArray) -> dict[str, NDArray]:
    """Return the reaction of each joint, from the total joint force f on each body, summed from leaves to root."""
    through = f.reshape(-1, 6).copy()
    reactions = {}
    for i in range(len(model.bodies) - 1, 0, -1):  # children before parents
        joint, parent = model.joints[i], model.parent[i]
        if parent > 0:
            X = plucker.from_pose(se3.inverse(bodies.poses[parent - 1]) @ bodies.poses[i - 1])
            through[parent - 1] += X.T @ through[i - 1]
        S = joint.motion_subspace(q)
        reactions[joint.name] = through[i - 1] - np.linalg.pinv(S).T @ tau[joint.v_slice]
    return reactions


def _friction(T: NDArray, L: NDArray, v: NDArray, limits: NDArray) -> NDArray:
    """Minimise 1/2 b^T T (L L^T)^-1 T^T b + b^T T v with -limits <= b <= limits, Eq 2.114, as least squares."""
    from scipy.optimize import lsq_linear  # slow to load

    beta, free = np.zeros(len(T)), limits > 0.0
    if free.any():
        A = np.linalg.solve(L, T[free].T)
        found = lsq_linear(A, -L.T @ v, (-limits[free], limits[free]), method="bvls", tol=1e-14, max_iter=10 * len(T))
        beta[free] = found.x
    return beta


def _split(values: NDArray, sizes: Sequence[int]) -> list[NDArray]:
    return np.split(values, np.cumsum(sizes)[:-1]) if len(sizes) else []
