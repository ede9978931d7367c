"""Names and units of a model's velocity variables, for messages."""

from __future__ import annotations

from rbdkit.model import Joint, Model


def variable_name(model: Model, k: int) -> str:
    """Return the name of the joint of velocity variable k, with the freedom within the joint if it has several."""
    joint = _owner(model, k)
    return repr(joint.name) if joint.nv == 1 else f"{joint.name!r} ({joint.type.v_names[k - joint.v_slice.start]})"


def mover_name(model: Model, k: int) -> str:
    """Return the name of velocity variable k's joint, or, from nv on, of a force element's state."""
    return f"joint {variable_name(model, k)}" if k < model.nv else f"state {model.z_names[k - model.nv]!r}"


def position_unit(model: Model, k: int) -> str:
    """Return the unit of displacements along velocity variable k, 'rad' or 'm'."""
    joint = _owner(model, k)
    return joint.type.v_units[k - joint.v_slice.start].removesuffix("/s")


def _owner(model: Model, k: int) -> Joint:
    for joint in model.joints:
        if joint.mimic is None and joint.v_slice.start <= k < joint.v_slice.stop:
            return joint
    raise IndexError(f"velocity variable {k} is not in 0..{model.nv - 1}")
