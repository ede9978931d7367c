"""Joint types as chains of URDF joints with massless links between, with the same motion and coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from rbdkit.errors import FormatError
from rbdkit.joints import (
    Cylindrical,
    EulerSpherical,
    Fixed,
    Free,
    Helical,
    JointType,
    Planar,
    Prismatic,
    Reversed,
    Revolute,
    Universal,
)


@dataclass(frozen=True)
class Step:
    """One joint of a chain.

    Attributes
    ----------
    type : JointType
        A type that URDF has.
    index : int or None
        Index of its coordinate in the whole joint; None for all of them.
    advance : float or None
        For the second step of a helical joint, its travel per radian of the first, which it mimics.
    suffix : str
        Suffix of its name after that of the whole joint.
    """

    type: JointType
    index: int | None = 0
    suffix: str = ""
    advance: float | None = None


def steps_of(type_: JointType, joint: str) -> list[Step]:
    """Return a chain of URDF joints, from the parent to the child body, with the motion of the given joint.

    Parameters
    ----------
    type_ : JointType
        The type of the joint.
    joint : str
        Its name, for messages.

    Raises
    ------
    FormatError
        If there is no such chain.
    """
    if type_.is_users_own:
        raise FormatError(
            f"joint {joint!r}: its type {type(type_).__name__} is not one of rbdkit.joints: no file has it"
        )
    match type_:
        case Fixed() | Revolute() | Prismatic():
            return [Step(type_)]
        case Planar() | Free():
            return [Step(type_, index=None)]
        case Helical():
            turn = Step(Revolute(type_.axis))
            return [turn, Step(Prismatic(type_.axis), 0, "_advance", type_.pitch)] if type_.pitch else [turn]
        case Cylindrical():
            return [Step(Revolute(type_.axis), 0, "_angle"), Step(Prismatic(type_.axis), 1, "_distance")]
        case Universal():
            return [Step(Revolute(type_.axis1), 0, "_angle1"), Step(Revolute(type_.axis2), 1, "_angle2")]
        case EulerSpherical():
            return [Step(Revolute(axis), k, f"_{type_.q_names[k]}") for k, axis in enumerate("zyx")]
        case Reversed():
            return _reversed_steps(type_.joint, joint)
    advice = (
        "give the angles of EulerSpherical() if gimbal lock is no concern, or " if type_.kind == "spherical" else ""
    )
    raise FormatError(f"joint {joint!r}: URDF cannot express a {type_.kind} joint; {advice}save the model as JSON")


def _reversed_steps(inner: JointType, joint: str) -> list[Step]:
    """Return the chain of a reversed joint: the steps of the inner joint in reverse order, with negated axes."""
    if isinstance(inner, Reversed):
        return steps_of(inner.joint, joint)
    if isinstance(inner, Helical):  # the two steps commute, and the leader must come first
        return steps_of(Helical(-inner.axis, inner.pitch), joint)
    steps = []
    for step in reversed(steps_of(inner, joint)):
        if isinstance(step.type, Revolute | Prismatic):
            steps.append(Step(type(step.type)(-step.type.axis), step.index, step.suffix))
        elif isinstance(step.type, Fixed):
            steps.append(step)
        else:
            raise FormatError(
                f"joint {joint!r}: URDF cannot express a reversed {inner.kind} joint; save the model as JSON"
            )
    return steps
