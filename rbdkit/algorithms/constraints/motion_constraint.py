"""Constraints on the motion of a model beyond those of its joints: what they provide, and the motion under them."""

from __future__ import annotations

from typing import ClassVar, Protocol

from numpy.typing import NDArray

from rbdkit.algorithms.constraints.equation import equation_of_motion
from rbdkit.algorithms.constraints.implicit import ImplicitResult, apply_implicit
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.model import Model


class MotionConstraint(Protocol):
    """K(q) qd = w(q, t): linear in the velocities, as holonomic and nonholonomic constraints both are (Eqs 3.29, 3.30).

    Attributes
    ----------
    unilateral
        Numbers of the rows that can push only, with lam >= 0; they hold as equations while they do push.
    """

    unilateral: ClassVar[tuple[int, ...]]

    def K(self, q: NDArray) -> NDArray:
        """Coefficients of the velocity variables, shape (n_c, nv)."""
        ...

    def w(self, q: NDArray, t: float) -> NDArray:
        """Right-hand side of the velocity constraint, shape (n_c,); zero unless something drives it."""
        ...

    def k(self, q: NDArray, qd: NDArray, t: float) -> NDArray:
        """Right-hand side of K qdd = k, shape (n_c,): dw/dt - dK/dt qd."""
        ...


def constrained_motion(
    model: Model,
    constraint: MotionConstraint,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> ImplicitResult:
    """Accelerations and constraint forces of a model under a constraint (Featherstone 2008, Eq 3.17).

    Parameters
    ----------
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
    return apply_implicit(
        equation_of_motion(model, q, qd, tau, f_ext=f_ext, t=t), constraint.K(q), constraint.k(q, qd, t)
    )


def velocity_error(constraint: MotionConstraint, q: NDArray, qd: NDArray, *, t: float = 0.0) -> NDArray:
    """How far a state is from obeying the constraint, K qd - w, shape (n_c,)."""
    return constraint.K(q) @ qd - constraint.w(q, t)


def lets_go(constraint: MotionConstraint, lam: NDArray) -> bool:
    """Whether a row that can push only would have to pull: the inequality behind it is then no longer an equation."""
    return any(lam[row] < 0.0 for row in constraint.unilateral)
