"""Forward dynamics of a model with loop joints and constraint elements, by eliminating the constraints first.

The constraints K qdd = k are brought to the explicit form qdd = G ydd + g, where yd are independent velocities.
Projection onto G removes the constraint forces and leaves a positive definite system (Featherstone 2008, section 3.2).
The alternative, to solve for the constraint forces with K H^-1 K^T, would need H alone to be invertible and would
inherit the spread of the masses.
"""

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
    """Return the joint accelerations of a model with loop joints and constraints (Featherstone 2008, Eqs 3.12, 3.13).

    ``qdd = G ydd + g`` with ``K G = 0`` and ``K g = k``, and ``G^T H G ydd = G^T (tau - C - H g)`` (Eqs 8.42, 8.46):
    masses enter only after the constraints are solved, so they may differ by orders of magnitude, and a link whose
    motion the constraints determine may be massless. Redundant rows are left out, see
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
        Joint accelerations.

    Raises
    ------
    ModelError
        If a constraint is unilateral, because a state alone does not tell whether it is active; or if a motion that the
        constraints allow moves no inertia.

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
    from rbdkit.algorithms import loops  # imported here because most models never need it

    require_bilateral(model, "forward dynamics of one state")
    constraint = loops.with_elements(loops.loop_constraint(model, q, qd, t=t), model, q, qd, t=t)
    f = tau - bias_force(model, q, qd, f_ext=f_ext, t=t)
    H, arcs = crba(model, q, t=t).H, constraint.per_column
    if not (np.isfinite(H).all() and np.isfinite(f).all() and np.isfinite(constraint.K).all()):
        return np.full(model.nv, np.nan)  # the simulation diverged: report it as NaN, not as a singular matrix
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
