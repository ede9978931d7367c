"""Joint coordinates from poses and velocities of bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import JointType
from rbdkit.joints.many_states import coordinates_of
from rbdkit.model import Joint, Model
from rbdkit.model.kept import kept
from rbdkit.spatial import plucker, se3

AT_ONCE = 10_000
"""Number of joints, in all states together, that are processed in one batch."""


def joint_state(model: Model, poses: NDArray, velocities: NDArray) -> tuple[NDArray, NDArray]:
    """Return the joint coordinates and velocities closest to given poses and velocities, joint by joint.

    They are exact if the joints are not violated. Loop joints are ignored.

    Parameters
    ----------
    model : Model
        Of any joints.
    poses : ndarray (..., bodies, 4, 4)
        In the world, the world first.
    velocities : ndarray (..., bodies, 6)
        In body coordinates.

    Returns
    -------
    q : ndarray (..., nq)
        On its manifold.
    v : ndarray (..., nv)

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import joint_state
    >>> model = rbd.library.double_pendulum()
    >>> found = rbd.forward_kinematics(model, [0.3, -0.5], [1.0, 2.0])
    >>> q, v = joint_state(model, found.poses, found.velocities)
    >>> q.round(9).tolist(), v.round(9).tolist()
    ([0.3, -0.5], [1.0, 2.0])
    """
    leading = poses.shape[:-3]
    q, v = np.zeros((*leading, model.nq)), np.zeros((*leading, model.nv))
    places = kept(model, _places)
    # arrays over all joints and states: fast for few states, but too large for many
    together = max(1, AT_ONCE // max(1, int(np.prod(leading))))
    for first in range(0, len(places.joints), together):
        some = slice(first, first + together)
        bodies, parents = places.bodies[some], places.parents[some]
        T, T_p = poses[..., bodies, :, :], poses[..., parents, :, :]
        relative = se3.inverse(T_p @ places.placements[some]) @ T
        X = plucker.from_pose(se3.inverse(T_p) @ T)
        v_J = velocities[..., bodies, :] - (X @ velocities[..., parents, :, None])[..., 0]
        for k, (joint, inverse_S) in enumerate(places.joints[some]):
            q[..., joint.q_slice], v[..., joint.v_slice] = _of_joint(
                joint.type, inverse_S, relative[..., k, :, :], v_J[..., k, :]
            )
    return q, v


class _Places(NamedTuple):
    """Joints with coordinates of their own (no fixed and no mimic joints).

    bodies, parents : (m,) indices of their two bodies. placements : (m, 4, 4) in the parents. joints : each with the
    pseudo-inverse of S, None where S depends on q.
    """

    bodies: NDArray
    parents: NDArray
    placements: NDArray
    joints: list[tuple[Joint, NDArray | None]]


def _places(model: Model) -> _Places:
    bodies = [i for i in model.outward if model.joints[i].mimic is None and model.joints[i].nq > 0]
    joints = [model.joints[i] for i in bodies]
    return _Places(
        np.array(bodies, dtype=int),
        np.array([model.parent[i] for i in bodies], dtype=int),
        np.array([joint.placement for joint in joints]).reshape(-1, 4, 4),
        [(joint, _inverse_subspace(joint.type)) for joint in joints],
    )


def _inverse_subspace(type: JointType) -> NDArray | None:
    return np.linalg.pinv(type.motion_subspace(type.neutral())) if type.constant_S else None


def _of_joint(type: JointType, inverse_S: NDArray | None, pose: NDArray, v_J: NDArray) -> tuple[NDArray, NDArray]:
    """Return q and v of one joint, from its pose (..., 4, 4) and velocity (..., 6)."""
    if inverse_S is not None:
        return coordinates_of(type, pose), v_J @ inverse_S.T
    q, v = np.zeros((*v_J.shape[:-1], type.nq)), np.zeros((*v_J.shape[:-1], type.nv))
    for place in np.ndindex(*v_J.shape[:-1]):
        q[place] = type.project(pose[place])
        v[place] = np.linalg.pinv(type.motion_subspace(q[place])) @ v_J[place]
    return q, v
