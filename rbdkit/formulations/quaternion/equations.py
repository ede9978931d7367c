"""The equations of a free body with a quaternion on scalars, for the compiled loop; `system` has them on arrays."""

from __future__ import annotations

from rbdkit.engine.steps.manifold import exp, jacobian_inverse, quaternion_product
from rbdkit.formulations.body_loop import BodyEquations, Values
from rbdkit.spatial.vector3 import ZERO, Symmetric, Vector, cross
from rbdkit.trace import Scalar


def move(x: Values, u: Values) -> list[Scalar]:
    """The quaternion times exp(n), and the position shifted."""
    turn, _ = exp(Vector(u[:3]))
    return [*quaternion_product(x[:4], turn), *(Vector(x[4:]) + Vector(u[3:]))]


def rates(numbers: Values, gravity: Values, x: Values, u: Values, v: Values) -> tuple[list[Scalar], list[Scalar]]:
    """n' = T^-1(n) Omega and Euler's equations. numbers : (12,) the upper triangles of J and of J^-1."""
    J, J_inverse = Symmetric(numbers[:6]), Symmetric(numbers[6:])
    Omega = Vector(v[:3])
    T_inverse, _ = jacobian_inverse(Vector(u[:3]), ZERO)
    return [*T_inverse(Omega), *v[3:]], [*(J_inverse @ -cross(Omega, J @ Omega)), *gravity]


EQUATIONS = BodyEquations("quaternion", nx=7, nv=6, numbers=12, turn=0, move=move, rates=rates)
