"""Joints of a compiled MuJoCo model: types, springs, dampers, friction, rotors and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.mjcf.reading import Reading
from rbdkit.formats.xml.numbers import UNLIMITED
from rbdkit.joints import Free, JointType, Prismatic, Revolute, Spherical
from rbdkit.model import Limits

FREE, BALL, SLIDE, HINGE = range(4)
"""mujoco.mjtJoint."""
FREE_TO_OURS = np.array([3, 4, 5, 0, 1, 2])
"""MuJoCo's freedoms of a free joint, linear ones first, in the order of rbdkit's."""


def joint_types(reading: Reading) -> list[JointType]:
    """Return the type of each joint."""
    m = reading.compiled
    kinds = {FREE: lambda axis: Free(), BALL: lambda axis: Spherical(), SLIDE: Prismatic, HINGE: Revolute}
    return [kinds[kind](axis) for kind, axis in zip(m.jnt_type.tolist(), np.array(m.jnt_axis), strict=True)]


def joint_options(reading: Reading) -> list[dict[str, Any]]:
    """Return for each joint the arguments of `Model.add_body` other than type and placement.

    A coordinate counts from MuJoCo's reference ``qpos0``, and so do limits and where springs are slack.
    """
    m = reading.compiled
    armature, damping = _with_actuators(reading)
    friction = np.zeros(m.nv) if reading.disabled("FRICTIONLOSS", "CONSTRAINT") else np.array(m.dof_frictionloss)
    stiffness = np.zeros(m.njnt) if reading.disabled("SPRING") else np.array(m.jnt_stiffness).reshape(m.njnt)
    if reading.disabled("DAMPER"):
        damping[:] = 0.0
    reading.leave_out("joint rotors of negative inertia (armature)", np.count_nonzero(armature < 0.0))
    reading.leave_out("negative friction losses of joints, as MuJoCo does", np.count_nonzero(friction < 0.0))
    armature, friction = np.maximum(armature, 0.0), np.maximum(friction, 0.0)
    polynomial = [] if reading.disabled("SPRING") else [*m.jnt_stiffnesspoly.any(axis=1)]
    reading.leave_out("joint springs that are not linear", sum(polynomial))
    reading.leave_out("joint springs that yield", np.count_nonzero(m.jnt_springyield > 0.0))
    reading.leave_out("joint springs of negative stiffness", np.count_nonzero(stiffness < 0.0))
    reading.leave_out("joint dampers of negative damping", np.count_nonzero(damping < 0.0))
    if not reading.disabled("DAMPER"):
        reading.leave_out("joint dampers that are not linear", np.count_nonzero(m.dof_dampingpoly.any(axis=1)))
    stiffness, damping = np.maximum(stiffness, 0.0), np.maximum(damping, 0.0)
    limited = np.zeros(m.njnt, dtype=bool) if reading.disabled("LIMIT", "CONSTRAINT") else m.jnt_limited.astype(bool)
    reading.leave_out("limits of ball joints", np.count_nonzero(limited & (m.jnt_type == BALL)))
    found = []
    given = stiffness.tolist()
    coefficients = {"damping": damping.tolist(), "friction": friction.tolist(), "armature": armature.tolist()}
    for j, (kind, q, d) in enumerate(
        zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), m.jnt_dofadr.tolist(), strict=True)
    ):
        count = {FREE: 6, BALL: 3}.get(kind, 1)
        options: dict[str, Any] = {
            name: values[d] if count == 1 else np.array(values[d : d + count]) for name, values in coefficients.items()
        }
        if kind == FREE:
            options = _of_free(reading, options)
        elif given[j] > 0.0:
            options["stiffness"] = given[j]
            options["rest"] = m.qpos_spring[q : q + 4] if kind == BALL else m.qpos_spring[q] - m.qpos0[q]
        if kind in (SLIDE, HINGE):
            options["limits"] = _limits(reading, j, bool(limited[j]), float(m.qpos0[q]))
        found.append({name: value for name, value in options.items() if _says_something(value)})
    return found


def _says_something(option: Any) -> bool:
    """Return whether an option differs from what a joint has without it."""
    return bool(option.any() if isinstance(option, np.ndarray) else option)


def free_springs(reading: Reading) -> list[tuple[int, float, NDArray]]:
    """Return the springs of free joints: the joint, the stiffness, and where they are slack (7,), position first."""
    m = reading.compiled
    if reading.disabled("SPRING"):
        return []
    sprung = np.flatnonzero((m.jnt_type == FREE) & (np.array(m.jnt_stiffness).reshape(m.njnt) > 0.0)).tolist()
    starts = [int(m.jnt_qposadr[j]) for j in sprung]
    return [(j, float(m.jnt_stiffness[j]), m.qpos_spring[q : q + 7]) for j, q in zip(sprung, starts, strict=True)]


def _of_free(reading: Reading, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a free joint in the order of rbdkit's freedoms.

    Its rotor inertia along the world's axes and its friction are left out: rbdkit's velocities are along the body's.
    """
    ordered = {name: value[FREE_TO_OURS] for name, value in options.items()}
    reading.leave_out("friction loss of free joints", ordered.pop("friction").any())
    reading.leave_out("armature of free joints along the world's axes", ordered["armature"][3:].any())
    ordered["armature"] = np.concatenate([ordered["armature"][:3], np.zeros(3)])
    if np.ptp(ordered["damping"][3:]) > 0.0:
        reading.leave_out("damping of free joints that differs along the world's axes")
        ordered["damping"] = np.concatenate([ordered["damping"][:3], np.zeros(3)])
    return ordered


def _limits(reading: Reading, joint: int, limited: bool, zero: float) -> Limits | None:
    """Return the limits of a hinge or slide, None if it has none. zero : MuJoCo's coordinate where ours is 0."""
    m = reading.compiled
    bounds = {}
    if limited:
        low, high = m.jnt_range[joint].tolist()
        bounds["lower"] = -np.inf if low < -UNLIMITED else low - zero
        bounds["upper"] = np.inf if high > UNLIMITED else high - zero
    if m.jnt_actfrclimited[joint]:
        least, most = m.jnt_actfrcrange[joint].tolist()
        if least == -most:
            bounds["effort"] = most
        else:
            reading.leave_out("unequal limits of actuator forces on joints")
    return Limits(**bounds) if bounds else None


def _with_actuators(reading: Reading) -> tuple[NDArray, NDArray]:
    """Return armature and damping of all freedoms, with what actuators add to their joints, by the gear squared."""
    m = reading.compiled
    armature, damping = np.array(m.dof_armature), np.array(m.dof_damping).reshape(m.nv)
    joint_like = {int(reading.library.mjtTrn.mjTRN_JOINT), int(reading.library.mjtTrn.mjTRN_JOINTINPARENT)}
    for k in np.flatnonzero(np.array(m.actuator_armature) + np.abs(m.actuator_damping).ravel()).tolist():
        joint = int(m.actuator_trnid[k, 0])
        if int(m.actuator_trntype[k]) in joint_like and int(m.jnt_type[joint]) in (SLIDE, HINGE):
            gear = float(m.actuator_gear[m.actuator_outadr[k], 0])
            armature[m.jnt_dofadr[joint]] += gear**2 * m.actuator_armature[k]
            damping[m.jnt_dofadr[joint]] += gear**2 * m.actuator_damping[k]
        else:
            reading.leave_out("armature and damping of actuators that drive no hinge or slide")
    polynomial = m.actuator_dampingpoly.any(axis=1) if m.nactuator else np.zeros(0)
    reading.leave_out("actuators whose damping is not linear", np.count_nonzero(polynomial))
    return armature, damping
