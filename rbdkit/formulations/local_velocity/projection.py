"""Unified local velocity coordinates: velocities of six points along six directions, in place of a twist.

A rigid body moves with six freedoms, usually three velocities and three angular velocities. Holzinger, Gerstmayr and
Schöberl take six velocities of one kind instead: of point y_i along direction b_i, all fixed in the body. Since
``v(y) = U + Omega x y``, they are linear in the twist, ``w = D v_L`` (Eq 54), with a constant matrix D; and if D is
regular, w determines the velocity of every point, ``v(y) = N(y) w``, as shape functions of a finite element do. So mass
matrix and forces are integrals over N, without rotations in them.

Six arbitrary points and directions may fail to see some motion (six forces along the b_i cannot produce its wrench): D
is singular then, which is decided from its scaled condition number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.so3 import skew

LARGEST_CONDITION = 1e8
"""Condition number of D above which half of the digits of a velocity would be lost on the way to w and back."""

_SCALE = 1.0 / np.sqrt(2.0)
"""Length of the paper's directions: with it D is orthogonal where l1 = l2 = l3 = 1."""


class Projection:
    """Six points of a body and six directions; ``w_i = b_i . v(y_i)`` describe how the body moves (Eq 18).

    Velocities are ``v_L = (U, Omega)``, the linear part first as in the paper: U that of the reference point, in body
    coordinates. All functions take stacks.

    Parameters
    ----------
    points : (6, 3) y_i from the reference point, body coordinates, m.
    directions : (6, 3) b_i, body coordinates. Their lengths scale the coordinates w_i.

    Attributes
    ----------
    D : (6, 6) of ``w = D v_L`` (Eq 54), regular. D_inverse : its inverse.
    condition : condition number of D with all directions of unit length and lengths measured by the distance of the
        points from the reference point, so that it depends neither on units nor on scales.

    Raises
    ------
    ModelError
        If the six velocities do not determine the motion: D is singular or close to it. The message says which motion
        they do not see.

    Notes
    -----
    S. Holzinger, J. Gerstmayr, J. Schöberl, A rigid body formulation with non-redundant unified local velocity
    coordinates, sections 3.1 and 4.1; equation numbers are theirs.
    """

    def __init__(self, points: ArrayLike, directions: ArrayLike) -> None:
        self.points = y = _six(points, "points")
        self.directions = b = _six(directions, "directions")
        self.D = np.hstack([b, np.cross(y, b)])  # Eq 54: w_i = b_i . (U + Omega x y_i)
        self.condition = self._check()
        self.D_inverse = np.linalg.inv(self.D)

    @classmethod
    def hexahedral(cls, l1: float = 1.0, l2: float = 1.0, l3: float = 1.0) -> Projection:
        """Make the projection of a box's face centres, along its edges of lengths 2 l1, 2 l2, 2 l3, m (Eqs 19-24)."""
        y = np.array([[0, -l2, 0], [0, l2, 0], [0, 0, -l3], [0, 0, l3], [-l1, 0, 0], [l1, 0, 0]])
        b = _SCALE * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
        return cls(y, b)

    @classmethod
    def tetrahedral(cls, vertices: ArrayLike | None = None) -> Projection:
        """Make the projection of a tetrahedron's edge midpoints along its edges (Fig 4b), as in a Nédélec element.

        Parameters
        ----------
        vertices : (4, 3) from the reference point, m. The paper gives none; not given, they are corners of the cube of
            edge length 2, no two of them neighbours, and D is orthogonal like that of the cube itself.
        """
        corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]] if vertices is None else vertices
        p = np.asarray(corners, dtype=float)
        if p.shape != (4, 3):
            raise ModelError(f"a tetrahedron has four vertices of three numbers, got shape {p.shape}")
        start, end = np.triu_indices(4, 1)
        edges = p[end] - p[start]
        length = np.linalg.norm(edges, axis=1, keepdims=True)
        return cls(0.5 * (p[start] + p[end]), _SCALE * edges / np.where(length == 0.0, 1.0, length))

    def _check(self) -> float:
        """Return the condition number of the scaled D; raise ModelError if it is too large."""
        lengths = np.linalg.norm(self.directions, axis=1)
        if not lengths.all():
            raise ModelError(f"direction {int(np.argmin(lengths)) + 1} of six is zero; every point needs a direction")
        arm = float(np.sqrt(np.mean(np.sum(self.points**2, axis=1)))) or 1.0
        # directions of unit length, and points in units of their mean distance: so the number depends on the
        # arrangement alone
        scaled = self.D / lengths[:, None] / np.repeat([1.0, arm], 3)
        _, s, motions = np.linalg.svd(scaled)
        condition = float(s[0] / s[-1]) if s[-1] > 0.0 else np.inf
        if not condition < LARGEST_CONDITION:
            unseen = np.where(np.abs(motions[-1]) > 1e-12, motions[-1], 0.0)  # of length 1: less is round-off
            U, Omega = (unseen / np.repeat([1.0, arm], 3)).reshape(2, 3)
            raise ModelError(
                f"the six points and directions do not determine the motion of a body: the condition number of D is "
                f"{condition:.3g}, more than {LARGEST_CONDITION:.0g}. They do not see the motion U = "
                f"{_text(U)} m/s, Omega = {_text(Omega)} rad/s; move a point or turn a direction so that one does"
            )
        return condition

    # --- velocities ---------------------------------------------------------------------------------------------------

    def coordinates(self, v_L: ArrayLike) -> NDArray:
        """Return w (..., 6) = D v_L (Eq 54)."""
        return (self.D @ np.asarray(v_L, dtype=float)[..., None])[..., 0]

    def twist(self, w: ArrayLike) -> NDArray:
        """Return v_L (..., 6) = D^-1 w (Eqs 55, 71)."""
        return (self.D_inverse @ np.asarray(w, dtype=float)[..., None])[..., 0]

    def N(self, y: ArrayLike) -> NDArray:
        """Return the interpolation matrix (..., 3, 6): the point y moves with ``v = N(y) w`` (Eqs 26, 27)."""
        # U + Omega x y, with both as functions of w
        return self.D_inverse[:3] - skew(y) @ self.D_inverse[3:]

    def E(self, w: ArrayLike) -> NDArray:
        """Return rates of the body's axes as columns (..., 3, 3): ``E a = v(a) - v(0)`` is Omega x a (Eqs 36-40)."""
        return skew(self.twist(w)[..., 3:])

    def P(self, y: ArrayLike, w: ArrayLike) -> NDArray:
        """Return the matrix (..., 3, 6) of the acceleration ``N w' + P w`` of the point y (Eqs 41, 42)."""
        return self.E(w) @ self.N(y)

    def acceleration(self, y: ArrayLike, w: ArrayLike, w_dot: ArrayLike) -> NDArray:
        """Return the acceleration (..., 3) of the point y in body coordinates (Eq 41)."""
        w, w_dot = np.asarray(w, dtype=float), np.asarray(w_dot, dtype=float)
        return (self.N(y) @ w_dot[..., None] + self.P(y, w) @ w[..., None])[..., 0]

    def generalized_force(self, y: ArrayLike, f: ArrayLike) -> NDArray:
        """Return Q (..., 6) = N(y)^T f of a force f at the point y, both in body coordinates (Eqs 52, 53)."""
        return (np.swapaxes(self.N(y), -1, -2) @ np.asarray(f, dtype=float)[..., None])[..., 0]

    def lie_algebra(self, w: ArrayLike) -> NDArray:
        """Return the element (..., 4, 4) of se(3) that belongs to w: ``H' = H lie_algebra(w)`` (Eqs 68-70)."""
        w = np.asarray(w, dtype=float)
        element = np.zeros((*w.shape[:-1], 4, 4))
        element[..., :3, :3] = self.E(w)
        element[..., :3, 3] = (self.N(np.zeros(3)) @ w[..., None])[..., 0]
        return element

    def __repr__(self) -> str:
        rows = (f"{_text(b)} at {_text(y)}" for b, y in zip(self.directions, self.points, strict=True))
        return f"<Projection, condition {self.condition:.3g}: {'; '.join(rows)}>"


def _six(values: ArrayLike, what: str) -> NDArray:
    array = np.array(values, dtype=float)
    if array.shape != (6, 3) or not np.isfinite(array).all():
        raise ModelError(f"a projection needs six {what} of three finite numbers, got shape {array.shape}: {values!r}")
    array.setflags(write=False)
    return array


def _text(vector: NDArray) -> str:
    return "(" + ", ".join(f"{x + 0.0:.3g}" for x in vector) + ")"
