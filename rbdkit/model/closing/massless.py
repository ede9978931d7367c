"""Massless links: motions without inertia, and whether loops and constraints determine them.

Forces do not determine the acceleration of a motion that moves nothing with inertia. A massless link is all right where
loops hold it, for then geometry determines how it moves. So the motions that the rows K of loops and constraints allow
must all have kinetic energy: ``K v = 0`` and ``E_i J_i v = 0``, with E_i a square root of the inertia of body i, must
have no solution but 0. Every inertia is divided by its trace, so that light bodies count as much as heavy ones and the
rank decision does not depend on mass ratios.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.loop_form import loop_form
from rbdkit.model.closing.assembly import assembled
from rbdkit.model.closing.closest import Bounds, closest
from rbdkit.model.closing.length import length_of
from rbdkit.model.closing.loop_kinematics import LoopKinematics
from rbdkit.model.closing.rank import FLOOR, arcs_of
from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.model.model import Model

NONE = 1e-14
"""Relative inertia along a motion, and relative square root of that of a variable, that counts as round-off."""
RANK = 1e-7
"""Relative tolerance of singular values: an inertia about an axis of 1e-14 of the largest counts as zero."""
TRIES = 4
"""Number of configurations tried around the first closed one, where rows may have lost rank."""
STEP = 0.05
"""Distance to these, rad or characteristic lengths of the model."""
STEPS, STARTS = 40, 16
TAKES_PART = 1e-3
"""Entry of a unit motion above which the velocity variable takes part in it."""


def tree_has_inertia(model: Model) -> bool:
    """Return whether the joint-space inertia of the spanning tree is positive definite at the neutral coordinates."""
    q, t, n = model.neutral(), 0.0, model.nv
    J, H = _motions(model, q, t), np.zeros((n, n))
    for i, body in enumerate(model.bodies[1:], start=1):
        if body.inertia is not None:
            H += J[i].T @ body.inertia.matrix @ J[i]
    H[np.diag_indices(n)] += np.sum(_rotors(model) ** 2, axis=0)
    size = np.sqrt(np.diag(H))
    return bool(np.all(size > 0.0)) and bool(np.linalg.eigvalsh(H / np.outer(size, size)).min(initial=1.0) > FLOOR)


def require_inertia(M: NDArray, N: NDArray) -> None:
    """Raise LinAlgError unless M (n, n) is positive definite on the span of the motions N (n, k).

    The check does not depend on units: M is scaled to a unit diagonal. Variables without inertia of their own are
    scaled like the one with the least, so that the inertia of what they are tied to counts.
    """
    if not N.size:
        return
    size = np.sqrt(np.diag(M).clip(0.0))
    without = size <= NONE * size.max(initial=0.0)
    if without.all():
        raise np.linalg.LinAlgError
    size[without] = size[~without].min()
    Q = np.linalg.qr(size[:, None] * N)[0]
    if not np.linalg.eigvalsh(Q.T @ (M / np.outer(size, size)) @ Q).min() > NONE:
        raise np.linalg.LinAlgError


def undetermined(model: Model) -> NDArray:
    """Return which velocity variables (nv,) take part in motions without inertia that loops and constraints allow.

    Closed configurations are examined, the first one found and some around it, since rows may lose rank at one; that
    with the fewest such motions counts.
    """
    every, length = np.ones(model.nv, dtype=bool), length_of(model)
    end = assembled(model, model.neutral(), ~every, starts=STARTS, steps=STEPS)
    idle = _idle(model, end.q)
    rng = np.random.default_rng(0)
    for _ in range(TRIES if end.is_closed else 0):
        if not len(idle):
            break
        step = STEP * length * arcs_of(model, length) * rng.normal(size=model.nv)
        near = closest(model, model.move(end.q, step), every, Bounds(model, limited=False))
        if near.is_closed:
            idle = min(_idle(model, near.q), idle, key=len)
    return np.abs(idle).max(axis=0, initial=0.0) > TAKES_PART


def _idle(model: Model, q: NDArray) -> NDArray:
    """Return the motions (k, nv), scaled as arc lengths, that loops and constraints allow and that have no inertia."""
    length = length_of(model)
    arcs, J = arcs_of(model, length), _motions(model, q, 0.0)
    unit = np.repeat([length, 1.0], 3)  # of twists: as arcs
    rows = [_rows(model, q, length), (_rotors(model) > 0.0) / arcs]
    for i, body in enumerate(model.bodies[1:], start=1):
        if body.inertia is not None and (size := np.trace(own := body.inertia.matrix / np.outer(unit, unit))) > 0.0:
            # E with E^T E = inertia; rows of directions without inertia are zero
            w, U = np.linalg.eigh(own / size)
            rows.append(np.sqrt(w.clip(0.0))[:, None] * (U.T * unit) @ J[i])
    A = np.concatenate(rows) * arcs
    _, s, V = np.linalg.svd(A)
    return V[int(np.sum(s > RANK * s.max(initial=0.0))) :]


def _rows(model: Model, q: NDArray, length: float) -> NDArray:
    """Return the rows of loops and bilateral constraints (m, nv), with angular rows multiplied by the length."""
    from rbdkit.model.constraint import seen
    from rbdkit.model.constraint_rows import constraint_rows, in_joints  # which need the tracer

    found = [np.zeros((0, model.nv))]
    X, across = LoopKinematics(model).poses_and_jacobians(q)
    for loop, pose, J in zip(model.loops, X, across, strict=True):
        T = loop_form(loop.joint.type, pose, np.zeros(6)).T
        found.append(T.T @ (np.repeat([length, 1.0], 3)[:, None] * J))
    if (held := constraint_rows(model)) is not None:
        v = np.zeros(model.nv)
        at = seen(model, q, v, 0.0)
        K = in_joints(model, q, held, held.at(q, v, 0.0, at.motion), at)
        metres = np.array([row.unit.startswith("m") for row in held.rows])
        both = np.array([not row.unilateral for row in held.rows])
        found.append((np.where(metres, 1.0, length)[:, None] * K)[both])
    return np.concatenate(found)


def _rotors(model: Model) -> NDArray:
    """Return the square roots of rotor inertias (k, nv), as rows that act on joint velocities."""
    found = [np.zeros((0, model.nv))]
    for joint in model.joints[1:]:
        if joint.armature.any():
            rates = np.array([joint.velocities(unit) for unit in np.eye(model.nv)]).T
            found.append(np.sqrt(joint.armature)[:, None] * np.abs(rates))
    return np.concatenate(found)


def _motions(model: Model, q: NDArray, t: float) -> NDArray:
    """Return the body Jacobians (bodies, 6, nv) of all bodies, in body coordinates."""
    J = np.zeros((len(model.bodies), 6, model.nv))
    for i in model.outward:
        joint = model.joints[i]
        J[i] = se3.adjoint(se3.inverse(joint.pose(q, t))) @ J[model.parent[i]]
        if joint.nv:
            J[i][:, joint.v_slice] += joint.motion_subspace(q)
    return J
