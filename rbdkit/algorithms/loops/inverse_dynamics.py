"""Inverse dynamics of closed-loop systems, and the classification of their actuation.

The loops leave n - r freedoms, columns of G. Inverse dynamics of the spanning tree gives tau_ID; actuator forces u must
satisfy G_u^T u = G^T tau_ID, where G_u are the rows of G with an actuator (Eq 8.63). The rank of G_u tells whether
there are too few actuators, or redundant ones (section 8.12).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.crba import crba
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.loops.explicit_constraint import explicit_constraint
from rbdkit.algorithms.loops.independent_rows import independent_rows, row_space
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint, loop_constraint
from rbdkit.algorithms.loops.loop_forces import LoopEfforts, bias_force_with_loops
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.requirements import require_no_constraints
from rbdkit.spatial.read_numbers import shown

Actuation = Literal["proper", "under", "redundant", "under and redundant"]
OPEN = 1e-6
"""Tolerance, relative to the terms of K qdd = k, to which given accelerations must satisfy it."""
LEVER = 1e-12
"""Movement of actuated joints in a motion of unit size that counts as round-off."""
NEARLY = 1e6
"""Condition number of G_u above which the actuation counts as nearly singular."""


@dataclass(frozen=True, eq=False)
class ActuatedFreedoms:
    """Motions of a closed-loop system that its actuators drive (Featherstone 2008, section 8.12).

    Attributes
    ----------
    actuated : tuple of int
        Velocity variables with an actuator, p of them.
    G_u, G_0 : ndarray (p, n - r), (n - p, n - r)
        Rows of G with and without an actuator.
    rank : int
        Rank of G_u.
    singular_values : ndarray
        Singular values of G_u for an orthonormal G, independent of the choice of independent variables.
    """

    actuated: tuple[int, ...]
    G_u: NDArray
    G_0: NDArray
    rank: int
    singular_values: NDArray

    @property
    def mobility(self) -> int:
        """Degrees of freedom of the closed-loop system, n - r."""
        return self.G_u.shape[1]

    @property
    def kind(self) -> Actuation:
        """'under' if some motion has no actuator, 'redundant' if some forces have no effect, both, or 'proper'."""
        under, redundant = self.rank < self.mobility, len(self.actuated) > self.rank
        if under:
            return "under and redundant" if redundant else "under"
        return "redundant" if redundant else "proper"

    @property
    def condition(self) -> float:
        """Condition number of G_u: by what factor the hardest motion needs larger forces; inf if underactuated."""
        s = self.singular_values
        if self.rank < self.mobility:
            return float("inf")
        return float(s[0] / s[self.mobility - 1]) if self.mobility else 1.0

    @property
    def nearly_singular(self) -> bool:
        """Whether some motion is nearly out of the actuators' control."""
        return self.condition > NEARLY


@dataclass(frozen=True, eq=False)
class LoopInverseDynamics:
    """Result of `closed_loop_inverse_dynamics`.

    Attributes
    ----------
    tau : ndarray (nv,)
        Forces of the tree joints, zero without actuator.
    u : ndarray (p,)
        Forces of the actuators.
    tau_ID : ndarray (nv,)
        Inverse dynamics of the spanning tree alone.
    G : ndarray (nv, n - r)
        Basis of the motions that the loops allow.
    free : ndarray (p, p - rank)
        Orthonormal basis of the changes of u without effect on the motion.
    lam : ndarray (n_c,)
        Constraint-force variables with this tau, those of least norm if they are not unique.
    actuation : ActuatedFreedoms
        Classification of the actuation.
    """

    tau: NDArray
    u: NDArray
    tau_ID: NDArray
    G: NDArray
    free: NDArray
    lam: NDArray
    actuation: ActuatedFreedoms


def actuated_freedoms(
    model: Model, q: NDArray, actuated: Iterable[str | int] | None = None, *, t: float = 0.0
) -> ActuatedFreedoms:
    """Return which motions of a system its actuators drive (Featherstone 2008, section 8.12).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    actuated : iterable of str or int, optional
        Names of tree joints with actuators on all of their freedoms, or indices of velocity variables; all if not
        given.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If a joint is unknown, or a variable does not exist.
    """
    require_no_constraints(model, "the count of actuated freedoms")
    constraint = loop_constraint(model, q, np.zeros(model.nv), t=t)
    return _freedoms(_motions(constraint), actuated_variables(model, actuated))


