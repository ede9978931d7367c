"""Constraints on the motion of a model beyond those of its joints: what they provide, and the motion under them."""

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
    """K(q, t) qd = w(q, t), linear in the velocities, holonomic or nonholonomic (Featherstone 2008, Eqs 3.29, 3.30).

    `RollingContact` and `TautString` are some, and `constraints_of` gives all of a model.
    """

    @property
    def rows(self) -> tuple[Row, ...]:
        """What there is to say of each row."""
        ...

    @property
    def unilateral(self) -> tuple[int, ...]:
        """Numbers of the rows that can push only, with lam >= 0; they hold as equations while they do push."""
        ...

    def gap(self, q: NDArray, t: float = 0.0) -> NDArray:
        """By how much positions miss, shape (n_c,), rad or m; 0 of rows on velocities alone."""
        ...

    def K(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Coefficients of the velocity variables, shape (n_c, nv)."""
        ...

    def w(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Right-hand side of the velocity constraint, shape (n_c,); zero unless something drives it."""
        ...

    def k(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Right-hand side of K qdd = k, shape (n_c,): dw/dt - dK/dt qd."""
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
    """Accelerations and constraint forces of a model under a constraint, or several (Featherstone 2008, Eq 3.17).

    Parameters
    ----------
    constraint : MotionConstraint or sequence of MotionConstraint
        ``lam`` has their rows one after the other. Bounds among them hold as equations. Of a model with loops or
        constraints, all of these are needed, as `constraints_of` gives them.
    q : ndarray (nq,)
    qd, tau : ndarray (nv,)
    f_ext : ExternalForces, optional
        See `external_forces`.
    t : float, optional
        s.

    Notes
    -----
    `tau_c` of the result is a joint force: ``simulate(model, ..., tau=untraced(lambda t, q, v:
    constrained_motion(model, constraint, q, v, zeros).tau_c))`` moves the model under the constraint.
    """
    together = constraint if isinstance(constraint, Sequence) else (constraint,)
    K = np.concatenate([np.zeros((0, model.nv)), *(own.K(q, t) for own in together)])
    k = np.concatenate([np.zeros(0), *(own.k(q, qd, t) for own in together)])
    given = {own.name for own in together if isinstance(own, Held)}
    if given.issuperset(_holding(model)):  # then the tree without them is what is constrained
        C, H = bias_force(model, q, qd, f_ext=f_ext, t=t), crba(model, q, t=t).H
        return apply_implicit(EquationOfMotion(H, C, tau), K, k)
    return apply_implicit(equation_of_motion(model, q, qd, tau, f_ext=f_ext, t=t), K, k)


def _holding(model: Model) -> tuple[str, ...]:
    """Names of what holds in a model besides its tree."""
    return *(loop.joint.name for loop in model.loops), *(own.name for own in model.constraints)


def velocity_error(constraint: MotionConstraint, q: NDArray, qd: NDArray, *, t: float = 0.0) -> NDArray:
    """How far a state is from obeying the constraint, K qd - w, shape (n_c,)."""
    return constraint.K(q, t) @ qd - constraint.w(q, t)


def lets_go(constraint: MotionConstraint, lam: NDArray) -> bool:
    """Whether a row that can push only would have to pull: the inequality behind it is then no longer an equation."""
    return any(lam[row] < 0.0 for row in constraint.unilateral)
