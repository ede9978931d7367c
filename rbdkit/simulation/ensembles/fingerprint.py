"""Digests of the arguments of a sweep, by which one that goes on knows itself again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rbdkit.errors import FormatError, SimulationError
from rbdkit.formats import to_json
from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.trace import Dependencies, Impure

MOST = 10_000_000
"""So many values an argument may consist of."""


def digest(name: str, thing: Any) -> str:
    """A text that is the same for the same argument in every process, and another one for any other.

    Parameters
    ----------
    name : str
        Of the argument, for the error.
    thing : object
        Plain data, models, objects that pickle, functions and classes: these with all that they depend on.

    Raises
    ------
    SimulationError
        If it uses something whose value cannot be told in another process.
    """
    try:
        return _dependencies(name, thing).digest(_of_model)
    except Impure as fault:
        raise SimulationError(f"store: {name} cannot be compared with that of another run: {fault}") from None


def _dependencies(name: str, thing: Any) -> Dependencies:
    found = Dependencies({name: thing}, {Model: ()}, objects=None, most=MOST)
    if found.too_many:
        raise Impure(f"it consists of more than {MOST} values; hand it in as arrays")
    return found


def _of_model(value: Any) -> bytes | None:
    """A model as text, and what its parts of a user's own classes depend on: the text has the names of these alone."""
    if not isinstance(value, Model):
        return None
    try:
        text = to_json(value)
    except FormatError as fault:
        raise Impure(str(fault)) from None
    own: list[Any] = [part.element for part in value.elements if part.element.is_users_own]
    joints = [*value.joints, *(loop.joint for loop in value.loops)]
    own += [kind for joint in joints for kind in _kinds(joint.type) if kind.is_users_own]
    return (text + _dependencies("model", own).digest(_of_model)).encode()


def _kinds(kind: JointType) -> Iterator[JointType]:
    """A joint type and those that it is made of."""
    yield kind
    for inner in vars(kind).values():
        if isinstance(inner, JointType):
            yield from _kinds(inner)
