"""Stages of a joint: its freedoms in the order in which they move each other's axes.

A rolling joint is a translation and a rotation that share one freedom. The axis of the joint is constant in neither of
its frames, but those of the two parts are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.stage import Stage
from rbdkit.model import Joint


def stages(joint: Joint) -> list[Stage]:
    """Return the stages of a joint from parent to body; axes of a stage are constant in the frame before or after it.

    Raises
    ------
    ModelError
        If the joint's type does not define its stages.
    """
    found = joint.type.stages()
    if found is None:
        raise ModelError(
            f"joint {joint.name!r}: derivatives and the closed form need to know how the axes of a "
            f"{joint.type.kind!r} joint move; give its class a method `stages`"
        )
    return found


def parts(joint: Joint, q: NDArray) -> tuple[NDArray, NDArray]:
    """Return the axes P (6, m) of the parts of a joint, in body coordinates, and G (m, nv) with ``S = P @ G``.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the model.
    """
    P, G = joint.type.parts(joint.coordinates(q))
    return P if joint.mimic is None else joint.mimic.multiplier * P, G


def moved(order: list[Stage]) -> NDArray:
    """Return booleans (m, m): whether a motion of part l (column) moves the axis of part k (row)."""
    nv = sum(len(stage.freedoms) for stage in order)
    table = np.zeros((nv, nv), dtype=bool)
    before: list[int] = []
    for stage in order:
        own = list(stage.freedoms)
        table[np.ix_(own, own)] = stage.carried
        table[np.ix_(own, before)] = True
        before += own
    return table
