"""States at which compiled code finds all loops and constraints closed, with room to spare."""

from __future__ import annotations

from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.joints import Reversed
from rbdkit.model import Model
from rbdkit.model.closing import CLOSED, length_of
from rbdkit.model.kept import kept

SURE = 0.1
"""So much of what `require_closed` allows is closed in any way of computing it."""


def clearly_closed(model: Model, q: NDArray, v: NDArray) -> bool:
    """Whether compiled code says beyond doubt what `require_closed` looks for: that all loops and constraints hold at
    the beginning of a motion, and go on to do so. Where it does not, that one has the say, and the words."""
    kernels = kernels_for(model)
    if kernels is None or kernels.rows is None or kernels.driven or kernels.rows_timed or kept(model, _some_turned):
        return False
    found = kernels.constraint_rows(q, v)
    far = SURE * CLOSED * min(1.0, kept(model, length_of))
    return bool(found.gap @ found.gap <= far * far and found.slip @ found.slip <= far * far)


def _some_turned(model: Model) -> bool:
    """Whether there are loop joints whose ends compiled code has the other way round."""
    return any(isinstance(loop.joint.type.simplified(), Reversed) for loop in model.loops)
