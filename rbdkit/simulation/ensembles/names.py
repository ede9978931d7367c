"""Names of the quantities that a sweep can vary, and their units."""

from __future__ import annotations

import numpy as np

from rbdkit.model import Model
from rbdkit.simulation.trajectory import Trajectory

BODY_UNITS = {"mass": "kg", "com": "m", "inertia": "kg m2"}
JOINT_UNITS = {  # by the unit of the velocity
    "damping": {"rad/s": "N m s/rad", "m/s": "N s/m"},
    "friction": {"rad/s": "N m", "m/s": "N"},
    "stiffness": {"rad/s": "N m/rad", "m/s": "N/m"},
    "armature": {"rad/s": "kg m2", "m/s": "kg"},
}
OTHER_UNITS = {"gravity": "m/s2", "dt": "s"}


def state_places(model: Model) -> dict[str, int]:
    """Return the index in the state (q, v) of each column of a `Trajectory`; mimic joints have none."""
    numbers = np.arange(model.nq + model.nv, dtype=float)
    itself = Trajectory(
        model, np.zeros(1), numbers[None, : model.nq], numbers[None, model.nq :], z=np.zeros((1, model.nz))
    )
    followers = (*(f"{joint.name}." for joint in model.joints if joint.mimic is not None), *model.z_names)
    columns = itself.columns().items()
    return {name: int(values[0]) for name, values in columns if not name.startswith(followers)}


def state_names(model: Model) -> tuple[list[str], list[str]]:
    """Return the names of the coordinates and of the velocities, in their order."""
    places = state_places(model)
    names = sorted(places, key=places.__getitem__)
    return names[: model.nq], names[model.nq :]


def state_units(model: Model) -> tuple[list[str], list[str]]:
    """Return the units of the coordinates and of the velocities, in their order."""
    own = [joint.type for joint in model.joints if joint.mimic is None]
    return [unit for type_ in own for unit in type_.q_units], [unit for type_ in own for unit in type_.v_units]


def unit_of(model: Model, name: str) -> str:
    """Return the unit of a quantity of a sweep; empty if it has none, or several."""
    if name in OTHER_UNITS:
        return OTHER_UNITS[name]
    place = state_places(model).get(name)
    if place is not None:
        q_units, v_units = state_units(model)
        return (q_units + v_units)[place]
    owner, _, field = name.rpartition(".")
    if field in BODY_UNITS:
        return BODY_UNITS[field]
    part = next((part for part in model.elements if part.name == owner), None)
    if part is not None:
        return part.element.units.get(field, "")
    joint = next((joint for joint in model.joints if joint.name == owner), None)
    if joint is None:
        return ""
    if field == "pitch":
        return "m/rad"
    if field == "radius":
        return "m"
    units = (
        set(joint.type.q_units)
        if field == "rest"
        else {JOINT_UNITS.get(field, {}).get(u, "") for u in joint.type.v_units}
    )
    return units.pop() if len(units) == 1 else ""
