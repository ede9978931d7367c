"""Record a function of a model as a `Formula`, and compare what was recorded with the function itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.errors import ArgumentError
from rbdkit.formulas.formula import Argument, Formula, identifier
from rbdkit.formulas.held import closed_pose, consistent_velocity, held_forward_dynamics, partition, spanning_tree
from rbdkit.formulas.quantities import QUANTITIES, Choice, Quantity
from rbdkit.formulas.symbolic_numbers import Place, parameter_places, put_symbols, require_parameters
from rbdkit.functions import compile
from rbdkit.model import Model
from rbdkit.simulation.ensembles.names import state_names
from rbdkit.spatial.read_numbers import shown
from rbdkit.trace import Trace, trace

STATES = 3
AGREES = 1e-9
"""Random states at which a recording is compared with its function, and the relative difference allowed there."""


def record(model: Model, what: str | Callable[..., Any], parameters: Sequence[str], choice: Choice) -> Formula:
    """Record one of the `QUANTITIES`, or a user's function of (model, q, v, ...).

    Raises
    ------
    ArgumentError
        If the model or a parameter does not allow it, with the reason.
    """
    if callable(what):
        return _of_user(model, what, parameters)
    places, quantity = require_parameters(model, parameters), QUANTITIES[what]
    _require_covered(model, what, quantity, places)
    shaped = _shaped(model, places)
    try:
        kernels = Kernels(shaped, "python")
    except NotCovered as fault:
        raise ArgumentError(f"model {model.name!r} cannot be exported: {fault}") from fault
    if quantity.forces and (model.loops or model.constraints) and kernels.rows is None:
        raise ArgumentError(f"{what} of model {model.name!r} cannot be exported: {kernels.why_not}")
    arguments = [_argument(model, name) for name in quantity.arguments]
    if kernels.driven or (quantity.forces and (kernels.timed or kernels.rows_timed)):
        arguments.append(Argument("t", (), ("time",)))
    if quantity.forces and model.nz:
        arguments.append(Argument("z", (model.nz,), tuple(model.z_names)))
    if places:
        arguments.append(Argument("parameters", (len(places),), tuple(places)))
    straight = tuple((x.q_slice, x.v_slice) for x in model.joints if not x.type.is_curved and x.mimic is None)
    used, recorded = [kernels], partial(quantity.recorded, kernels, replace(choice, straight=straight))
    if what == "forward_dynamics" and (model.loops or model.constraints):
        used.append(Kernels(spanning_tree(shaped), "python"))
        split = partition(kernels.constraint_rows(closed_pose(model, np.random.default_rng(0)), np.zeros(model.nv)).K)
        recorded = partial(held_forward_dynamics, split, used[0], used[1])

    def function(*given: Any) -> Any:
        state, options = _sorted(arguments, given)
        if places:
            put_symbols(used, model, places, options.pop("parameters"))
        return recorded(*state, **options)

    found = trace(function, *[x.shape for x in arguments], names=[x.name for x in arguments])
    _require_agreement(model, what, found, arguments, _reference(model, quantity, choice, arguments, places))
    return Formula(identifier(model.name, what), quantity.about, tuple(arguments), found)


def _shaped(model: Model, places: Mapping[str, Place]) -> Model:
    """Return a model for which all is recorded that the parameters act on: rotors and springs of zero are left out."""
    zero = [name for name, place in places.items() if place.array in ("armature", "stiffness")]
    zero = [name for name in zero if not model.parameters[name]]
    return model.with_parameters(dict.fromkeys(zero, 1.0)) if zero else model


def _of_user(model: Model, what: Callable[..., Any], parameters: Sequence[str]) -> Formula:
    name = getattr(what, "__name__", "function")
    if len(parameters):
        raise ArgumentError(
            f"parameters = {shown(parameters)} of a function of your own: write them as arguments of {name}, and name "
            "only functions of rbdkit with parameters="
        )
    compiled = compile(what, model)
    arguments = [
        _argument(model, label) if label in ("q", "v", "a", "tau") else Argument(label, shape)
        for label, shape in compiled.sizes.items()
    ]
    shapes, labels = [x.shape for x in arguments], [x.name for x in arguments]
    found = trace(compiled, *shapes, names=labels)
    _require_agreement(model, name, found, arguments, lambda *given: what(model, *given))
    return Formula(identifier(model.name, name), f"what {name} computes", tuple(arguments), found)


def _argument(model: Model, name: str) -> Argument:
    coordinates, velocities = state_names(model)
    entries = coordinates if name == "q" else [f"{x.removesuffix(' rate')}" for x in velocities]
    return Argument(name, (len(entries),), tuple(entries))


def _require_covered(model: Model, what: str, quantity: Quantity, places: Mapping[str, Place]) -> None:
    if not (model.nv or places or any(joint.type.is_driven for joint in model.joints)):
        raise ArgumentError(f"model {model.name!r} does not move, so its {what} is no function of anything")
    if quantity.moved and model.contact_rules:
        raise ArgumentError(
            f"model {model.name!r} has contacts, which {what} cannot hold in a formula; export a model without ground "
            "and contact rules"
        )
    if what == "aba" and (model.loops or model.constraints):
        raise ArgumentError(
            f"model {model.name!r} has loops or constraints, which aba does not know; export 'forward_dynamics'"
        )
    curved = [joint.name for joint in model.joints if joint.type.is_curved and joint.stiffness.any()]
    if what == "equation_forces" and (model.loops or model.constraints or curved):
        part = f"a spring on joint {curved[0]!r}, whose coordinates are curved" if curved else "loops or constraints"
        raise ArgumentError(f"model {model.name!r} has {part}, which {what} does not know; export 'forward_dynamics'")
    if quantity.forces and (model.loops or model.constraints):
        of_rows = [name for name, place in places.items() if place.array == "placement"]
        if of_rows:
            raise ArgumentError(
                f"parameter {of_rows[0]!r} cannot be a symbol where loops or constraints hold the bodies, whose rows "
                "are made for given placements; export the function again for each of its values"
            )


def _sorted(arguments: Sequence[Argument], given: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the state, and what is passed by name: t, z, parameters."""
    named = {x.name: value for x, value in zip(arguments, given, strict=True)}
    options: dict[str, Any] = {name: named.pop(name) for name in ("t", "z", "parameters") if name in named}
    return list(named.values()), options


