"""Joint types as chains of simple joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdkit.joints import JointType
from rbdkit.joints.piece import Piece

if TYPE_CHECKING:
    from rbdkit.trace import Guard


class NotCovered(Exception):
    """The engine has no kernels for a model; the message says why."""


def pieces(joint: JointType, name: str) -> list[Piece]:
    """Return the chain of simple joints that a joint type is; empty for a fixed joint. name : for messages."""
    return chain_of(joint, name)[0]


def chain_of(joint: JointType, name: str) -> tuple[list[Piece], list[Guard]]:
    """Return the chain of simple joints, and the guards of users' own functions among it.

    Raises
    ------
    NotCovered
        If there is no such chain.
    ModelError
        If users' own functions contradict each other.
    """
    uses: list[Guard] = []

    def traced(own: JointType) -> Piece:
        from rbdkit.engine.links.own_joints import NotTraced, recorded  # most models have none

        try:
            found = recorded(own)
        except NotTraced as fault:
            raise NotCovered(f"joint {name!r}: {own.known_as} cannot be compiled: {fault}") from fault
        uses.append(found.uses)
        return found.piece

    chain = joint.simplified().pieces(traced)
    if chain is None:
        raise NotCovered(f"joint {name!r} is of type {joint.kind!r}")
    return chain, uses
