"""What every force element provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import Surroundings
from rbdkit.spatial.read_numbers import numbers, shown

End = tuple[str, tuple[float, float, float]]
"""A frame or body by its name, and a point in its coordinates, m."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class ForceElement(ABC):
    """What acts in a mechanism by itself: a spring between two bodies, the friction of a joint, the drag of a wing.

    A subclass names its data as fields, as in a dataclass, and says in `act` what it does. Fields that are strings are
    names of bodies, frames and joints; numbers, and tuples of numbers, are parameters, which another value of compiles
    nothing. In `act` and `energy` there is arithmetic, NumPy, and `numpy.where` in place of ``if``: they run on numbers
    and, once, on symbols, for compiled code.

    An element may have states of its own, which change by a rate that `act` says: the activation of a muscle, the
    stretch of a spring inside a seal. They are fields named in `states`. What is given for such a field holds at the
    start of a motion; in `act` and `energy` it is the present state.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> class Drag(rbd.ForceElement):
    ...     body: str
    ...     coefficient: float
    ...
    ...     def act(self, at):
    ...         at.apply_force(self.body, -self.coefficient * at.velocity(self.body))
    >>> model = rbd.library.pendulum()
    >>> model.add_force("air", Drag(model.bodies[1].name, 0.2)).name
    'air'

    A muscle needs a tenth of a second to become active:

    >>> class Muscle(rbd.ForceElement):
    ...     states = ("activation",)
    ...     joint: str
    ...     strength: float
    ...     activation: float = 0.0
    ...
    ...     def act(self, at):
    ...         at.apply_torque(self.joint, self.strength * self.activation)
    ...         at.set_rate("activation", (1.0 - self.activation) / 0.1)
    >>> _ = model.add_force("muscle", Muscle("hinge", 2.0))
    >>> motion = rbd.simulate(model, duration=0.1)
    >>> float(motion.state("muscle.activation")[-1].round(9))
    0.632120559
    """

    units: ClassVar[Mapping[str, str]] = {}
    """Of its numbers, by the names of the fields, as far as they have one."""
    states: ClassVar[tuple[str, ...]] = ()
    """Names of the fields, numbers or vectors, that change by rates of their own."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False)(cls)
        known = [f.name for f in fields(cls)]  # type: ignore[arg-type]  # a dataclass by now
        if not isinstance(cls.states, tuple) or not all(name in known for name in cls.states):
            raise ModelError(
                f"{cls.__name__}: states = {shown(cls.states)} must be a tuple of names of its fields, such as "
                f'("activation",); it has {", ".join(map(repr, known)) or "none"}'
            )

    @abstractmethod
    def act(self, at: Surroundings) -> None:
        """Apply forces and torques, with what `at` tells of the state."""

    def energy(self, at: Surroundings) -> Any:
        """Energy stored, J; of an element that stores none, 0."""
        return 0.0

    def ends(self) -> tuple[End, End] | None:
        """The two points between which it is drawn as a coil, each as (frame, point in it); None draws nothing."""
        return None

    @property
    def conservative(self) -> bool:
        """Whether all of its work goes into and comes out of `energy`; False unless an element says otherwise."""
        return False

    @property
    def known_as(self) -> str:
        """What files and messages call it: the name of its class."""
        return type(self).__name__

    @property
    def is_users_own(self) -> bool:
        """Whether its class is a user's."""
        return type(self).__module__.split(".")[0] != "rbdkit"

    def parameters(self) -> dict[str, float | NDArray]:
        """Its numbers by name: floats, and arrays (n,) of those that are given as tuples.

        Raises
        ------
        ModelError
            If a field holds something else than numbers, names and switches, or a number that is not finite.
        """
        found: dict[str, float | NDArray] = {}
        for name in (f.name for f in fields(self)):  # type: ignore[arg-type]  # a dataclass, see __init_subclass__
            value = getattr(self, name)
            if _is_structure(value):
                continue
            says = "{}: {} {} must be made of finite numbers".format
            array = numbers(value, np.shape(value), partial(says, self.known_as, name))
            if array.ndim > 1:
                raise ModelError(f"{self.known_as}: {name} has shape {array.shape}; give a number or a vector")
            found[name] = float(array) if array.ndim == 0 else array
        return found

    def initial_states(self) -> dict[str, float | NDArray]:
        """Its states at the start, by name: floats and arrays (n,).

        Raises
        ------
        ModelError
            If a state is no number and no vector.
        """
        numbers_of_it = self.parameters() if self.states else {}
        for name in self.states:
            if name not in numbers_of_it:
                value = getattr(self, name)
                raise ModelError(f"{self.known_as}: state {name!r} is {shown(value)} at the start; give a number")
        return {name: numbers_of_it[name] for name in self.states}

    def structure(self) -> dict[str, Any]:
        """Its fields that are no numbers: names and switches."""
        return {f.name: x for f in fields(self) if _is_structure(x := getattr(self, f.name))}  # type: ignore[arg-type]

    def with_parameters(self, values: Mapping[str, Any]) -> Self:
        """The same element with other numbers, which are checked as those of a new one."""
        given = {k: x if np.ndim(x) == 0 else tuple(np.asarray(x).tolist()) for k, x in values.items()}
        changed = replace(self, **given)  # type: ignore[type-var]
        changed.parameters()
        return changed

    def on_symbols(self, values: Mapping[str, Any]) -> Self:
        """The same element with symbols in place of its numbers, unchecked."""
        dressed = copy(self)
        for name, value in values.items():
            object.__setattr__(dressed, name, value)
        return dressed


def _is_structure(value: Any) -> bool:
    """Whether a field says how an element is made, not how large something is."""
    return (
        value is None
        or isinstance(value, str | bool)
        or (isinstance(value, tuple) and bool(value) and all(isinstance(x, str) for x in value))
    )


def renamed(element: ForceElement, names: Mapping[str, str]) -> ForceElement:
    """The element with other names in its fields, where there are new ones for them."""
    changed: dict[str, Any] = {}
    for field_name, value in element.structure().items():
        if isinstance(value, str):
            changed[field_name] = names.get(value, value)
        elif isinstance(value, tuple):
            changed[field_name] = tuple(names.get(x, x) for x in value)
    return replace(element, **changed)  # type: ignore[type-var]


def require_element(element: object, what: str) -> ForceElement:
    """The force element that was given; `ModelError` if it is something else. what : whose, for the message."""
    if not isinstance(element, ForceElement):
        hint = f", {element.__name__}(...)" if isinstance(element, type) and issubclass(element, ForceElement) else ""
        raise ModelError(f"{what}: {shown(element)} is no force element; give an object of a ForceElement class{hint}")
    return element


def not_negative(element: ForceElement, *names: str) -> None:
    """Raise `ModelError` unless these numbers of an element, or vectors, are finite and not negative."""
    element.parameters()
    for name in names:
        value = getattr(element, name)
        if _is_structure(value) or np.any(np.asarray(value) < 0.0):
            raise ModelError(f"{element.known_as}: {name} {shown(value)} must be a number that is not negative")
