"""Symbols in place of chosen parameters of a model, in the arrays that its recorded algorithms read.

Compiled code reads a model's numbers from arrays (`rbdkit.engine.links.pack`). Here some entries of what these arrays
are made from - a mass, a coordinate of a placement - are symbols, and the arrays follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels
from rbdkit.engine.links.numbers import numbers_of
from rbdkit.engine.links.own_forces import number_places
from rbdkit.errors import ArgumentError
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.spatial.read_numbers import shown
from rbdkit.trace import symbols

AXES = {"x": 0, "y": 1, "z": 2}
ENTRIES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "xz": (0, 2)}
OF_VELOCITIES = ("armature", "damping", "stiffness")


@dataclass(frozen=True)
class Place:
    """The entries of a parameter in an array of `numbers_of`, or in the numbers of force elements ("own_numbers")."""

    array: str
    entries: tuple[tuple[int, ...], ...]


def parameter_places(model: Model) -> dict[str, Place]:
    """Return the parameters of a model that may be symbols, by name, and where they stand."""
    found = {f"gravity.{axis}": Place("gravity", ((k,),)) for axis, k in AXES.items()}
    for i, (body, joint) in enumerate(zip(model.bodies, model.joints, strict=True)):
        if i and body.inertia is not None:
            found[f"{body.name}.mass"] = Place("mass", ((i,),))
            found |= {f"{body.name}.com.{axis}": Place("com", ((i, k),)) for axis, k in AXES.items()}
            for name, (row, column) in ENTRIES.items():
                both = {(i, row, column): None, (i, column, row): None}
                found[f"{body.name}.inertia.{name}"] = Place("inertia", tuple(both))
        if i:
            # of placements the position: rotations are structure, as axes that fall together shorten the code
            found |= {f"{joint.name}.placement.{axis}": Place("placement", ((i, k, 3),)) for axis, k in AXES.items()}
        if joint.nv == 1 and not model.mimics:
            at = ((joint.v_slice.start,),)
            found |= {f"{joint.name}.{name}": Place(name, at) for name in OF_VELOCITIES}
            if joint.nq == 1:
                found[f"{joint.name}.rest"] = Place("rest", ((joint.q_slice.start,),))
    for name, places in number_places(model).items():
        if places.stop - places.start == 1:
            found[name] = Place("own_numbers", ((places.start,),))
        else:
            axes = AXES if places.stop - places.start == 3 else {str(k): k for k in range(places.stop - places.start)}
            found |= {f"{name}.{axis}": Place("own_numbers", ((places.start + k,),)) for axis, k in axes.items()}
    return found


def require_parameters(model: Model, names: Any) -> dict[str, Place]:
    """Return the places of parameters that a user names.

    Raises
    ------
    ArgumentError
        If one is unknown, stands there twice, or cannot be a symbol.
    """
    if isinstance(names, str) or not isinstance(names, Sequence | Mapping):
        raise ArgumentError(f"parameters = {shown(names)} must be a list of names such as ['link1.mass', 'gravity.z']")
    known, found = parameter_places(model), dict[str, Place]()
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise ArgumentError(_why_not(model, name, known))
        if name in found:
            raise ArgumentError(f"parameters name {name!r} twice")
        found[name] = known[name]
    return found


def _why_not(model: Model, name: Any, known: Mapping[str, Place]) -> str:
    if isinstance(name, str):
        parts = [other for other in known if other.startswith(f"{name}.")]
        if parts:
            return f"parameter {name!r} has several numbers; name those that are to be symbols: {', '.join(parts)}"
        if name in model.parameters:
            return (
                f"parameter {name!r} of model {model.name!r} cannot be a symbol: it decides which code is written, or "
                "is shared by joints that move together; export the function again for each of its values"
            )
    return f"parameter {shown(name)} is not one of model {model.name!r}{did_you_mean(str(name), known)}"


def put_symbols(kernels: Sequence[Kernels], model: Model, places: Mapping[str, Place], values: NDArray) -> None:
    """Put symbols for these parameters, in this order, into the arrays of kernels of a model and of its tree."""
    given: dict[str, NDArray] = dict(numbers_of(model))
    given["own_numbers"] = kernels[0].numbers.get("own_numbers", np.zeros(0))
    for place, x in zip(places.values(), values, strict=True):
        if given[place.array].dtype != object:
            given[place.array] = symbols(given[place.array])
        for entry in place.entries:
            given[place.array][entry] = x
    own = given.pop("own_numbers")
    for each in kernels:
        each.numbers.update(each.packed(model, given))
        if "own_numbers" in each.numbers:
            each.numbers["own_numbers"] = own
