"""Readings of sensors along a motion: accelerations, forces through joints, contact forces on a body.

Accelerations come from the equations of motion at the recorded states, with the forces that acted there, not from
differences of velocities. Under a contact law the recorded contact forces are among them; in time stepping these are
means over the step that begins in the state, and so are the accelerations.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import rnea
from rbdkit.algorithms.force_elements import with_elements
from rbdkit.errors import ModelError, SimulationError
from rbdkit.functions import bias_acceleration, forward_dynamics, jacobian
from rbdkit.model import Model
from rbdkit.model.joint import exerts
from rbdkit.model.names import listed
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.one_sided import without_stops
from rbdkit.simulation.forces import at_states
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.algorithms.jacobian import Reference
    from rbdkit.simulation.trajectory import Trajectory


def contact_wrenches(motion: Trajectory, body: str) -> NDArray:
    """Return the wrenches (n, 6) of all contacts on a body, in world axes about the origin of its frame."""
    k = motion.model.body(body).index
    wrenches = _on_bodies(motion)[:, k]
    wrenches[:, :3] -= np.cross(motion.poses(body)[:, :3, 3], wrenches[:, 3:])
    return wrenches


def _on_bodies(motion: Trajectory) -> NDArray:
    """Return the wrenches (n, bodies, 6) of contacts on the bodies, in world coordinates about the world's origin."""
    model, record = motion.model, motion.contacts
    found = np.zeros((len(motion), len(model.bodies), 6))
    if record is None or not len(record.pair):
        return found
    number = {pair.name: pair for pair in model.contact_pairs}
    state = np.repeat(np.arange(len(motion)), np.diff(record.offsets))
    wrench = np.concatenate([np.cross(record.point, record.force), record.force], axis=1)
    for p, name in enumerate(record.names):
        rows, pair = record.pair == p, number[name]
        for owner, sign in ((pair.successor, 1.0), (pair.predecessor, -1.0)):
            np.add.at(found, (state[rows], model.body(owner).index), sign * wrench[rows])
    return found


def _free(motion: Trajectory) -> Model:
    """Return the model whose contacts are known forces."""
    record = motion.contacts
    if record is not None and (at := [name for k, name in enumerate(record.stops) if record.push[:, k].any()]):
        raise SimulationError(
            f"accelerations are not known while {listed(at)} holds on one side: its forces jump within the steps"
        )
    free = copy(without_stops(motion.model))
    free.contact_rules = ()
    return free


def joint_accelerations(motion: Trajectory) -> NDArray:
    """Return the joint accelerations (n, nv)."""
    model, pushed = _free(motion), _external(motion)
    tau = np.zeros_like(motion.v) if motion.tau is None else motion.tau
    if not np.isfinite(tau).all():
        raise SimulationError("the joint forces of this motion are not known in all states")
    found = np.zeros_like(motion.v)
    for k, (t, q, v) in enumerate(zip(motion.t.tolist(), motion.q, motion.v, strict=True)):
        z = motion.z[k] if motion.z.shape[1] else None
        found[k] = forward_dynamics(model, q, v, tau[k], f_ext=pushed[k], t=t, z=z)
    return found


def _external(motion: Trajectory) -> NDArray:
    """Return external and contact forces (n, bodies, 6) on the bodies, in world coordinates."""
    found = _on_bodies(motion)
    if motion.f_ext is not None:
        found += at_states(motion.f_ext, motion.t, motion.q, motion.v)
    return found


def acceleration(motion: Trajectory, frame: str, reference: Reference) -> NDArray:
    """Return the accelerations (n, 6) of a body or frame."""
    model, vdot = _free(motion), motion.joint_accelerations()
    found = np.zeros((len(motion), 6))
    for k, (t, q, v) in enumerate(zip(motion.t.tolist(), motion.q, motion.v, strict=True)):
        found[k] = jacobian(model, q, frame, reference, t=t) @ vdot[k]
        found[k] += bias_acceleration(model, q, v, frame, reference, t=t)
    return found


def specific_force(motion: Trajectory, frame: str) -> NDArray:
    """Return what an accelerometer in a frame shows, (n, 3), in the axes of the frame."""
    felt = acceleration(motion, frame, "aligned")[:, 3:] - motion.model.gravity
    return np.einsum("nji,nj->ni", motion.poses(frame)[:, :3, :3], felt)


def wrench(motion: Trajectory, joint: str) -> NDArray:
    """Return the wrenches (n, 6) through a joint, on its successor body, in its coordinates."""
    model = _free(motion)
    if isinstance(joint, str) and model.loop(joint) is not None:
        return _through_loops(motion, model)[joint]
    names = [own.name for own in model.joints[1:]]
    if not isinstance(joint, str) or joint not in names:
        hint = did_you_mean(str(joint), names)
        raise ModelError(f"model {model.name!r} has no joint {shown(joint)}{hint}")
    if model.constraints:
        raise SimulationError(
            f"what joint {joint!r} transmits is not known where constraints act on the bodies "
            f"({listed([own.name for own in model.constraints])}); make them loop joints"
        )
    vdot, pushed, i = motion.joint_accelerations(), _external(motion), 1 + names.index(joint)
    if model.loops:
        pushed = pushed + _of_loops(motion, model)
    tree = copy(model)
    tree.loops = ()
    found = np.zeros((len(motion), 6))
    for k, (t, q, v) in enumerate(zip(motion.t.tolist(), motion.q, motion.v, strict=True)):
        z = motion.z[k] if motion.z.shape[1] else None
        acting = with_elements(tree, q, v, f_ext=pushed[k], t=t, z=z)
        found[k] = rnea(tree, q, v, vdot[k], f_ext=acting, t=t).f[i]
    return found


def _of_loops(motion: Trajectory, model: Model) -> NDArray:
    """Return the wrenches (n, bodies, 6) of loop joints on the bodies, in world coordinates."""
    poses, forces = motion.poses(), _through_loops(motion, model)
    found = np.zeros((len(motion), len(model.bodies), 6))
    for loop in model.loops:
        own = forces[loop.joint.name]
        R, p = poses[:, loop.successor, :3, :3], poses[:, loop.successor, :3, 3]
        force = np.einsum("nij,nj->ni", R, own[:, 3:])
        moment = np.einsum("nij,nj->ni", R, own[:, :3]) + np.cross(p, force)
        both = np.concatenate([moment, force], axis=1)
        found[:, loop.successor] += both
        found[:, loop.predecessor] -= both
    return found


def _through_loops(motion: Trajectory, model: Model) -> dict[str, NDArray]:
    """Return the wrenches (n, 6) through loop joints: what their bearings carry, and their springs and dampers."""
    found = {name: wrenches.copy() for name, wrenches in motion.loop_forces().items()}
    bare, alone, poses = copy(model), copy(model), motion.poses()
    bare.loops, nothing = (), np.zeros((len(model.bodies), 6))
    for loop in (loop for loop in model.loops if exerts(loop.joint)):
        alone.loops = (loop,)
        for k, (t, q, v) in enumerate(zip(motion.t.tolist(), motion.q, motion.v, strict=True)):
            z = motion.z[k] if motion.z.shape[1] else None
            all_, others = (with_elements(each, q, v, f_ext=nothing, t=t, z=z) for each in (alone, bare))
            assert all_ is not None and others is not None
            pose, own = poses[k, loop.successor], (all_ - others)[loop.successor]
            moment = own[:3] - np.cross(pose[:3, 3], own[3:])
            found[loop.joint.name][k] += np.concatenate([pose[:3, :3].T @ moment, pose[:3, :3].T @ own[3:]])
    return found
