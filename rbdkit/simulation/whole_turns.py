"""Multi-turn angles: detect forces that depend on joint coordinates which poses do not determine.

Formulations in maximal coordinates recover joint coordinates from poses, which lose whole turns, distinguish no two
Euler-angle triples of one rotation, and no sign of a quaternion. That matters only if a force depends on them (a spiral
spring, a torque law of q). Before a run the forces at q0 are compared with those at the recovered coordinates; after
it, at recorded states where coordinates jumped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import element_state_rates, passive_force
from rbdkit.errors import SimulationError, StateError
from rbdkit.forces import JointDamper, JointFriction
from rbdkit.formulations import Force, Formulation, InJoints, joint_state
from rbdkit.model import Joint, Loop, Model
from rbdkit.model.names import listed
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.motion import Motion
from rbdkit.spatial import se3

ALIKE = 1e-6
"""Tolerance for equal coordinates, rad, and equal forces, relative."""

FAR = 1.0
"""Change of a coordinate between recorded states, rad or of a quaternion's components, above which it may have
jumped."""

Act = Callable[[NDArray, NDArray], list[NDArray]]


def require_known_turns(
    system: Formulation,
    applied: Drive,
    external: Force | None,
    q: NDArray,
    v: NDArray,
    z: NDArray,
    x: NDArray,
    w: NDArray,
    t: float,
) -> None:
    """Check that forces at the initial state are the same at the coordinates recovered from its poses.

    Parameters
    ----------
    external : external forces as a function of (t, q, v), or None. q, v : (nq,), (nv,) initial state. z : (nz,) states
        of force elements. x, w : the initial state in the formulation's coordinates. t : time, s.

    Raises
    ------
    SimulationError
        If they differ; the message names the joints whose coordinates cannot be recovered.
    """
    model = system.model
    if not _may_ask(model, applied, external):
        return
    told, v_told = _told(system, x, w, t)
    lost = [joint for joint in model.joints if np.any(np.abs(joint.coordinates(q) - joint.coordinates(told)) > ALIKE)]
    # turns that no force depends on do no harm
    if lost and _differs(lost, q, v, told, v_told, _acting(model, applied, external, z, t)):
        joint = lost[0]
        raise SimulationError(
            f"q0 of {listed([joint.name for joint in lost])} cannot be told from poses, which know neither whole turns "
            f"nor which of two Euler triples led to them: in formulation {system.name!r} joint {joint.name!r} "
            f"is at {joint.coordinates(told).round(4).tolist()}, not "
            f"at {joint.coordinates(q).round(4).tolist()}, and springs, force elements, tau or f_ext do something else "
            "there. Take formulation='joint', or take the turns off q0 and what acts"
        )


def lost_turns(motion: Motion, applied: Drive) -> str:
    """Return which joint's coordinates first jumped so that forces jumped as well, and when; "" if none did.

    Recovered angles jump at half a turn, Euler angles where the pitch passes a right angle, quaternions by their sign.
    Jumps are looked for between recorded states.
    """
    model = motion.model
    for loop in model.loops:
        if asked_for(model, loop) and (at := _jump(motion, loop)) is not None:
            return f"loop joint {loop.joint.name!r} turned past half a turn about t = {motion.t[at]:.4g} s"
    if not _may_ask(model, applied, motion.f_ext):
        return ""
    for k, joints in _jumps(motion):
        for found in (_arrived(motion, k, joints), _ahead(motion, k, joints)):
            act = _acting(model, applied, motion.f_ext, motion.z[k], float(motion.t[k + 1]))
            if found.lost and _differs(found.lost, found.q, found.v, found.told, found.v_told, act):
                return f"joint {found.lost[0].name!r} {_way(found.lost[0])} about t = {motion.t[k + 1]:.4g} s"
    return ""


def asked_for(model: Model, loop: Loop) -> bool:
    """Whether any force element depends on the angle of a loop joint."""
    if "rad" not in loop.joint.type.q_units:
        return False
    elements = (f.element for f in model.acting if not isinstance(f.element, JointDamper | JointFriction))
    return any(loop.joint.name in map(str, element.structure().values()) for element in elements)


def _jump(motion: Motion, loop: Loop) -> int | None:
    """Return the first state at which an angle of a loop joint has moved over half a turn since the last, or None."""
    poses = motion.poses()
    P, S = poses[:, loop.predecessor] @ loop.joint.placement, poses[:, loop.successor] @ loop.successor_placement
    q = np.array([loop.joint.type.project(X) for X in se3.inverse(P) @ S])
    angles = q[:, [unit == "rad" for unit in loop.joint.type.q_units]]
    # angles from poses lie within half a turn, so passing that shows as a jump by nearly a whole one
    jumps = np.flatnonzero((np.abs(np.diff(angles, axis=0)) > np.pi).any(axis=1))
    return int(jumps[0]) + 1 if len(jumps) else None


class _Twofold(NamedTuple):
    """A state in continuous coordinates, q and v, and in those recovered from poses; lost : joints that differ."""

    q: NDArray
    v: NDArray
    told: NDArray
    v_told: NDArray
    lost: list[Joint]


def _arrived(motion: Motion, k: int, joints: list[Joint]) -> _Twofold:
    """Return the recorded state after state k, in both kinds of coordinates."""
    told, v_told = motion.q[k + 1], motion.v[k + 1]
    q, v, lost = told.copy(), v_told.copy(), []
    for joint in joints:
        here, there = motion.q[k][joint.q_slice], told[joint.q_slice]
        own = _onward(joint, here, there)
        if np.max(np.abs(own - here)) < np.max(np.abs(there - here)) - ALIKE and not _keeps(motion, joint, own):
            q[joint.q_slice] = own
            v[joint.v_slice] = _same_motion(joint, there, own, v_told[joint.v_slice])
            lost.append(joint)
    return _Twofold(q, v, told, v_told, lost)


def _ahead(motion: Motion, k: int, joints: list[Joint]) -> _Twofold:
    """Return the state extrapolated from state k by its velocities, in both kinds of coordinates.

    The recorded next state may be useless, as wrong forces may have thrown bodies about.
    """
    q, v = motion.q[k].copy(), motion.v[k]
    told, v_told, lost = q.copy(), v.copy(), []
    for joint in joints:
        dv = v[joint.v_slice] * (motion.t[k + 1] - motion.t[k])
        q[joint.q_slice] = own = joint.type.integrate(motion.q[k][joint.q_slice], dv)
        told[joint.q_slice] = there = _projected(joint, own)
        if np.max(np.abs(own - there)) > ALIKE and not _keeps(motion, joint, own):
            v_told[joint.v_slice] = _same_motion(joint, own, there, v[joint.v_slice])
            lost.append(joint)
    return _Twofold(q, v, told, v_told, lost)


def _jumps(motion: Motion) -> list[tuple[int, list[Joint]]]:
    """Return the recorded states after which angles or quaternions may have jumped, with the joints concerned."""
    found: dict[int, list[Joint]] = {}
    steps = np.abs(np.diff(motion.q, axis=0))
    for joint in motion.model.joints:
        turning = [joint.q_slice.start + k for k, unit in enumerate(joint.type.q_units) if unit != "m"]
        if turning and joint.mimic is None:
            for k in np.flatnonzero(np.any(steps[:, turning] > (np.pi if _adds_turns(joint) else FAR), axis=1)):
                found.setdefault(int(k), []).append(joint)
    return sorted(found.items(), key=lambda item: item[0])


def _adds_turns(joint: Joint) -> bool:
    """Whether poses determine a joint's coordinates up to whole turns about fixed axes."""
    return joint.type.constant_S and joint.nq == joint.nv


