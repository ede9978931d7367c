"""The equations of a body in directors on scalars: floats and arrays of floats to compute, symbols to trace.

They are functions of three vectors, and linear in some of them: of the nine unit vectors, `UNIT`, they give the
matrices of `Directors`. Compiled loops record them as they stand, and differentiate them: the Jacobian of Newton's
method in a compiled step comes from these functions. Equation numbers are those of Gebhardt and Romero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rbdkit.spatial.vector3 import ZERO, Scalar, Vector, cross, dot

Triad = tuple[Vector, Vector, Vector]
"""Three vectors: directors, their velocities, or the forces on them."""


@dataclass(frozen=True)
class Body:
    """Parameters of a body in directors.

    E : (3, 3) Euler inertia, kg m2. weight : gravity's forces on the directors, or None. twists : whether the body may
    turn about d3. a : parameter of the constraint on twist, Eq 80.
    """

    E: Sequence[Sequence[Scalar]]
    weight: Triad | None
    twists: bool
    a: Scalar

    def momenta(self, v: Triad) -> Triad:
        """Return the momenta pi^i = sum_j E_ij v_j (Eq 65)."""
        return triad(combined(row, v) for row in self.E)

    def forces(self, q: Triad, moments: tuple[Vector, Vector] | None) -> Triad:
        """Return forces on the directors of moments M (along the directors), m (world axes), and gravity (Eq 68)."""
        weight = self.weight or (ZERO, ZERO, ZERO)
        if moments is None:
            return weight
        M, m = moments
        moment = combined(M, q) + m
        return triad(0.5 * cross(moment, d) + w for d, w in zip(dual_triad(q), weight, strict=True))

    def holding(self, q: Triad, z: Sequence[Scalar]) -> Triad:
        """Return the reactions H(q)^T lambda, lambda being the first six of z (Eq 64)."""
        d1, d2, d3 = q
        a, b, c, d, e, f = z[:6]
        return d * d1 + c * d2 + b * d3, c * d1 + e * d2 + a * d3, b * d1 + a * d2 + f * d3

    def reactions(self, q: Triad, z: Sequence[Scalar]) -> Triad:
        """Return the reactions H(q)^T lambda + G(q)^T mu, mu being the seventh of z (Eq 81)."""
        on1, on2, on3 = self.holding(q, z)
        if self.twists:
            return on1, on2, on3
        return on1 + ((1.0 - self.a) * z[6]) * q[1], on2 - (self.a * z[6]) * q[0], on3

    def rates(self, q: Triad, v: Triad) -> list[Scalar]:
        """Return the rates of the constraints, H(q) v, and the constraint on twist, G(q) v."""
        (d1, d2, d3), (v1, v2, v3) = q, v
        lengths = [dot(d1, v1), dot(d2, v2), dot(d3, v3)]
        angles = [dot(d2, v3) + dot(d3, v2), dot(d1, v3) + dot(d3, v1), dot(d1, v2) + dot(d2, v1)]
        return [*angles, *lengths, *self.twist(q, v)]

    def twist(self, q: Triad, u: Triad) -> list[Scalar]:
        """Return the constraint on twist, G(q) u (Eq 80)."""
        return [] if self.twists else [(1.0 - self.a) * dot(q[1], u[0]) - self.a * dot(q[0], u[1])]


def on_tangent(body: Body, q: Triad, normal: Vector, z: Sequence[Scalar]) -> list[Scalar]:
    """Return momenta and reactions of a velocity v (the first nine of z), and the rates of the constraints at q.

    They are equal to momenta and zeros if v is the velocity on the tangent space that reactions make of the momenta.

    normal : direction of the moment of the reaction against twist.
    """
    v, reactions = triad_of(z), body.holding(q, z[9:])
    if not body.twists:
        reactions = triad(r + (0.5 * z[15]) * cross(normal, x) for r, x in zip(reactions, q, strict=True))
    balance = [x for m, r in zip(body.momenta(v), reactions, strict=True) for x in (m + r)]
    return [*balance, *body.rates(q, v)]


def holds(q: Triad) -> list[Scalar]:
    """Return the constraints h(q) (Eq 63, with the rows of unit length)."""
    d1, d2, d3 = q
    return [dot(d2, d3), dot(d1, d3), dot(d1, d2), *(0.5 * (dot(d, d) - 1.0) for d in q)]


def dual_triad(q: Triad) -> Triad:
    """Return the dual triad: vectors whose scalar products with those of q are 1 and 0."""
    across = cross(q[1], q[2]), cross(q[2], q[0]), cross(q[0], q[1])
    share = 1.0 / dot(q[0], across[0])
    return triad(share * d for d in across)


def triad_of(z: Sequence[Scalar]) -> Triad:
    """Return the first nine numbers as three vectors."""
    return Vector(z[0:3]), Vector(z[3:6]), Vector(z[6:9])


UNIT = triad_of(list(np.eye(9)))
"""Three vectors of arrays: element k of them is unit vector k of all nine numbers."""


def flat(vectors: Triad) -> list[Scalar]:
    """Return the nine numbers of three vectors."""
    return [x for vector in vectors for x in vector]


def combined(weights: Sequence[Scalar], vectors: Sequence[Vector]) -> Vector:
    """Return the sum of vectors with weights."""
    total = ZERO
    for weight, vector in zip(weights, vectors, strict=True):
        total = total + weight * vector
    return total


def triad(vectors: Iterable[Vector]) -> Triad:
    """Return three vectors as a triad."""
    d1, d2, d3 = vectors
    return d1, d2, d3
