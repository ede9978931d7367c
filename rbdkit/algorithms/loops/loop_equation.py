"""Equation of motion of a spanning tree with loop joints, and its solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.loops.independent_rows import RowSpace, row_space
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint, loop_constraint
from rbdkit.algorithms.loops.loop_forces import LoopEfforts, bias_force_with_loops, joint_forces
from rbdkit.algorithms.sparse.expanded_parent import expanded_parent
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_constraints


@dataclass(frozen=True, eq=False)
class LoopEquation:
    """Closed-loop equation ``[H K^T; K 0] [qdd; -lambda] = [tau - C'; k + k_stab]`` (Featherstone 2008, Eq 8.36).

    Attributes
    ----------
    model : Model
        The model.
    H : ndarray (nv, nv)
        Inertia matrix of the spanning tree.
    C_, tau : ndarray (nv,)
        C' = C - tau^a, and the forces of the tree joints.
    constraint : LoopConstraint
        K, k and k_stab.
    space : RowSpace
        Rank and range of K.
    lam : tuple of int
        Parent array of the velocity variables.
    tau_loop : LoopEfforts
        Active forces of the loop joints.
    """

    model: Model
    H: NDArray
    C_: NDArray
    tau: NDArray
    constraint: LoopConstraint
    space: RowSpace
    lam: tuple[int, ...]
    tau_loop: LoopEfforts

    @property
    def matrix(self) -> NDArray:
        """Coefficient matrix of (qdd, -lambda), (nv + n_c, nv + n_c), of rank nv + r."""
        n_c, K = self.constraint.n_c, self.constraint.K
        return np.block([[self.H, K.T], [K, np.zeros((n_c, n_c))]])

    @property
    def right_hand_side(self) -> NDArray:
        """Right-hand side of Eq 8.36, (nv + n_c,)."""
        return np.concatenate([self.tau - self.C_, self.constraint.right_hand_side])

    def motion(self, qdd: NDArray, lam: NDArray) -> LoopMotion:
        """Return the solution qdd, lam with the joint forces and residuals that follow from it."""
        forces = joint_forces(self.model, self.constraint, lam, self.tau_loop)
        return LoopMotion(
            qdd, lam, self.constraint.K.T @ lam, forces, self.space.r, self.space.indeterminate,
            self.constraint.K @ qdd - self.constraint.right_hand_side,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class LoopMotion:
    """Solution of Eq 8.36.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Accelerations of the tree's joints; unique.
    lam : ndarray (n_c,)
        Constraint-force variables of the loop joints; those of least norm if they are not unique.
    tau_c : ndarray (nv,)
        Joint-space constraint force K^T lam; unique.
    f : dict of str to ndarray (6,)
        Force through each loop joint by its name, on its successor body, in coordinates of that body.
    r : int
        Number of independent constraints.
    indeterminate : ndarray (n_c,) of bool
        Elements of lam that are not unique.
    residual : ndarray (n_c,)
        K qdd - k - k_stab; nonzero only if dependent rows are inconsistent, and then of least norm.
    """

    qdd: NDArray
    lam: NDArray
    tau_c: NDArray
    f: dict[str, NDArray]
    r: int
    indeterminate: NDArray
    residual: NDArray


def loop_equation(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    tau_loop: LoopEfforts = None,
    stabilization: Baumgarte | None = None,
    tol: float | None = None,
) -> LoopEquation:
    """Return all terms of Eq 8.36 (Featherstone 2008, sections 8.1 to 8.7).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree, at which the loops are closed up to errors that stabilization removes.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    tau_loop : LoopEfforts, optional
        Active forces of loop joints, by their names.
    stabilization : Baumgarte, optional
        Stabilization of loop errors; none if not given.
    tol : float, optional
        Tolerance of the rank decision, see `row_space`.

    Raises
    ------
    ModelError, StateError
        If an active force is given for an unknown joint, or does not fit it; or if the model has constraint elements.
    """
    require_no_constraints(model, "the equation of closed loops")
    constraint = loop_constraint(model, q, qd, stabilization, t=t)
    C_ = bias_force_with_loops(model, q, qd, tau_loop, f_ext=f_ext, t=t)
    space = row_space(constraint, tol)
    return LoopEquation(
        model,
        crba(model, q, t=t).H,
        C_,
        np.asarray(tau, dtype=float),
        constraint,
        space,
        expanded_parent(model),
        tau_loop,
    )
