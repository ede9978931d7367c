"""Joint coordinates of bodies that are where they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.spatial import plucker, se3


def joint_state(model: Model, poses: NDArray, velocities: NDArray) -> tuple[NDArray, NDArray]:
    """Joint coordinates and joint velocities that come closest to given poses and velocities, joint by joint.

    Equal to them if the joints are not violated. The loops of the model are not looked at.

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
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        if joint.mimic is not None or joint.nq == 0:
            continue
        T, T_p = poses[..., i, :, :], poses[..., p, :, :]
        relative = se3.inverse(T_p @ plucker.to_pose(model.X_tree[i])) @ T
        X = plucker.from_pose(se3.inverse(T_p) @ T)
        v_J = velocities[..., i, :] - (X @ velocities[..., p, :, None])[..., 0]
        q[..., joint.q_slice], v[..., joint.v_slice] = _of_joint(joint.type, relative, v_J)
    return q, v


def _of_joint(type: JointType, pose: NDArray, v_J: NDArray) -> tuple[NDArray, NDArray]:
    """q and v of one joint, from its pose (..., 4, 4) and velocity (..., 6)."""
    if type.constant_S:
        return type.project(pose), v_J @ np.linalg.pinv(type.motion_subspace(type.neutral())).T
    q, v = np.zeros((*v_J.shape[:-1], type.nq)), np.zeros((*v_J.shape[:-1], type.nv))
    for place in np.ndindex(*v_J.shape[:-1]):
        q[place] = type.project(pose[place])
        v[place] = np.linalg.pinv(type.motion_subspace(q[place])) @ v_J[place]
    return q, v
