"""Detect user subclasses of rbdkit's classes, which compiled code would not respect."""

from __future__ import annotations


def users_class(thing: object, method: str) -> str:
    """Return the name of an object's user-defined class if it inherits the given method from rbdkit; else "".

    The inherited method, such as a compiled loop, may ignore what the user's class overrides.
    """
    for cls in type(thing).__mro__:
        if method in vars(cls):
            break
        if not cls.__module__.startswith("rbdkit."):
            return cls.__name__
    return ""
