"""Dynamics of a tree in which joints follow others, by the kernels of the same tree with all its joints free."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rbdkit.engine import Kernels
from rbdkit.model import Model


def freed(model: Model) -> Model:
    """The same tree with every joint free to move: mimic joints have coordinates of their own."""
    tree, bodies, nq, nv = copy(model), [model.bodies[0]], 0, 0
    for body in model.bodies[1:]:
        joint = body.joint
        q, v = slice(nq, nq + joint.nq), slice(nv, nv + joint.nv)
        bodies.append(replace(body, joint=replace(joint, q_slice=q, v_slice=v, mimic=None)))
        nq, nv = nq + joint.nq, nv + joint.nv
    tree.bodies, tree.nq, tree.nv = tuple(bodies), nq, nv
    tree._bind()
    return tree


class Followers:
    """Forward dynamics with ``v_free = G v``: ``(G.T H G) vdot = tau + G.T H a``, a being what the free tree would do
    (the explicit constraint of Featherstone 2008, Eqs 3.20-3.23, with constant G; section 9.6).

    Parameters
    ----------
    model : with mimic joints. tree, kernels : `freed` of it, and its kernels.
    """

    def __init__(self, model: Model, tree: Model, kernels: Kernels) -> None:
        self._kernels = kernels
        self._Q, self._offset = np.zeros((tree.nq, model.nq)), np.zeros(tree.nq)
        self._G = np.zeros((tree.nv, model.nv))
        for joint, free in zip(model.joints, tree.joints, strict=True):
            ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
            self._Q[free.q_slice, joint.q_slice] = ratio * np.eye(joint.nq)
            self._G[free.v_slice, joint.v_slice] = ratio * np.eye(joint.nv)
            self._offset[free.q_slice] = 0.0 if joint.mimic is None else joint.mimic.offset

    def forward_dynamics(self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None) -> NDArray:
        """Joint accelerations (nv,) under tau and the joints' springs and dampers; not finite where H is singular."""
        G = self._G
        q_free = self._Q @ q + self._offset
        H = self._kernels.crba(q_free)
        a = self._kernels.forward_dynamics(q_free, G @ v, np.zeros(len(G)), f_ext)
        try:
            return cho_solve(cho_factor(G.T @ H @ G, lower=True), tau + G.T @ (H @ a))
        except (LinAlgError, ValueError):
            return np.full_like(v, np.nan)
