"""Constraints, one a file: what holds in a mechanism besides its joints.

`element` says what each provides. ``model.add_constraint(name, element)`` enters them; what moves the bodies of a model
freely in them, and what does not, is found by the tracer. Joints that close loops are `rbdkit.Model.add_loop`'s, joints
that follow others in fixed proportion may be `rbdkit.Mimic`: these take a coordinate away where a `Tie` adds a row.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rbdkit.constraints.element import ConstraintElement

if TYPE_CHECKING:
    from rbdkit.constraints.distance import Distance
    from rbdkit.constraints.limit import Limit
    from rbdkit.constraints.point_on_line import PointOnLine
    from rbdkit.constraints.point_on_plane import PointOnPlane
    from rbdkit.constraints.rolling import Rolling
    from rbdkit.constraints.taut_string import TautString
    from rbdkit.constraints.tie import Tie

__all__ = ["ConstraintElement", "Distance", "Limit", "PointOnLine", "PointOnPlane", "Rolling", "TautString", "Tie"]

_LATER = {
    "distance": ["Distance"],
    "limit": ["Limit"],
    "point_on_line": ["PointOnLine"],
    "point_on_plane": ["PointOnPlane"],
    "rolling": ["Rolling"],
    "taut_string": ["TautString"],
    "tie": ["Tie"],
}
_HOME_OF = {name: home for home, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    """Constraints, which most models do without, are loaded when they are first asked for."""
    if name not in _HOME_OF:
        raise AttributeError(f"rbdkit.constraints has no {name!r}")
    value = getattr(import_module(f"rbdkit.constraints.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What completion is to offer: no modules that this file makes use of."""
    return sorted({name for name in globals() if name.startswith("__")} | {*__all__})
