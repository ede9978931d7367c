"""Ranges of the sliders for the controls of actuators."""

from __future__ import annotations

import numpy as np

from rbdkit.forces.actuator import Actuator
from rbdkit.model import Model
from rbdkit.model.closing.length import length_of
from rbdkit.model.controls import actuators


def reach_of_controls(model: Model) -> dict[str, tuple[float, float]]:
    """Return for each actuator the controls that a slider runs over: its range, or what it is likely to need.

    Without a range, a motor goes to its limits of effort, else to the weight of the model at its length; a position
    servo to the limits of its joint, else half a turn or the model's length to both sides; a velocity servo to twice
    the speed of a fall from there.
    """
    found = {}
    for force in actuators(model):
        low, high = force.element.u_range or _likely(model, force.element)
        found[force.name] = (min(low, force.element.u), max(high, force.element.u))
    return found


def _likely(model: Model, own: Actuator) -> tuple[float, float]:
    length, fall = length_of(model), max(float(np.linalg.norm(model.gravity)), 1.0)
    loop = model.loop(own.names[0])
    joint = model.joint(own.names[0]) if loop is None else loop.joint
    turns = joint.type.q_units[:1] == ("rad",)
    if own.stiffness > 0.0:
        ends = np.array([-np.pi, np.pi]) if turns else np.array([-length, length])
        limits = np.array([np.ravel(joint.limits.lower)[0], np.ravel(joint.limits.upper)[0]])
        ends = own.gears[0] * np.where(np.isfinite(limits), limits, ends)
    elif own.damping > 0.0:
        ends = own.gears[0] * np.array([-2.0, 2.0]) * np.sqrt(fall / length if turns else fall * length)
    else:
        weight = model.mass * fall * (length if turns else 1.0)
        ends = np.array(own.effort or (-weight, weight)) / (own.gain or 1.0)
    return float(ends.min()), float(ends.max())
