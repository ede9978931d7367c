"""Forward kinematics: poses and velocities of the bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.room import bodies_last, stacked_room, world_poses
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.spatial import se3
from rbdkit.spatial.compact import Pose, mv


@dataclass(frozen=True)
class Kinematics:
    """Poses and velocities of all bodies, for one state or a stack of states.

    Attributes
    ----------
    poses : ndarray (..., n, 4, 4)
        Pose of body i in the world, ``poses[..., 0, :, :]`` being the world itself.
    velocities : ndarray (..., n, 6) or None
        Spatial velocity of body i in body coordinates; None if no joint velocities were given.
    """

    model: Model
    poses: NDArray
    velocities: NDArray | None

    def pose(self, frame: str) -> NDArray:
        """Return the world pose of a body or named frame, shape (..., 4, 4)."""
        f = self.model.frame(frame)
        return self.poses[..., f.body, :, :] @ f.placement

    def __getitem__(self, frame: str) -> NDArray:
        """Return the world pose of a body or named frame, as `pose` does."""
        return self.pose(frame)

    def velocity(self, frame: str) -> NDArray:
        """Return the spatial velocity of a body or named frame in its own coordinates, shape (..., 6)."""
        if self.velocities is None:
            raise StateError("no velocities: forward_kinematics was called without v")
        f = self.model.frame(frame)
        return seen_from(f.placement, self.velocities[..., f.body, :])


def forward_kinematics(model: Model, q: NDArray, v: NDArray | None = None, *, t: float = 0.0) -> Kinematics:
    """Return the poses, and if v is given the velocities, of all bodies (Featherstone 2008, Examples 4.3 and 4.4).

    Parameters
    ----------
    q : ndarray (..., nq)
        Coordinates.
    v : ndarray (..., nv), optional
        Joint velocities, or None.
    t : float, optional
        Time in s, for prescribed joints.
    """
    T, velocity = outward_pass(model, q, v, t)
    return Kinematics(model, bodies_last(T, 2), None if velocity is None else bodies_last(velocity, 1))


def outward_pass(model: Model, q: Any, v: Any, t: float = 0.0) -> tuple[Any, Any]:
    """Return the poses and velocities of `forward_kinematics` with the bodies first: item i belongs to body i."""
    T, velocity = world_poses(model, q), None if v is None else stacked_room(model, mv, v)
    for i in model.outward:
        joint, p = model.joints[i], model.parent[i]
        step = joint.pose(q, t)
        T[i] = T[p] @ step
        if velocity is not None:
            velocity[i] = seen_from(step, velocity[p]) + joint.velocity(q, v, t)  # Eq 5.18
    return T, velocity


def seen_from(pose: Any, m: Any) -> Any:
    """Transform motion vectors (..., 6) to a frame with the given pose (..., 4, 4): X m without forming X."""
    if isinstance(pose, Pose):
        return pose.X @ m
    R_T, p = np.swapaxes(pose[..., :3, :3], -1, -2), pose[..., :3, 3]
    linear = m[..., 3:] + np.cross(m[..., :3], p)
    return np.concatenate([(R_T @ m[..., :3, None])[..., 0], (R_T @ linear[..., None])[..., 0]], axis=-1)


def force_in_world(pose: Any, f: Any) -> Any:
    """Transform force vectors (..., 6) from a frame with the given world pose (..., 4, 4) to world coordinates."""
    if isinstance(pose, Pose):
        return pose.X.T @ f
    n, force = (pose[..., :3, :3] @ f[..., k : k + 3, None] for k in (0, 3))
    force = force[..., 0]
    return np.concatenate([n[..., 0] + np.cross(pose[..., :3, 3], force), force], axis=-1)


def in_world(pose: NDArray, m: NDArray) -> NDArray:
    """Transform motion vectors (..., 6) from a frame with the given world pose to world coordinates."""
    return (se3.adjoint(pose) @ m[..., None])[..., 0]