def _reference(
    model: Model, quantity: Quantity, choice: Choice, arguments: Sequence[Argument], places: Mapping[str, Place]
) -> Callable[..., Any]:
    """Return the public function, which computes another model's numbers where parameters differ."""

    def found(*given: Any) -> Any:
        state, options = _sorted(arguments, given)
        numbers = options.pop("parameters", None)
        other = model if numbers is None else with_numbers(model, dict(zip(places, numbers, strict=True)))
        return quantity.reference(other, choice, *state, **options)

    return found


def with_numbers(model: Model, values: Mapping[str, float]) -> Model:
    """Return the model with other values of parameters named as `require_parameters` has them."""
    changed: dict[str, Any] = {}
    for name, value in values.items():
        owner, _, entry = name.rpartition(".")
        if name in model.parameters:
            changed[name] = value
            continue
        array = np.array(changed.get(owner, model.parameters[owner]), dtype=float)
        for at in _entries(array, entry):
            array[at] = value
        changed[owner] = array
    return model.with_parameters(changed)


def _entries(array: NDArray, entry: str) -> list[tuple[int, ...]]:
    axes = ["xyz".index(letter) if letter in "xyz" else int(letter) for letter in entry]
    if array.shape == (4, 4):
        return [(axes[0], 3)]
    return [(axes[0], axes[1]), (axes[1], axes[0])] if array.ndim == 2 else [(axes[0],)]


def current_numbers(model: Model, names: Sequence[str]) -> NDArray:
    """Return the values that parameters have in the model."""
    found = []
    for name in names:
        if name in model.parameters:
            found.append(float(model.parameters[name]))
        else:
            owner, _, entry = name.rpartition(".")
            array = np.asarray(model.parameters[owner], dtype=float)
            found.append(float(array[_entries(array, entry)[0]]))
    return np.array(found)


def _require_agreement(
    model: Model, what: str, found: Trace, arguments: Sequence[Argument], reference: Callable[..., Any]
) -> None:
    """Compare a recording with its function at random states and, slightly, other parameters."""
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        given = _drawn_state(model, arguments, rng)
        expected = np.asarray(reference(*given), dtype=float)
        values = np.asarray(found(*given), dtype=float).reshape(expected.shape)
        scale = np.abs(expected).max(initial=0.0) + np.abs(values).max(initial=0.0)
        # written so that NaN is refused, too
        if not np.abs(values - expected).max(initial=0.0) <= AGREES * scale:
            raise ArgumentError(
                f"{what} of model {model.name!r} cannot be exported: what was recorded gives {shown(values)} where the "
                f"function gives {shown(expected)}, so its operations depend on the state or on a parameter"
            )


def _drawn_state(model: Model, arguments: Sequence[Argument], rng: np.random.Generator) -> list[Any]:
    """Return random arguments; where loops or constraints hold a model, a state that fulfils them."""
    given = {x.name: _drawn(model, x, rng) for x in arguments}
    if (model.loops or model.constraints) and "q" in given:
        given["q"] = closed_pose(model, rng)
        if "v" in given:
            rows = Kernels(model, "python").constraint_rows(given["q"], given["v"], given.get("t", 0.0))
            given["v"] = consistent_velocity(rows.K, given["v"])
    return list(given.values())


def _drawn(model: Model, argument: Argument, rng: np.random.Generator) -> Any:
    if argument.name == "q":
        return model.random_q(rng)
    if argument.name == "t":
        return abs(float(rng.normal()))
    if argument.name != "parameters":
        return rng.normal(size=argument.shape)
    # but for inertias, whose moments must stay those of a body
    kept, places = np.array([".inertia." in name for name in argument.entries]), parameter_places(model)
    more = np.where(kept, 0.0, 0.1 * rng.uniform(size=kept.shape))
    now = current_numbers(model, argument.entries)
    # what is zero might have been left out; force elements may not take any number
    zero = (now == 0.0) & np.array([places[name].array != "own_numbers" for name in argument.entries])
    return np.where(zero, more, now * (1.0 + more))
