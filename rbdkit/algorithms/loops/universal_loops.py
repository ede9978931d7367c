"""Any loop rewritten so that a zero-DoF joint closes it."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.joints import Fixed
from rbdkit.joints.loop_form import loop_form
from rbdkit.model import Model
from rbdkit.model.joint import passive
from rbdkit.spatial import plucker, se3


def with_universal_loops(model: Model) -> Model:
    """The same system with a massless body at the end of every loop joint, and a zero-DoF joint in its place.

    The loop joint becomes a tree joint to that body, with its spring and losses, which has its name and 'end';
    the joint that closes the loop has its name and 'weld' (Featherstone 2008, text after Eq 8.27). H has no inverse
    then: of the three methods the first and the third solve the equation of motion.

    Raises
    ------
    ModelError
        If one of these names is taken.
    """
    changed = copy.copy(model)
    changed.loops = ()
    changed._bind()
    for loop in model.loops:
        joint = loop.joint
        predecessor = model.bodies[loop.predecessor]
        at = joint.type, joint.placement
        changed.add_body(f"{joint.name} end", predecessor, *at, joint_name=joint.name, **passive(joint))
    for loop in model.loops:
        name, successor = loop.joint.name, model.bodies[loop.successor]
        changed.add_loop(f"{name} weld", f"{name} end", successor, Fixed(), None, loop.successor_placement)
    return changed


def universal_state(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, t: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    """The state of `with_universal_loops` that belongs to one of the model.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates that close the loops.
    qd, tau : ndarray (nv,)
        Velocities that keep them closed, and joint forces.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    Coordinates, velocities and forces with those of the loop joints at their ends; their forces are zero.
    """
    kinematics = forward_kinematics(model, q, qd, t=t)
    assert kinematics.velocities is not None
    qs, qds = [q], [qd]
    for loop in model.loops:
        p, s = loop.predecessor, loop.successor
        far = kinematics.poses[s] @ loop.successor_placement
        pose = se3.inverse(kinematics.poses[p] @ loop.joint.placement) @ far
        X_s, X_p = (
            plucker.from_pose(loop.successor_placement),
            plucker.from_pose(se3.inverse(kinematics.poses[p]) @ far),
        )
        v_J = X_s @ kinematics.velocities[s] - X_p @ kinematics.velocities[p]
        form = loop_form(loop.joint.type, pose, v_J, t)
        qs.append(form.q)
        qds.append(np.linalg.lstsq(form.S, v_J - form.sigma, rcond=None)[0])
    added = sum(loop.joint.nv for loop in model.loops)
    return np.concatenate(qs), np.concatenate(qds), np.concatenate([tau, np.zeros(added)])
