"""Inverse kinematics of a dragged point: move a point of a body to a target, with loops closed and limits kept.

Damped least squares (Wampler 1986; Nakamura and Hanafusa 1986) on the manifold of the coordinates: a step y solves
``(B^T B + mu 1) y = B^T d`` with d the remaining distance vector, B the Jacobian of the point on a basis of the motions
that loops, constraints and limits allow, and ``mu = kappa |d|^2``: heavily damped far away, where an arm may be
stretched (singular), and Newton's step at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.closing.closest import Bounds, Residual, closest
from rbdkit.model.closing.loop_kinematics import tree_poses
from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.model.model import Model

STEP = 0.2
"""Largest step of a coordinate, rad or characteristic lengths of the model."""
JUMP = 0.7
"""Largest motion of a coordinate after loop closure, in the same units; more means another assembly mode."""
MOST_STEPS = 60
NEAR = 1e-10
"""Distance to the target that counts as reached, characteristic lengths of the model."""
RANK = 1e-9
SMALLEST_MU = 1e-20


def reached(
    model: Model, q: NDArray, body: int, point: NDArray, target: NDArray, free: NDArray, t: float = 0.0
) -> NDArray:
    """Return coordinates that bring a point of a body to a target, or as near to it as possible.

    Parameters
    ----------
    model : Model
        A tree, or with loops and constraints that hold at q.
    q : ndarray (nq,)
        Starting coordinates.
    body : int
        Number of the body.
    point : ndarray (3,)
        The dragged point in body coordinates, m.
    target : ndarray (3,)
        Where it is to go, in world coordinates, m.
    free : ndarray of bool (nv,)
        Velocity variables that may move.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    ndarray (nq,)
        Closed and within limits (those that q violates are widened to q), with the point at or nearest to the target.
    """
    residual, bounds = Residual(model, t), Bounds(model)
    bounds.lower, bounds.upper = np.minimum(bounds.lower, q), np.maximum(bounds.upper, q)
    length, kappa = residual.length, 1e-2
    unit = residual.unit[: model.nv]
    place, J = _point(model, q, body, point, t)
    left = target - place
    for _ in range(MOST_STEPS):
        distance = float(np.linalg.norm(left))
        if distance <= NEAR * length:
            break
        step = _step(residual, bounds, q, J * unit / length, left / length, free, kappa, t)
        if np.abs(step).max(initial=0.0) < NEAR:
            break
        ahead = closest(model, model.move(q, step * unit), free, bounds, t, residual)
        there, slope = _point(model, ahead.q, body, point, t)
        gained = distance - float(np.linalg.norm(target - there))
        if ahead.is_closed and gained > 0.0 and np.abs(model.displacement(q, ahead.q) / unit).max() < JUMP:
            expected = distance - float(np.linalg.norm(left - J @ (step * unit)))
            kappa = max(0.25 * kappa, 1e-8) if gained > 0.5 * expected else kappa
            q, J, left = ahead.q, slope, target - there
            if gained < 1e-6 * distance:
                break  # as near as it gets
        else:
            # loops did not close, or on another branch, or the point is no nearer: a shorter step, bent towards the
            # gradient
            kappa *= 8.0
            if kappa > 1e12:
                break
    return q


def _point(model: Model, q: NDArray, body: int, point: NDArray, t: float) -> tuple[NDArray, NDArray]:
    """Return the position of a point of a body in the world (3,), and its Jacobian (3, nv)."""
    poses = tree_poses(model, q, t)
    place = poses[body, :3, :3] @ point + poses[body, :3, 3]
    J = np.zeros((3, model.nv))
    for i in model.support(body):
        S = se3.adjoint(poses[i]) @ model.joints[i].motion_subspace(q)  # in world coordinates
        J[:, model.joints[i].v_slice] += S[3:] + np.cross(S[:3], place, axis=0)
    return place, J


def _step(
    residual: Residual,
    bounds: Bounds,
    q: NDArray,
    J: NDArray,
    left: NDArray,
    free: NDArray,
    kappa: float,
    t: float,
) -> NDArray:
    """Return a damped least-squares step (nv,), in rad and characteristic lengths of the model.

    Coordinates that would cross a limit are fixed and the step is computed again with the others (active set).
    """
    nv = len(free)
    X, across = residual.motion.poses_and_jacobians(q, t)
    z = residual.project(X)
    E, e = residual.left_over(X, z)
    A = residual.with_gaps(residual.jacobian(across, E, e, z), residual.held.at(q)[1])
    movable = free.copy()
    mu = max(kappa * min(1.0, float(left @ left)), SMALLEST_MU)
    while True:
        columns = np.concatenate([movable, np.ones(A.shape[1] - nv, dtype=bool)])
        basis = np.zeros((A.shape[1], int(columns.sum())))
        basis[columns] = np.eye(basis.shape[1])
        if len(A):
            _, sizes, rows = np.linalg.svd(A[:, columns])
            rank = int((sizes > RANK * sizes.max(initial=0.0)).sum())
            basis = basis @ rows[rank:].T
        B = J @ basis[:nv]
        U, sizes, V = np.linalg.svd(B, full_matrices=False)
        step = basis[:nv] @ (V.T @ (sizes / (sizes**2 + mu) * (U.T @ left)))
        while np.abs(step).max(initial=0.0) > STEP:  # more damping shortens the nearly singular directions first
            mu *= 2.0
            step = basis[:nv] @ (V.T @ (sizes / (sizes**2 + mu) * (U.T @ left)))
        blocked = bounds.blocked(q, step) & movable
        if not blocked.any():
            return np.asarray(step)
        movable &= ~blocked
