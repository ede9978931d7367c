"""What was found out about a model, kept with it for as long as the model is what it was."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rbdkit.errors import ModelError

if TYPE_CHECKING:
    from rbdkit.model.model import Model
    from rbdkit.trace import Guard

T = TypeVar("T")

SETTLED = "_settled"
"""Name of the attribute that snapshots have."""


MOVED = "_moved"
"""Name of the attribute that models of motions have, of which nothing is computed but what was recorded."""
JOINTS = "its joints"
"""What the guard of joint types is called; those of forces and constraints are called like these."""
PARTS = "bodies", "loops", "forces", "constraints", "contact_rules", "gravity"
"""What a model is made of, as far as anything that is kept depends on it."""


class Kept:
    """What is known of a model that is made of these parts, none of which changes in place.

    Attributes
    ----------
    known : by the function that found it out.
    calls : functions of the model and arrays, by what they compute. They are asked without a look at the parts, and
        look themselves.
    guards : of what users' own classes depend on, by the part of the model that is of such a class. holds : whether
        all of them hold; None if there are none.
    """

    __slots__ = (*PARTS, "calls", "guards", "holds", "known")

    def __init__(self, model: Model) -> None:
        self.bodies, self.loops = model.bodies, model.loops
        self.forces, self.gravity = model.forces, model.gravity
        self.constraints, self.contact_rules = model.constraints, model.contact_rules
        self.known: dict[Callable[[Model], Any], Any] = {}
        self.calls: dict[Hashable, Callable[..., Any]] = {}
        self.guards: dict[str, Guard] = {}
        self.holds: Callable[[], bool] | None = None


def kept(model: Model, find: Callable[[Model], T]) -> T:
    """What a function of a model gives: the same object until the model grows or is given another gravity.

    It is asked again by a copy, and after pickling; a `snapshot` shares it. It must not depend on named frames.
    """
    own = current(model)
    try:
        return own.known[find]
    except KeyError:
        return own.known.setdefault(find, find(model))


def current(model: Model) -> Kept:
    """What is known of the model as it is."""
    found = model.__dict__  # far quicker than its attributes, whose class is asked first
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
    except KeyError:  # nothing is known yet, or what grew is not shown as a tuple
        pass
    return _looked_through(model)


def _looked_through(model: Model) -> Kept:
    """The same, anew if the model is not as it was.

    Raises
    ------
    ModelError
        If it is a snapshot, and what classes of its joints work with is no longer what it was; likewise of its forces
        and constraints, unless it has moved.
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
                return own  # what was recorded of forces and constraints is what the motion had
            changed = next((repr(part) for part, guard in own.guards.items() if not guard.holds()), "a part")
            raise _changed(model, changed if joints_hold else "a joint")
        own = model.__dict__["_kept"] = Kept(model)
    return own


def snapshot(model: Model, anew: bool = False) -> Model:
    """The model as it is now: a motion keeps it, whatever becomes of the model later.

    It shares what is kept of the model, so it costs a few microseconds and nothing is found out twice. Frames may be
    added to it; what would change its dynamics is refused. anew : whether a snapshot gives another one.
    """
    if SETTLED in model.__dict__ and not anew:
        return model
    own, twin = current(model), copy(model)
    twin.__dict__.update({"_kept": own, SETTLED: True})
    return twin


def checked_twin(model: Model) -> Model:
    """A snapshot for code that is checked: what is made for it is kept with the model, apart from everything else."""
    twin = snapshot(model, anew=True)
    twin.__dict__["_kept"] = kept(model, Kept)
    return twin


def moved(model: Model) -> None:
    """Take a snapshot for the model of a motion from now on.

    Raises
    ------
    ModelError
        If a part of it was changed while it moved.
    """
    current(model)
    model.__dict__[MOVED] = True


def require_unsettled(model: object, what: str) -> None:
    """Raise `ModelError` if a model is that of a motion."""
    if SETTLED in model.__dict__:
        raise ModelError(
            f"this is model {model.name!r} as it was when it moved, and belongs to that motion: {what} cannot change; "  # type: ignore[attr-defined]
            "take copy.copy(model), or model.with_parameters({...}), and simulate again"
        )


def keep_while(model: Model, part: str, guard: Guard) -> None:
    """Let what is known of a model, and what is being found out, go as soon as a guard of a part does not hold."""
    own = model.__dict__["_kept"]
    own.guards[part] = guard
    _guarded(own)


def keep_anyhow(model: Model, part: str) -> None:
    """Take back the guard of a part of which nothing is recorded: it may keep something, and change at every call."""
    own = model.__dict__["_kept"]
    own.guards.pop(part, None)
    _guarded(own)


def _guarded(own: Kept) -> None:
    guards = tuple(own.guards.values())
    own.holds = guards[0].holds if len(guards) == 1 else partial(_all_hold, guards) if guards else None
    own.calls.clear()  # they did not ask for it


def _all_hold(guards: tuple[Guard, ...]) -> bool:
    return all([guard.holds() for guard in guards])


def require_as_recorded(model: Model, part: str) -> None:
    """Raise `ModelError` if a part of the model of a motion does something else than it did then."""
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
    """The attributes of a model that are not what was found out about it."""
    return {name: value for name, value in own.items() if name != "_kept"}
