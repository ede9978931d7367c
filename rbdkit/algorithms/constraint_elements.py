"""What the constraints of a model say in joint coordinates: K, k, gaps and slips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.jacobian import bias_acceleration
from rbdkit.algorithms.loops.loop_constraint import loop_constraint
from rbdkit.model import Model
from rbdkit.model.constraint import Row, seen
from rbdkit.model.constraint_rows import ConstraintRows, constraint_rows
from rbdkit.spatial import se3


@dataclass(frozen=True, eq=False)
class ElementRows:
    """Constraints ``K vdot = k`` of the constraint elements of a model (Featherstone 2008, Eq 3.13).

    Attributes
    ----------
    rows : tuple of Row
        What there is to say of each.
    K : ndarray (m, nv)
        Constraint matrix: reactions are ``K^T lambda``.
    k : ndarray (m,)
        What velocity and time alone ask for.
    gap : ndarray (m,)
        By how much positions miss; 0 of constraints on velocities alone.
    slip : ndarray (m,)
        By how much velocities miss.
    """

    rows: tuple[Row, ...]
    K: NDArray
    k: NDArray
    gap: NDArray
    slip: NDArray


def element_rows(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> ElementRows:
    """The constraints that were added by `Model.add_constraint`, in joint coordinates.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    t : float, optional
        Time, s.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms import element_rows
    >>> model = rbd.library.double_pendulum()
    >>> belt = model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
    >>> element_rows(model, np.zeros(2), np.zeros(2)).K.tolist()
    [[2.0, 1.0]]
    """
    rows = constraint_rows(model)
    if rows is None:
        return ElementRows((), np.zeros((0, model.nv)), np.zeros(0), np.zeros(0), np.zeros(0))
    return recorded_rows(model, rows, q, qd, t=t)


def recorded_rows(model: Model, rows: ConstraintRows, q: NDArray, qd: NDArray, *, t: float = 0.0) -> ElementRows:
    """The same of rows that were recorded.

    Parameters
    ----------
    rows : ConstraintRows
        See `rbdkit.model.constraint_rows`.
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    t : float, optional
        Time, s.
    """
    at = seen(model, q, qd, t)
    found = rows.at(q, qd, t, at.motion)
    K, k = np.zeros((rows.m, model.nv)), -found.drift
    K[:, list(rows.velocities)] += found.joints
    for j, body in enumerate(rows.bodies):
        n, f = found.wrenches[:, j, :3], found.wrenches[:, j, 3:]
        wrenches = np.concatenate([n + np.cross(at.motion(body).p, f), f], axis=1)  # about the world origin
        for i in model.support(body):
            joint = model.joints[i]
            if joint.nv:
                S = se3.adjoint(se3.pose(at.motion(i).R, at.motion(i).p)) @ joint.motion_subspace(q)
                K[:, joint.v_slice] += wrenches @ S
        k -= found.wrenches[:, j] @ bias_acceleration(model, q, qd, model.bodies[body].name, "aligned", t=t)
    return ElementRows(rows.rows, K, k, found.gap, found.slip)


def held_forward_dynamics(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> NDArray:
    """Joint accelerations of a model with constraints, loops among them (Featherstone 2008, Eqs 3.12, 3.13).

    ``[H K^T; K 0] [qdd; -lambda] = [tau - C; k]``, with the least lambda where rows are redundant.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time, s.

    Returns
    -------
    ndarray (nv,)

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms import held_forward_dynamics
    >>> model = rbd.Model("train")
    >>> cars = [model.add_body(f"car{k}", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0)) for k in range(2)]
    >>> rope = model.add_constraint("rope", rbd.Tie("car1_joint", "car0_joint", ratio=1.0))
    >>> held_forward_dynamics(model, np.zeros(2), np.zeros(2), np.array([3.0, 1.0])).round(9).tolist()
    [2.0, 2.0]
    """
    loops, held = loop_constraint(model, q, qd, t=t), element_rows(model, q, qd, t=t)
    K, k = np.concatenate([loops.K, held.K]), np.concatenate([loops.k, held.k])
    A = np.block([[crba(model, q, t=t).H, K.T], [K, np.zeros((len(k), len(k)))]])
    scale = 1.0 / np.sqrt(np.maximum(np.abs(A).max(axis=1), np.finfo(float).tiny))  # of masses and lengths as they come
    b = np.concatenate([tau - bias_force(model, q, qd, f_ext=f_ext, t=t), k])
    return (scale * np.linalg.lstsq(scale[:, None] * A * scale, scale * b, rcond=1e-12)[0])[: model.nv]
