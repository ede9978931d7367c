"""Recursive hybrid dynamics: forces of some joints and accelerations of the others, in linear time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.joint_solve import solve_joint
from rbdkit.algorithms.redmax.bodies import Bodies
from rbdkit.errors import ModelError
from rbdkit.model.names import listed
from rbdkit.spatial import se3


@dataclass(frozen=True)
class RecursiveHybrid:
    """Result of `recursive_hybrid` in joint frames; row or entry j belongs to joint j.

    Attributes
    ----------
    qdd, tau : ndarray (nv,)
        Accelerations, and forces along the velocities: given at some joints, computed at the others.
    V_dot, F : ndarray (n, 6)
        Rates of the joints' twists, and the wrenches that joints transmit.
    M_hat, Pi : ndarray (n, 6, 6)
        Articulated inertias, and their part that the parent feels.
    B_hat, beta : ndarray (n, 6)
        Bias forces, and their part that the parent feels.
    """

    qdd: NDArray
    tau: NDArray
    V_dot: NDArray
    F: NDArray
    M_hat: NDArray
    Pi: NDArray
    B_hat: NDArray
    beta: NDArray


def recursive_hybrid(
    bodies: Bodies, prescribed: Iterable[str] = (), qdd: NDArray | None = None, *, extra: NDArray | None = None
) -> RecursiveHybrid:
    """Return the unknown ones of the joints' accelerations and forces (Sueda, Algorithm 9).

    Parameters
    ----------
    bodies : Bodies
        The tree at one state, with the forces f_r along its velocities.
    prescribed : iterable of str, optional
        Names of the joints whose accelerations are given.
    qdd : ndarray (nv,), optional
        Accelerations, used at the prescribed joints.
    extra : ndarray (nv,), optional
        Further forces along the velocities, such as constraint forces.

    Raises
    ------
    ModelError
        If a joint is unknown, joints share velocities, or one of them moves no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at, recursive_hybrid
    >>> arm = bodies_at(rbd.library.double_pendulum(), np.array([0.3, 0.4]), np.zeros(2))
    >>> found = recursive_hybrid(arm, ["hinge1"], np.zeros(2))
    >>> float(found.qdd[0])
    0.0
    """
    given = _numbers(bodies, prescribed)
    require_own_velocities(bodies, "recursive hybrid dynamics")
    n, M_j = len(bodies.parent), bodies.M_j
    f_r = bodies.f_r if extra is None else bodies.f_r + extra
    V = _times(_inverse(bodies.Ad_J), bodies.phi)
    F_act = _times(np.swapaxes(bodies.Ad_J, -1, -2), bodies.f_m)  # external, gravity and ad(V)^T M V at the joints
    M_hat, Pi, B_hat, beta, eta = M_j.copy(), np.zeros((n, 6, 6)), -F_act, *np.zeros((2, n, 6))
    Psi: list[NDArray] = [np.zeros((0, 0))] * n
    qdd, tau = np.zeros(bodies.nv) if qdd is None else np.array(qdd, dtype=float), f_r.copy()
    for j in bodies.order:  # forward traversal
        eta[j] = se3.ad(V[j]) @ bodies.S_qd[j] + bodies.S_dot_qd[j]  # line 4
    for j in reversed(bodies.order):  # backward traversal; lines 7 and 8 are summed up by the children
        S, own, name, p, Ad = bodies.S[j], bodies.own[j], bodies.names[j], bodies.parent[j], bodies.Ad_jp[j]
        if j in given:
            Pi[j] = M_hat[j]  # line 10
            beta[j] = B_hat[j] + M_hat[j] @ (eta[j] + S @ qdd[own])  # line 11
        else:
            Psi[j] = solve_joint(S.T @ M_hat[j] @ S + np.diag(bodies.rotors[own]), np.eye(S.shape[1]), name)  # line 13
            Pi[j] = M_hat[j] - M_hat[j] @ S @ Psi[j] @ S.T @ M_hat[j]  # line 14
            wanting = tau[own] - S.T @ (M_hat[j] @ eta[j] + B_hat[j])
            beta[j] = B_hat[j] + M_hat[j] @ (eta[j] + S @ Psi[j] @ wanting)  # line 15
        M_hat[p] += Ad.T @ Pi[j] @ Ad  # line 7 of the parent
        B_hat[p] += Ad.T @ beta[j]  # line 8 of the parent
    V_dot, F = np.zeros((2, n, 6))
    for j in bodies.order:  # forward traversal
        S, own = bodies.S[j], bodies.own[j]
        come = bodies.Ad_jp[j] @ V_dot[bodies.parent[j]] + eta[j]
        if j not in given:
            qdd[own] = Psi[j] @ (tau[own] - S.T @ (M_hat[j] @ come + B_hat[j]))  # line 24
        V_dot[j] = come + S @ qdd[own]  # lines 20, 25
        F[j] = M_hat[j] @ V_dot[j] + B_hat[j]  # lines 21, 26
        if j in given:
            tau[own] = S.T @ F[j] + bodies.rotors[own] * qdd[own]  # line 22, and the rotor
    return RecursiveHybrid(qdd, tau, V_dot, F, M_hat, Pi, B_hat, beta)


def require_own_velocities(bodies: Bodies, algorithm: str) -> None:
    """Raise ModelError if joints share velocities: propagation from body to body would miss the coupling."""
    seen: dict[int, str] = {}
    for j in bodies.order:
        for a in range(bodies.own[j].start, bodies.own[j].stop):
            if a in seen:
                raise ModelError(
                    f"{algorithm} needs joints that move independently, but {listed([bodies.names[j]])} follows "
                    f"{seen[a]!r}; use reduced_equation"
                )
            seen[a] = bodies.names[j]


def _numbers(bodies: Bodies, names: Iterable[str]) -> set[int]:
    known = {name: j for j, name in enumerate(bodies.names) if j}
    wanted = list(names)
    if unknown := [name for name in wanted if name not in known]:
        raise ModelError(f"there is no joint {unknown[0]!r} to prescribe; known: {', '.join(known)}")
    return {known[name] for name in wanted}


def _times(A: NDArray, x: NDArray) -> NDArray:
    return (A @ x[..., None])[..., 0]


def _inverse(Ad: NDArray) -> NDArray:
    """Return the inverses of adjoints (..., 6, 6): blocks R^T on the diagonal and B^T below."""
    result = np.zeros_like(Ad)
    result[..., :3, :3] = result[..., 3:, 3:] = np.swapaxes(Ad[..., :3, :3], -1, -2)
    result[..., 3:, :3] = np.swapaxes(Ad[..., 3:, :3], -1, -2)
    return result
