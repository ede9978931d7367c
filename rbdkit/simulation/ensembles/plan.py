"""Plan a sweep: check its arguments, make its parameter family, and divide its members into chunks.

Errors that concern all members are raised here, before any work begins; errors of single members become failures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, SimulationError, StateError
from rbdkit.model import Model
from rbdkit.model.element_states import state_places as element_places
from rbdkit.model.kept import snapshot
from rbdkit.model.numbering import did_you_mean
from rbdkit.simulation import room
from rbdkit.simulation.asking import parameters_of
from rbdkit.simulation.choices import integrator_of, maker_of
from rbdkit.simulation.compiled import obstacle
from rbdkit.simulation.ensembles.axes import Axes
from rbdkit.simulation.ensembles.chunk import Chunk
from rbdkit.simulation.ensembles.family import SETTINGS, Build, Family
from rbdkit.simulation.ensembles.names import state_places
from rbdkit.simulation.ensembles.values import name_of
from rbdkit.simulation.forces import drive
from rbdkit.simulation.sampled import Sampled
from rbdkit.simulation.step_times import step_times
from rbdkit.spatial.read_numbers import shown

LANES = 8
"""Number of SIMD lanes: the most members that compiled code computes together; chunks are multiples of it."""
SHARES = 4
"""Number of chunks per worker: enough that no worker idles long while the last one finishes."""
LARGEST = 512
"""Largest number of members in a chunk."""
COMMON = ("duration", "every", "backend")
ROOM = 2**34
"""Largest size of an ensemble's arrays, bytes."""


def family_of(source: Model | Build, axes: Axes, q0: Any, v0: Any, options: dict[str, Any]) -> Family:
    """Return the parameter family of a sweep, with its arguments checked.

    Parameters
    ----------
    source : Model or Build
        A model, or a function that builds one.
    options : dict of str to object
        Arguments of `rbdkit.simulate` by name.

    Raises
    ------
    SimulationError, ModelError, StateError
        If a name is unknown, or no value of a name can be used.
    """
    for name, value in {"q0": q0, "v0": v0, "tau": options["tau"], "f_ext": options["f_ext"],
                        "u": options.get("u")}.items():  # fmt: skip
        if value is not None and name in axes.values:
            raise SimulationError(f"{name} is among the values that vary; do not give it as an argument too")
    given = [("tau", value) for value in (options["tau"], *axes.values.get("tau", ()))]
    given += [("u", value) for value in (options.get("u"), *axes.values.get("u", ()))]
    for name, value in given:
        if isinstance(value, Sampled):
            raise SimulationError(
                f"{name} is a sampled controller, which keeps something from call to call, and members of a sweep run "
                "side by side; simulate them one after the other"
            )
    every = options["every"]
    if not isinstance(every, int | np.integer) or not 1 <= every < 2**63:
        raise SimulationError(f"every = {shown(every)} must be a whole number of steps, 1 or more")
    if not isinstance(options["backend"], str) or options["backend"] not in ("auto", "book", "checked"):
        known = "'auto' and 'book', and 'checked'"
        raise SimulationError(f"backend {shown(options['backend'])} is unknown; there are {known}")
    steps = axes.values.get("dt", (options["dt"],))
    for dt in steps:
        step_times(options["duration"], dt)  # says what is wrong with them
    interval = every * float(max(steps))
    for dt in steps:
        if abs(interval / dt - round(interval / dt)) > 1e-9 * interval / dt:
            raise SimulationError(
                f"dt = {dt:g} s does not divide the {interval:g} s between recorded states ({every} times the longest "
                f"dt): members are recorded at the same times; take {interval / round(interval / dt):.9g} s"
            )
    source = snapshot(source) if isinstance(source, Model) else source  # members are made of it when they are asked for
    reference, arguments = _reference(source, axes)
    _check_names(reference, arguments, axes)
    _check_states(reference, axes, options.get("z0"))
    family = Family(source, arguments, reference, q0, v0, options, interval)
    _check_values(family, axes)
    return family


def require_room(family: Family, axes: Axes) -> None:
    """Raise SimulationError if the motions of all members do not fit into memory."""
    states = len(recorded_times(family, axes))
    size = room.NUMBER * len(axes) * states * (family.reference.nq + family.reference.nv + family.reference.nz)
    if size > min(ROOM, room.free_memory() / room.COPIES):
        raise SimulationError(
            f"{len(axes)} members with {states} recorded states each take {size / 2**30:.2g} GB; record fewer with a "
            f"larger every (it is {family.options['every']}), give fewer values, or a folder for them with store=..."
        )


def recorded_times(family: Family, axes: Axes) -> NDArray:
    """Return the times at which all members are recorded, s."""
    dt = max(axes.values.get("dt", (family.options["dt"],)))
    times = step_times(family.options["duration"], dt)
    last = len(times) - 1
    return times[np.append(np.arange(0, last, round(family.interval / dt)), last)]


