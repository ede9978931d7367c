"""What describes a part of a model by fields: names and switches, and numbers that are its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import finite, shown
from rbdkit.spatial.read_only import KeepsReadOnly


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Described(KeepsReadOnly):
    """What names its data as fields, as in a dataclass; a subclass is one without saying so.

    Fields that are strings are names of bodies, frames and joints; numbers, and tuples of numbers, are parameters.
    """

    units: ClassVar[Mapping[str, str]] = {}
    """Of its numbers, by the names of the fields, as far as they have one."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Described not in cls.__bases__:  # those are what elements are made from, and have no fields themselves
            dataclass(frozen=True, eq=False)(cls)
            if not _is_users_own(cls):  # whose annotations may be of any kind; its numbers are read by `parameters`
                cls.__init__ = check_arguments(known_as=cls.__name__)(cls.__init__)  # type: ignore[method-assign]

    @property
    def known_as(self) -> str:
        """What files and messages call it: the name of its class."""
        return type(self).__name__

    @property
    def is_users_own(self) -> bool:
        """Whether its class is a user's."""
        return _is_users_own(type(self))

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
            array = finite(value, partial(says, self.known_as, name))
            if array.ndim > 1:
                raise ModelError(f"{self.known_as}: {name} has shape {array.shape}; give a number or a vector")
            found[name] = float(array) if array.ndim == 0 else array
        return found

    def structure(self) -> dict[str, Any]:
        """Its fields that are no numbers: names and switches."""
        return {f.name: x for f in fields(self) if _is_structure(x := getattr(self, f.name))}  # type: ignore[arg-type]

    def with_parameters(self, values: Mapping[str, Any]) -> Self:
        """The same element with other numbers, which are checked as those of a new one.

        Raises
        ------
        ModelError
            If a value has another shape than the present one, or the element refuses it.
        """
        present = self.parameters()
        if not isinstance(values, Mapping):
            raise ModelError(f"{self.known_as}: {shown(values)} must be a mapping from names to numbers")
        for name in values:
            if name not in present:
                raise ModelError(f"{self.known_as} has no number {name!r}; it has {', '.join(present) or 'none'}")
        for name, value in values.items():
            if name in present and np.shape(value) != np.shape(present[name]):
                has = f"a vector of {np.size(present[name])}" if np.ndim(present[name]) else "a number"
                raise ModelError(f"{self.known_as}: {name} is {has}, and {shown(value)} is not")
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


def _is_users_own(kind: type) -> bool:
    return kind.__module__.split(".")[0] != "rbdkit"


def _is_structure(value: Any) -> bool:
    """Whether a field says how an element is made, not how large something is."""
    return (
        value is None
        or isinstance(value, str | bool)
        or (isinstance(value, tuple) and bool(value) and all(isinstance(x, str) for x in value))
    )


AnyDescribed = TypeVar("AnyDescribed", bound=Described)


def renamed(element: AnyDescribed, names: Mapping[str, str]) -> AnyDescribed:
    """The same with other names in its fields, where there are new ones for them."""
    changed: dict[str, Any] = {}
    for field_name, value in element.structure().items():
        if isinstance(value, str):
            changed[field_name] = names.get(value, value)
        elif isinstance(value, tuple):
            changed[field_name] = tuple(names.get(x, x) for x in value)
    return replace(element, **changed)  # type: ignore[type-var]


def not_negative(element: Described, *names: str) -> None:
    """Raise `ModelError` unless these numbers of an element, or vectors, are finite and not negative."""
    element.parameters()
    for name in names:
        value = getattr(element, name)
        if _is_structure(value) or np.any(np.asarray(value) < 0.0):
            raise ModelError(f"{element.known_as}: {name} {shown(value)} must be a number that is not negative")
