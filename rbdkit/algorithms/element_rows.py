"""Acceleration constraints ``K qdd = k`` of a model's constraint elements, in joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.jacobian import bias_acceleration
from rbdkit.model import Model
from rbdkit.model.constraint import Row, seen
from rbdkit.model.constraint_rows import ConstraintRows, constraint_rows, in_joints


@dataclass(frozen=True, eq=False)
class ElementRows:
    """Constraints ``K vdot = k`` of the constraint elements of a model (Featherstone 2008, Eq 3.13).

    Attributes
    ----------
    rows : tuple of Row
        Description of each row.
    K : ndarray (m, nv)
        Constraint matrix: reactions are ``K^T lambda``.
    k : ndarray (m,)
        Right-hand side: the terms that depend on velocity and time alone.
    gap : ndarray (m,)
        Position error; 0 for constraints on velocities alone.
    slip : ndarray (m,)
        Velocity error.
    """

    rows: tuple[Row, ...]
    K: NDArray
    k: NDArray
    gap: NDArray
    slip: NDArray


def element_rows(model: Model, q: NDArray, qd: NDArray, *, t: float = 0.0) -> ElementRows:
    """Return the constraints added by `Model.add_constraint`, in joint coordinates.

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
    """Return the constraints of traced rows, in joint coordinates.

    Parameters
    ----------
    rows : ConstraintRows
        Traced rows of the constraint elements, see `rbdkit.model.constraint_rows`.
    q : ndarray (nq,)
        Coordinates.
    qd : ndarray (nv,)
        Joint velocities.
    t : float, optional
        Time, s.
    """
    at = seen(model, q, qd, t)
    found = rows.at(q, qd, t, at.motion)
    K, k = in_joints(model, q, rows, found, at), -found.drift
    for j, body in enumerate(rows.bodies):
        k -= found.wrenches[:, j] @ bias_acceleration(model, q, qd, model.bodies[body].name, "aligned", t=t)
    return ElementRows(rows.rows, K, k, found.gap, found.slip)
