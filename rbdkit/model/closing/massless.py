"""Bodies without mass: joints of a tree that move nothing with inertia, and what loops and constraints make of them.

A motion that moves nothing with inertia has no acceleration that forces could tell. A link without mass is fine all the
same where loops hold it: how it moves is geometry then. So what the rows K of loops and constraints leave must move
something: ``K v = 0`` and ``E_i J_i v = 0`` for the roots E_i of the inertias of all bodies have no solution but 0.
Every inertia is divided by its own size, so that light bodies count as much as heavy ones.
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
"""Of the inertia along a motion, and of the root of that of a variable: round-off."""
RANK = 1e-7
"""Of singular values: an inertia about an axis of 1e-14 of the largest is none."""
TRIES = 4
"""Poses around the first closed one, where that is one in which rows lose rank."""
STEP = 0.05
"""rad, or lengths of the model, to these."""
STEPS, STARTS = 40, 16
TAKES_PART = 1e-3
"""Of a motion: a joint whose rate is less has none."""


def tree_has_inertia(model: Model) -> bool:
    """Whether all joints of the tree alone move something that resists."""
    q, t, n = model.neutral(), 0.0, model.nv
    J, H = _motions(model, q, t), np.zeros((n, n))
    for i, body in enumerate(model.bodies[1:], start=1):
        if body.inertia is not None:
            H += J[i].T @ body.inertia.matrix @ J[i]
    H[np.diag_indices(n)] += np.sum(_rotors(model) ** 2, axis=0)
    size = np.sqrt(np.diag(H))
    return bool(np.all(size > 0.0)) and bool(np.linalg.eigvalsh(H / np.outer(size, size)).min(initial=1.0) > FLOOR)


def require_inertia(M: NDArray, N: NDArray) -> None:
    """Raise LinAlgError if there is a motion among those of N (n, k) that moves nothing with inertia.

    Whatever the units are: each variable is measured by its own inertia in M (n, n), and those without any by the least
    of all, so that what they are tied to counts.
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
    """Which velocities (nv,) take part in motions without inertia that loops and constraints allow, as booleans.

    Looked at where they are closed, and around there; of all poses that with the fewest such motions counts.
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
    """Motions (k, nv), as arcs, that loops and constraints allow and that move nothing with inertia."""
    length = length_of(model)
    arcs, J = arcs_of(model, length), _motions(model, q, 0.0)
    unit = np.repeat([length, 1.0], 3)  # of twists: as arcs
    rows = [_rows(model, q, length), (_rotors(model) > 0.0) / arcs]
    for i, body in enumerate(model.bodies[1:], start=1):
        if body.inertia is not None and (size := np.trace(own := body.inertia.matrix / np.outer(unit, unit))) > 0.0:
            w, U = np.linalg.eigh(own / size)
            rows.append(np.sqrt(w.clip(0.0))[:, None] * (U.T * unit) @ J[i])
    A = np.concatenate(rows) * arcs
    _, s, V = np.linalg.svd(A)
    return V[int(np.sum(s > RANK * s.max(initial=0.0))) :]


def _rows(model: Model, q: NDArray, length: float) -> NDArray:
    """Rows of loops and of constraints on both sides (m, nv), of rates that are m/s or, over the length, rad/s."""
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
    """Roots of the inertias of rotors (k, nv), which rates of joints turn."""
    found = [np.zeros((0, model.nv))]
    for joint in model.joints[1:]:
        if joint.armature.any():
            rates = np.array([joint.velocities(unit) for unit in np.eye(model.nv)]).T
            found.append(np.sqrt(joint.armature)[:, None] * np.abs(rates))
    return np.concatenate(found)


def _motions(model: Model, q: NDArray, t: float) -> NDArray:
    """Twists (bodies, 6, nv) of all bodies, in their own coordinates, for unit rates of the joints."""
    J = np.zeros((len(model.bodies), 6, model.nv))
    for i in model.outward:
        joint = model.joints[i]
        J[i] = se3.adjoint(se3.inverse(joint.pose(q, t))) @ J[model.parent[i]]
        if joint.nv:
            J[i][:, joint.v_slice] += joint.motion_subspace(q)
    return J
