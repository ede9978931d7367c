"""Loop Jacobian: relative velocity of the two ends of a loop joint as a function of qd."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.body import Loop
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial import plucker, se3


def find_loop(model: Model, name: str) -> int:
    """Return the index l, from 0, of the loop that the joint of this name closes.

    Raises
    ------
    ModelError
        If no loop joint of the model has that name.
    """
    names = [loop.joint.name for loop in model.loops]
    if name not in names:
        raise ModelError(f"loop joint {name!r} is not in model {model.name!r}{did_you_mean(str(name), names)}")
    return names.index(name)


def loop_path(model: Model, loop: Loop) -> dict[int, int]:
    """Return the tree joints on the path of a loop, with the nonzero ``varepsilon_lj = epsilon_s(k)j - epsilon_p(k)j``.

    It is 1 on the path from the root of the loop to the successor, -1 on that to the predecessor (text after Eq 8.18).
    The root is the last common ancestor of both.
    """
    to_s, to_p = model.support(loop.successor), model.support(loop.predecessor)
    return {j: 1 if j in to_s else -1 for j in sorted({*to_s} ^ {*to_p})}


def loop_jacobian(model: Model, q: NDArray, name: str, *, t: float = 0.0) -> NDArray:
    """Return J_L (6, nv), which maps qd to the velocity across a loop joint (Featherstone 2008, Eq 8.18).

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree; the loop may be open.
    name : str
        Name of the loop joint.
    t : float, optional
        Time in s, for prescribed joints, which add their own velocity.

    Returns
    -------
    (6, nv), in coordinates of the joint's successor frame.

    Raises
    ------
    ModelError
        If no loop joint of the model has that name.
    """
    loop = model.loops[find_loop(model, name)]
    poses = forward_kinematics(model, q, t=t).poses
    end = poses[loop.successor] @ loop.successor_placement
    J_L = np.zeros((6, model.nv))
    for j, varepsilon in loop_path(model, loop).items():
        S = plucker.from_pose(se3.inverse(poses[j]) @ end) @ model.joints[j].motion_subspace(q)
        J_L[:, model.joints[j].v_slice] += varepsilon * S  # a mimic joint adds to the columns of its master joint
    return J_L
