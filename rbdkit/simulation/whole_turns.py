"""Forces by the angle of a joint, where a formulation knows angles from poses: up to half a turn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import element_state_rates, passive_force
from rbdkit.errors import SimulationError
from rbdkit.formulations import Formulation, InJoints, joint_state
from rbdkit.model import Joint, Model
from rbdkit.model.names import listed
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.motion import Motion

ALIKE = 1e-6
"""rad, and relative to forces: what differs less is the same."""


def require_known_turns(
    system: Formulation, applied: Drive, q: NDArray, v: NDArray, z: NDArray, x: NDArray, w: NDArray, t: float
) -> None:
    """Check that what acts at a start would do the same with the coordinates that its poses tell.

    Parameters
    ----------
    q, v : (nq,), (nv,) the start. z : (nz,) states of force elements. x, w : the state that the system makes of it.

    Raises
    ------
    SimulationError
        If it would not, with the joints that have turned further than poses tell.
    """
    model = system.model
    if not _may_ask(model, applied):
        return
    told, v_told = _told(system, x, w, t)
    lost = [joint for joint in model.joints if np.any(np.abs(joint.coordinates(q) - joint.coordinates(told)) > ALIKE)]
    act = _acting(model, applied, z, t)
    if lost and _differ(_carried(lost, q, told, act(q, v)), act(told, v_told)):
        joint = lost[0]
        raise SimulationError(
            f"q0 of {listed([joint.name for joint in lost])} cannot be told from poses, which know neither whole turns "
            f"nor which of two Euler triples led to them: in formulation {system.name!r} joint {joint.name!r} "
            f"is at {joint.coordinates(told).round(4).tolist()}, not "
            f"at {joint.coordinates(q).round(4).tolist()}, and springs, force elements or tau do something else there. "
            "Take formulation='joint', or take the turns off q0 and what acts"
        )


def lost_turns(motion: Motion, applied: Drive) -> str:
    """Which joint turned past half a turn first, and when, so that what acts by its angle jumped; "" if none did."""
    model = motion.model
    if not _may_ask(model, applied):
        return ""
    columns = [
        joint.q_slice.start + k
        for joint in model.joints
        for k, unit in enumerate(joint.type.q_units)
        if unit == "rad" and joint.mimic is None
    ]
    turns = np.round(np.diff(motion.q[:, columns], axis=0) / (2.0 * np.pi))
    if not turns.any() or _keeps_turns(motion, columns):
        return ""
    for k in np.flatnonzero(turns.any(axis=1)):
        act, v = _acting(model, applied, motion.z[k + 1], float(motion.t[k + 1])), motion.v[k + 1]
        on = motion.q[k + 1].copy()
        on[columns] -= 2.0 * np.pi * turns[k]
        if _differ(act(on, v), act(motion.q[k + 1], v)):
            names = [joint.name for joint in model.joints if np.any(joint.coordinates(on - motion.q[k + 1]) != 0.0)]
            return f"joint {names[0]!r} turned past half a turn about t = {motion.t[k + 1]:.4g} s"
    return ""


def _told(system: Formulation, x: NDArray, w: NDArray, t: float) -> tuple[NDArray, NDArray]:
    """Coordinates (nq,) and velocities (nv,) as a formulation has them in a state."""
    if isinstance(system, InJoints):
        return system.joint_state(x, w)
    return joint_state(system.model, system.poses(x, t), system.velocities(x, w, t))


def _carried(joints: list[Joint], q: NDArray, told: NDArray, tau: NDArray) -> NDArray:
    """The joint forces that do at other coordinates of the same poses what tau does at q.

    Where axes depend on the coordinates, as those of Euler angles do: the same wrench f, ``tau = S^T f``.
    """
    carried = tau.copy()
    for joint in joints:
        if joint.nv and not joint.type.constant_S:
            f = np.linalg.pinv(joint.motion_subspace(q).T) @ tau[joint.v_slice]
            carried[joint.v_slice] = joint.motion_subspace(told).T @ f
    return carried


def _keeps_turns(motion: Motion, columns: list[int]) -> bool:
    """Whether states of its formulation tell a turn more from none."""
    q = motion.q[0].copy()
    q[columns] += 2.0 * np.pi
    x, w = motion.system.state(q, motion.v[0])
    told, _ = _told(motion.system, x, np.concatenate([w, motion.z[0]]), float(motion.t[0]))
    return bool(np.allclose(told[columns], q[columns], rtol=0.0, atol=ALIKE))


def _may_ask(model: Model, applied: Drive) -> bool:
    """Whether anything may act by coordinates of joints, or along axes that depend on them."""
    if applied.values is None or model.forces or any(joint.stiffness.any() for joint in model.joints):
        return True
    turning = [joint for joint in model.joints if joint.nv and not joint.type.constant_S]
    return any(not applied.zero or joint.damping.any() or joint.friction.any() for joint in turning)


def _acting(model: Model, applied: Drive, z: NDArray, t: float) -> Callable[[NDArray, NDArray], NDArray]:
    """Joint forces and rates of states (nv + nz,) at coordinates (nq,) and velocities (nv,)."""
    states = z if len(z) else None

    def act(q: NDArray, v: NDArray) -> NDArray:
        own = passive_force(model, q, v, t=t, z=states) + np.asarray(applied.function(t, q, v))
        return own if states is None else np.concatenate([own, element_state_rates(model, q, v, t=t, z=states)])

    return act


def _differ(one: NDArray, other: NDArray) -> bool:
    return bool(np.any(np.abs(one - other) > ALIKE * np.abs([one, other]).max(initial=0.0)))
