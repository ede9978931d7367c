"""Formulas of a joint type at stacks of states: those of a user's class are asked one state after the other.

`JointType.pose` and its like take stacks where rbdkit wrote them. What a user writes for one state fails there, or
gives one state's numbers for all without a word.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints.joint_type import JointType


def poses_of(kind: JointType, q: NDArray, t: float = 0.0) -> NDArray:
    """Poses (..., 4, 4) of a joint type at coordinates (..., nq)."""
    if q.ndim > 1 and _is_users(kind):
        return _each(lambda one: kind.pose(one, t), (4, 4), q.shape[:-1], q)
    return kind.pose(q, t)


def velocities_of(kind: JointType, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
    """Velocities (..., 6) of the successor, from coordinates (..., nq) and velocities (..., nv)."""
    if q.ndim > 1 and _is_users(kind):
        return _each(lambda one, v: kind.velocity(one, v, t), (6,), q.shape[:-1], q, v)
    return kind.velocity(q, v, t)


def coordinates_of(kind: JointType, poses: NDArray) -> NDArray:
    """Coordinates (..., nq) that come closest to poses (..., 4, 4)."""
    if poses.ndim > 2 and _is_users(kind):
        return _each(kind.project, (kind.nq,), poses.shape[:-2], poses)
    return kind.project(poses)


def _is_users(kind: JointType) -> bool:
    """Whether it, or what is reversed or prescribed in it, is of a class of a user's own."""
    inner = getattr(kind, "joint", None)
    return type(kind).__module__.split(".")[0] != "rbdkit" or (inner is not None and _is_users(inner))


def _each(
    function: Callable[..., NDArray], shape: tuple[int, ...], leading: tuple[int, ...], *stacks: NDArray
) -> NDArray:
    """What a function of one state gives, an array of that shape, for each state."""
    found = np.empty((*leading, *shape))
    for place in np.ndindex(*leading):
        found[place] = function(*(stack[place] for stack in stacks))
    return found
