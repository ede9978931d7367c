"""General joint constraint: motion subspace, bias velocity, constraint and active forces (section 3.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.spatial.cross import cross_motion


@dataclass(frozen=True)
class JointConstraint:
    """Constraint of a joint at one state, in successor coordinates (Featherstone 2008, section 3.5).

    Attributes
    ----------
    S : ndarray (6, n_f)
        Motion subspace.
    sigma : ndarray (6,)
        Bias velocity, zero unless the joint depends on time.
    T : ndarray (6, 6 - n_f)
        Constraint-force subspace.
    T_a : ndarray (6, n_f)
        Active-force subspace, T_a^T S = 1.
    v_J : ndarray (6,)
        Joint velocity.
    c_J : ndarray (6,)
        Apparent joint acceleration at qdd = 0.
    """

    S: NDArray
    sigma: NDArray
    T: NDArray
    T_a: NDArray
    v_J: NDArray
    c_J: NDArray

    def force(self, tau: NDArray, lam: NDArray) -> NDArray:
        """Return f_J = T_a tau + T lam, transmitted from predecessor to successor, (6,) (Eq 3.34)."""
        return self.T_a @ tau + self.T @ lam

    def generalized_force(self, f_J: NDArray) -> NDArray:
        """Return tau = S^T f_J, shape (n_f,) (Eq 3.37)."""
        return self.S.T @ f_J

    def constraint_force(self, f_J: NDArray) -> NDArray:
        """Return T lam, the part (6,) of f_J that the bearings carry; it depends on the choice of T_a."""
        return f_J - self.T_a @ (self.S.T @ f_J)

    def acceleration(self, qdd: NDArray, v_s: NDArray) -> NDArray:
        """Return a_J = S qdd + c_J + v_s x v_J, (6,), with v_s the velocity of the successor (Eq 3.40)."""
        return self.S @ qdd + self.c_J + cross_motion(v_s, self.v_J)

    def power(self, tau: NDArray, qd: NDArray, lam: NDArray) -> tuple[float, float]:
        """Return the powers of the two sources, W: tau . qd by the actuator, f_J . sigma by the drive."""
        return float(tau @ qd), float(self.force(tau, lam) @ self.sigma)


def joint_constraint(
    joint: JointType, q: NDArray, qd: NDArray, *, t: float = 0.0, active: NDArray | None = None
) -> JointConstraint:
    """Return all matrices and vectors of a joint's constraint (Featherstone 2008, Eqs 3.31-3.44).

    Parameters
    ----------
    joint : JointType
        Joint type.
    q : ndarray (nq,)
        Coordinates of the joint.
    qd : ndarray (nv,)
        Velocities of the joint.
    t : float, optional
        Time in s, for joints that depend on it.
    active : ndarray (6, nv), optional
        Forces that the actuators exert, in successor coordinates, one per column and of any size; they span T_a. If
        not given, T_a = S (S^T S)^-1: couples about rotation axes and forces along translation axes.

    Raises
    ------
    ModelError
        If the active forces cannot drive every freedom of the joint.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    S = joint.motion_subspace(q)
    return JointConstraint(
        S=S,
        sigma=np.array(joint.velocity(q, np.zeros(joint.nv), t)),  # what is left of v_J at qd = 0, Eq 3.32
        T=joint.constraint_subspace(q),
        T_a=active_forces(S, S if active is None else np.asarray(active, dtype=float)),
        v_J=np.array(joint.velocity(q, qd, t)),
        c_J=joint.velocity_product(q, qd, t),
    )


def active_forces(S: NDArray, active: NDArray) -> NDArray:
    """Return T_a (6, n_f) with the range of the given forces and T_a^T S = 1 (Featherstone 2008, Eq 3.35).

    Raises
    ------
    ModelError
        If the forces have no power along some velocity of the joint.
    """
    if active.shape != S.shape:
        raise ModelError(f"active forces of shape {active.shape} do not fit a joint with S of shape {S.shape}")
    power = S.T @ active
    if power.size and np.linalg.matrix_rank(power) < len(power):
        raise ModelError(
            f"the active forces cannot drive the joint: S^T F = {power.tolist()} is singular; "
            "a force needs a lever arm about the axis it is to drive"
        )
    return active @ np.linalg.inv(power) if power.size else np.zeros((6, 0))
