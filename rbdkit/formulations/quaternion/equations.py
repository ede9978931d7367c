"""The equations of a free body with a quaternion on scalars, for the compiled loop; `system` has them on arrays."""

from __future__ import annotations

from rbdkit.engine.steps.manifold import exp, from_matrix, jacobian_inverse, quaternion_matrix, quaternion_product
from rbdkit.formulations.body_system import BodyEquations, Central, Values
from rbdkit.spatial.vector3 import ZERO, Symmetric, Vector, cross
from rbdkit.trace import Scalar


def move(numbers: Values, x: Values, u: Values) -> list[Scalar]:
    """Return the quaternion times exp(n), and the position shifted."""
    turn, _ = exp(Vector(u[:3]))
    return [*quaternion_product(x[:4], turn), *(Vector(x[4:]) + Vector(u[3:]))]


def local_rate(numbers: Values, u: Values, v: Values) -> list[Scalar]:
    """Return the rate of the displacement: n' = T^-1(n) Omega, and the velocity."""
    T_inverse, _ = jacobian_inverse(Vector(u[:3]), ZERO)
    return [*T_inverse(Vector(v[:3])), *v[3:]]


def rate(numbers: Values, fall: Values, moment: Vector | None, x: Values, v: Values) -> list[Scalar]:
    """Return accelerations by Euler's equations. numbers : (12,) the upper triangles of J and of J^-1."""
    J, J_inverse = Symmetric(numbers[:6]), Symmetric(numbers[6:])
    Omega = Vector(v[:3])
    gyroscopic = -cross(Omega, J @ Omega)
    return [*(J_inverse @ (gyroscopic if moment is None else moment + gyroscopic)), *fall]


def central(numbers: Values, x: Values, v: Values) -> Central:
    """Return pose and twist of the central frame."""
    R = quaternion_matrix(x[:4])
    return R, Vector(x[4:]), R.T @ Vector(v[3:]), Vector(v[:3])


def placed(numbers: Values, frame: Central) -> tuple[list[Scalar], list[Scalar]]:
    """Return x and v of a central frame."""
    R, r, U, Omega = frame
    return [*from_matrix(R), *r], [*Omega, *(R @ U)]


def inertia(numbers: Values) -> Symmetric:
    """Return the inertia about the centre of mass."""
    return Symmetric(numbers[:6])


EQUATIONS = BodyEquations(
    "quaternion",
    nx=7,
    nv=6,
    numbers=12,
    turn=0,
    move=move,
    local_rate=local_rate,
    rate=rate,
    central=central,
    placed=placed,
    inertia=inertia,
)
