"""Magnitudes of constraint rows as wrenches, and their inverse effective masses if the bodies were free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.model.constraint import seen
from rbdkit.model.constraint_rows import WRENCHES, ConstraintRows
from rbdkit.model.model import Model
from rbdkit.trace import Scalar, select

TRIALS = 5
"""Number of random configurations to average over."""


def own_sizes(model: Model, rows: ConstraintRows, length: float) -> NDArray:
    """Return the mean squared norms of the rows as wrenches, (m,), with moments divided by a length."""
    with np.errstate(all="ignore"):
        return np.array(free_scalars(model, rows, length, np.ones(len(model.bodies))), dtype=float)


def free_scalars(model: Model, rows: ConstraintRows, length: float, mass: NDArray) -> list[Scalar]:
    """Return the mean inverse effective mass of each row if the bodies were free, of given masses (bodies,).

    Their radii of gyration are taken as `length`. The results are symbols if parameters of the rows are symbols.
    """
    of_joint = {a: i for i, j in enumerate(model.joints) for a in range(j.v_slice.start, j.v_slice.stop)}
    angle = 1.0 / length**2
    factors = [1.0 / mass[b] * x for b in rows.bodies for x in (angle, angle, angle, 1.0, 1.0, 1.0)]
    factors += [angle / mass[of_joint[a]] for a in rows.velocities]
    rng = np.random.default_rng(0)
    total: list[Scalar] = [0.0] * rows.m
    for _ in range(TRIALS):
        q, v = model.random_q(rng), np.zeros(model.nv)
        values = rows.results(q, v, 0.0, seen(model, q, v, 0.0).motion)
        for r in range(rows.m):
            parts = values[r * rows.size + WRENCHES : (r + 1) * rows.size]
            size: Scalar = 0.0
            for factor, x in zip(factors, parts, strict=True):
                size = size + float(factor) * (x * x)
            total[r] = total[r] + select(size >= 0.0, size, 0.0)  # not a number where a state makes no sense
    return [select(size > 0.0, size * (1.0 / TRIALS), 1.0) for size in total]
