"""Classes of force elements that are made from a function of a user's."""

from __future__ import annotations

import copyreg
from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import Any


class MadeFromLaw(ABCMeta):
    """The class of such classes, which have no name by which another process could find them: each is pickled as the
    function, and what makes a class from it.
    """


def made_from_law(
    name: str, base: type, maker: Callable[[Any], type], law: Callable[..., Any], own: Mapping[str, Any]
) -> Any:
    """A class that a function `maker` of the law makes from that base. own : what it has besides."""
    home = getattr(law, "__module__", None) or "__main__"
    name = name if name.isidentifier() else base.__name__
    return MadeFromLaw(name, (base,), {"__module__": home, "_made": (maker, law), **own})


def _pickled(cls: MadeFromLaw) -> str | tuple[Any, ...]:
    made = vars(cls).get("_made")
    return cls.__qualname__ if made is None else (made[0], (made[1],))  # one that a user makes from it has a name


copyreg.pickle(MadeFromLaw, _pickled)
