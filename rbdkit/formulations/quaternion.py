"""Free bodies with unit quaternions, moved by incremental rotation vectors (Terze, Müller, Zlatar 2016).

The equations are one text for a state, for a stack of states, and for the compiled loop. The numbers of a body are the
upper triangles of J and J^-1.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rbdkit.engine.steps.manifold import (
    exp,
    from_matrix,
    jacobian_inverse,
    log,
    quaternion_matrix,
    quaternion_product,
)
from rbdkit.formulations.body_system import BodyEquations, Values
from rbdkit.formulations.formulation import Force
from rbdkit.formulations.free_bodies import FreeBodies
from rbdkit.model import Model
from rbdkit.spatial.compact import mv
from rbdkit.spatial.vector3 import ZERO, Matrix, Symmetric, Vector, cross
from rbdkit.trace import Scalar


def move(numbers: Values, x: Values, u: Values) -> list[Scalar]:
    """Return p exp(n), and the position shifted."""
    turn, _ = exp(Vector(u[:3]))
    return [*quaternion_product(x[:4], turn), *(Vector(x[4:]) + Vector(u[3:]))]


def local_rate(numbers: Values, u: Values, v: Values) -> list[Scalar]:
    """Return n' = T_SO(3)^-1(n) Omega, and the velocity."""
    T_inverse, _ = jacobian_inverse(Vector(u[:3]), ZERO)
    return [*T_inverse(Vector(v[:3])), *v[3:]]


def rate(numbers: Values, fall: Values, moment: Vector | None, x: Values, v: Values) -> list[Scalar]:
    """Return J^-1 (moment - Omega x J Omega), Euler's equations, and the acceleration of the centre of mass."""
    Omega = Vector(v[:3])
    # in body axes the inertia is constant, and the angular momentum turns against the body
    gyroscopic = -cross(Omega, inertia(numbers) @ Omega)
    return [*(Symmetric(numbers[6:]) @ (gyroscopic if moment is None else moment + gyroscopic)), *fall]


def displacement(numbers: Values, x0: Values, x1: Values) -> list[Scalar]:
    """Return n with p0 exp(n) = p1 and an angle from 0 to pi, and the shift."""
    p0, p1, p2, p3 = x0[:4]
    return [*log(quaternion_product([p0, -p1, -p2, -p3], x1[:4])), *(Vector(x1[4:]) - Vector(x0[4:]))]


def pose(x: Values) -> tuple[Matrix, Vector]:
    """Return rotation and position of the central frame."""
    return quaternion_matrix(x[:4]), Vector(x[4:])


def place(R: Matrix, r: Vector) -> list[Scalar]:
    """Return the x of a central frame."""
    return [*from_matrix(R), *r]


def twist(numbers: Values, R: Matrix, v: Values) -> mv:
    """Return the twist of the central frame, along its axes."""
    return mv(Vector(v[:3]), R.T @ Vector(v[3:]))


def velocity(numbers: Values, R: Matrix, V: mv) -> list[Scalar]:
    """Return the v of a twist."""
    return [*V.omega, *(R @ V.v)]


def inertia(numbers: Values) -> Symmetric:
    """Return the inertia about the centre of mass."""
    return Symmetric(numbers[:6])


EQUATIONS = BodyEquations(
    "quaternion", 7, 12, 0, move, local_rate, rate, displacement, pose, place, twist, velocity, inertia
)


class QuaternionBodies(FreeBodies):
    """The `Formulation` whose x are a quaternion and a position of each body and whose v are (Omega, velocity).

    Omega is in body axes, the velocity of the centre of mass in world axes. The state moves by a rotation vector n and
    a shift: ``p = p0 exp(n)`` with ``n' = T_SO(3)^-1(n) Omega``: three equations, in place of four for the quaternion's
    rate with a norm condition. No quaternion is normalised: products of unit quaternions stay on the sphere. With
    ``"rk4"`` it is the method "f1" that Holzinger, Gerstmayr, Schöberl compare theirs against: Z. Terze, A. Müller,
    D. Zlatar, Singularity-free time integration of rotational quaternions using non-redundant ordinary differential
    equations, Multibody System Dynamics 38 (2016).

    Parameters
    ----------
    model : Model
        Free bodies.
    tau : callable, optional
        Joint forces as a function of (t, x, v), or None.
    f_ext : callable, optional
        External forces (bodies, 6) as a function of (t, x, v), or None.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> q, v = rbd.library.tumbling_box_state(spin=(1.0, 2.0, 3.0))
    >>> motion = rbd.simulate(rbd.library.tumbling_box(), q, v, duration=0.2, formulation="quaternion")
    >>> bool(np.abs(np.linalg.norm(motion.q[:, :4], axis=1) - 1.0).max() < 1e-13)
    True
    """

    name: ClassVar[str] = "quaternion"
    equations = EQUATIONS

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None) -> None:
        super().__init__(model, tau, f_ext)
        upper = np.triu_indices(3)
        self.numbers = np.hstack([self.J[:, *upper], np.linalg.inv(self.J)[:, *upper]])
