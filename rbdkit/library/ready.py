"""Argument checks of ready models: their numbers are numbers, and their sizes can be built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import shown

P = ParamSpec("P")
T = TypeVar("T")

MOST = 100_000
"""So many bodies take about ten seconds and half a gigabyte to build; a slip of two zeros more fills the memory."""

_SIZES = ("balls", "bodies", "children", "count", "edges", "facets", "links", "loops", "n", "rungs")


def ready_up_to(**most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate as `ready` does, with other largest sizes: those whose model is built in a minute or so."""
    bodies = dict.fromkeys(_SIZES, (MOST, "so many bodies take 10 s and 0.5 GB to build, more to compute; take fewer"))
    own = {size: (value, "a larger one takes minutes to build; take a smaller one") for size, value in most.items()}
    return check_arguments(most={**bodies, **own})


ready = ready_up_to()
"""Decorator of a function that makes a model, or numbers for one."""


def require_joints(joints: Any) -> None:
    """Raise `ModelError` unless this is None, a joint type, or several of them."""
    several = isinstance(joints, Sequence) and all(isinstance(one, JointType) for one in joints)
    if not (joints is None or isinstance(joints, JointType) or several):
        raise ModelError(f"joints = {shown(joints)} must be joint types, [rbdkit.Revolute('y'), ...]")


def entries(y: Any, names: Sequence[str]) -> Sequence[Any]:
    """Return y if it holds one number or symbol for each of these joints, else raise `ModelError`."""
    in_a_row = y.ndim == 1 if isinstance(y, np.ndarray) else isinstance(y, Sequence) and not isinstance(y, str | bytes)
    if not in_a_row or len(y) != len(names) or any(isinstance(entry, Sequence | np.ndarray) for entry in y):
        raise ModelError(f"y = {shown(y)} must hold {len(names)} numbers, of {', '.join(map(repr, names))}")
    return y  # an array in a row is one
