"""A motion as a function of a few parameters: their ranges, and the motion for given values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.simulation.asking import parameters_of
from rbdkit.simulation.ensembles.axes import axes_of
from rbdkit.simulation.ensembles.family import Member
from rbdkit.simulation.ensembles.names import unit_of
from rbdkit.simulation.ensembles.plan import family_of
from rbdkit.simulation.simulate import simulate
from rbdkit.simulation.step_times import step_times
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.spatial.read_numbers import shown

ENTRIES: dict[tuple[int, ...], dict[str, tuple[int, ...]]] = {
    (3,): {"x": (0,), "y": (1,), "z": (2,)},
    (4, 4): {"x": (0, 3), "y": (1, 3), "z": (2, 3)},
    (3, 3): {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "xz": (0, 2)},
}
"""Entries of parameters by shape: vectors, placements, inertias."""
KEYS = 800
"""Largest number of states recorded in a run: enough for a picture."""

GAIN = "tau."
"""Prefix of the names of gains of the torque law."""

Range = Sequence[Any]


@dataclass(frozen=True)
class Knob:
    """A parameter with a range, or with a list of choices.

    Attributes
    ----------
    name, unit : str
        Name as in `Experiment`, and unit.
    low, high, rest : float
        Range and initial value; for a choice, indices into `choices`.
    choices : tuple of object
        The choices, or empty.
    """

    name: str
    unit: str
    low: float
    high: float
    rest: float
    choices: tuple[Any, ...] = ()

    @property
    def logarithmic(self) -> bool:
        """Whether the range spans decades."""
        return not self.choices and self.low > 0.0 and self.high >= 100.0 * self.low


class Experiment:
    """A model, or a function that builds one, with parameters to vary.

    Parameters
    ----------
    source : Model or callable
        A model, or a function that builds one from numbers.
    ranges : mapping of str to Range
        For each name ``(low, high)`` or ``(low, high, first value)``, or a list of choices. Names are those of
        `rbdkit.sweep` (``"link1.mass"``, ``"elbow.angle"``, ``"dt"``, ``"integrator"``, arguments of the building
        function), 'duration', entries of vectors, placements and inertias (``"gravity.z"``,
        ``"elbow.placement.x"``, ``"link1.inertia.xx"``), and gains of a torque law: ``"tau.kp"`` for
        ``def tau(t, q, v, kp=20.0)``.
    q0, v0, options
        As in `rbdkit.simulate`.

    Attributes
    ----------
    knobs
        The parameters in the order of the ranges.
    building
        Names of the arguments of the building function.
    gains : dict of str to float
        Gains: arguments of the torque law other than t, q and v, with their defaults.

    Raises
    ------
    SimulationError, ModelError, StateError
        If a name is unknown, a range is not one, or the first values cannot be used.
    """

    def __init__(
        self,
        source: Model | Callable[..., Model],
        ranges: Mapping[str, Range],
        q0: Any = None,
        v0: Any = None,
        **options: Any,
    ) -> None:
        if not isinstance(ranges, Mapping):
            raise SimulationError(
                f'ranges = {shown(ranges)} must be a mapping such as {{"link1.mass": (0.1, 2.0)}}; q0= is the start'
            )
        if not ranges:
            raise SimulationError('there is nothing to tweak; give ranges such as {"link1.mass": (0.1, 2.0)}')
        defaults = {
            "duration": 5.0,
            "dt": 1e-3,
            "formulation": "joint",
            "integrator": "rk4",
            "tau": None,
            "f_ext": None,
        }
        self._options = {**defaults, **options, "every": 1, "backend": "auto"}
        self.gains = gains_of(self._options["tau"])
        arguments = {} if isinstance(source, Model) else parameters_of(source)
        first: dict[str, Any] = {}
        for name, values in ranges.items():
            _check(name, values)
            value = _first(values, arguments.get(name))
            if self._gain(name) is not None:
                continue
            if value is not None and name != "duration" and (name in arguments or not _is_entry(name)):
                first[name] = [value]
        axes = axes_of(first or {"dt": [self._options["dt"]]}, "product")
        self._family = family_of(source, axes, q0, v0, self._options)
        start = self._family.member(axes.parameters(0))
        self._parameters = start.model.parameters
        self.building = tuple(arguments)
        known = {**self._now(start), **{name: values[0] for name, values in first.items()}}
        self.knobs = tuple(_knob(name, x, known, self._unit(start.model, name)) for name, x in ranges.items())
        self.member(self.rest)

    @property
    def rest(self) -> NDArray:
        """Initial values, (knobs,)."""
        return np.array([knob.rest for knob in self.knobs])

    def member(self, values: NDArray) -> Member:
        """Return model, initial state and options of `simulate` for values (knobs,)."""
        given: dict[str, Any] = {}
        options: dict[str, Any] = {}
        gains: dict[str, float] = {}
        for knob, value in zip(self.knobs, values, strict=True):
            chosen = knob.choices[round(float(value))] if knob.choices else float(value)
            whole, entry = entry_of(knob.name, self._parameters)
            if knob.name == "duration":
                options["duration"] = chosen
            elif (gain := self._gain(knob.name)) is not None:
                gains[gain] = chosen
            elif entry is None:
                given[knob.name] = chosen
            else:
                array = np.array(given.get(whole, self._parameters[whole]), dtype=float)
                array[entry] = chosen
                if array.shape == (3, 3):  # an inertia stays symmetric
                    array[entry[::-1]] = chosen
                given[whole] = array
        if gains:
            given["tau"] = partial(self._options["tau"], **gains)
        member = self._family.member(given)
        options = {**member.options, **options}
        options["every"] = max(1, len(step_times(options["duration"], options["dt"])) // KEYS)
        return Member(member.model, member.q0, member.v0, options)

    def run(self, values: NDArray) -> Trajectory:
        """Simulate the motion for values (knobs,)."""
        member = self.member(values)
        return simulate(member.model, member.q0, member.v0, **member.options, progress=False)

    def _gain(self, name: str) -> str | None:
        """Return the gain of the torque law that a name stands for, or None."""
        gain = name.removeprefix(GAIN)
        return gain if name.startswith(GAIN) and gain in self.gains else None

    def _now(self, start: Member) -> dict[str, Any]:
        """Return the initial value of every number that can be varied, by name."""
        z = start.model.initial_z(self._options.get("z0"))
        from_state = Trajectory(start.model, np.zeros(1), start.q0[None], start.v0[None], z=z[None]).columns()
        numbers = {name: float(column[0]) for name, column in from_state.items()}
        for name, value in start.model.parameters.items():
            array = np.asarray(value, dtype=float)
            numbers[name] = float(array) if array.ndim == 0 else None  # type: ignore[assignment]
            entries = ENTRIES.get(array.shape, {})
            numbers.update({f"{name}.{entry}": float(array[place]) for entry, place in entries.items()})
        settings = {name: self._options[name] for name in ("duration", "dt", "integrator", "formulation")}
        return {**settings, **numbers, **{GAIN + name: value for name, value in self.gains.items()}}

    def _unit(self, model: Model, name: str) -> str:
        if name == "duration":
            return "s"
        if self._gain(name) is not None:
            return ""
        whole, entry = entry_of(name, self._parameters)
        if entry is not None and whole.endswith("placement"):
            return "m"
        return unit_of(model, whole)


def gains_of(law: Any) -> dict[str, float]:
    """Return the gains of a torque law: its arguments other than t, q and v, with their default values."""
    if not callable(law):
        return {}
    try:
        taken = list(inspect.signature(law).parameters.values())[3:]
    except (TypeError, ValueError):  # a callable that does not tell
        return {}
    named = [one for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    numbers = (int, float, np.number)
    return {one.name: float(one.default) for one in named if isinstance(one.default, numbers)}


def _is_entry(name: str) -> bool:
    """Whether a name may mean an entry of a vector, a placement or an inertia."""
    _, dot, last = name.rpartition(".")
    return bool(dot) and any(last in entries for entries in ENTRIES.values())


def entry_of(name: str, parameters: Mapping[str, Any]) -> tuple[str, tuple[int, ...] | None]:
    """Return the parameter that a name stands for, and the entry in it, or None."""
    whole, _, last = name.rpartition(".")
    if name not in parameters and whole in parameters:
        place = ENTRIES.get(np.shape(parameters[whole]), {}).get(last)
        if place is not None:
            return whole, place
    return name, None


def _first(values: Range, argument: inspect.Parameter | None) -> Any:
    """Return the initial value that a range or the building function gives, or None."""
    if _choices(values):
        return values[0]
    if len(values) == 3:
        return values[2]
    if argument is None:
        return None
    return 0.5 * (values[0] + values[1]) if argument.default is inspect.Parameter.empty else argument.default


def _choices(values: Range) -> bool:
    return isinstance(values, list) or not all(isinstance(x, int | float | np.number) for x in values)


def _check(name: str, values: Range) -> None:
    """Raise `SimulationError` if this is neither a range nor a list of choices."""
    if not isinstance(name, str) or not isinstance(values, tuple | list):
        raise SimulationError(
            f"the range of {shown(name)} is {shown(values)}; give (low, high), or a list of choices, under its name"
        )
    if _choices(values):
        if len(values) < 2:
            raise SimulationError(f"{name!r} has the choices {list(values)!r}; give two or more")
    elif len(values) not in (2, 3):
        raise SimulationError(f"the range of {name!r} is {values!r}; give (low, high) or (low, high, first value)")
    elif not (np.isfinite(np.array(values, dtype=float)).all() and values[0] < values[1]):
        raise SimulationError(f"the range of {name!r} is {values!r}; its low end must be below its high end")


def _knob(name: str, values: Range, known: Mapping[str, Any], unit: str) -> Knob:
    if _choices(values):
        return Knob(name, "", 0.0, len(values) - 1.0, 0.0, tuple(values))
    rest = values[2] if len(values) == 3 else known.get(name)
    if rest is None:
        vectors = " (one of its entries?)" if name in known else did_you_mean(name, known)
        raise SimulationError(f"{name!r} is no number of the model or of the run{vectors}")
    return Knob(name, unit, float(values[0]), float(values[1]), float(rest))
