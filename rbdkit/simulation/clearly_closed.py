"""A fast check by compiled code that all loops and constraints are closed at the start of a run."""

from __future__ import annotations

from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.joints import Reversed
from rbdkit.model import Model
from rbdkit.model.closing import CLOSED, length_of
from rbdkit.model.kept import kept

SURE = 0.1
"""Part of the tolerance of `require_closed` within which the check passes; the margin covers differences between the
two computations."""


def clearly_closed(model: Model, q: NDArray, v: NDArray) -> bool:
    """Whether all loops and constraints are surely closed at a state, in position and velocity, by compiled code.

    If not, or if there is no such code, `require_closed` decides and words the error.
    """
    kernels = kernels_for(model)
    if kernels is None or kernels.rows is None or kernels.driven or kernels.rows_timed or kept(model, _some_turned):
        return False
    found = kernels.constraint_rows(q, v)
    far = SURE * CLOSED * min(1.0, kept(model, length_of))
    return bool(found.gap @ found.gap <= far * far and found.slip @ found.slip <= far * far)


def _some_turned(model: Model) -> bool:
    """Whether the model has loop joints whose ends are swapped in compiled code."""
    return any(isinstance(loop.joint.type.simplified(), Reversed) for loop in model.loops)
