"""The implicit form of a joint: what it demands of two frames, wherever these happen to be and however they move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType
from rbdkit.spatial import se3


@dataclass(frozen=True, eq=False)
class LoopForm:
    """``T^T (v_J - sigma) = 0`` and ``T^T (a_J - c_J) = 0`` (Featherstone 2008, Eqs 3.38, 3.44).

    In successor coordinates; a_J is the apparent rate of v_J, in axes that move with the successor frame.

    Attributes
    ----------
    kind, v_J, t
        What `loop_form` was asked.
    pose, X_J : ndarray (4, 4)
        Of the successor frame in the predecessor frame: as it is, and as it would be at q.
    q : ndarray (nq,)
        Coordinates that come closest.
    S, T : ndarray (6, nv), (6, 6 - nv)
        What the joint allows and what it resists, at q.
    sigma : ndarray (6,)
        Velocity that time alone gives it; zero but for prescribed joints.
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
        """Acceleration (6,) that neither S qdd nor T explains, at the velocity nearest to v_J that the joint allows."""
        qd = np.linalg.lstsq(self.S, self.v_J - self.sigma, rcond=None)[0]
        return self.kind.velocity_product(self.q, qd, self.t)


def loop_form(kind: JointType, pose: NDArray, v_J: NDArray, t: float = 0.0) -> LoopForm:
    """What a joint demands of two frames.

    Parameters
    ----------
    kind : JointType
        Any, a user's own too.
    pose : ndarray (4, 4)
        Of the successor frame in the predecessor frame, as the bodies happen to be.
    v_J : ndarray (6,)
        Velocity across the joint, in successor coordinates.
    t : float, optional
        Time in s, for prescribed joints.
    """
    q = kind.project(pose)
    S, T = kind.motion_subspace(q), kind.constraint_subspace(q)
    sigma = kind.velocity(q, np.zeros(kind.nv), t)
    return LoopForm(kind, v_J, t, pose, kind.pose(q, t), q, S, T, sigma)
