"""Evaluation of a joint type at stacks of states; user-defined classes are called for each state in turn.

`JointType.pose` and similar methods of rbdkit accept stacks. A user's method written for one state might fail there, or
silently return the numbers of one state for all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType


def poses_of(kind: JointType, q: NDArray, t: float = 0.0) -> NDArray:
    """Return poses (..., 4, 4) of a joint type at coordinates (..., nq)."""
    if q.ndim > 1 and _is_users(kind):
        return _each(lambda one: kind.pose(one, t), (4, 4), q.shape[:-1], q)
    return kind.pose(q, t)


def velocities_of(kind: JointType, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
    """Return velocities (..., 6) of the successor, from coordinates (..., nq) and velocities (..., nv)."""
    if q.ndim > 1 and _is_users(kind):
        return _each(lambda one, v: kind.velocity(one, v, t), (6,), q.shape[:-1], q, v)
    return kind.velocity(q, v, t)


def coordinates_of(kind: JointType, poses: NDArray) -> NDArray:
    """Return coordinates (..., nq) that come closest to poses (..., 4, 4)."""
    if poses.ndim > 2 and _is_users(kind):
        return _each(kind.project, (kind.nq,), poses.shape[:-2], poses)
    return kind.project(poses)


def _is_users(kind: JointType) -> bool:
    """Return whether a joint type, or the inner one of a reversed or prescribed joint, is of a user-defined class."""
    inner = getattr(kind, "joint", None)
    return type(kind).__module__.split(".")[0] != "rbdkit" or (inner is not None and _is_users(inner))


def _each(
    function: Callable[..., NDArray], shape: tuple[int, ...], leading: tuple[int, ...], *stacks: NDArray
) -> NDArray:
    """Call a function of one state, which returns an array of that shape, for each state of the stacks."""
    found = np.empty((*leading, *shape))
    for place in np.ndindex(*leading):
        found[place] = function(*(stack[place] for stack in stacks))
    return found
