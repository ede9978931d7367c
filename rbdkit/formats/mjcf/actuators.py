"""Motors and servos of a compiled MuJoCo model as actuators; all others are left out by name.

MuJoCo's effort is ``gain u + b0 + b1 L + b2 dL/dt``, within limits, with the length L of the transmission: the gear
times the coordinate of a joint, or times the sum of those of a fixed tendon. Its coordinates begin elsewhere, so the
file's zero goes into the offset.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdkit.forces.actuator import Actuator, Range
from rbdkit.formats.mjcf.joints import HINGE, SLIDE
from rbdkit.formats.mjcf.reading import Reading


def add_actuators(reading: Reading) -> None:
    """Add the actuators that have a constant gain and feedback like a spring and a damper, on hinges and slides."""
    m = reading.compiled
    for k in range(m.nactuator):
        if reading.disabled("ACTUATION") or _switched_off(reading, k):
            reading.leave_out("actuators that the file switches off")
        elif why := _obstacle(reading, k):
            reading.leave_out(f"actuators: {why}")
        else:
            element = _actuator(reading, k)
            name = reading.name("ACTUATOR", k) or f"actuator{k}"
            if name in reading.joint_names or name in reading.body_names:  # as files often have it
                name += "_servo" if element.stiffness or element.damping else "_motor"
            reading.model.add_force(reading.new_name(name), element)
    reading.leave_out("limits of the sum of several actuators' forces on a joint", len(_shared_limits(reading)))


def driven_tendons(reading: Reading) -> set[int]:
    """Return the tendons that are the transmissions of actuators which the model has."""
    m = reading.compiled
    tendon = int(reading.library.mjtTrn.mjTRN_TENDON)
    if reading.disabled("ACTUATION"):
        return set()
    own = (k for k in range(m.nactuator) if int(m.actuator_trntype[k]) == tendon and not _switched_off(reading, k))
    return {int(m.actuator_trnid[k, 0]) for k in own if not _obstacle(reading, k)}


def _switched_off(reading: Reading, k: int) -> bool:
    m = reading.compiled
    group = int(m.actuator_group[k])
    return 0 <= group < 31 and bool(int(m.opt.disableactuator) & (1 << group))


def _obstacle(reading: Reading, k: int) -> str:
    """Return what keeps actuator k from being one of ours, in words for the warning; '' if nothing does."""
    m, library = reading.compiled, reading.library
    target = library.mjtTrn(int(m.actuator_trntype[k])).name.removeprefix("mjTRN_").lower()
    gain = library.mjtGain(int(m.actuator_gaintype[k])).name.removeprefix("mjGAIN_")
    bias = library.mjtBias(int(m.actuator_biastype[k])).name.removeprefix("mjBIAS_")
    if gain == "MUSCLE" or bias == "MUSCLE":
        return "muscles"
    if int(m.actuator_plugin[k]) >= 0 or gain not in ("FIXED", "AFFINE") or bias not in ("NONE", "AFFINE"):
        return "of a user or a plugin"
    if gain == "AFFINE" and m.actuator_gainprm[k, 1:3].any():
        return "with a gain that changes with the length"
    if int(m.actuator_dyntype[k]) != int(library.mjtDyn.mjDYN_NONE) or int(m.actuator_actnum[k]) > 0:
        return "with an activation of their own"
    if int(m.actuator_ctrlnum[k]) != 1 or int(m.actuator_outnum[k]) != 1:
        return "with several controls"
    if float(m.actuator_delay[k]) > 0.0:
        return "with a delay"
    if bias == "AFFINE" and (m.actuator_biasprm[k, 1:3] > 0.0).any():
        return "with a feedback that adds energy"
    if target in ("joint", "jointinparent"):
        if int(m.jnt_type[m.actuator_trnid[k, 0]]) in (HINGE, SLIDE):
            return "" if _is_range(reading, k) else "with an empty range"
        return "of ball and free joints"
    if target == "tendon":
        joint = int(library.mjtWrap.mjWRAP_JOINT)
        first, count = (int(x[m.actuator_trnid[k, 0]]) for x in (m.tendon_adr, m.tendon_num))
        if any(int(kind) != joint for kind in m.wrap_type[first : first + count]):
            return "of a tendon that is no sum of joints"
        if m.tendon_actfrclimited[m.actuator_trnid[k, 0]]:
            return "of a tendon with a limit of its own"
        return "" if _is_range(reading, k) else "with an empty range"
    return {"slidercrank": "of slider-cranks"}.get(target, f"of a {target}")


def _is_range(reading: Reading, k: int) -> bool:
    m = reading.compiled
    ranges = [m.actuator_ctrlrange[k]] if m.actuator_ctrllimited[k] else []
    ranges += [m.actuator_forcerange[k]] if m.actuator_forcelimited[k] else []
    return all(low < high for low, high in ranges)


def _actuator(reading: Reading, k: int) -> Actuator:
    m = reading.compiled
    gear = float(m.actuator_gear[m.actuator_outadr[k], 0])
    joints, ratios = [int(m.actuator_trnid[k, 0])], [gear]
    if int(m.actuator_trntype[k]) == int(reading.library.mjtTrn.mjTRN_TENDON):
        first, count = (int(x[joints[0]]) for x in (m.tendon_adr, m.tendon_num))
        joints = [int(j) for j in m.wrap_objid[first : first + count]]
        ratios = [gear * float(x) for x in m.wrap_prm[first : first + count]]
    zero = sum(ratio * float(m.qpos0[m.jnt_qposadr[j]]) for j, ratio in zip(joints, ratios, strict=True))
    affine = reading.library.mjtBias(int(m.actuator_biastype[k])).name == "mjBIAS_AFFINE"
    constant, stiffness, damping = m.actuator_biasprm[k, :3].tolist() if affine else (0.0, 0.0, 0.0)
    reach: Range | None = None
    if m.actuator_ctrllimited[k] and not reading.disabled("CLAMPCTRL"):
        reach = tuple(m.actuator_ctrlrange[k].tolist())
    names = tuple(reading.joint_names[j] for j in joints)
    return Actuator(
        names if len(names) > 1 else names[0],
        tuple(ratios) if len(names) > 1 else ratios[0],
        gain=float(m.actuator_gainprm[k, 0]),
        stiffness=abs(stiffness),
        damping=abs(damping),
        offset=constant + stiffness * zero,
        u=0.0 if reach is None else float(np.clip(0.0, *reach)),  # what MuJoCo makes of no control
        u_range=reach,
        effort=_effort(reading, k, joints, ratios),
    )


def _effort(reading: Reading, k: int, joints: list[int], ratios: list[float]) -> Range | None:
    """Return the limits of an actuator's effort, with those of its joint where it is the only one there."""
    m = reading.compiled
    low, high = m.actuator_forcerange[k].tolist() if m.actuator_forcelimited[k] else (-np.inf, np.inf)
    if len(joints) == 1 and m.jnt_actfrclimited[joints[0]] and ratios[0] and joints[0] not in _shared_limits(reading):
        ends = sorted(float(x) / ratios[0] for x in m.jnt_actfrcrange[joints[0]])
        low, high = max(low, ends[0]), min(high, ends[1])
    return (low, high) if np.isfinite([low, high]).all() and low < high else None


def _shared_limits(reading: Reading) -> set[int]:
    """Return the joints with a limit of all actuators' forces together that several actuators drive."""
    m = reading.compiled
    by_joint: dict[int, int] = {}
    tendon = int(reading.library.mjtTrn.mjTRN_TENDON)
    joint_like: list[Any] = [reading.library.mjtTrn.mjTRN_JOINT, reading.library.mjtTrn.mjTRN_JOINTINPARENT]
    for k in range(m.nactuator):
        kind, first = int(m.actuator_trntype[k]), int(m.actuator_trnid[k, 0])
        if kind in map(int, joint_like):
            by_joint[first] = by_joint.get(first, 0) + 1
        elif kind == tendon:
            a, n = int(m.tendon_adr[first]), int(m.tendon_num[first])
            for w in range(a, a + n):
                if int(m.wrap_type[w]) == int(reading.library.mjtWrap.mjWRAP_JOINT):
                    by_joint[int(m.wrap_objid[w])] = by_joint.get(int(m.wrap_objid[w]), 0) + 2
    return {j for j, count in by_joint.items() if count > 1 and m.jnt_actfrclimited[j]}
