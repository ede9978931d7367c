"""Jacobians of bodies and frames, the bias acceleration Jdot v, and the velocity of a point."""

from __future__ import annotations

from typing import Any, Literal, get_args

from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.kinematics import forward_kinematics, seen_from
from rbdkit.algorithms.room import columns, jacobian_room, running
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.compact import mv, plx
from rbdkit.spatial.cross import cross_motion
from rbdkit.spatial.rates import classical_acceleration
from rbdkit.spatial.read_numbers import shown
from rbdkit.spatial.vector3 import ZERO

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
    f, J, path = model.frame(frame), jacobian_room(model, "J"), running(model, X=plx)
    path.X = f.X  # from body j to the frame, as j climbs towards the base
    for j in reversed(model.support(f.body)):
        joint = model.joints[j]
        J[:, joint.v_slice] += path.X @ joint.motion_subspace(q)
        path.X = path.X @ joint.transform(q, t) @ model.X_tree[j]
    for k in columns(model) if _leaves(reference) else ():
        J[:, k] = _in_reference(J[:, k], path.X, reference)
    return J


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
    f, body = model.frame(frame), running(model, v=mv, a=mv, X_0=plx)
    for i in model.support(f.body):
        X_J, _, v_J, c_J = model.joints[i].calc(q, v, t)
        X = X_J @ model.X_tree[i]
        body.v = v_i = X @ body.v + v_J
        body.a = X @ body.a + c_J + cross_motion(v_i, v_J)  # Eq 2.33
        body.X_0 = X @ body.X_0
    acceleration = f.X @ body.a
    if not _leaves(reference):
        return acceleration
    if reference == "aligned":
        acceleration = classical_acceleration(acceleration, f.X @ body.v)  # Eq 2.49
    return _in_reference(acceleration, f.X @ body.X_0, reference)


def point_velocity(model: Model, q: NDArray, v: NDArray, frame: str, point: ArrayLike, *, t: float = 0.0) -> NDArray:
    """Return the velocity in world axes, shape (3,), of a point given in the coordinates of a body or frame, m/s."""
    kinematics = forward_kinematics(model, q, v, t=t)
    at_point = seen_from(se3.pose(position=point), kinematics.velocity(frame))
    return kinematics.pose(frame)[:3, :3] @ at_point[3:]


def _leaves(reference: Reference) -> bool:
    """Return whether the reference has other coordinates than the frame."""
    if not isinstance(reference, str) or reference not in get_args(Reference):
        raise StateError(f"reference {shown(reference)} must be 'body', 'world' or 'aligned'")
    return reference != "body"


def _in_reference(m: Any, X_f0: Any, reference: Reference) -> Any:
    """Transform motion vectors, columns of (6, ...), from frame to reference coordinates; X_f0 : from the world."""
    if isinstance(X_f0, plx):
        return (X_f0 if reference == "world" else plx(X_f0.E, ZERO)).inv_apply(m)
    return (plucker.inverse(X_f0) if reference == "world" else plucker.rot(X_f0[:3, :3].T)) @ m
