"""Gyroscopic step for freely tumbling bodies in semi-implicit Euler steps, which keeps them from gaining energy."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot, skew
from rbdkit.trace import Scalar


def gyroscopic(w: Vector, inertia: Matrix, h: Scalar) -> Vector:
    """Return the change of angular velocity in a step h beyond that of explicit Euler, all in body axes.

    An explicit step of ``I w' = -w x I w`` gains energy with (h w)^2, until the motion blows up. This correction makes
    it the linearised midpoint rule: ``(I + h/2 (w~ I - (I w)~)) d = -h w x I w``.
    """
    spin = inertia @ w
    push = -h * cross(w, spin)
    slope = (0.5 * h) * (skew(w) @ inertia - skew(spin))
    # the explicit step, the second term, has been taken already
    return solved(inertia + slope, push) - solved(inertia, push)


def solved(A: Matrix, b: Vector) -> Vector:
    """Return A^-1 b by Cramer's rule."""
    first, second, third = A.T
    across = cross(second, third)
    factor = 1.0 / dot(first, across)
    return factor * Vector((dot(b, across), dot(first, cross(b, third)), dot(first, cross(second, b))))


def steadied(old: Sequence[Scalar], new: Sequence[Scalar], H: Sequence[Sequence[Scalar]], h: Scalar) -> list[Scalar]:
    """Correct the velocities `new` of a spherical or free joint after an Euler step from `old`.

    H : the joint's block of the inertia matrix; the bodies beyond it count as rigidly attached.
    """
    inertia = Matrix.of([H[k][m] for k in range(3) for m in range(3)])
    if len(old) == 3:
        return [*(Vector(new) + gyroscopic(Vector(old), inertia, h))]
    # The correction turns the composite body about its centre of mass, which must not be accelerated by it.
    lever = Matrix.of([H[k][3 + m] / H[3 + m][3 + m] for k in range(3) for m in range(3)])
    coupling = Matrix.of([H[k][3 + m] for k in range(3) for m in range(3)])
    about_com = inertia - lever @ coupling.T
    change = gyroscopic(Vector(old[:3]), about_com, h)
    return [*(Vector(new[:3]) + change), *(Vector(new[3:]) - lever.T @ change)]
