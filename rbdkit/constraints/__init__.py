"""Constraint elements, one a file: equations and inequalities between bodies or joints in addition to joints.

`ConstraintElement` is their base class; ``model.add_constraint(name, element)`` adds one. Its Jacobian is found by
tracing. Loop joints are added by `rbdkit.Model.add_loop` instead. Joints coupled in fixed proportion may be declared by
`rbdkit.Mimic`, which removes a coordinate, or by a `Tie`, which adds a constraint row.
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

# Lazy imports, as most models have no constraints.
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
