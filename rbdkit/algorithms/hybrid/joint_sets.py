"""Sets of hybrid dynamics: forward-dynamics joints, the bodies they support, and their variables."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import shown


def forward_joints(model: Model, forward: Iterable[str | int]) -> frozenset[int]:
    """Return the set fd of forward-dynamics joints (Featherstone 2008, section 9.1).

    Parameters
    ----------
    forward : iterable
        Names or indices of the joints whose forces are given; joint i connects body i to its parent.

    Returns
    -------
    frozenset
        Their indices. Joints without freedom are left out; a mimic joint is included exactly if its master joint is.

    Raises
    ------
    ModelError
        If there is no such joint, or a mimic joint is named without its master joint.
    """
    if isinstance(forward, str):
        raise ModelError(f"the forward-dynamics joints are a list of names; give [{forward!r}], not {forward!r}")
    try:
        listed = list(forward)
    except TypeError:
        raise ModelError(f"the forward-dynamics joints are a list of names or numbers, not {shown(forward)}") from None
    named = {_number(model, joint) for joint in listed}
    names = {model.joints[i].name for i in named}
    fd = set()
    for i in model.outward:
        joint = model.joints[i]
        if joint.mimic is not None and i in named and joint.mimic.leader not in names:
            raise ModelError(f"joint {joint.name!r} follows {joint.mimic.leader!r}: name the joint that leads")
        free = i in named if joint.mimic is None else joint.mimic.leader in names
        if free and joint.nv > 0:
            fd.add(i)
    return frozenset(fd)


def supported_bodies(parent: tuple[int, ...], fd: Collection[int]) -> frozenset[int]:
    """Return nu(fd), Eq 9.5: the bodies that at least one forward-dynamics joint supports; parent[i] is lambda(i)."""
    nu = set(fd)
    for i in range(1, len(parent)):
        if parent[i] in nu:
            nu.add(i)
    return frozenset(nu)


def split_variables(model: Model, fd: Collection[int]) -> tuple[NDArray, NDArray]:
    """Return the indices of forward-dynamics and of inverse-dynamics variables in qdd and tau.

    Concatenated they are the rows of the permutation Q: ``Q qdd = qdd[concatenate(...)]``.
    """
    first = np.zeros(model.nv, dtype=bool)
    for i in fd:
        first[model.joints[i].v_slice] = True
    return np.flatnonzero(first), np.flatnonzero(~first)


def _number(model: Model, joint: str | int) -> int:
    if isinstance(joint, str):
        named = model.joint(joint)  # says so if there is none
        return next(i for i in model.outward if model.joints[i] is named)
    last = len(model.joints) - 1
    if isinstance(joint, bool) or not isinstance(joint, int | np.integer) or not 1 <= joint <= last:
        raise ModelError(
            f"joint {shown(joint)} is not in model {model.name!r}; its joints are 1 to {last}, or go by name"
        )
    return int(joint)
