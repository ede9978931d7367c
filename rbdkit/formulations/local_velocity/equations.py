"""The equations of a free body in w and H on scalars, for the compiled loop; `system` has them on arrays."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps.manifold import exp, jacobian_inverse, quaternion_matrix
from rbdkit.formulations.body_system import BodyEquations, Central, Values
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, cross
from rbdkit.trace import Scalar


def move(numbers: Values, x: Values, u: Values) -> list[Scalar]:
    """Return H exp(n) (Eqs 13, 14, 81) with n = D^-1 u."""
    R, p = _pose(x)
    n = _times(numbers[:36], u)
    turn, mean = exp(Vector(n[3:]))
    R, p = R @ quaternion_matrix(turn), p + R @ mean(Vector(n[:3]))
    return [value for row, shift in zip(R, p, strict=True) for value in (*row, shift)]


def local_rate(numbers: Values, u: Values, w: Values) -> list[Scalar]:
    """Return D n' with n' = T^-1(n) D^-1 w (Eqs 72-78)."""
    n, v_L = _times(numbers[:36], u), _times(numbers[:36], w)
    U, Omega = Vector(v_L[:3]), Vector(v_L[3:])
    J, D = jacobian_inverse(Vector(n[3:]), Vector(n[:3]))
    return _times(numbers[79:], [*(J(U) + D(Omega)), *J(Omega)])


def rate(numbers: Values, fall: Values, moment: Vector | None, x: Values, w: Values) -> list[Scalar]:
    """w' = M^-1 (Q - Gamma w) (Eq 79).

    numbers : (115,) D^-1, M^-1 D^-T, the mass, the upper triangle of the inertia, D.
    """
    mass, inertia = numbers[72], Symmetric(numbers[73:79])
    v_L = _times(numbers[:36], w)
    U, Omega = Vector(v_L[:3]), Vector(v_L[3:])
    force = mass * (_pose(x)[0].T @ Vector(fall) - cross(Omega, U))
    gyroscopic = -cross(Omega, inertia @ Omega)
    return _times(numbers[36:72], [*force, *(gyroscopic if moment is None else moment + gyroscopic)])


def central(numbers: Values, x: Values, w: Values) -> Central:
    """Return pose and twist of the central frame."""
    v_L = _times(numbers[:36], w)
    return *_pose(x), Vector(v_L[:3]), Vector(v_L[3:])


def placed(numbers: Values, frame: Central) -> tuple[list[Scalar], list[Scalar]]:
    """Return x and w of a central frame."""
    R, p, U, Omega = frame
    x = [value for row, shift in zip(R, p, strict=True) for value in (*row, shift)]
    return x, _times(numbers[79:], [*U, *Omega])


def inertia(numbers: Values) -> Symmetric:
    """Return the inertia about the centre of mass."""
    return Symmetric(numbers[73:79])


EQUATIONS = BodyEquations(
    "local_velocity",
    nx=12,
    nv=6,
    numbers=115,
    turn=3,
    move=move,
    local_rate=local_rate,
    rate=rate,
    central=central,
    placed=placed,
    inertia=inertia,
)


def _pose(x: Values) -> tuple[Matrix, Vector]:
    return Matrix(Vector(x[k : k + 3]) for k in (0, 4, 8)), Vector(x[3::4])


def _times(matrix: Values, vector: Sequence[Scalar]) -> list[Scalar]:
    """A 6x6 matrix, row by row, times a vector."""
    products = ([matrix[6 * i + k] * vector[k] for k in range(6)] for i in range(6))
    return [sum(terms[1:], terms[0]) for terms in products]
