"""Drawable variables of an algorithm, recognised by their customary names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model

Kind = Literal["motion", "force", "inertia"]

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("v", "a", "a_", "c", "v_J", "c_J", "S", "vJ", "cJ", "avp", "s", "U_dot"), "motion"),
    **dict.fromkeys(("f", "pA", "pa", "p", "F", "U", "f_x", "fB", "p_A", "p_a"), "force"),
    **dict.fromkeys(("I", "IA", "Ia", "Ic", "I_A", "I_a", "I_c"), "inertia"),
}
"""Featherstone's names, and the kind of quantity that each stands for."""


@dataclass(frozen=True)
class Marks:
    """Drawable quantities of one body: spatial vectors and inertias in its coordinates, by name.

    Attributes
    ----------
    body : int
        Number of the body.
    motions, forces : dict of str to ndarray
        (6,) each; the columns of S are 'S' or 'S 1', 'S 2', ...
    inertias : dict of str to ndarray
        (6, 6) each.
    """

    body: int
    motions: dict[str, NDArray]
    forces: dict[str, NDArray]
    inertias: dict[str, NDArray]

    @property
    def names(self) -> list[str]:
        """Names of all quantities."""
        return [*self.motions, *self.forces, *self.inertias]


def marks_of(variables: Mapping[str, Any], body: int) -> Marks:
    """Return the drawable quantities of a body among the variables of an algorithm; zeros are left out.

    A variable belongs to the body if it has an entry for every body of the variable ``model``, or if it is a single
    spatial vector, which the loop computes for the current body.
    """
    model = variables.get("model")
    count = len(model.bodies) if isinstance(model, Model) else None
    marks = Marks(body, {}, {}, {})
    groups = {"motion": marks.motions, "force": marks.forces, "inertia": marks.inertias}
    for name, value in variables.items():
        kind = KINDS.get(name)
        if kind is None:
            continue
        own = _own(value, body, count, kind)
        if own is None or not np.isfinite(own).all() or not own.any():
            continue
        if kind == "inertia":
            if own.shape == (6, 6):
                groups[kind][name] = own
        elif own.shape == (6,):
            groups[kind][name] = own
        elif own.ndim == 2 and own.shape[0] == 6 and own.shape[1] <= 6:
            columns = own.T
            names = [name] if len(columns) == 1 else [f"{name} {k + 1}" for k in range(len(columns))]
            groups[kind].update(zip(names, columns, strict=True))
    return marks


def _own(value: Any, body: int, count: int | None, kind: Kind) -> NDArray | None:
    """Return the entry of a body, or the whole value where there is only one."""
    single = (6, 6) if kind == "inertia" else (6,)
    alone = isinstance(value, np.ndarray) and value.shape == single
    if not alone and isinstance(value, list | tuple | np.ndarray) and len(value) == count:
        value = value[body]
    array = np.asarray(value) if isinstance(value, np.ndarray | np.floating) else None
    return array if array is not None and array.dtype.kind == "f" else None
