"""Prescribed motions that loops or constraints do not allow: no force makes such accelerations possible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.errors import StateError
from rbdkit.functions.terms import crba
from rbdkit.model import Model
from rbdkit.model.closing.rank import row_limit
from rbdkit.model.names import listed
from rbdkit.model.requirements import besides_tree

ROUNDING = 1e-12
"""Part of the acceleration of gravity up to which an unsatisfied row counts as round-off of a mechanism at rest."""


def require_followed(
    model: Model, q: NDArray, v: NDArray, qdd: NDArray, t: float, forces: Callable[[], NDArray]
) -> None:
    """Raise `StateError` where prescribed motions leave rows of ``K vdot = k`` that no accelerations satisfy.

    A row that others imply fits with them in every state that satisfies loops and constraints, unless a prescribed
    motion drives against it. The tolerance is that of the rank decision, which grows with the closure error: off the
    manifold such rows differ by about that error. Rows in rad/s2 are compared as arcs, in m/s2, with those along lines.

    Parameters
    ----------
    q, v, qdd : ndarray (..., nq), (..., nv), (..., nv)
        States, and the accelerations found at them.
    t : float
        Their time, s.
    forces : () -> (..., nv)
        Forces of the joints without those of loops and constraints, asked for where the rows themselves are round-off.
    """
    kernels = kernels_for(model)
    if kernels is None or kernels.rows is None or not (kernels.driven or kernels.rows_timed):
        return
    rows = kernels.constraint_rows(q, v, t)
    arc = 1.0 / np.sqrt(kernels.rows.sizes)
    off = arc * np.abs((rows.K @ qdd[..., None])[..., 0] - rows.k)
    terms = arc * ((np.abs(rows.K) @ np.abs(qdd)[..., None])[..., 0] + np.abs(rows.k))
    limit = np.sqrt([row_limit(gap) for gap in np.ravel(rows.openness)]).reshape(rows.openness.shape)
    allowed = limit * terms.max(axis=-1, initial=0.0) + ROUNDING * float(np.linalg.norm(model.gravity))
    worst = off.max(axis=-1, initial=0.0)
    if (worst <= allowed).all():
        return
    # joints that are locked have accelerations of round-off only, which is a part of what forces would do
    allowed = allowed + ROUNDING * _without_constraints(model, crba(model, q, t=t), forces())
    if (worst <= allowed).all():
        return
    state = np.unravel_index(int(np.argmax(worst - allowed)), worst.shape)
    row = int(np.argmax(off[state]))
    missed = off[state][row] / arc[row]
    joints = [*model.joints[1:], *(loop.joint for loop in model.loops)]
    driven = [joint.name for joint in joints if joint.type.is_driven]
    moving = f"prescribed joint(s) {listed(driven)}" if driven else "what time moves"
    others = [name for name in besides_tree(model) if name not in driven]
    raise StateError(
        f"model {model.name!r}: {moving} and {listed(others)} contradict each other at t = {t:g} s: whatever "
        f"the forces, accelerations are off by {missed:.3g} (rad/s^2, m/s^2); prescribe fewer joints, or motions "
        "that fit; velocities that violate loops or constraints end here, too"
    )


def _without_constraints(model: Model, H: NDArray, forces: NDArray) -> NDArray:
    """Return the root mean square over the mass of the accelerations (m/s2) that forces alone would cause."""
    mass = sum(body.inertia.mass for body in model.bodies if body.inertia is not None)
    if mass == 0.0:  # rotors alone: they have no arcs
        return np.zeros(forces.shape[:-1])
    size = np.sqrt(np.diagonal(H, axis1=-2, axis2=-1))
    per = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0.0)
    scaled = per * forces
    alike = per[..., :, None] * H * per[..., None, :]
    power = (scaled * (np.linalg.pinv(alike, hermitian=True) @ scaled[..., None])[..., 0]).sum(axis=-1)
    return np.sqrt(np.maximum(power, 0.0) / mass)
