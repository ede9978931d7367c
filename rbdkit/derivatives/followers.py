"""Derivatives of trees with mimic joints, by way of the tree in which the mimic joints are independent.

The velocities of that tree are ``G v``, so its joint forces act as ``G.T tau`` and its inertia matrix as ``G.T H G``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels
from rbdkit.functions.asking import Backend, chosen_kernels
from rbdkit.model import Model
from rbdkit.model.unlocked import Unlocked, unlocked


class Followers(NamedTuple):
    """The kernels of a model with mimic joints, those of the tree without them, and the map G between the two."""

    kernels: Kernels
    free: Kernels
    tree: Unlocked

    def rnea_jacobian(self, q: NDArray, v: NDArray, a: NDArray, f_ext: NDArray | None) -> list[NDArray]:
        """Return the derivatives of tau by q, v and a, (..., nv, nv) each."""
        G = self.tree.spread
        blocks = self.free.rnea_jacobian(self.tree.q(q), v @ G.T, a @ G.T, f_ext)
        return [self._along(block) for block in blocks]

    def dynamics_jacobian(
        self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None, passive: bool, t: float
    ) -> list[NDArray]:
        """Return qdd and its derivatives by q, v and tau, of `forward_dynamics` if passive, else of `aba`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If H has no inverse.
        """
        forward = self.kernels.forward_dynamics if passive else self.kernels.aba
        qdd = forward(q, v, tau, f_ext, t)
        by_q, by_v, H = self.rnea_jacobian(q, v, qdd, f_ext)
        if passive:
            acting_q, acting_v = self._passive(self.tree.q(q), v @ self.tree.spread.T, t)
            by_q, by_v = by_q - acting_q, by_v - acting_v
        H_inv = np.linalg.inv(H)
        return [qdd, -H_inv @ by_q, -H_inv @ by_v, H_inv]

    def _passive(self, q: NDArray, v: NDArray, t: float) -> tuple[NDArray, NDArray]:
        """Return the derivatives by q and v of the forces of springs, dampers and force elements."""
        one_each = np.eye(v.shape[-1])
        q, v = (np.repeat(x[..., None, :], len(one_each), axis=-2) for x in (q, v))
        weights = np.broadcast_to(one_each, v.shape)
        by_q, by_v = self.free.passive_gradient(q, v, weights)[:2]
        if self.free.own is not None:
            slopes = self.free.own_gradient(q, v, weights, t)
            by_q, by_v = by_q + slopes.by_q, by_v + slopes.by_v
        return self._along(by_q), self._along(by_v)

    def _along(self, block: NDArray) -> NDArray:
        G = self.tree.spread
        return G.T @ block @ G


def followers(model: Model, backend: Backend) -> Followers | None:
    """Return the `Followers` of a model with mimic joints; None for other models, or if the readable form is needed."""
    kernels = chosen_kernels(model, backend)
    if kernels is None or not kernels.coupled or kernels.driven or kernels.nz:
        return None
    tree = unlocked(model)
    free = chosen_kernels(tree.model, backend)
    if free is None or free.coupled:  # joints of several links, which have no derivatives in kernels either
        return None
    return Followers(kernels, free, tree)