def shares_of(family: Family, axes: Axes, numbers: NDArray, workers: int, size: int | None = None) -> list[NDArray]:
    """Divide the numbers of members into chunks, with the same integrator and step in each."""
    places = np.unravel_index(numbers, axes.shape)
    alike = np.zeros(len(numbers), dtype=int)
    for k, (name, values) in enumerate(axes.values.items()):
        if name in ("dt", "integrator", "formulation"):
            # backwards, so that the first of equal values gives the number
            same = {id(value): own for own, value in reversed(list(enumerate(values)))}
            kind = np.array([same[id(value)] for value in values])
            alike = alike * len(values) + kind[places[k if axes.product else 0]]
    shares = []
    for kind in np.unique(alike):
        group = numbers[alike == kind]
        options = family.options | {
            name: value for name, value in axes.parameters(int(group[0])).items() if name in family.options
        }
        own = size or _chunk_size(len(group), workers, _compiles(options))
        shares += [group[start : start + own] for start in range(0, len(group), own)]
    return shares


def chunk_of(family: Family, axes: Axes, share: NDArray) -> Chunk:
    """Return some members as a chunk, in the form that is sent to a worker."""
    return Chunk(family, {int(number): axes.parameters(int(number)) for number in share})


def _chunk_size(members: int, workers: int, lanes: bool) -> int:
    share = max(1, math.ceil(members / (SHARES * workers)))
    # whole groups of lanes: a lane without a member costs as much as one with
    return min(LARGEST, LANES * math.ceil(share / LANES) if lanes else share)


def _compiles(options: dict[str, Any]) -> bool:
    """Whether members with such options can run in SIMD lanes of compiled code, if the model allows it."""
    if options["formulation"] != "joint" or options["backend"] != "auto":
        return False
    return not obstacle(
        integrator_of(options["integrator"]),
        callable(options["tau"]) or callable(options.get("u")),
        callable(options["f_ext"]),
    )


def _reference(source: Model | Build, axes: Axes) -> tuple[Model, tuple[str, ...]]:
    """Return a model with the names and coordinates of all members, and the arguments of a building function."""
    if isinstance(source, Model):
        return source, ()
    takes = parameters_of(source).values()
    named = [p.name for p in takes if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    missing = [p.name for p in takes if p.name in named and p.default is p.empty and p.name not in axes.values]
    if missing:
        raise SimulationError(f"{name_of(source)} needs {missing[0]!r}, which is not among the values")
    arguments = tuple(name for name in axes.values if name in named)
    if any(p.kind is p.VAR_KEYWORD for p in takes):
        arguments = tuple(name for name in axes.values if "." not in name and name not in ("q0", "v0", *SETTINGS))
    fault: Exception | None = None
    for number in range(len(axes)):
        parameters = axes.parameters(number)
        try:
            model = source(**{name: parameters[name] for name in arguments})
        except Exception as raised:  # the first values may be ones that it refuses, and others not
            fault = fault or raised
            continue
        if not isinstance(model, Model):
            raise SimulationError(f"{name_of(source)} returned {model!r}, which is not a Model")
        return model, arguments
    assert fault is not None
    raise SimulationError(f"{name_of(source)} built no model from any of the values; first: {fault}") from fault


def _check_names(model: Model, arguments: tuple[str, ...], axes: Axes) -> None:
    known = {*model.parameters, *state_places(model), *arguments, "q0", "v0", *SETTINGS}
    for name in axes.values:
        if name in known:
            continue
        if name in COMMON:
            raise SimulationError(f"{name} is the same for all members of a sweep; give it as an argument")
        raise SimulationError(
            f"{name!r} is no parameter and no coordinate of model {model.name!r}, and none of q0, v0, "
            f"{', '.join(SETTINGS)}{did_you_mean(name, known)}"
        )


def _check_states(model: Model, axes: Axes, z0: Any) -> None:
    """Raise SimulationError if a state of a force element is both varied and given for all members."""
    if z0 is None:
        return
    model.initial_z(z0)
    for name in element_places(model).slices:
        if name in axes.values and (name in z0 if isinstance(z0, Mapping) else True):
            raise SimulationError(f"{name} is among the values that vary; do not give it in z0 too")


def _check_values(family: Family, axes: Axes) -> None:
    """Raise the error of a setting, or of a name none of whose values is valid: then no member could begin."""
    model, duration = family.reference, family.options["duration"]
    for name, check in {"integrator": integrator_of, "formulation": maker_of}.items():
        for value in (family.options[name], *axes.values.get(name, ())):
            check(value)
    places = state_places(model)
    for name, values in axes.values.items():
        if name in places:
            for value in values:
                if np.ndim(value) > 0 or not isinstance(value, int | float | np.number):
                    raise SimulationError(f"{name!r}: {value!r} is not a number")
        elif name in ("q0", "v0"):
            _require_one(values, model.check_q if name == "q0" else model.check_v)
        elif name == "tau" and "dt" not in axes.values:
            _require_one(values, partial(drive, model, times=step_times(duration, family.options["dt"])))
        elif name not in (*SETTINGS, *family.arguments):
            _require_one([{name: value} for value in values], model.with_parameters)


def _require_one(values: Sequence[Any], check: Callable[[Any], object]) -> None:
    """Raise the first error if no value is valid."""
    first: Exception | None = None
    for value in values:
        try:
            check(value)
        except (ModelError, StateError, SimulationError) as fault:
            first = first or fault
        else:
            return
    assert first is not None
    raise first
