"""Interactive construction of a model, which may be incomplete or invalid; every step can be undone.

A `Draft` holds the state; steps are small immutable values such as `AddBody` or `SetJoint`. Bodies, loop joints and
frames have permanent keys, so that names may be anything while they are being typed. The findings of a draft list what
prevents a model from being made, and the findings of `Model.validate`, each with the field to change.
"""

from rbdkit.drafting.body_steps import SetDensity, SetGeometry, SetInertia
from rbdkit.drafting.draft import Draft
from rbdkit.drafting.examples import EXAMPLES
from rbdkit.drafting.joint_steps import Follow, SetJoint, SetNumbers, SetPlacement
from rbdkit.drafting.kinds import KINDS, joint_of_kind
from rbdkit.drafting.operation import Operation
from rbdkit.drafting.remark import Remark
from rbdkit.drafting.sheet import GROUND, Closure, Mark, Part, Sheet
from rbdkit.drafting.tree_steps import AddBody, Delete, Rename, RenameJoint, Reparent
from rbdkit.drafting.whole_steps import (
    AddFrame,
    AddLoop,
    MoveFrame,
    MoveLoop,
    PlaceLoop,
    SetGravity,
    SetName,
    StartFrom,
)

__all__ = [
    "EXAMPLES",
    "GROUND",
    "KINDS",
    "AddBody",
    "AddFrame",
    "AddLoop",
    "Closure",
    "Delete",
    "Draft",
    "Follow",
    "Mark",
    "MoveFrame",
    "MoveLoop",
    "Operation",
    "Part",
    "PlaceLoop",
    "Remark",
    "Rename",
    "RenameJoint",
    "Reparent",
    "SetDensity",
    "SetGeometry",
    "SetGravity",
    "SetInertia",
    "SetJoint",
    "SetName",
    "SetNumbers",
    "SetPlacement",
    "Sheet",
    "StartFrom",
    "joint_of_kind",
]
