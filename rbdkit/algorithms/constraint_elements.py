"""What the constraints of a model say in joint coordinates: K, k, gaps and slips."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.closing.massless import require_inertia
from rbdkit.model.requirements import require_bilateral


def held_forward_dynamics(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> NDArray:
    """Joint accelerations of a model with constraints, loops among them (Featherstone 2008, Eqs 3.12, 3.13).

    ``qdd = G ydd + g`` with ``K G = 0`` and ``K g = k``, and ``G^T H G ydd = G^T (tau - C - H g)`` (Eqs 8.42, 8.46):
    masses come in where the constraints have been solved, so it does not matter how unlike they are, or that links have
    none whose motion the constraints determine. Rows that others imply are left out, see
    `rbdkit.algorithms.loops.row_space`.

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
        If a constraint is a bound: whether that holds, a state does not tell; or if a motion that the constraints allow
        moves nothing with inertia.

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
    from rbdkit.algorithms import loops  # which most models never need

    require_bilateral(model, "forward dynamics of one state")
    constraint = loops.with_elements(loops.loop_constraint(model, q, qd, t=t), model, q, qd, t=t)
    f = tau - bias_force(model, q, qd, f_ext=f_ext, t=t)
    H, arcs = crba(model, q, t=t).H, constraint.per_column
    if not (np.isfinite(H).all() and np.isfinite(f).all() and np.isfinite(constraint.K).all()):
        return np.full(model.nv, np.nan)  # a state that ran away
    space = loops.row_space(constraint)
    kept = list(loops.independent_rows(constraint, space))
    explicit = loops.explicit_constraint(
        constraint.scaled[kept], (constraint.per_row * space.k)[kept], space.r, tol=0.0
    )
    G, g = arcs[:, None] * explicit.G, arcs * explicit.g
    try:
        require_inertia(H, G)
        L = np.linalg.cholesky(G.T @ H @ G)
    except np.linalg.LinAlgError:
        raise ModelError(
            f"a motion that the constraints of model {model.name!r} allow moves nothing with inertia; give the bodies "
            "that take part in it some, or prescribe it"
        ) from None
    return np.asarray(G @ np.linalg.solve(L.T, np.linalg.solve(L, G.T @ (f - H @ g))) + g)
