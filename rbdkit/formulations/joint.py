"""Joint coordinates: a tree described by q and v, its accelerations by the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_dynamics, require_tree
from rbdkit.engine import Kernels, kernels_for
from rbdkit.formulations.followers import Followers, freed
from rbdkit.model import Model

LARGEST = 1e100
"""Squares of larger numbers need not be finite: a state beyond is taken as one that is not."""

Force = Callable[[float, NDArray, NDArray], NDArray]
"""Joint forces (nv,), or external forces (number of bodies, 6), as a function of (t, q, v)."""


class JointSystem:
    """A `System` whose x are the joint coordinates q and whose v are the joint velocities.

    Parameters
    ----------
    model : a tree.
    tau : applied joint forces as a function of (t, q, v).
    f_ext : external forces as a function of (t, q, v), or None.
    book : True computes accelerations by the readable algorithms even where there are compiled kernels.

    `rate` and `move` raise `FloatingPointError` when a state has run away, before anything is computed from it.
    """

    def __init__(self, model: Model, tau: Force, f_ext: Force | None = None, book: bool = False) -> None:
        require_tree(model)
        self.model = model
        self.tau = tau
        self.f_ext = f_ext
        self._compiled = None if book else compiled_dynamics(model)

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        _finite(x)
        _finite(v)
        f_ext = None if self.f_ext is None else self.f_ext(t, x, v)
        tau = self.tau(t, x, v)
        if self._compiled is not None:
            vdot = self._compiled.forward_dynamics(x, v, tau, f_ext)
            if np.isfinite(vdot).all():
                return vdot  # else the readable form says what is wrong, with the joint's name
        return forward_dynamics(self.model, x, v, tau, f_ext, t)

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        _finite(u)
        return self.model.integrate(x, u)

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        return self.model.local_rate(u, v)

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return self.model.difference(x0, x1)


def compiled_dynamics(model: Model) -> Kernels | Followers | None:
    """What computes accelerations fast: the model's kernels, or for mimic joints those of the freed tree; else None."""
    if not model.mimics:
        return kernels_for(model)
    tree = freed(model)
    kernels = kernels_for(tree)
    return None if kernels is None else Followers(model, tree, kernels)


def _finite(values: NDArray) -> None:
    if not np.all(np.abs(values) < LARGEST):
        raise FloatingPointError("the state is not finite any more")
