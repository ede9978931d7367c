"""The configuration space of several bodies as a product of Lie groups, one for each body.

`move`, `local_rate` and `displacement` of a body are one text for stacks of floats and for compiled loops. Equation
numbers are those of Müller and Terze 2013.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps import manifold
from rbdkit.engine.steps.manifold import exp, jacobian_inverse, quaternion_matrix
from rbdkit.errors import SimulationError
from rbdkit.formulations.constrained.layout import elements
from rbdkit.spatial import so3xr3
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector

GROUPS = "se3", "so3xr3"


def move(group: str, R: Matrix, r: Vector, u: mv) -> tuple[Matrix, Vector]:
    """Return C exp(u) of C = (R, r) on SE(3) (Eq 8) or SO(3) x R3 (Eq 18)."""
    # on SE(3) the velocity turns with the body, so it is averaged over the turn; on SO(3) x R3 it keeps its direction
    turn, mean = exp(u.omega)
    return R @ quaternion_matrix(turn), r + (R @ mean(u.v) if group == "se3" else u.v)


def local_rate(group: str, u: mv, v: mv) -> mv:
    """Return u' where C exp(u) moves with velocity v: dexp^-1 of -u, times v (Eq 36)."""
    if group == "se3":
        return manifold.local_rate(u, v)
    J, _ = jacobian_inverse(u.omega, ZERO)
    return mv(J(v.omega), v.v)


def displacement(group: str, R0: Matrix, r0: Vector, R1: Matrix, r1: Vector) -> mv:
    """Return the u with C0 exp(u) = C1 and an angle from 0 to pi."""
    w, v = manifold.displacement(R0.T @ R1, R0.T @ (r1 - r0))
    return mv(w, v if group == "se3" else r1 - r0)


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
        self._parts = [(self._places(name), name) for name in GROUPS if name in names]

    def _places(self, name: str) -> slice | NDArray:
        """Return the indices of the bodies on a group; a slice if it is all of them, which needs no copies."""
        own = np.array([n == name for n in self.names])
        return slice(None) if own.all() else np.flatnonzero(own)

    def move(self, C: NDArray, u: NDArray) -> NDArray:
        """Return C exp(u)."""
        moved = np.zeros(np.broadcast_shapes(C.shape[:-2], u.shape[:-1]) + (4, 4)) + np.eye(4)
        for own, group in self._parts:
            R, r = move(group, *elements(C[..., own, :, :]), _twist(u[..., own, :]))
            for i, (row, shift) in enumerate(zip(R, r, strict=True)):
                moved[..., own, i, :] = np.stack([*row, shift], axis=-1)
        return moved

    def displacement(self, C0: NDArray, C1: NDArray) -> NDArray:
        """Return the u with C0 exp(u) = C1."""
        u = np.empty((*np.broadcast_shapes(C0.shape[:-2], C1.shape[:-2]), 6))
        for own, group in self._parts:
            found = displacement(group, *elements(C0[..., own, :, :]), *elements(C1[..., own, :, :]))
            u[..., own, :] = np.stack(found.flat(), axis=-1)
        return u

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        """Return u' where C exp(u) moves with velocity v."""
        rate = np.empty_like(v)
        for own, group in self._parts:
            found = local_rate(group, _twist(u[..., own, :]), _twist(v[..., own, :]))
            rate[..., own, :] = np.stack(found.flat(), axis=-1)
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


def _twist(u: NDArray) -> mv:
    """Return elements (..., 6) of the algebra, as stacks."""
    return mv.of(list(np.moveaxis(u, -1, 0)))