def closed_loop_inverse_dynamics(
    model: Model,
    q: NDArray,
    qd: NDArray,
    qdd: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    actuated: Iterable[str | int] | None = None,
    weights: ArrayLike | None = None,
    tau_loop: LoopEfforts = None,
) -> LoopInverseDynamics:
    """Return joint forces for a given motion, of least norm if they are not unique (Featherstone 2008, Eqs 8.61-8.63).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    qd, qdd : ndarray (nv,)
        Velocities and accelerations that keep them closed.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    actuated : iterable of str or int, optional
        As in `actuated_freedoms`.
    weights : array_like (p,), optional
        Weights if u is not unique: ``sum(weights * u**2)`` is minimised; ones if not given.
    tau_loop : LoopEfforts, optional
        Known active forces of loop joints, by their names.

    Raises
    ------
    ModelError
        If a joint is unknown or a variable does not exist.
    StateError
        If qdd does not keep the loops closed, a weight is not positive, or the actuators cannot give the motion.
    """
    require_no_constraints(model, "inverse dynamics of closed loops")
    constraint = loop_constraint(model, q, qd, t=t)
    K, k = constraint.K, constraint.k
    missed = np.abs(K @ qdd - k)
    size = 1.0 + float(np.max(np.abs(K) @ np.abs(qdd) + np.abs(k), initial=0.0))
    for name, rows in zip(constraint.names, constraint.rows, strict=True):
        if missed[rows].max(initial=0.0) > OPEN * size:
            raise StateError(
                f"qdd opens loop joint {name!r} by {missed[rows].max():.3g} rad/s2 or m/s2; give accelerations that "
                "comply with K qdd = k, for example G ydd + g of explicit_constraint"
            )
    H = crba(model, q, t=t).H
    tau_ID = H @ qdd + bias_force_with_loops(model, q, qd, tau_loop, f_ext=f_ext, t=t)
    variables = actuated_variables(model, actuated)
    G = _motions(constraint)
    freedoms = _freedoms(G, variables)
    G_u = real_levers(freedoms.G_u)
    w = np.ones(len(variables)) if weights is None else np.asarray(weights, dtype=float)
    if w.shape != (len(variables),) or not np.all(w > 0.0):
        raise StateError(
            f"weights {np.asarray(weights).tolist()} must be {len(variables)} positive numbers, one for each u"
        )
    right = G.T @ tau_ID
    root = 1.0 / np.sqrt(w)
    u = root * np.linalg.lstsq(G_u.T * root, right, rcond=1e-12)[0]  # Eq 8.63, the smallest in the weighted norm
    left = np.abs(G_u.T @ u - right)
    if left.max(initial=0.0) > 1e-8 * (1.0 + np.abs(right).max(initial=0.0)):
        names = ", ".join(repr(_joint_of(model, j)) for j in variables) or "none"
        raise StateError(
            f"the actuated joints ({names}) move {freedoms.rank} of {freedoms.mobility} freedoms, and this motion "
            f"needs another one; {left.max():.3g} N m or N of force is missing there"
        )
    tau = np.zeros(model.nv)
    tau[list(variables)] = u
    lam = np.linalg.lstsq(K.T, tau_ID - tau, rcond=1e-10)[0]  # Eq 8.61
    free = np.linalg.svd(G_u.T)[2][freedoms.rank :].T
    return LoopInverseDynamics(tau, u, tau_ID, G, free, lam, freedoms)


def real_levers(moved: NDArray) -> NDArray:
    """Return how motions of unit size move the actuated joints (p, n), without what is round-off of that size.

    At a dead centre joints move by round-off only, and torques of 1e16 N m would seem to give any motion.
    """
    U, s, Vt = np.linalg.svd(moved, full_matrices=False)
    return (U * np.where(s > LEVER, s, 0.0)) @ Vt


def actuated_variables(model: Model, actuated: Iterable[str | int] | None) -> tuple[int, ...]:
    """Return indices of velocity variables from joint names or indices; all if None.

    Raises
    ------
    ModelError
        If a joint is unknown or has no freedom of its own, a variable does not exist, or one is named twice.
    """
    if actuated is None:
        return tuple(range(model.nv))
    found: list[int] = []
    if not isinstance(actuated, Iterable) or (isinstance(actuated, np.ndarray) and actuated.ndim != 1):
        raise ModelError(f"actuated = {shown(actuated)} must be names of joints or numbers of velocity variables")
    for entry in actuated:
        if isinstance(entry, str):
            known = [joint.name for joint in model.joints[1:] if joint.nv and joint.mimic is None]
            if entry not in known:
                raise ModelError(
                    f"joint {entry!r} is no tree joint of model {model.name!r} with freedoms of its own"
                    f"{did_you_mean(entry, known)}"
                )
            own = model.joint(entry).v_slice
            found += range(own.start, own.stop)
        elif not isinstance(entry, int | np.integer) or not 0 <= entry < model.nv:
            raise ModelError(
                f"velocity variable {shown(entry)} does not exist; model {model.name!r} has {model.nv}, from 0"
            )
        else:
            found.append(int(entry))
    if len({*found}) != len(found):
        raise ModelError(f"velocity variables {found} with actuators: one is named twice")
    return tuple(found)


def _motions(constraint: LoopConstraint) -> NDArray:
    """Return G of the constraint; pivoting chooses the independent variables."""
    space = row_space(constraint)
    kept = list(independent_rows(constraint, space))
    return explicit_constraint(constraint.K[kept], space.k[kept], space.r, tol=0.0).G


def _freedoms(G: NDArray, variables: tuple[int, ...]) -> ActuatedFreedoms:
    others = [j for j in range(len(G)) if j not in variables]
    s = np.linalg.svd(np.linalg.qr(G)[0][list(variables)], compute_uv=False)
    return ActuatedFreedoms(variables, G[list(variables)], G[others], int(np.count_nonzero(s > 1e-9)), s)


def _joint_of(model: Model, j: int) -> str:
    own = [joint for joint in model.joints if joint.v_slice.start <= j < joint.v_slice.stop]
    return own[0].name
