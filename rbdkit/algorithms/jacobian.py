"""Jacobians of bodies and frames, the bias acceleration Jdot v, and the velocity of a point."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.kinematics import forward_kinematics, seen_from
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.cross import cross_motion
from rbdkit.spatial.read_numbers import shown

Reference = Literal["body", "world", "aligned"]


def jacobian(model: Model, q: NDArray, frame: str, reference: Reference = "body", *, t: float = 0.0) -> NDArray:
    """Return the Jacobian J of a frame: (velocity of the frame) = J v (Featherstone 2008, Eqs 2.18, 4.6).

    The columns belong to the joints of the spanning tree; with loop joints, v must satisfy the loop constraints.
    Prescribed joints add their own velocity to J v.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    frame : str
        Name of a body or frame.
    reference : Reference, optional
        Coordinates of the velocity (omega, v). 'body': the frame's own axes, v of its origin; 'world': world axes, v of
        the body-fixed point at the world origin; 'aligned': world axes, v of the frame's origin.

    Returns
    -------
    (6, nv), angular part first.
    """
    f = model.frame(frame)
    J = np.zeros((6, model.nv))
    X = plucker.from_pose(f.placement)  # from body j to the frame, as j climbs towards the base
    for j in reversed(model.support(f.body)):
        joint = model.joints[j]
        J[:, joint.v_slice] += X @ joint.motion_subspace(q)
        X = X @ joint.transform(q, t) @ model.X_tree[j]
    return _leaving(X, reference) @ J


def bias_acceleration(
    model: Model, q: NDArray, v: NDArray, frame: str, reference: Reference = "body", *, t: float = 0.0
) -> NDArray:
    """Return Jdot v, the acceleration of the frame when vdot = 0 (Featherstone 2008, Eq 2.57), gravity not included.

    With loop joints, vdot = 0 refers to the joints of the spanning tree. In each reference Jdot is the componentwise
    rate of J: so in 'aligned' the linear part is the classical acceleration of the frame's origin, in the other two it
    is that of a spatial acceleration (section 2.11).

    Returns
    -------
    (6,), rad/s2 and m/s2.
    """
    f = model.frame(frame)
    velocity, acceleration = np.zeros(6), np.zeros(6)
    X_0 = np.eye(6)
    for i in model.support(f.body):
        X_J, _, v_J, c_J = model.joints[i].calc(q, v, t)
        X = X_J @ model.X_tree[i]
        X_0 = X @ X_0
        velocity = X @ velocity + v_J
        acceleration = X @ acceleration + c_J + cross_motion(velocity, v_J)
    X_f = plucker.from_pose(f.placement)
    leaving = _leaving(X_f @ X_0, reference)
    acceleration = leaving @ X_f @ acceleration
    if reference == "aligned":
        omega, linear = np.split(leaving @ X_f @ velocity, 2)
        acceleration[3:] += np.cross(omega, linear)  # Eq 2.49: from spatial to classical acceleration
    return acceleration


def point_velocity(model: Model, q: NDArray, v: NDArray, frame: str, point: ArrayLike, *, t: float = 0.0) -> NDArray:
    """Return the velocity in world axes, shape (3,), of a point given in the coordinates of a body or frame, m/s."""
    kinematics = forward_kinematics(model, q, v, t=t)
    at_point = seen_from(se3.pose(position=point), kinematics.velocity(frame))
    return kinematics.pose(frame)[:3, :3] @ at_point[3:]


def _leaving(X_f0: NDArray, reference: Reference) -> NDArray:
    """Return the transform from frame to reference coordinates; X_f0 : (6, 6) transform from world to frame."""
    if not isinstance(reference, str):
        raise StateError(f"reference {shown(reference)} must be 'body', 'world' or 'aligned'")
    if reference == "body":
        return np.eye(6)
    if reference == "world":
        return plucker.inverse(X_f0)
    if reference == "aligned":
        return plucker.rot(X_f0[:3, :3].T)
    raise StateError(f"reference {reference!r} must be 'body', 'world' or 'aligned'")