def _onward(joint: Joint, q: NDArray, told: NDArray) -> NDArray:
    """Return the coordinates of a joint at the pose of `told` that continue from q without a jump."""
    if _adds_turns(joint):
        angles = np.array([unit == "rad" for unit in joint.type.q_units])
        # the whole turns that leave the smallest jump
        return told - 2.0 * np.pi * np.round((told - q) / (2.0 * np.pi)) * angles
    try:
        return joint.type.approach(q, joint.type.pose(told))
    except StateError:
        return told


def _projected(joint: Joint, q: NDArray) -> NDArray:
    """Return a joint's coordinates as recovered from its pose at q."""
    try:
        return joint.type.project(joint.type.pose(q))
    except StateError:
        return q


def _way(joint: Joint) -> str:
    """Return in words how a joint's coordinates were lost; nq != nv means quaternions."""
    if _adds_turns(joint) or joint.nq != joint.nv:
        return "turned past half a turn"
    return "turned beyond the angles that poses tell"


def _told(system: Formulation, x: NDArray, w: NDArray, t: float) -> tuple[NDArray, NDArray]:
    """Return coordinates (nq,) and velocities (nv,) as a formulation recovers them from a state."""
    if isinstance(system, InJoints):
        return system.joint_state(x, w)
    return joint_state(system.model, system.poses(x, t), system.velocities(x, w, t))


