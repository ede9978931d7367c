"""The parameters of a model in arrays, by bodies, coordinates and velocities; those of mimic joints merged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model


def numbers_of(model: Model) -> dict[str, NDArray]:
    """Return the parameters of a model in arrays, by the names that end those of `Model.parameters`.

    "placement" (bodies, 4, 4), "mass" (bodies,), "com" (bodies, 3), "inertia" (bodies, 3, 3) about the centre of mass,
    "armature", "damping", "stiffness" (nv,), "rest" (nq,), "gravity" (3,); "held", the least energy of the springs, J:
    zero without mimic joints.
    """
    inertias = [body.inertia for body in model.bodies]
    return {
        "placement": np.array([joint.placement for joint in model.joints]),
        "mass": np.array([0.0 if I is None else I.mass for I in inertias]),
        "com": np.array([np.zeros(3) if I is None else I.com for I in inertias]),
        "inertia": np.array([np.zeros((3, 3)) if I is None else I.inertia_com for I in inertias]),
        **(_gathered(model) if model.mimics else _joined(model)),
        "gravity": np.array(model.gravity),
    }


def _joined(model: Model) -> dict[str, NDArray]:
    """Concatenate the numbers of the joints."""
    names = ("armature", "damping", "stiffness", "rest")
    return {name: np.concatenate([getattr(joint, name) for joint in model.joints]) for name in names} | {
        "held": np.zeros(1)
    }


def _gathered(model: Model) -> dict[str, NDArray]:
    """Merge rotors, dampers and springs of mimic joints into those of their master joints.

    Springs k on joints at ``r q + o`` with rests s act as one: the sum of k (r q + o - s)^2 / 2 is K (q - q_0)^2 / 2
    plus a constant, "held".
    """
    armature, damping, stiffness = np.zeros((3, model.nv))
    rest, moment, held = np.zeros(model.nq), np.zeros(model.nq), 0.0
    for joint in model.joints:
        ratio, offset = (1.0, 0.0) if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)
        for total, own in ((armature, joint.armature), (damping, joint.damping), (stiffness, joint.stiffness)):
            # power: the velocity of a mimic joint has the ratio, and so has the force that it gives back
            total[joint.v_slice] += ratio**2 * own
        if joint.mimic is None:
            rest[joint.q_slice] = joint.rest
        if joint.nq == 1:
            moment[joint.q_slice] += joint.stiffness * ratio * (joint.rest - offset)
    leaders = {model.joint(joint.mimic.leader).name for joint in model.joints if joint.mimic is not None}
    for joint in (model.joint(name) for name in leaders):
        if (K := stiffness[joint.v_slice])[0] > 0.0:
            # where the springs together exert nothing
            rest[joint.q_slice] = moment[joint.q_slice] / K
    for joint in model.joints:
        if joint.nq == 1:
            held += 0.5 * float(joint.stiffness[0] * (joint.coordinates(rest) - joint.rest)[0] ** 2)
    return {
        "armature": armature,
        "damping": damping,
        "stiffness": stiffness,
        "rest": rest,
        "held": np.array([held]),
    }
