"""Protocol of constraints on the motion of a model, and the motion of a model under such constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.bias_force import bias_force
from rbdkit.algorithms.constraints.equation import EquationOfMotion, equation_of_motion
from rbdkit.algorithms.constraints.held import Held
from rbdkit.algorithms.constraints.implicit import ImplicitResult, apply_implicit
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.model import Model
from rbdkit.model.constraint import Row


class MotionConstraint(Protocol):
    """Constraint K(q, t) qd = w(q, t), holonomic or nonholonomic (Featherstone 2008, Eqs 3.29, 3.30).

    Examples are `RollingContact` and `TautString`; `constraints_of` returns all constraints of a model.
    """

    @property
    def rows(self) -> tuple[Row, ...]:
        """Description of each row: unit, holonomic or not, unilateral or not."""
        ...

    @property
    def unilateral(self) -> tuple[int, ...]:
        """Indices of the unilateral rows, lam >= 0; they act as equations while their force is positive."""
        ...

    def gap(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the position error (n_c,), rad or m; 0 for nonholonomic rows."""
        ...

    def K(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the constraint Jacobian, shape (n_c, nv)."""
        ...

    def w(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the right-hand side of the velocity constraint, shape (n_c,); zero unless it is driven."""
        ...

    def k(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Return the right-hand side of K qdd = k, shape (n_c,): dw/dt - dK/dt qd."""
        ...


def constrained_motion(
    model: Model,
    constraint: MotionConstraint | Sequence[MotionConstraint],
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> ImplicitResult:
    """Return accelerations and constraint forces of a model under constraints (Featherstone 2008, Eq 3.17).

    Parameters
    ----------
    constraint : MotionConstraint or sequence of MotionConstraint
        ``lam`` has their rows in this order. Unilateral rows are treated as equations. If the model itself has loop
        joints or constraints, all of them must be given, as `constraints_of` returns them.
    q : ndarray (nq,)
        Coordinates.
    qd, tau : ndarray (nv,)
        Joint velocities and forces.
    f_ext : ExternalForces, optional
        External forces, see `external_forces`.
    t : float, optional
        Time, s.

    Notes
    -----
    `tau_c` of the result is a joint force: ``simulate(model, ..., tau=untraced(lambda t, q, v:
    constrained_motion(model, constraint, q, v, zeros).tau_c))`` moves the model under the constraint.
    """
    together = constraint if isinstance(constraint, Sequence) else (constraint,)
    K = np.concatenate([np.zeros((0, model.nv)), *(own.K(q, t) for own in together)])
    k = np.concatenate([np.zeros(0), *(own.k(q, qd, t) for own in together)])
    given = {own.name for own in together if isinstance(own, Held)}
    if given.issuperset(_holding(model)):  # they replace the model's own, so they act on its tree alone
        C, H = bias_force(model, q, qd, f_ext=f_ext, t=t), crba(model, q, t=t).H
        return apply_implicit(EquationOfMotion(H, C, tau), K, k)
    return apply_implicit(equation_of_motion(model, q, qd, tau, f_ext=f_ext, t=t), K, k)


def _holding(model: Model) -> tuple[str, ...]:
    """Return the names of the loop joints and constraint elements of a model."""
    return *(loop.joint.name for loop in model.loops), *(own.name for own in model.constraints)


def velocity_error(constraint: MotionConstraint, q: NDArray, qd: NDArray, *, t: float = 0.0) -> NDArray:
    """Return the velocity error K qd - w of the constraint at a state, shape (n_c,)."""
    return constraint.K(q, t) @ qd - constraint.w(q, t)


def lets_go(constraint: MotionConstraint, lam: NDArray) -> bool:
    """Return whether a unilateral row has a negative force: its inequality is then no longer active."""
    return any(lam[row] < 0.0 for row in constraint.unilateral)
