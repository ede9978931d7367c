"""The model without mimic joints: each gets coordinates of its own, and a constraint ties it to its master joint."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.joint import Joint
from rbdkit.model.kept import kept
from rbdkit.model.model import Model


@dataclass(frozen=True, eq=False)
class Unlocked:
    """A model whose mimic joints are independent, with maps from states of the original model.

    Attributes
    ----------
    model : Model
        The same bodies, joints and elements, without mimic joints.
    follows : ndarray (followers, nv)
        Rows of the constraints ``follows @ qd = 0`` that replace the mimics.
    names : tuple of str
        Names of the former mimic joints, in this order.
    spread : ndarray (nv, nv of the original)
        Matrix that maps velocities of the original to those of `model`.
    leads : ndarray (nv of the original,)
        Indices in `model` of the original's velocity variables, where its joint forces act.
    """

    model: Model
    follows: NDArray
    names: tuple[str, ...]
    spread: NDArray
    leads: NDArray
    _source: Model

    def q(self, q: NDArray) -> NDArray:
        """Return coordinates (..., nq) from those of the original model."""
        own = np.zeros((*q.shape[:-1], self.model.nq))
        for joint, before in zip(self.model.joints, self._source.joints, strict=True):
            own[..., joint.q_slice] = before.coordinates(q)
        return own

    def tau(self, tau: NDArray) -> NDArray:
        """Return joint forces (nv,) from those of the original model, which act at master joints."""
        own = np.zeros(self.model.nv)
        own[self.leads] = tau
        return own


def unlocked(model: Model) -> Unlocked:
    """Return the model without mimic joints and the maps to it."""
    return kept(model, _unlocked)


def _unlocked(model: Model) -> Unlocked:
    free, bodies = copy(model), []
    free.nq = free.nv = 0
    for body in model.bodies:
        joint = body.joint
        q, v = slice(free.nq, free.nq + joint.nq), slice(free.nv, free.nv + joint.nv)
        bodies.append(replace(body, joint=replace(joint, q_slice=q, v_slice=v, mimic=None)))
        free.nq, free.nv = q.stop, v.stop
    free.bodies = tuple(bodies)
    free._bind()
    spread, leads = np.zeros((free.nv, model.nv)), np.zeros(model.nv, dtype=int)
    follows, names = np.zeros((0, free.nv)), list[str]()
    for joint, before in zip(free.joints, model.joints, strict=True):
        here, there = np.arange(*joint.v_slice.indices(free.nv)), np.arange(*before.v_slice.indices(model.nv))
        spread[here, there] = 1.0 if before.mimic is None else before.mimic.multiplier
        if before.mimic is None:
            leads[there] = here
            continue
        follows = np.concatenate([follows, _row(joint, free.joint(before.mimic.leader), before.mimic.multiplier, free)])
        names.append(joint.name)
    return Unlocked(free, follows, tuple(names), spread, leads, copy(model))


def _row(follower: Joint, leader: Joint, ratio: float, model: Model) -> NDArray:
    row = np.zeros((1, model.nv))
    row[0, follower.v_slice], row[0, leader.v_slice] = 1.0, -ratio
    return row
