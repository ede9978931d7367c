"""The configuration space of several bodies as a product of Lie groups, one for each body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.spatial import se3, so3xr3


class Group(NamedTuple):
    """Operations of a Lie group on the poses of a body; all functions take stacks."""

    multiply: Callable[[NDArray, NDArray], NDArray]
    inverse: Callable[[NDArray], NDArray]
    exp: Callable[[NDArray], NDArray]
    log: Callable[[NDArray], NDArray]
    right_jacobian_inverse: Callable[[NDArray], NDArray]


GROUPS = {
    "se3": Group(np.matmul, se3.inverse, se3.exp, se3.log, se3.right_jacobian_inverse),
    "so3xr3": Group(so3xr3.multiply, so3xr3.inverse, so3xr3.exp, so3xr3.log, so3xr3.right_jacobian_inverse),
}


class ProductGroup:
    """G_1 x ... x G_n with each G_i either SE(3) or SO(3) x R3 (Müller and Terze 2013, Eqs 25, 30).

    An element is a stack of poses C (..., n, 4, 4), an element of its algebra a stack of velocities (..., n, 6): body
    twists on SE(3), hybrid velocities on SO(3) x R3. All products are componentwise.

    Parameters
    ----------
    names : 'se3' or 'so3xr3' for every body.
    """

    def __init__(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in GROUPS:
                raise SimulationError(f"group {name!r} of a body is unknown: give one of {', '.join(GROUPS)}")
        self.names = tuple(names)
        self.hybrid = np.array([name == "so3xr3" for name in names], dtype=bool)
        self._parts = [(self._places(name), GROUPS[name]) for name in GROUPS if name in names]

    def _places(self, name: str) -> slice | NDArray:
        """Return the indices of the bodies on a group; a slice if it is all of them, which needs no copies."""
        own = np.array([n == name for n in self.names])
        return slice(None) if own.all() else np.flatnonzero(own)

    def move(self, C: NDArray, u: NDArray) -> NDArray:
        """Return C exp(u)."""
        moved = np.empty(np.broadcast_shapes(C.shape[:-2], u.shape[:-1]) + (4, 4))
        for own, group in self._parts:
            moved[..., own, :, :] = group.multiply(C[..., own, :, :], group.exp(u[..., own, :]))
        return moved

    def displacement(self, C0: NDArray, C1: NDArray) -> NDArray:
        """Return the u with C0 exp(u) = C1."""
        u = np.empty((*np.broadcast_shapes(C0.shape[:-2], C1.shape[:-2]), 6))
        for own, group in self._parts:
            u[..., own, :] = group.log(group.multiply(group.inverse(C0[..., own, :, :]), C1[..., own, :, :]))
        return u

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        """Return u' where C exp(u) moves with velocity v: dexp^-1 of -u, times v (Eq 36)."""
        rate = np.empty_like(v)
        for own, group in self._parts:
            rate[..., own, :] = (group.right_jacobian_inverse(u[..., own, :]) @ v[..., own, :, None])[..., 0]
        return rate

    def twists(self, C: NDArray, v: NDArray) -> NDArray:
        """Return the body twists V = B v of velocities v (Eqs 6, 20)."""
        return np.where(self.hybrid[:, None], so3xr3.twist(C, v), v) if self.hybrid.any() else v

    def velocities(self, C: NDArray, V: NDArray) -> NDArray:
        """Return the velocities v of body twists V."""
        return np.where(self.hybrid[:, None], so3xr3.hybrid(C, V), V) if self.hybrid.any() else V

    def tangent(self, C: NDArray) -> NDArray:
        """Return B, shape (n, 6, 6), with V = B v: 1 on SE(3), diag(1, R^T) on SO(3) x R3."""
        B = np.zeros((*C.shape[:-2], 6, 6)) + np.eye(6)
        B[self.hybrid, 3:, 3:] = np.swapaxes(C[self.hybrid, :3, :3], -1, -2)
        return B

    def tangent_rate(self, V: NDArray) -> NDArray:
        """Return B' v = (0, -w x R^T v_s) on SO(3) x R3, 0 on SE(3), from the body twists V, shape (n, 6)."""
        rate = np.zeros_like(V)
        rate[self.hybrid, 3:] = -np.cross(V[self.hybrid, :3], V[self.hybrid, 3:])
        return rate
