"""The freedoms of a joint in the order in which they move each other's axes.

A joint that rolls is a slide and a turn that share one freedom: neither of the frames keeps its axis, but each of the
two parts has an axis of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.stage import Stage
from rbdkit.model import Joint


def stages(joint: Joint) -> list[Stage]:
    """The stages of a joint from parent to body; all axes of a stage are constant in the frame after or before it.

    Raises
    ------
    ModelError
        If nothing is known about how the axes of the joint's type move.
    """
    found = joint.type.stages()
    if found is None:
        raise ModelError(
            f"joint {joint.name!r}: derivatives and the closed form need to know how the axes of a "
            f"{joint.type.kind!r} joint move; give its class a method `stages`"
        )
    return found


def parts(joint: Joint, q: NDArray) -> tuple[NDArray, NDArray]:
    """Axes P of the parts of a joint in body coordinates, (6, m), and G, (m, nv): freedoms move them, ``S = P @ G``.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the model.
    """
    P, G = joint.type.parts(joint.coordinates(q))
    return P if joint.mimic is None else joint.mimic.multiplier * P, G


def moved(order: list[Stage]) -> NDArray:
    """(m, m) booleans: whether the axis of part k (row) moves along when part l (column) does."""
    nv = sum(len(stage.freedoms) for stage in order)
    table = np.zeros((nv, nv), dtype=bool)
    before: list[int] = []
    for stage in order:
        own = list(stage.freedoms)
        table[np.ix_(own, own)] = stage.carried
        table[np.ix_(own, before)] = True
        before += own
    return table
