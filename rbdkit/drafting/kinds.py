"""Joint types by the name of their kind, as a list to choose from offers them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.drafting.operation import numbers, one_of
from rbdkit.errors import ModelError
from rbdkit.joints import TYPES, JointType, Reversed, Universal
from rbdkit.joints.axis import plane_basis, unit_axis

PITCH = 0.05  # m/rad, so that a helical joint is seen to advance
CLASSES: dict[str, type[JointType]] = {cls.kind: cls for cls in TYPES if cls.tip}
KINDS = tuple(CLASSES)
"""The kinds there are, the simplest first. Any of them can be reversed too."""


def joint_of_kind(kind: str, like: JointType | None = None, **given: Any) -> JointType:
    """A joint of a kind, which keeps of another one what it has too: the axis, the pitch, the order of translation.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    like : JointType, optional
        The joint that is replaced.
    given
        Arguments of the type, such as ``axis=[1, 1, 0]``; axes are brought to length 1.

    Raises
    ------
    ModelError
        If the kind is unknown, it has no such argument, or a value has no meaning.
    """
    cls = CLASSES[one_of(kind, KINDS, "kind of joint")]
    like = like.joint if isinstance(like, Reversed) else like
    old = {} if like is None else like.parameters()
    if cls is Universal:
        return _universal(old, given)
    known = cls().parameters()
    arguments: dict[str, Any] = {"pitch": PITCH} if "pitch" in known else {}
    if "axis" in known and "axis1" in old:
        arguments["axis"] = old["axis1"]
    arguments |= {name: value for name, value in old.items() if name in known}
    for name, value in given.items():
        arguments[one_of(name, known, f"argument of a {kind} joint")] = unit(value) if name == "axis" else value
    return cls(**arguments)


def _universal(old: dict[str, Any], given: dict[str, Any]) -> Universal:
    """A cross, whose second axis stands across the first one where nobody gave any."""
    for name in given:
        one_of(name, ("axis1", "axis2"), "argument of a universal joint")
    first = unit(given["axis1"]) if "axis1" in given else old.get("axis1", old.get("axis", "x"))
    if "axis2" in given:
        return Universal(first, unit(given["axis2"]))
    if "axis2" in old:
        return Universal(first, old["axis2"])
    return Universal(first, plane_basis(unit_axis(first))[:, 0])


def unit(axis: str | ArrayLike) -> str | NDArray:
    """An axis brought to length 1; a name stays.

    Raises
    ------
    ModelError
        If it is not made of three finite numbers, or is too short to tell a direction.
    """
    if isinstance(axis, str):
        return axis
    n = np.array(numbers(axis, 3, "axis of the joint"))
    length = float(np.linalg.norm(n))
    if length < 1e-9:
        raise ModelError(f"axis {n.tolist()} has no direction; give one of its numbers a value")
    return n if length == 1.0 else n / length
