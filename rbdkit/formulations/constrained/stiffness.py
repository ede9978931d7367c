"""K and D of what acts in a model by itself, along the velocities of its bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.passive_derivatives import passive_derivatives
from rbdkit.formulations.constrained.layout import block_diagonal

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.bodies import ConstrainedBodies


def body_stiffness(system: ConstrainedBodies, t: float, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
    """K = df/dx and D = -df/dv, (6 n, 6 n) each; those of springs of joints that close loops are not among them.

    Forces of joints are wrenches on their two bodies, which the velocities of the joints turn into forces along these:
    ``P^T K_r P`` with ``qd = P V``, where P is that of the present poses.
    """
    from rbdkit.algorithms.redmax import element_slopes  # with sparse matrices, which few simulations need

    model, rows = system.model, len(system.model.bodies)
    q, qd = system.joint_state(x, v)
    K, D = np.zeros((2, rows, 6, rows, 6))
    P = _joint_rates(system, x, v, q)
    own = passive_derivatives(model, q, qd)
    K_r, D_r = own.dtau_dq.copy(), -own.dtau_dv
    for slopes in element_slopes(model, q, qd, t=t) if model.acting else ():
        bodies, velocities = list(slopes.bodies), list(slopes.velocities)
        both = np.zeros((len(slopes.K), rows, 6))  # what the element looks at, of the twists of all bodies
        for k, body in enumerate(bodies):
            both[6 * k : 6 * k + 6, body] += system.to_body[body]
        both[6 * len(bodies) :] += P[velocities]
        for total, matrix in ((K, slopes.K), (D, slopes.D)):
            total += np.einsum("aix,ab,bjy->ixjy", both, matrix, both, optimize=True)
    for total, matrix in ((K, K_r), (D, D_r)):
        total += np.einsum("aix,ab,bjy->ixjy", P, matrix, P, optimize=True)
    K, D = (total[1:, :, 1:].reshape(6 * system.n, 6 * system.n) for total in (K, D))
    if system.group.hybrid.any():  # V = B v
        B = block_diagonal(system.group.tangent(system.reference_poses(x)[1:]))
        K, D = B.T @ K @ B, B.T @ D @ B
    return K, D


def implicit_velocities(
    system: ConstrainedBodies, t: float, x: NDArray, v: NDArray, h: float, gamma: float, stiff: bool
) -> NDArray:
    """Velocities after a step of h s under ``G v_new = -gamma g``, and what driven joints ask for."""
    here = system.index1(t, x, v)
    g = system.constraint_error(x, t)
    driven = here.J @ v - here.slip
    A, b = here.M, here.M @ v + h * here.Q
    if stiff:
        K, D = body_stiffness(system, t, x, v)
        A, b = A + h * D - h**2 * K, b + h * (D @ v)
    return replace(here, M=A, Q=b, eta=driven - gamma * g, loops=here.loops if not stiff else None).accelerations()


def _joint_rates(system: ConstrainedBodies, x: NDArray, v: NDArray, q: NDArray) -> NDArray:
    """P (nv, bodies, 6) with the velocities of the tree's joints nearest to twists V of the bodies: qd = P V."""
    relative = system.relative(x, v)
    P = np.zeros((system.model.nv, len(system.model.bodies), 6))
    for k, joint in enumerate(system.model.joints[1:]):
        place = system.constraints.joints[k]
        if joint.nv:
            S_plus = np.linalg.pinv(joint.motion_subspace(q))
            P[joint.v_slice, place.successor] += S_plus @ relative.from_S[k]
            P[joint.v_slice, place.predecessor] -= S_plus @ relative.from_P[k]
    P[:, 0] = 0.0
    return P
