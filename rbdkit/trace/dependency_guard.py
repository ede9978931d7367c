"""What something of a user's own depends on, watched: whether it still is as it was when code was made from it."""

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
"""Types, and no subclasses of theirs, whose objects never change."""
NO_CODE = frozenset({
    "__abstractmethods__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__dataclass_fields__",
    "__dataclass_params__", "__dict__", "__doc__",
    "__firstlineno__", "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__qualname__",
    "__slotnames__", "__static_attributes__", "__type_params__", "__weakref__", "_abc_impl",
})  # fmt: skip
"""What classes have besides what their functions read."""
_CELL = "cell_contents"


@dataclass(frozen=True)
class _Items:
    """Names in a namespace, with their values. size : so many names it has, if all count."""

    space: Mapping[str, Any]
    values: dict[str, Any]
    size: int | None


class Guard:
    """What something depends on as it was, to be asked whether it still is.

    It is asked at every call of compiled code: first only whether everything is the very same object.
    """

    def __init__(self) -> None:
        self._items: dict[int, _Items] = {}
        self._absent: dict[int, tuple[Mapping[str, Any], set[str]]] = {}
        self._attributes: list[tuple[Any, str, Any]] = []
        self._containers: list[tuple[Any, Any]] = []
        self._arrays: list[tuple[NDArray, bytes, tuple[int, ...]]] = []
        self._same: Callable[[], bool] | None = None

    def __add__(self, other: Guard) -> Guard:
        """A guard of what both watch."""
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
        """Whether everything is as it was."""
        same = self._identical() if self._same is None else self._same
        try:
            quickly = same()
        except (KeyError, AttributeError, ValueError):  # a name that is gone, an empty cell
            return False
        if quickly and not self._containers:
            return True
        return (quickly or self._holds_on_a_closer_look()) and all(_same_content(*pair) for pair in self._containers)

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Leave what is watched as it is: arrays cannot be written to, containers are put back at the end.

        Raises
        ------
        Impure
            If something was changed.
        """
        open_ones = [array for array, *_ in self._arrays if array.flags.writeable]
        for array in open_ones:
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
        """The names that are watched, of globals and of attributes."""
        return {name for items in self._items.values() for name in items.values} | {
            name for _, name, _ in self._attributes
        }

    def shares(self, other: Guard) -> bool:
        """Whether another one watches a container, an array or a closure that this one watches, too."""
        return not self.places().isdisjoint(other.places())

    def places(self) -> set[int]:
        """The identities of containers, arrays and closures that are watched."""
        found = {id(container) for container, _ in self._containers}
        found |= {id(x) for array, *_ in self._arrays for x in (array, array.base) if x is not None}
        return found | {id(owner) for owner, name, _ in self._attributes if name == _CELL}

    def _identical(self) -> Callable[[], bool]:
        """Whether all but containers is the very same, as one expression: a loop would take ten times as long."""
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
        """The same where objects are others: equal numbers and texts will do, as a cell that runs again makes them."""
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
        """Watch what a closure holds."""
        self.watch_attributes(cell, _CELL)

    def watch_container(self, container: Any) -> None:
        """Watch a list, dictionary or set."""
        kind = next(kind for kind in (list, dict, set) if isinstance(container, kind))
        self._containers.append((container, kind(container)))

    def watch_array(self, array: NDArray) -> None:
        """Watch numbers."""
        self._arrays.append((array, array.tobytes(), array.shape))


def _same(now: Any, then: Any) -> bool:
    """Whether one value computes what another does: the same object, or an equal number or text."""
    if now is then:
        return True
    if type(now) is not type(then):
        return False
    if type(now) in (tuple, frozenset):
        return len(now) == len(then) and type(now) is tuple and all(map(_same, now, then))
    if isinstance(now, types.CodeType):
        return bool(now == then)
    return type(now) in PLAIN and (now == then if type(now) is str else repr(now) == repr(then))


def _same_content(container: Any, then: Any) -> bool:
    if len(container) != len(then):
        return False
    if isinstance(container, set):
        return bool(container == then)
    if isinstance(container, dict):
        return all(map(_same, container, then)) and all(map(_same, container.values(), then.values()))
    return all(map(_same, container, then))
