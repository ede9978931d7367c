"""Classes of a user's own that are made from one of rbdkit's."""

from __future__ import annotations


def users_class(thing: object, method: str) -> str:
    """The name of the user's class that an object is of, if one of rbdkit's further up gives it a method; or nothing.

    That method was written for rbdkit's class, and may pass over what the user's has changed: a compiled loop does.
    """
    for cls in type(thing).__mro__:
        if method in vars(cls):
            break
        if not cls.__module__.startswith("rbdkit."):
            return cls.__name__
    return ""
