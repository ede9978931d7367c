"""From parameters to the numbers that programs read, as a program: `rbdkit.engine.links.pack.pack`, traced.

A web page changes "rod1.mass"; compiled code reads mass, first moment and inertia of a link, which may carry several
bodies. The function that packs a model's numbers is run once with symbols for the parameters that the page may change:
what comes out as a symbol depends on them, and is stored by a program that runs in the page; what comes out as a number
stays as it is. A parameter that is not a number of its own in compiled code is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.browser.surfaces import surface_numbers, surfaces_with
from rbdkit.engine.links.layout import Layout, layout
from rbdkit.engine.links.numbers import numbers_of
from rbdkit.engine.links.own_forces import number_places
from rbdkit.engine.links.pack import pack
from rbdkit.engine.rows.dependence import compared_masses, gap_shares, least_pivots
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.constraint_rows import constraint_rows
from rbdkit.model.constraint_rows import number_places as constraint_places
from rbdkit.model.numbering import did_you_mean
from rbdkit.model.one_sided import only_stops, without_stops
from rbdkit.model.row_sizes import free_scalars
from rbdkit.trace import Program, Symbol, symbols


@dataclass(frozen=True, eq=False)
class Adjustment:
    """Parameters that a page may change, and the program that applies them.

    Attributes
    ----------
    program : reads their numbers, parameter after parameter, from "parameters", and writes the packed numbers that
        depend on them.
    values : where each begins in "parameters", and its present value.
    rows : positions in "rows" that it writes.
    layout : of the model, with code for rotors and springs that may be added.
    """

    program: Program
    values: dict[str, tuple[int, NDArray]]
    rows: frozenset[int]
    layout: Layout


def adjustment(model: Model, names: Iterable[str], touching: bool = False) -> Adjustment:
    """Trace how the numbers of a model depend on parameters of those names.

    touching : whether surface materials count, for a model with contacts.

    Raises
    ------
    ModelError
        If a name is not one of `Model.parameters`, or that parameter is not a number of its own in compiled code.
    """
    given = {array: x.astype(object) for array, x in numbers_of(model).items()}
    places = _places(model)
    free, stops = (without_stops(model), only_stops(model)) if touching else (model, None)
    held_places, held = constraint_places(free), _constraint_numbers(free)
    surfaces = surface_numbers(model) if touching else {}
    as_they_are = _stored_as_they_are(model, stops)
    program, parameters = Program("adjust"), model.parameters
    values: dict[str, tuple[int, NDArray]] = {}
    first = 0
    for name in names:
        if name not in parameters or not any(name in known for known in (surfaces, as_they_are, held_places, places)):
            raise _refusal(name, model)
        value = np.array(parameters[name], dtype=float)
        values[name] = first, value
        numbers = [program.load("parameters", 0, first + k) for k in range(value.size)]
        first += value.size
        if name in surfaces:
            for k, x in surfaces_with(model, name, numbers[0]):
                program.store("surfaces", 0, k, x)
        elif name in as_they_are:
            array, part = as_they_are[name]
            for k, x in enumerate(numbers, start=part.start):
                program.store(array, 0, k, x)
        elif name in held_places:
            held[held_places[name]] = numbers
        else:
            array, place = places[name]
            given[array][place] = np.array(numbers, dtype=object).reshape(np.shape(given[array][place]))[()]
    stores = [
        (array, k, number)
        for array, packed in pack(model, layout(model), given).items()
        for k, number in enumerate(packed.flat)
        if isinstance(number, Symbol)
    ]
    if touching and any(array == "frames" for array, *_ in stores):
        raise ModelError(
            f"parameters {', '.join(values)} of model {model.name!r} move bodies on fixed joints, whose shapes may "
            "touch others: where these are is not computed anew in a web page"
        )
    if (model.loops or model.constraints) and any(array == "frames" for array, *_ in stores):
        raise ModelError(
            f"parameters {', '.join(values)} of model {model.name!r} move bodies on fixed joints, which loop joints "
            "and constraints may hold on to: what these do is not computed anew in a web page"
        )
    for array, k, number in stores:
        program.store(array, 0, k, number)
    _store_held(program, free, held)
    rows = frozenset(k for array, k, _ in stores if array == "rows")
    return Adjustment(program, values, rows, layout(model.with_parameters(_with_all_codes(values))))


def _stored_as_they_are(model: Model, stops: Model | None) -> dict[str, tuple[str, slice]]:
    """Return the parameters that programs read unchanged: in which array, and where."""
    stored = {name: ("own_numbers", part) for name, part in number_places(model).items()}
    if stops is not None:
        stored |= {name: ("stops_numbers", part) for name, part in constraint_places(stops).items()}
    return stored


def _constraint_numbers(model: Model) -> list[Any]:
    """Return all numbers of the trace of a model's constraints."""
    rows = constraint_rows(model)
    return [] if rows is None else list(rows.law.numbers)


def _store_held(program: Program, model: Model, numbers: list[Any]) -> None:
    """Store the constraint numbers that are symbols, and the scales of the redundancy decision that depend on them."""
    changed = [(k, x) for k, x in enumerate(numbers) if isinstance(x, Symbol)]
    rows = constraint_rows(model)
    if not changed or rows is None:
        return
    for k, x in changed:
        program.store("held_numbers", 0, k, x)
    first = sum(6 - loop.joint.nv for loop in model.loops)  # rows of loop joints come before
    length, changed_rows = length_of(model), rows.with_numbers(numbers)
    mass = compared_masses(model)
    least = float(least_pivots(model, np.ones(1), length)[0])
    for r, free in enumerate(free_scalars(model, changed_rows, length, mass), start=first):
        if isinstance(free, Symbol):
            program.store("row_free", 0, r, free)
    for r, size in enumerate(free_scalars(model, changed_rows, length, np.ones(len(mass))), start=first):
        if isinstance(size, Symbol):
            program.store("row_size", 0, r, size)
            program.store("row_least", 0, r, least * size)
            program.store("row_share", 0, r, gap_shares(symbols([size]), length)[0])


def _places(model: Model) -> dict[str, tuple[str, Any]]:
    """Return where parameters are in the arrays of `numbers_of`; not those of mimic joints and their masters."""
    pairs = [(joint.name, model.joint(joint.mimic.leader).name) for joint in model.joints if joint.mimic]
    shared = {name for pair in pairs for name in pair}
    places: dict[str, tuple[str, Any]] = {"gravity": ("gravity", slice(None))}
    for body in model.bodies[1:]:
        joint = body.joint
        if body.inertia is not None:
            places |= {f"{body.name}.{name}": (name, body.index) for name in ("mass", "com", "inertia")}
        places[f"{joint.name}.placement"] = "placement", body.index
        if joint.nv and joint.name not in shared:
            places |= {f"{joint.name}.{name}": (name, joint.v_slice) for name in ("armature", "damping", "stiffness")}
            places[f"{joint.name}.rest"] = "rest", joint.q_slice
    return places


def _refusal(name: str, model: Model) -> ModelError:
    if name in model.parameters:
        return ModelError(f"parameter {name!r} of model {model.name!r} cannot be changed in a web page; leave it out")
    return ModelError(f"parameter {name!r} is not one of model {model.name!r}{did_you_mean(name, model.parameters)}")


def _with_all_codes(values: dict[str, tuple[int, NDArray]]) -> dict[str, NDArray]:
    """Return values with rotors and springs nonzero, so that the code has them."""
    return {name: value + 1.0 for name, (_, value) in values.items() if name.endswith((".armature", ".stiffness"))}
