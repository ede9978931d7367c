"""Implicit form of a joint: its constraint equations between two frames at any relative pose and velocity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType
from rbdkit.spatial import se3


@dataclass(frozen=True, eq=False)
class LoopForm:
    """Constraint equations of a loop joint at one relative pose (Featherstone 2008, Eqs 3.38, 3.44).

    ``T^T (v_J - sigma) = 0`` and ``T^T (a_J - c_J) = 0``, in successor coordinates; a_J is the apparent rate of v_J, in
    axes that move with the successor frame.

    Attributes
    ----------
    kind, v_J, t
        The arguments of `loop_form`.
    pose, X_J : ndarray (4, 4)
        Poses of the successor frame in the predecessor frame: the given one, and that of the joint at q.
    q : ndarray (nq,)
        Joint coordinates that come closest to the pose.
    S, T : ndarray (6, nv), (6, 6 - nv)
        Motion subspace and constraint-force subspace at q.
    sigma : ndarray (6,)
        Prescribed velocity; zero except for prescribed joints.
    """

    kind: JointType
    v_J: NDArray
    t: float

    pose: NDArray
    X_J: NDArray
    q: NDArray
    S: NDArray
    T: NDArray
    sigma: NDArray

    @cached_property
    def delta(self) -> NDArray:
        """Position error (6 - nv,), rad and m: T^T d, d the displacement from X_J to the pose (Eqs 8.25-8.27)."""
        return self.T.T @ se3.log(se3.inverse(self.X_J) @ self.pose)

    @cached_property
    def c_J(self) -> NDArray:
        """Velocity-product acceleration (6,), at the joint velocity that comes closest to v_J (least squares)."""
        qd = np.linalg.lstsq(self.S, self.v_J - self.sigma, rcond=None)[0]
        return self.kind.velocity_product(self.q, qd, self.t)


def loop_form(kind: JointType, pose: NDArray, v_J: NDArray, t: float = 0.0) -> LoopForm:
    """Evaluate the constraint equations of a loop joint at a relative pose and velocity of its frames.

    Parameters
    ----------
    kind : JointType
        The joint type, user-defined ones included.
    pose : ndarray (4, 4)
        Pose of the successor frame in the predecessor frame, closed or not.
    v_J : ndarray (6,)
        Velocity across the joint, in successor coordinates.
    t : float, optional
        Time in s, for prescribed joints.
    """
    q = kind.project(pose)
    S, T = kind.motion_subspace(q), kind.constraint_subspace(q)
    sigma = kind.velocity(q, np.zeros(kind.nv), t)
    return LoopForm(kind, v_J, t, pose, kind.pose(q, t), q, S, T, sigma)
