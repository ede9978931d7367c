"""The equations of a free body in w and H: one text for a state, for a stack of states, and for the compiled loop.

v_L = (U, Omega) is the twist of the central frame along its own axes, n = (n_13, n_46) the incremental motion vector;
as an `mv`, both have the angular part first. Equation numbers are those of Holzinger, Gerstmayr, Schöberl.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.engine.steps import manifold
from rbdkit.engine.steps.manifold import exp, quaternion_matrix
from rbdkit.formulations.body_system import BodyEquations, Values, flat, of_rows
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import Symmetric, Vector, cross, dot
from rbdkit.trace import Scalar

D_INVERSE, M_INVERSE_D_INVERSE_T, MASS, INERTIA, D = slice(36), slice(36, 72), 72, slice(73, 79), slice(79, 115)
"""Places of the parameters of a body: matrices row by row, of the inertia the upper triangle."""


def move(numbers: Values, x: Values, u: Values) -> list[Scalar]:
    """Return H exp(n) with n = D^-1 u (Eq 81)."""
    (R, p), n = of_rows(x), twist(numbers, u)
    turn, T_T = exp(n.omega)  # exp_SO(3) as a quaternion, and the transposed tangent operator of SO(3)
    return flat(R @ quaternion_matrix(turn), p + R @ T_T(n.v))  # Eqs 13, 14


def local_rate(numbers: Values, u: Values, w: Values) -> list[Scalar]:
    """Return D n' with n' = T^-1(n) D^-1 w (Eqs 11, 72-78)."""
    return coordinates(numbers, manifold.local_rate(twist(numbers, u), twist(numbers, w)))


def rate(numbers: Values, fall: Values, moment: Vector | None, x: Values, w: Values) -> list[Scalar]:
    """Return w' = M^-1 (Q - Gamma w) (Eq 79), Q = D^-T (force, moment) (Eq 53), Gamma w likewise (Eq 56)."""
    (R, _), v_L, m, J = of_rows(x), twist(numbers, w), numbers[MASS], inertia(numbers)
    Omega, U = v_L.omega, v_L.v
    # the components of U change by -Omega x U as the body's axes turn
    force = m * (R.T @ Vector(fall) - cross(Omega, U))
    gyroscopic = -cross(Omega, J @ Omega)
    return _times(numbers[M_INVERSE_D_INVERSE_T], [*force, *(gyroscopic if moment is None else moment + gyroscopic)])


def displacement(numbers: Values, x0: Values, x1: Values) -> list[Scalar]:
    """Return D n with exp(n) = H0^-1 H1, and an angle from 0 to pi."""
    (R0, p0), (R1, p1) = of_rows(x0), of_rows(x1)
    return coordinates(numbers, mv(*manifold.displacement(R0.T @ R1, R0.T @ (p1 - p0))))


def twist(numbers: Values, w: Values) -> mv:
    """Return v_L = D^-1 w (Eqs 55, 71)."""
    v_L = _times(numbers[D_INVERSE], w)
    return mv(Vector(v_L[3:]), Vector(v_L[:3]))


def coordinates(numbers: Values, v_L: mv) -> list[Scalar]:
    """Return w = D v_L (Eq 54)."""
    return _times(numbers[D], [*v_L.v, *v_L.omega])


def inertia(numbers: Values) -> Symmetric:
    """Return the inertia about the centre of mass."""
    return Symmetric(numbers[INERTIA])


def _times(matrix: Values, vector: Sequence[Scalar]) -> list[Scalar]:
    return [dot(matrix[k : k + 6], vector) for k in range(0, 36, 6)]


EQUATIONS = BodyEquations(
    "local_velocity", 12, 115, 3, move, local_rate, rate, displacement, of_rows, flat,
    lambda numbers, _, w: twist(numbers, w), lambda numbers, _, v_L: coordinates(numbers, v_L), inertia,
)  # fmt: skip
