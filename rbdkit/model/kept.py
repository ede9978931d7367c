"""What was found out about a model, kept with it for as long as the model is what it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rbdkit.model.model import Model

T = TypeVar("T")


class Kept:
    """What is known of a model that is made of these parts, none of which changes in place.

    Attributes
    ----------
    known : by the function that found it out.
    holds : whether it still does, where that depends on more; None where it does not.
    """

    __slots__ = ("bodies", "constraints", "contact_rules", "forces", "gravity", "holds", "known", "loops")

    def __init__(self, model: Model) -> None:
        self.bodies, self.loops = model.bodies, model.loops
        self.forces, self.gravity = model.forces, model.gravity
        self.constraints, self.contact_rules = model.constraints, model.contact_rules
        self.known: dict[Callable[[Model], Any], Any] = {}
        self.holds: Callable[[], bool] | None = None


def kept(model: Model, find: Callable[[Model], T]) -> T:
    """What a function of a model gives: the same object until the model grows or is given another gravity.

    It is asked again by a copy, and after pickling.
    """
    own = model.__dict__.get("_kept")
    if (
        own is None
        or own.bodies is not model.bodies
        or own.loops is not model.loops
        or own.forces is not model.forces
        or own.constraints is not model.constraints
        or own.contact_rules is not model.contact_rules
        or own.gravity is not model.gravity
        or not (own.holds is None or own.holds())
    ):
        own = model.__dict__["_kept"] = Kept(model)
    try:
        return own.known[find]
    except KeyError:
        return own.known.setdefault(find, find(model))


def keep_while(model: Model, holds: Callable[[], bool]) -> None:
    """Let what is known of a model, and what is being found out, go as soon as a condition does not hold."""
    model.__dict__["_kept"].holds = holds


def without_kept(own: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a model that belong to a copy, too."""
    return {name: value for name, value in own.items() if name != "_kept"}
