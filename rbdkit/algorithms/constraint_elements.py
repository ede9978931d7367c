"""What the constraints of a model say in joint coordinates: K, k, gaps and slips."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.element_rows import element_rows
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.model import Model
from rbdkit.model.requirements import require_bilateral


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

    Raises
    ------
    ModelError
        If a constraint is a bound: whether that holds, a state does not tell.

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
    from rbdkit.algorithms.loops import loop_constraint  # which most models never need

    require_bilateral(model, "forward dynamics of one state")
    loops, held = loop_constraint(model, q, qd, t=t), element_rows(model, q, qd, t=t)
    K, k = np.concatenate([loops.K, held.K]), np.concatenate([loops.k, held.k])
    A = np.block([[crba(model, q, t=t).H, K.T], [K, np.zeros((len(k), len(k)))]])
    scale = 1.0 / np.sqrt(np.maximum(np.abs(A).max(axis=1), np.finfo(float).tiny))  # of masses and lengths as they come
    b = np.concatenate([tau - bias_force(model, q, qd, f_ext=f_ext, t=t), k])
    return (scale * np.linalg.lstsq(scale[:, None] * A * scale, scale * b, rcond=1e-12)[0])[: model.nv]
