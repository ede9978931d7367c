"""Constraints, one a file: what holds in a mechanism besides its joints.

`element` says what each provides. ``model.add_constraint(name, element)`` enters them; what moves the bodies of a model
freely in them, and what does not, is found by the tracer. Joints that close loops are `rbdkit.Model.add_loop`'s, joints
that follow others in fixed proportion may be `rbdkit.Mimic`: these take a coordinate away where a `Tie` adds a row.
"""

from typing import TYPE_CHECKING

from rbdkit.constraints.element import ConstraintElement
from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.constraints.distance import Distance
    from rbdkit.constraints.limit import Limit
    from rbdkit.constraints.point_on_line import PointOnLine
    from rbdkit.constraints.point_on_plane import PointOnPlane
    from rbdkit.constraints.rolling import Rolling
    from rbdkit.constraints.taut_string import TautString
    from rbdkit.constraints.tie import Tie

__all__ = ["ConstraintElement", "Distance", "Limit", "PointOnLine", "PointOnPlane", "Rolling", "TautString", "Tie"]

# Constraints, which most models do without, are loaded when they are first asked for.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.constraints.distance": ["Distance"],
        "rbdkit.constraints.limit": ["Limit"],
        "rbdkit.constraints.point_on_line": ["PointOnLine"],
        "rbdkit.constraints.point_on_plane": ["PointOnPlane"],
        "rbdkit.constraints.rolling": ["Rolling"],
        "rbdkit.constraints.taut_string": ["TautString"],
        "rbdkit.constraints.tie": ["Tie"],
    },
)
