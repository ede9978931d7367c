"""Base class of elements that are declared by fields: names, switches and numerical parameters."""

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

CONSTANTS = frozenset({float, str, bool, type(None)})
"""Types of field values that nobody can change."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Described(KeepsReadOnly):
    """Base class that makes every subclass a frozen dataclass, without the decorator.

    Fields that are strings are names of bodies, frames and joints; numbers, and tuples of numbers, are parameters.
    """

    units: ClassVar[Mapping[str, str]] = {}
    """Units of the parameters that have one, by field name."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Described not in cls.__bases__:  # direct subclasses are the base classes of elements and have no fields
            dataclass(frozen=True, eq=False)(cls)
            # annotations of a user's class may be of any kind; `parameters` checks its numbers
            if not _is_users_own(cls):
                cls.__init__ = check_arguments(known_as=cls.__name__)(cls.__init__)  # type: ignore[method-assign]

    @property
    def known_as(self) -> str:
        """Name in files and messages: that of its class."""
        return type(self).__name__

    @property
    def is_users_own(self) -> bool:
        """Whether its class is user-defined."""
        return _is_users_own(type(self))

    @property
    def is_changeable(self) -> bool:
        """Whether it must be copied: of a user's class, or with arrays, lists or other numbers than floats in it."""
        values = [getattr(self, f.name) for f in fields(self)]  # type: ignore[arg-type]
        return self.is_users_own or not all(map(_is_constant, values))

    def parameters(self) -> dict[str, float | NDArray]:
        """Return the parameters by field name: floats, and arrays (n,) for those given as tuples.

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
        """Return the fields that are not numbers: names and switches."""
        return {f.name: x for f in fields(self) if _is_structure(x := getattr(self, f.name))}  # type: ignore[arg-type]

    def with_parameters(self, values: Mapping[str, Any]) -> Self:
        """Return the element with other parameter values, checked like those of a new element.

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
        """Return the element with given values, such as symbols, in place of its parameters, unchecked."""
        dressed = copy(self)
        for name, value in values.items():
            object.__setattr__(dressed, name, value)
        return dressed


def _is_users_own(kind: type) -> bool:
    return kind.__module__.split(".")[0] != "rbdkit"


def _is_constant(value: Any) -> bool:
    """Return whether a field value cannot change: a float, a name, a switch, or a tuple of these."""
    if type(value) is tuple:
        return all(type(x) in CONSTANTS for x in value)
    return type(value) in CONSTANTS


def _is_structure(value: Any) -> bool:
    """Return whether a field value is a name or switch, not a number."""
    return (
        value is None
        or isinstance(value, str | bool)
        or (isinstance(value, tuple) and bool(value) and all(isinstance(x, str) for x in value))
    )


AnyDescribed = TypeVar("AnyDescribed", bound=Described)


def renamed(element: AnyDescribed, names: Mapping[str, str]) -> AnyDescribed:
    """Return the element with names in its fields replaced. names : new names by old ones."""
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
