"""Rewrite loops so that a zero-DoF joint closes each of them (Featherstone 2008, text after Eq 8.27)."""

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
    """Return an equivalent model whose loop joints are tree joints to massless bodies, which zero-DoF joints close.

    The loop joint, with its spring and losses, becomes a tree joint to a body named after it and 'end'; the zero-DoF
    loop joint is named after it and 'weld' (Featherstone 2008, text after Eq 8.27). H is then singular, so that only
    methods 1 and 3 solve the equation of motion.

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
    """Return the state of `with_universal_loops` that corresponds to a state of the model.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    qd, tau : ndarray (nv,)
        Velocities that keep them closed, and joint forces.
    t : float, optional
        Time in s, for prescribed joints.

    Returns
    -------
    Coordinates, velocities and forces, with those of the loop joints appended; the appended forces are zero.
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
