"""Per-model cache: results of functions of a model, kept with it and dropped when the model changes.

Whatever is derived from a model alone (tables, traced constraints, compiled functions) is computed once by `kept`. The
cache is valid as long as the model is unchanged, which `current` decides by identity: the parts of a model (`PARTS`)
are immutable tuples and arrays that are replaced, never changed in place, so six ``is`` comparisons suffice. This runs
on every call of a compiled function, so it reads the instance dictionary directly.

Classes of users' own may read globals or attributes that change without the model noticing. For these a `Guard` of
`rbdkit.trace` says whether everything they depend on is as it was when they were traced; one that fails invalidates the
whole cache.

A `snapshot` is a frozen copy that shares the cache. Trajectories and formulations keep one, so that later changes of
the model do not affect them; where it finds a guard that no longer holds, it raises instead of computing anew, since
the motion belongs to what no longer exists.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rbdkit.errors import ModelError

if TYPE_CHECKING:
    from rbdkit.model.model import Model
    from rbdkit.trace import Guard

T = TypeVar("T")

SETTLED = "_settled"
"""Name of the attribute that marks snapshots."""


MOVED = "_moved"
"""Name of the attribute that marks models of finished motions, of which only recorded results are used."""
JOINTS = "its joints"
"""Key of the guard of joint types; guards of forces and constraints have the names of these."""
PARTS = "bodies", "loops", "forces", "constraints", "contact_rules", "gravity"
"""Attributes of a model that the cache depends on."""


class Kept:
    """Cache of one model, with references to the immutable parts for which it is valid.

    Attributes
    ----------
    known : cached results, by the function that computed them.
    guards : dependency guards of users' own classes, by the part of the model that is of such a class.
    holds : function that tells whether all guards hold; None if there are none.
    """

    __slots__ = (*PARTS, "guards", "holds", "known")

    def __init__(self, model: Model) -> None:
        self.bodies, self.loops = model.bodies, model.loops
        self.forces, self.gravity = model.forces, model.gravity
        self.constraints, self.contact_rules = model.constraints, model.contact_rules
        self.known: dict[Callable[[Model], Any], Any] = {}
        self.guards: dict[str, Guard] = {}
        self.holds: Callable[[], bool] | None = None


def kept(model: Model, find: Callable[[Model], T]) -> T:
    """Return ``find(model)``, cached: the same object until the model grows or its gravity is assigned.

    Copies and unpickled models compute it again; a `snapshot` shares it. It must not depend on named frames, which may
    be added without invalidating the cache.
    """
    own = current(model)
    try:
        return own.known[find]
    except KeyError:
        return own.known.setdefault(find, find(model))


def current(model: Model) -> Kept:
    """Return the valid cache of a model, a new one if the model changed."""
    found = model.__dict__  # far quicker than attribute access, which looks at the class first
    try:
        own = found["_kept"]
        if (
            own.bodies is found["bodies"]
            and own.loops is found["loops"]
            and own.forces is found["forces"]
            and own.constraints is found["constraints"]
            and own.contact_rules is found["contact_rules"]
            and own.gravity is found["gravity"]
            and own.holds is None
        ):
            return own
    except KeyError:  # no cache yet, or a part that grew was not made into a tuple yet
        pass
    return _looked_through(model)


def _looked_through(model: Model) -> Kept:
    """Return the cache of a model after checking parts and guards, or a new one if some changed.

    Raises
    ------
    ModelError
        If it is a snapshot and a guard of its joint types no longer holds; or one of its forces or constraints, unless
        its motion is finished.
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
        if own is not None and SETTLED in model.__dict__:
            joints_hold = JOINTS not in own.guards or own.guards[JOINTS].holds()
            if joints_hold and MOVED in model.__dict__:
                return own  # the recorded forces and constraints are still those of the motion
            changed = next((repr(part) for part, guard in own.guards.items() if not guard.holds()), "a part")
            raise _changed(model, changed if joints_hold else "a joint")
        own = model.__dict__["_kept"] = Kept(model)
    return own


def snapshot(model: Model, anew: bool = False) -> Model:
    """Return a frozen copy of the model, which later changes of the model do not affect.

    It shares the cache of the model, so it costs a few microseconds and nothing is computed twice. Frames may be added
    to it; changes of its dynamics raise. anew : whether to copy even if `model` is a snapshot already.
    """
    if SETTLED in model.__dict__ and not anew:
        return model
    own, twin = current(model), copy(model)
    twin.__dict__.update({"_kept": own, SETTLED: True})
    return twin


def checked_twin(model: Model) -> Model:
    """Return a snapshot with a cache of its own, for code that is checked; the model's cache holds that cache."""
    twin = snapshot(model, anew=True)
    twin.__dict__["_kept"] = kept(model, Kept)
    return twin


def moved(model: Model) -> None:
    """Mark a snapshot as the model of a finished motion.

    Raises
    ------
    ModelError
        If a part of it was changed while it moved.
    """
    current(model)
    model.__dict__[MOVED] = True


def require_unsettled(model: object, what: str) -> None:
    """Raise `ModelError` if a model is a snapshot. what : what was to be changed, for the message."""
    if SETTLED in model.__dict__:
        raise ModelError(
            f"this is model {model.name!r} as it was when it moved, and belongs to that motion: {what} cannot change; "  # type: ignore[attr-defined]
            "take copy.copy(model), or model.with_parameters({...}), and simulate again"
        )


def keep_while(model: Model, part: str, guard: Guard) -> None:
    """Drop the cache of a model, and results now being computed, as soon as this guard of a part fails."""
    own = model.__dict__["_kept"]
    own.guards[part] = guard
    _guarded(own)


def keep_anyhow(model: Model, part: str) -> None:
    """Remove the guard of a part that is not traced after all: being impure, it may change at every call."""
    own = model.__dict__["_kept"]
    own.guards.pop(part, None)
    _guarded(own)


def _guarded(own: Kept) -> None:
    guards = tuple(own.guards.values())
    own.holds = guards[0].holds if len(guards) == 1 else partial(_all_hold, guards) if guards else None


def _all_hold(guards: tuple[Guard, ...]) -> bool:
    return all([guard.holds() for guard in guards])


def require_as_recorded(model: Model, part: str) -> None:
    """Raise `ModelError` if the guard of a part of a snapshot no longer holds."""
    if SETTLED in model.__dict__:
        guard = model.__dict__["_kept"].guards.get(part)
        if guard is not None and not guard.holds():
            raise _changed(model, repr(part))


def _changed(model: Model, part: str) -> ModelError:
    return ModelError(
        f"model {model.name!r} moved with {part} of a class that reads something which was changed after the motion, "
        "or during it; simulate again, and make anew what else was made of the model"
    )


def without_kept(own: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a model except its cache."""
    return {name: value for name, value in own.items() if name != "_kept"}
