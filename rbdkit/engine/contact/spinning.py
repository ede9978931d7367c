"""What spins and tumbles freely, in steps that take forces at their beginning: without gaining energy."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot, skew
from rbdkit.trace import Scalar


def gyroscopic(w: Vector, inertia: Matrix, h: Scalar) -> Vector:
    """By how much the angular velocity after a step h differs from that of Euler's step, all in the body's axes.

    Euler's step of ``I w' = -w x I w`` gains energy, with (h w)^2, until nothing is left of the motion. This is what
    the midpoint rule, linearised, has more: ``(I + h/2 (w~ I - (I w)~)) d = -h w x I w``.
    """
    spin = inertia @ w
    push = -h * cross(w, spin)
    slope = (0.5 * h) * (skew(w) @ inertia - skew(spin))
    return solved(inertia + slope, push) - solved(inertia, push)


def solved(A: Matrix, b: Vector) -> Vector:
    """A^-1 b, by Cramer's rule."""
    first, second, third = A.T
    across = cross(second, third)
    factor = 1.0 / dot(first, across)
    return factor * Vector((dot(b, across), dot(first, cross(b, third)), dot(first, cross(second, b))))


def steadied(old: Sequence[Scalar], new: Sequence[Scalar], H: Sequence[Sequence[Scalar]], h: Scalar) -> list[Scalar]:
    """Velocities `new` of a ball joint or a free one after Euler's step from `old`, mended in this sense.

    H : the block of the inertia matrix that belongs to it; what it carries counts as frozen.
    """
    inertia = Matrix.of([H[k][m] for k in range(3) for m in range(3)])
    if len(old) == 3:
        return [*(Vector(new) + gyroscopic(Vector(old), inertia, h))]
    lever = Matrix.of([H[k][3 + m] / H[3 + m][3 + m] for k in range(3) for m in range(3)])
    coupling = Matrix.of([H[k][3 + m] for k in range(3) for m in range(3)])
    about_com = inertia - lever @ coupling.T
    change = gyroscopic(Vector(old[:3]), about_com, h)
    return [*(Vector(new[:3]) + change), *(Vector(new[3:]) - lever.T @ change)]
