"""Classes of force elements made from a user's function, so that they can be pickled."""

from __future__ import annotations

import copyreg
from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import Any


class MadeFromLaw(ABCMeta):
    """Metaclass of these classes. Another process could not import them by name, so each is pickled as the user's
    function and the function that makes the class from it.
    """


def made_from_law(
    name: str, base: type, maker: Callable[[Any], type], law: Callable[..., Any], own: Mapping[str, Any]
) -> Any:
    """Make a subclass of `base` for a law. maker : makes the same class from the law. own : its other attributes."""
    home = getattr(law, "__module__", None) or "__main__"
    name = name if name.isidentifier() else base.__name__
    return MadeFromLaw(name, (base,), {"__module__": home, "_made": (maker, law), **own})


def _pickled(cls: MadeFromLaw) -> str | tuple[Any, ...]:
    made = vars(cls).get("_made")
    return cls.__qualname__ if made is None else (made[0], (made[1],))  # one that a user makes from it has a name


copyreg.pickle(MadeFromLaw, _pickled)
