"""The general joint constraint: what a joint lets move, how it moves by itself, and which forces it carries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.spatial.cross import cross_motion


@dataclass(frozen=True)
class JointConstraint:
    """A joint at one state, in successor coordinates (Featherstone 2008, section 3.5).

    Attributes
    ----------
    S : ndarray (6, n_f)
        Motion subspace.
    sigma : ndarray (6,)
        Bias velocity, zero unless the joint depends on time.
    T : ndarray (6, 6 - n_f)
        Constraint forces.
    T_a : ndarray (6, n_f)
        Active forces, T_a^T S = 1.
    v_J : ndarray (6,)
        Joint velocity.
    c_J : ndarray (6,)
        The part of the apparent joint acceleration that is there without qdd.
    """

    S: NDArray
    sigma: NDArray
    T: NDArray
    T_a: NDArray
    v_J: NDArray
    c_J: NDArray

    def force(self, tau: NDArray, lam: NDArray) -> NDArray:
        """f_J = T_a tau + T lam, transmitted from predecessor to successor, (6,) (Eq 3.34)."""
        return self.T_a @ tau + self.T @ lam

    def generalized_force(self, f_J: NDArray) -> NDArray:
        """tau = S^T f_J, shape (n_f,) (Eq 3.37)."""
        return self.S.T @ f_J

    def constraint_force(self, f_J: NDArray) -> NDArray:
        """T lam, the part (6,) of f_J that the bearings carry; it depends on where the active force acts (T_a)."""
        return f_J - self.T_a @ (self.S.T @ f_J)

    def acceleration(self, qdd: NDArray, v_s: NDArray) -> NDArray:
        """a_J = S qdd + c_J + v_s x v_J, (6,), with v_s the velocity of the successor (Eq 3.40)."""
        return self.S @ qdd + self.c_J + cross_motion(v_s, self.v_J)

    def power(self, tau: NDArray, qd: NDArray, lam: NDArray) -> tuple[float, float]:
        """Power in W that the two sources give the bodies: tau . qd by the actuator, f_J . sigma by the drive."""
        return float(tau @ qd), float(self.force(tau, lam) @ self.sigma)


def joint_constraint(
    joint: JointType, q: NDArray, qd: NDArray, *, t: float = 0.0, active: NDArray | None = None
) -> JointConstraint:
    """All matrices and vectors of a joint's constraint (Featherstone 2008, Eqs 3.31-3.44).

    Parameters
    ----------
    joint : JointType
        Joint type.
    q : ndarray (nq,)
    qd : ndarray (nv,)
    t : float, optional
        Time in s, for joints that depend on it.
    active : ndarray (6, nv), optional
        Forces in successor coordinates that the actuators exert, one a column, of any size: they become T_a. If not
        given, S (S^T S)^-1: couples about the axes that turn and forces along those that slide.

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
    """T_a, shape (6, n_f), with the range of the given forces and T_a^T S = 1 (Featherstone 2008, Eq 3.35).

    Raises
    ------
    ModelError
        If some velocity of the joint gets no power from any of these forces.
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
