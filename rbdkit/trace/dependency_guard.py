"""Guards of compiled code: is everything that a user's function depends on still as it was when it was compiled?

A `Guard` is filled by `rbdkit.trace.dependencies` and asked (`Guard.holds`) at every call of compiled code, so it has
to take well below a microsecond. It has two levels. The fast one compares identities: all watched names, attributes
and cells still hold the very same objects; it is one generated expression, since a loop would take ten times as long.
Only if that fails, values are compared: a notebook cell that runs again makes new but equal numbers and functions,
which must not cause another compilation; the new objects are then the ones that are watched. Lists, dictionaries and
sets change in place, without a new identity, so their contents are compared at every call.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace.captures import Impure

PLAIN = frozenset(
    {bool, int, float, complex, str, bytes, range, slice, type(None), type(...), type(NotImplemented), np.dtype}
)
"""Immutable types; objects of their subclasses may change."""
NO_CODE = frozenset({
    "__abstractmethods__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__dataclass_fields__",
    "__dataclass_params__", "__dict__", "__doc__",
    "__firstlineno__", "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__qualname__",
    "__slotnames__", "__static_attributes__", "__type_params__", "__weakref__", "_abc_impl",
})  # fmt: skip
"""Attributes of classes that do not influence what their functions compute."""
_CELL = "cell_contents"


@dataclass(frozen=True)
class _Items:
    """Watched names of a namespace with their values. size : its number of names, None if others may be added."""

    space: Mapping[str, Any]
    values: dict[str, Any]
    size: int | None


class Guard:
    """The recorded state of everything that compiled code depends on; `holds` compares it with the present one."""

    def __init__(self) -> None:
        self._items: dict[int, _Items] = {}
        self._absent: dict[int, tuple[Mapping[str, Any], set[str]]] = {}
        self._attributes: list[tuple[Any, str, Any]] = []
        self._containers: list[tuple[Any, Any]] = []
        self._arrays: list[tuple[NDArray, bytes, tuple[int, ...]]] = []
        self._same: Callable[[], bool] | None = None

    def __add__(self, other: Guard) -> Guard:
        """Return a guard that watches what either of the two watches."""
        both = Guard()
        for one in (self, other):
            for key, items in one._items.items():
                known = both._items.get(key, items)
                size = items.size if known.size is None else known.size
                both._items[key] = _Items(items.space, known.values | items.values, size)
            for space, names in one._absent.values():
                both._absent.setdefault(id(space), (space, set()))[1].update(names)
            both._attributes += one._attributes
            both._containers += one._containers
            both._arrays += one._arrays
        return both

    def holds(self) -> bool:
        """Whether everything that is watched is unchanged."""
        same = self._identical() if self._same is None else self._same
        try:
            quickly = same()
        except (KeyError, AttributeError, ValueError):  # a name that is gone, an empty cell
            return False
        if quickly and not self._containers:
            return True
        # containers change in place: that they are the same objects says nothing about them
        return (quickly or self._holds_on_a_closer_look()) and all(_same_content(*pair) for pair in self._containers)

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Protect what is watched: arrays are read-only inside, containers are restored at the end.

        Raises
        ------
        Impure
            If something was changed.
        """
        open_ones = [array for array, *_ in self._arrays if array.flags.writeable]
        for array in open_ones:
            # a write then fails where it happens, and the numbers are still there
            array.flags.writeable = False
        held = True
        try:
            yield
        finally:
            for array in open_ones:
                array.flags.writeable = True
            if not self.holds():
                held = False
                self._restore()
        if not held:
            raise Impure("it changes something that it uses")

    def _restore(self) -> None:
        for container, then in self._containers:
            if isinstance(container, list):
                container[:] = then
            else:
                container.clear()
                container.update(then)

    def names(self) -> set[str]:
        """Return the watched names of globals and attributes."""
        return {name for items in self._items.values() for name in items.values} | {
            name for _, name, _ in self._attributes
        }

    def shares(self, other: Guard) -> bool:
        """Whether both guards watch one and the same container, array or closure."""
        return not self.places().isdisjoint(other.places())

    def places(self) -> set[int]:
        """Return the identities (`id`) of watched containers, arrays and closure cells."""
        found = {id(container) for container, _ in self._containers}
        found |= {id(x) for array, *_ in self._arrays for x in (array, array.base) if x is not None}
        return found | {id(owner) for owner, name, _ in self._attributes if name == _CELL}

    def _identical(self) -> Callable[[], bool]:
        """Build the fast check, that all but containers is identical, as one compiled expression."""
        given: dict[str, Any] = {}

        def name(thing: Any) -> str:
            given[f"x{len(given)}"] = thing
            return f"x{len(given) - 1}"

        terms: list[str] = []
        for items in self._items.values():
            place = name(items.space)
            terms += [f"{place}[{key!r}] is {name(value)}" for key, value in items.values.items()]
            terms += [f"len({place}) == {items.size}"] * (items.size is not None)
        terms += [f"{name(owner)}.{attribute} is {name(value)}" for owner, attribute, value in self._attributes]
        for space, names in self._absent.values():
            place = name(space)
            terms += [f"{own!r} not in {place}" for own in names]
        for array, numbers, shape in self._arrays:
            place = name(array)
            terms += [f"{place}.tobytes() == {name(numbers)} and {place}.shape == {name(shape)}"]
        self._same = eval(f"lambda: {' and '.join(terms) or True}", given)  # of names that are made here
        return self._same

    def _holds_on_a_closer_look(self) -> bool:
        """Compare values where identities differ; if all are equal, watch the new objects from now on."""
        try:
            for items in self._items.values():
                if not all(_same(items.space[name], value) for name, value in items.values.items()):
                    return False
                if items.size is not None and any(name not in items.values.keys() | NO_CODE for name in items.space):
                    return False
            now = [(owner, name, getattr(owner, name)) for owner, name, _ in self._attributes]
        except (KeyError, AttributeError, ValueError):
            return False
        if not (
            all(_same(value, then) for (*_, value), (*_, then) in zip(now, self._attributes, strict=True))
            and all(space.keys().isdisjoint(names) for space, names in self._absent.values())
            and all(array.shape == shape and array.tobytes() == x for array, x, shape in self._arrays)
        ):
            return False
        for key, items in self._items.items():
            values = {name: items.space[name] for name in items.values}
            # the equal, new objects are watched from now on, so that the next call is a fast one
            self._items[key] = _Items(items.space, values, None if items.size is None else len(items.space))
        self._attributes, self._same = now, None
        return True

    def watch_items(self, space: Mapping[str, Any], values: Mapping[str, Any], key: int, whole: bool = False) -> None:
        """Watch names in a namespace. key : its identity. whole : whether it must have no others."""
        self._items.setdefault(key, _Items(space, {}, len(space) if whole else None)).values.update(values)

    def watch_absent(self, space: Mapping[str, Any], name: str) -> None:
        """Watch that a namespace does not have a name."""
        self._absent.setdefault(id(space), (space, set()))[1].add(name)

    def watch_attributes(self, owner: Any, *names: str) -> None:
        """Watch attributes of an object."""
        self._attributes += [(owner, name, getattr(owner, name)) for name in names]

    def watch_cell(self, cell: types.CellType) -> None:
        """Watch the content of a closure cell."""
        self.watch_attributes(cell, _CELL)

    def watch_container(self, container: Any) -> None:
        """Watch a list, dictionary or set."""
        kind = next(kind for kind in (list, dict, set) if isinstance(container, kind))
        self._containers.append((container, kind(container)))

    def watch_array(self, array: NDArray) -> None:
        """Watch the numbers and the shape of an array."""
        self._arrays.append((array, array.tobytes(), array.shape))


def _same(now: Any, then: Any) -> bool:
    """Whether two values are interchangeable: the same object, or an equal number, text, tuple or code."""
    if now is then:
        return True
    if type(now) is not type(then):
        return False
    if type(now) in (tuple, frozenset):
        return len(now) == len(then) and type(now) is tuple and all(map(_same, now, then))
    if isinstance(now, types.CodeType):
        return bool(now == then)
    # by repr: 0.0 and -0.0 differ, and NaN equals NaN
    return type(now) in PLAIN and (now == then if type(now) is str else repr(now) == repr(then))


def _same_content(container: Any, then: Any) -> bool:
    if len(container) != len(then):
        return False
    if isinstance(container, set):
        return bool(container == then)
    if isinstance(container, dict):
        return all(map(_same, container, then)) and all(map(_same, container.values(), then.values()))
    return all(map(_same, container, then))
