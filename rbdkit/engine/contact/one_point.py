"""The law of impulses at one contact point: one text for floats, for stacks of points and for the compiled loop.

Sweeps over a matrix (`rbdkit.laws.cone`, `even_cone`) and those of a program, which never forms the matrix (`visits`),
take all that they know of contact from here. An update of one point is a projected Gauss-Seidel step, with the impulses
of all others fixed: first the impulse that stops the point altogether (`arrested`), by the inverse of its own 3x3
block; if that pushes and friction can give it, the point sticks and this is the solution. Otherwise it separates or
slides (`slid`): the normal impulse that makes the normal velocity what it must be, then a projected gradient step of
the tangential impulse, with the larger eigenvalue as step size.

Impulses and velocities have three parts: along the normal and along both tangents.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from rbdkit.spatial.vector3 import Scalar, dot
from rbdkit.trace import Feedback, equal, maximum, minimum, select, sqrt

Parts = Any
"""Scalars along axes in a sequence, or an array whose last axis runs over a stack of points."""
REGULAR = 1e-9
"""Smallest determinant of a point's own block, relative to the product of its diagonal, for which it is inverted."""


@dataclass(frozen=True)
class ImpulseLaw:
    """A user's law of impulses at one point, traced; None for what is as in `rbdkit.laws.TimeStepping`.

    friction, rebound : its functions of these names; see `rbdkit.laws.recorded_force`.
    """

    friction: Feedback | None
    rebound: Feedback | None


class Friction(ABC):
    """The tangential impulses that friction can give at a point, or at each point of a stack."""

    @abstractmethod
    def nearest(self, wanted: Parts, push: Scalar) -> Parts:
        """Return the tangential impulse that is nearest to a wanted one. push : normal impulse, N s."""

    def gives(self, wanted: Parts, push: Scalar) -> Scalar:
        """Whether it can give a wanted tangential impulse."""
        given = self.nearest(wanted, maximum(push, 0.0))
        first, second = (equal(a, b) for a, b in zip(given, wanted, strict=True))
        return both(first, second)


class Disc(Friction):
    """Coulomb's friction: tangential impulses up to mu times the normal one, in all directions alike."""

    def __init__(self, mu: Scalar) -> None:
        self.mu = mu

    def nearest(self, wanted: Parts, push: Scalar) -> Parts:
        return in_disc(wanted, self.mu * push)

    def gives(self, wanted: Parts, push: Scalar) -> Scalar:
        limit = self.mu * push
        return dot(wanted, wanted) <= limit * limit  # no root: this is asked at every visit, and mostly true


def both(a: Scalar, b: Scalar) -> Scalar:
    """Whether both conditions hold.

    By numbers: of conditions joined by "and" LLVM makes branches, which took a third more time for 100 balls.
    """
    return select(a, select(b, 1.0, 0.0), 0.0) > 0.5


def in_disc(x: Parts, radius: Scalar) -> Parts:
    """Project a vector onto the disc of a radius about the origin."""
    square = dot(x, x)
    outside = square > radius * radius
    # the inner select, since both sides are computed and neither may divide by 0
    factor = select(outside, radius / sqrt(select(outside, square, 1.0)), 1.0)
    return [factor * part for part in x]


def least_speed(gap: Scalar, arriving: Scalar, free: Scalar, rebound: Scalar, h: Scalar, slow: Scalar) -> Scalar:
    """Return the least velocity along the normal at the end of a step h, m/s.

    The gap may just close. What strikes in the step leaves with the speed of its rebound, at once: it has come back
    within the step.

    arriving, free : velocity before the step, and after it without impulses. slow : speed of approach up to which
    nothing rebounds.
    """
    strikes = both(both(arriving < -slow, gap + h * free < 0.0), rebound > 0.0)
    return select(strikes, rebound, -maximum(gap, 0.0) / h)


def own_inverse(nn: Scalar, n1: Scalar, n2: Scalar, t11: Scalar, t12: Scalar, t22: Scalar) -> Parts:
    """Invert a point's own 3x3 block; return its upper triangle by rows, zeros if it is singular: such a point never
    sticks.

    Blocks are singular where a point cannot move along an axis, as across the plane of a planar mechanism.
    """
    a, b, c, d, e, f = nn, n1, n2, t11, t12, t22
    cofactors = [d * f - e * e, c * e - b * f, b * e - c * d, a * f - c * c, b * c - a * e, a * d - b * b]
    determinant = a * cofactors[0] + b * cofactors[1] + c * cofactors[2]
    # by Hadamard's inequality the determinant is at most the product of the diagonal
    regular = determinant > REGULAR * (a * d * f)
    factor = select(regular, 1.0 / select(regular, determinant, 1.0), 0.0)
    return [factor * x for x in cofactors]


def steepest(t11: Scalar, t12: Scalar, t22: Scalar) -> Scalar:
    """Return the larger eigenvalue of the tangential block."""
    mean, half = 0.5 * (t11 + t22), 0.5 * (t11 - t22)
    return mean + sqrt(half * half + t12 * t12)


def arrested(old: Parts, wrong: Parts, inverse: Parts) -> Parts:
    """Return the impulse that stops a point altogether. wrong : velocity, along the normal less the least allowed."""
    a, b, c, d, e, f = inverse
    return [x - dot(row, wrong) for x, row in zip(old, ((a, b, c), (b, d, e), (c, e, f)), strict=True)]


def sticks(arrested: Parts, inverse: Parts, friction: Friction) -> Scalar:
    """Whether the impulse that stops a point pushes, and friction can give it."""
    push, *along = arrested
    return both(both(inverse[0] > 0.0, push > 0.0), friction.gives(along, push))


def slid(
    old: Parts,
    wrong: Parts,
    nn: Scalar,
    tt: Scalar,
    coupling: Parts,
    friction: Friction,
) -> Parts:
    """Return the impulse of a point that separates or slides; what cannot move keeps its own.

    nn, tt : normal diagonal term and `steepest` of its block. coupling : tangential velocities per unit normal impulse.
    """
    push, *along = old
    new = select(nn > 0.0, maximum(push - wrong[0] / select(nn > 0.0, nn, 1.0), 0.0), push)
    # the tangential velocity once the normal impulse has changed
    slip = [u + k * (new - push) for u, k in zip(wrong[1:], coupling, strict=True)]
    # a gradient step; with the largest eigenvalue it cannot overshoot in any direction
    wanted = [x - u / select(tt > 0.0, tt, 1.0) for x, u in zip(along, slip, strict=True)]
    moves = both(nn > 0.0, tt > 0.0)
    return [new, *(select(moves, y, x) for x, y in zip(along, friction.nearest(wanted, new), strict=True))]


def missed(wrong: Parts, impulse: Parts, nn: Scalar, tt: Scalar, friction: Friction) -> Scalar:
    """Return by how much a point violates its law, as a velocity.

    Complementarity by min(u, nn impulse); friction by the distance of the tangential impulse from its projected update.
    """
    push, *along = impulse
    step = select(tt > 0.0, tt, 1.0)
    wanted = [x - u / step for x, u in zip(along, wrong[1:], strict=True)]
    off = [x - y for x, y in zip(along, friction.nearest(wanted, maximum(push, 0.0)), strict=True)]
    return maximum(abs(minimum(wrong[0], nn * push)), step * sqrt(dot(off, off)))