def _same_motion(joint: Joint, q: NDArray, other: NDArray, v: NDArray) -> NDArray:
    """Return the joint velocities at other coordinates of the same pose that are the same motion as v at q."""
    if joint.type.constant_S:
        return v
    # the same twist, by other axes
    S = joint.type.motion_subspace
    return np.linalg.pinv(S(other)) @ S(q) @ v


def _carried(joints: list[Joint], q: NDArray, told: NDArray, tau: NDArray) -> NDArray:
    """Return the joint forces at other coordinates of the same poses that are equivalent to tau at q.

    Where axes depend on the coordinates, as with Euler angles, they have the same wrench f, ``tau = S^T f``.
    """
    carried = tau.copy()
    for joint in joints:
        if joint.nv and not joint.type.constant_S:
            f = np.linalg.pinv(joint.motion_subspace(q).T) @ tau[joint.v_slice]
            carried[joint.v_slice] = joint.motion_subspace(told).T @ f
    return carried


def _keeps(motion: Motion, joint: Joint, own: NDArray) -> bool:
    """Whether the motion's formulation recovers these coordinates of a joint, so that nothing is lost."""
    q = motion.q[0].copy()
    q[joint.q_slice] = own
    x, w = motion.system.state(q, motion.v[0])
    told, _ = _told(motion.system, x, np.concatenate([w, motion.z[0]]), float(motion.t[0]))
    return bool(np.allclose(told[joint.q_slice], own, rtol=0.0, atol=ALIKE))


def _may_ask(model: Model, applied: Drive, external: Force | None) -> bool:
    """Whether any force may depend on joint coordinates, or act along axes that depend on them."""
    if applied.values is None or external or model.forces or any(joint.stiffness.any() for joint in model.joints):
        return True
    turning = [joint for joint in model.joints if joint.nv and not joint.type.constant_S]
    return any(not applied.zero or joint.damping.any() or joint.friction.any() for joint in turning)


def _acting(model: Model, applied: Drive, external: Force | None, z: NDArray, t: float) -> Act:
    """Return a function of q (nq,) and v (nv,): joint forces (nv,), rates of states (nz,) and external forces."""
    states = z if len(z) else None

    def act(q: NDArray, v: NDArray) -> list[NDArray]:
        own = [passive_force(model, q, v, t=t, z=states) + np.asarray(applied.function(t, q, v))]
        if states is not None:
            own.append(element_state_rates(model, q, v, t=t, z=states))
        return own if external is None else [*own, np.asarray(external(t, q, v))]

    return act


def _differs(lost: list[Joint], q: NDArray, v: NDArray, told: NDArray, v_told: NDArray, act: Act) -> bool:
    """Whether forces differ between two sets of coordinates of the same poses."""
    (tau, *rest), (tau_told, *rest_told) = act(q, v), act(told, v_told)
    pairs = zip([_carried(lost, q, told, tau), *rest], [tau_told, *rest_told], strict=True)
    return any(np.any(np.abs(one - other) > ALIKE * np.abs([one, other]).max(initial=0.0)) for one, other in pairs)
