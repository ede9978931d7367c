"""Joint coordinates of bodies that are where they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.spatial import plucker, se3


def joint_state(model: Model, poses: NDArray, velocities: NDArray) -> tuple[NDArray, NDArray]:
    """Joint coordinates and joint velocities that come closest to given poses and velocities, joint by joint.

    Equal to them if the joints are not violated. The loops of the model are not looked at.

    Parameters
    ----------
    poses : (..., bodies, 4, 4) in the world, the world first.
    velocities : (..., bodies, 6) in body coordinates.

    Returns
    -------
    q, v : (..., nq), (..., nv)
    """
    leading = poses.shape[:-3]
    q, v = np.zeros((*leading, model.nq)), np.zeros((*leading, model.nv))
    for place in np.ndindex(*leading):
        q[place], v[place] = _one(model, poses[place], velocities[place])
    return q, v


def _one(model: Model, poses: NDArray, velocities: NDArray) -> tuple[NDArray, NDArray]:
    q, v = model.neutral(), np.zeros(model.nv)
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        if joint.mimic is not None or joint.nq == 0:
            continue
        relative = se3.inverse(poses[p] @ plucker.to_pose(model.X_tree[i])) @ poses[i]
        q_i = joint.type.project(relative)
        q[joint.q_slice] = q_i
        v_J = velocities[i] - plucker.from_pose(se3.inverse(poses[p]) @ poses[i]) @ velocities[p]
        v[joint.v_slice] = np.linalg.lstsq(joint.type.motion_subspace(q_i), v_J, rcond=None)[0]
    return q, v
