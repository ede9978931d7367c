"""Digests of the arguments of a sweep, by which a store recognises the sweep that it belongs to.

Functions and classes are digested with their code and everything that they refer to, so that a sweep with an edited
function is another sweep. Things whose value cannot be compared between processes are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rbdkit.errors import FormatError, SimulationError
from rbdkit.formats.json.joints import joint_type_to_dict
from rbdkit.formats.json.write import to_dict_with
from rbdkit.joints import JointType, Prescribed
from rbdkit.model import Model
from rbdkit.trace import Dependencies, Impure

MOST = 10_000_000
"""Largest number of values that an argument may consist of."""


def digest(name: str, thing: Any, *, followed: bool = False) -> str:
    """Return a digest of an argument that is the same in every process, and differs for different arguments.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    thing : object
        Plain data, models, objects that pickle, functions and classes, the last two with all that they depend on.
    followed : bool
        Whether to refuse functions that read files or the like, of which no digest tells the contents.

    Raises
    ------
    SimulationError
        If it depends on something that cannot be compared between processes.
    """
    try:
        found = _dependencies(name, thing)
        if followed:
            _require_followed(found)
        return found.digest(_of_model)
    except Impure as fault:
        raise SimulationError(f"store: {name} cannot be compared with that of another run: {fault}") from fault


def _dependencies(name: str, thing: Any) -> Dependencies:
    found = Dependencies({name: thing}, {Model: ()}, objects=None, most=MOST)
    if found.too_many:
        raise Impure(f"it consists of more than {MOST} values; hand it in as arrays")
    return found


def _require_followed(found: Dependencies) -> None:
    if found.unfollowed:
        raise Impure(found.unfollowed)


def _of_model(value: Any) -> bytes | None:
    """Return a model as JSON text with digests of user-defined classes and motions; None if the value is no model."""
    if not isinstance(value, Model):
        return None
    own: list[Any] = [part.element for part in value.elements if part.element.is_users_own]

    def to_dict(kind: JointType, joint: str) -> dict[str, Any]:
        if not any(_has_code(inner) for inner in _kinds(kind)):
            return joint_type_to_dict(kind, joint)
        for inner in _kinds(kind):
            if isinstance(inner, Prescribed):
                _require_pure(f"the motion of joint {joint!r}", inner.motion)
        own.append(kind)
        return {"kind": kind.kind}

    try:
        text = json.dumps(to_dict_with(value, to_dict))
    except FormatError as fault:
        raise Impure(str(fault)) from fault
    parts = _dependencies("model", own)
    _require_followed(parts)
    return (text + parts.digest(_of_model)).encode()


def _has_code(kind: JointType) -> bool:
    return kind.is_users_own or "function" in kind.arguments.values()


def _require_pure(name: str, function: Any) -> None:
    """Raise `Impure` if a function of time may have side effects or memory, so that two runs may differ."""
    try:
        _dependencies(name, function).require_pure()
    except Impure as fault:
        raise Impure(f"{name} may be no function of time alone: {fault}") from None


def _kinds(kind: JointType) -> Iterator[JointType]:
    """Yield a joint type and the types that it is composed of."""
    yield kind
    for inner in vars(kind).copy().values():
        if isinstance(inner, JointType):
            yield from _kinds(inner)
