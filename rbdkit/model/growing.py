"""Tuple-valued attributes that grow by single items in constant time, so that building a model of n parts is O(n)."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class Growing(Generic[T]):
    """Descriptor of a tuple attribute that `grow` appends to in constant time.

    Items are collected in a list. The tuple is made at the next access and stays the same object until the next
    `grow`; it may be assigned as well. As this is a non-data descriptor, the tuple in the instance dictionary is then
    read as a plain attribute, without a call.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> tuple[T, ...]: ...
    def __get__(self, owner: object | None, kind: type) -> Self | tuple[T, ...]:
        if owner is None:
            return self
        own = owner.__dict__
        try:
            made = own[self._name] = tuple(own["_lists"][self._name])
        except KeyError:
            raise AttributeError(self._name) from None
        own["_shown"][self._name] = made
        return made


def grow(owner: Any, name: str, item: object) -> None:
    """Append an item to the tuple attribute of that name; it is made anew when it is next read."""
    own = owner.__dict__
    lists, shown = own.setdefault("_lists", {}), own.setdefault("_shown", {})
    held = own.pop(name, None)
    if held is not shown.pop(name, None) and held is not None:  # it was assigned
        lists[name] = list(held)
    lists.setdefault(name, []).append(item)


def copied(own: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes for a copy, with lists of its own, so that it grows independently."""
    lists = {name: list(items) for name, items in own["_lists"].items()}
    return {**own, "_lists": lists, "_shown": dict(own["_shown"])}
