"""Constraint forces of a whole model: loop joints, constraint elements, mimic joints and gears."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.contact.apart import require_apart
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.element_rows import element_rows
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.gears.gear import Gears
from rbdkit.algorithms.loops.loop_constraint import loop_constraint
from rbdkit.algorithms.passive_force import passive_force
from rbdkit.model import Model
from rbdkit.model.requirements import require_bilateral
from rbdkit.model.unlocked import unlocked

Reactions = dict[tuple[str, str], NDArray]


def reactions(
    model: Model,
    gears: Gears | None,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    z: NDArray | None = None,
) -> Reactions:
    """Return the forces lambda of all constraints at one state, by kind and name; see `Held.force`.

    Solves ``[H K^T; K 0] [qdd; -lambda] = [tau - C; k]`` (Featherstone 2008, Eq 3.12) for the tree in which every mimic
    joint has a coordinate of its own; redundant rows get the lambda of least norm.

    Parameters
    ----------
    gears : Gears or None
        Additional gears.
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs, dampers and force elements are added.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time, s.
    z : ndarray (nz,), optional
        States of force elements.

    Raises
    ------
    ModelError
        If a constraint is unilateral: a state alone does not tell whether it is active.
    StateError
        If bodies touch.
    """
    require_bilateral(model, "a reaction of constraints that hold")
    if model.contact_rules:
        require_apart(model, q, "what constraints exert", t)
    free = unlocked(model)
    own_q, own_qd = free.q(q), free.spread @ qd
    loops, held = loop_constraint(free.model, own_q, own_qd, t=t), element_rows(free.model, own_q, own_qd, t=t)
    K = np.concatenate([loops.K, held.K, free.follows])
    k = np.concatenate([loops.k, held.k, np.zeros(len(free.names))])
    keys = [
        ("loop joint", name)
        for name, rows in zip(loops.names, loops.rows, strict=True)
        for _ in range(rows.start, rows.stop)
    ]
    keys += [("constraint", row.constraint) for row in held.rows]
    keys += [("follower", name) for name in free.names]
    if gears is not None:
        of_gears, k_gears, _ = gears.rows(q, qd)
        meshing = np.zeros((len(k_gears), free.model.nv))
        meshing[:, free.leads] = of_gears
        K, k = np.concatenate([K, meshing]), np.concatenate([k, k_gears])
        keys += [("gear", name) for name in gears.followers]
    acting = free.tau(tau) + passive_force(free.model, own_q, own_qd, t=t, z=z)
    C = bias_force(free.model, own_q, own_qd, f_ext=f_ext, t=t)
    A = np.block([[crba(free.model, own_q, t=t).H, K.T], [K, np.zeros((len(k), len(k)))]])
    # rows of H and K differ in units and size: equilibrate, so that rcond sees rank and not masses
    scale = 1.0 / np.sqrt(np.maximum(np.abs(A).max(axis=1, initial=0.0), np.finfo(float).tiny))
    b = np.concatenate([acting - C, k])
    lam = -(scale * np.linalg.lstsq(scale[:, None] * A * scale, scale * b, rcond=1e-12)[0])[free.model.nv :]
    return {key: lam[[other == key for other in keys]] for key in dict.fromkeys(keys)}
