"""Attributes that show a tuple of what grows one by one."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class Growing(Generic[T]):
    """A tuple, as an attribute, that `grow` makes longer by one at a cost that does not depend on its length.

    What was added stands in a list; the tuple is made when it is next asked for and is the same object until then. It
    may be assigned as well. Read as a plain attribute: this class is asked only while the tuple is not made.
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
    """Make the tuple of that name longer by one."""
    own = owner.__dict__
    lists, shown = own.setdefault("_lists", {}), own.setdefault("_shown", {})
    held = own.pop(name, None)
    if held is not shown.pop(name, None) and held is not None:  # it was assigned
        lists[name] = list(held)
    lists.setdefault(name, []).append(item)


def copied(own: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a copy that grows on its own."""
    lists = {name: list(items) for name, items in own["_lists"].items()}
    return {**own, "_lists": lists, "_shown": dict(own["_shown"])}
