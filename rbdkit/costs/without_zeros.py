"""Savings by zero inertia parameters: operation counts of compiled code that is recorded with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.equivalence.simplify import ZERO
from rbdkit.algorithms.equivalence.ten_numbers import moved
from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.pack import pack
from rbdkit.engine.run.counting import count_program
from rbdkit.engine.run.signatures import INPUTS
from rbdkit.engine.run.tables import fixed_numbers
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_model
from rbdkit.spatial import se3
from rbdkit.spatial.read_numbers import floats, shown
from rbdkit.trace import Operations


def operations_with(model: Model, parameters: NDArray, algorithm: str) -> Operations:
    """Count the operations of straight-line code for one state, in which zero inertia parameters save work.

    With loops, the operations of the spanning tree are counted.

    Parameters
    ----------
    parameters : ndarray (n, 10)
        Inertia parameters of the bodies, which replace those of the model. Nonzero ones count as variables, and so do
        the numbers of placements other than 0 and 1.
    algorithm : str
        Name as in `rbdkit.engine.operations`.

    Raises
    ------
    ModelError
        If `model` is no model, `parameters` has another shape or is not finite, or the algorithm is unknown.
    """
    require_model(model)
    if not isinstance(algorithm, str) or algorithm not in INPUTS:
        raise ModelError(f"operations_with: algorithm {shown(algorithm)} is unknown; there are {', '.join(INPUTS)}")
    plan = layout(model)
    wanted = (len(plan.link_of_body), 10)
    says = f"operations_with: parameters {{}} must be ten numbers for each body, {wanted}".format
    parameters = floats(parameters, says)
    if parameters.shape != wanted or not np.isfinite(parameters).all():
        raise ModelError(says(shown(parameters)))
    packed = pack(model, plan)
    rows, frames = np.nan_to_num(packed["rows"]), packed["frames"]
    rows[:, 12:22] = 0.0
    for link, frame, numbers in zip(plan.link_of_body, frames, parameters, strict=True):
        rows[link, 12:22] += moved(numbers, se3.pose(frame[:9].reshape(3, 3), frame[9:]))
    own = rows[:, 12:22]
    own[np.abs(own) < ZERO * np.abs(own).max(axis=1, keepdims=True)] = 0.0
    columns = np.arange(rows.shape[1])
    zeros = np.flatnonzero((rows == 0.0) & (columns >= 12) & (columns < 22))
    return count_program(algorithm, plan, dict(fixed_numbers(plan, rows)) | {int(k): 0.0 for k in zeros})
