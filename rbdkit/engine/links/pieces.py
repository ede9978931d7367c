"""Joint types as chains of simple joints."""

from __future__ import annotations

from rbdkit.joints import JointType
from rbdkit.joints.piece import Piece


class NotCovered(Exception):
    """The engine has no kernels for a model; the message says why."""


def pieces(joint: JointType, name: str) -> list[Piece]:
    """The chain of simple joints that a joint type is; none for a fixed joint. name : of the joint, for messages."""

    def traced(own: JointType) -> Piece:
        raise NotCovered(f"joint {name!r} is of type {own.kind!r}")

    chain = joint.simplified().pieces(traced)
    if chain is None:
        raise NotCovered(f"joint {name!r} is of type {joint.kind!r}")
    return chain
