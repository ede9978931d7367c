"""Characteristic speed of a model, for tolerances that do not depend on its units or size."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.model.closing.length import length_of
from rbdkit.model.model import Model


def lengthwise(model: Model) -> NDArray:
    """Return which velocity variables (nv,) are translational."""
    along = np.zeros(model.nv, dtype=bool)
    for joint in model.joints:
        if joint.mimic is None:
            along[joint.v_slice] = [unit.startswith("m") for unit in joint.type.v_units]
    return along


def speed_of(model: Model, v: ArrayLike | None = None) -> float:
    """Return the characteristic speed of a model, sqrt(g l) with its length l, m/s.

    Without gravity it is the largest speed in v (nv,), or 1.
    """
    length = length_of(model)
    fall = float(np.sqrt(length * np.linalg.norm(model.gravity)))
    if fall > 0.0 or v is None or not model.nv:
        return fall or 1.0
    speeds = np.abs(np.asarray(v, dtype=float)[: model.nv]) * np.where(lengthwise(model), 1.0, length)
    return float(speeds.max()) or 1.0
