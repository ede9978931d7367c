"""Velocities or accelerations and reactions of bodies with joints from one KKT system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.maximal.free_step import momentum_after
from rbdkit.algorithms.maximal.joint_rows import JointRows, MaximalBodies
from rbdkit.errors import ModelError
from rbdkit.spatial import se3


@dataclass(frozen=True)
class KktStep:
    """Result of `kkt_step`.

    Attributes
    ----------
    E, phi : ndarray (n, 4, 4), (n, 6)
        Poses and twists after the step.
    multipliers : ndarray (m,)
        lambda of Eq 1.73.
    reactions : dict
        For each joint, by name, the wrenches (n, 6) that it exerts on the bodies, averaged over the step (Eq 1.74).
    """

    E: NDArray
    phi: NDArray
    multipliers: NDArray
    reactions: dict[str, NDArray]


def kkt_step(
    bodies: MaximalBodies, E: NDArray, phi: NDArray, joints: JointRows, h: float, *,
    target: NDArray | None = None, wrenches: NDArray | None = None, added: NDArray | None = None,
) -> KktStep:  # fmt: skip
    """A step of bodies with joints at velocity level (Sueda, Eqs 1.30, 1.71-1.74).

    ``[A G^T; G 0] [Phi; lambda] = [f~; target]`` is the least of ``Phi^T A Phi / 2 - Phi^T f~`` under ``G Phi =
    target``. A is M, and with `added` also h D - h^2 K.

    Parameters
    ----------
    bodies : MaximalBodies
        Bodies and joints.
    E, phi : ndarray (n, 4, 4), (n, 6)
        Poses and twists.
    joints : JointRows
        Constraints there.
    h : float
        Step in s.
    target : ndarray (m,), optional
        What G Phi is to be, see `velocity_target`; that of joints without drift if not given.
    wrenches : ndarray (n, 6), optional
        Other forces on bodies, in their own frames; of those that `added` takes implicitly, with D phi added, which
        takes linear damping off again.
    added : ndarray (6 n, 6 n), optional
        h D - h^2 K.

    Raises
    ------
    ModelError
        If constraints depend on each other, as those of many loops do, or a body has no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import joint_rows, kkt_step, maximal_bodies
    >>> bodies, phi = maximal_bodies(rbd.library.pendulum()), np.zeros((1, 6))
    >>> E = bodies.frames[1:]
    >>> step = kkt_step(bodies, E, phi, joint_rows(bodies, E, phi), 0.01)
    >>> bool(np.allclose(step.phi, 0.0))
    True
    """
    n, m = bodies.n, len(joints.G)
    right = momentum_after(E, phi, bodies.M, bodies.gravity, h)
    if wrenches is not None:
        right = right + h * wrenches
    A = np.zeros((6 * n + m, 6 * n + m))
    for i in range(n):
        A[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = bodies.M[i]
    if added is not None:
        A[: 6 * n, : 6 * n] += added
    A[6 * n :, : 6 * n], A[: 6 * n, 6 * n :] = joints.G, joints.G.T  # Eq 1.73
    solution = _solved(A, np.concatenate([right.ravel(), joints.target if target is None else target]))
    Phi, multipliers = solution[: 6 * n].reshape(n, 6), solution[6 * n :]
    forces = {name: (-joints.G[own].T @ multipliers[own] / h).reshape(n, 6) for name, own in joints.rows.items()}
    return KktStep(E @ se3.exp(h * Phi), Phi, multipliers, forces)


def kkt_accelerations(
    bodies: MaximalBodies, E: NDArray, phi: NDArray, joints: JointRows, target: NDArray | None = None
) -> NDArray:
    """Phi-dot (n, 6) under ``G Phi-dot = target``: the same at acceleration level (Sueda, text before Eq 1.82).

    Parameters
    ----------
    bodies : MaximalBodies
        Bodies and joints.
    E, phi : ndarray (n, 4, 4), (n, 6)
        Poses and twists.
    joints : JointRows
        Constraints there.
    target : ndarray (m,), optional
        See `acceleration_target`; ``-G-dot Phi`` if not given.

    Raises
    ------
    ModelError
        If constraints depend on each other or a body has no inertia.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.maximal import joint_rows, kkt_accelerations, maximal_bodies
    >>> bodies, phi = maximal_bodies(rbd.library.pendulum()), np.zeros((1, 6))
    >>> E = bodies.frames[1:]
    >>> bool(np.allclose(kkt_accelerations(bodies, E, phi, joint_rows(bodies, E, phi)), 0.0))
    True
    """
    n, m = bodies.n, len(joints.G)
    forces = momentum_after(E, phi, bodies.M, bodies.gravity, 1.0) - (bodies.M @ phi[..., None])[..., 0]
    A = np.zeros((6 * n + m, 6 * n + m))
    for i in range(n):
        A[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = bodies.M[i]
    A[6 * n :, : 6 * n], A[: 6 * n, 6 * n :] = joints.G, joints.G.T
    right = np.concatenate([forces.ravel(), joints.drift if target is None else target])
    return _solved(A, right)[: 6 * n].reshape(n, 6)


def _solved(A: NDArray, right: NDArray) -> NDArray:
    try:
        return np.linalg.solve(A, right)
    except np.linalg.LinAlgError:
        raise ModelError(
            "the system of bodies and constraints is singular: constraints depend on each other, or a body has no "
            "inertia; formulation 'se3' leaves out rows that others imply"
        ) from None
