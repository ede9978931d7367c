"""Machines whose loops close by a formula: q = gamma(y) of triangles, of two circles and of a parallelogram."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.loops import LoopClosure, loop_constraint
from rbdkit.library import (
    excavator,
    excavator_coordinates,
    parallelogram_robot,
    parallelogram_robot_coordinates,
)


@pytest.mark.source("F8.17")
@pytest.mark.parametrize(
    ("make", "gamma", "n_y"),
    [(excavator, excavator_coordinates, 4), (parallelogram_robot, parallelogram_robot_coordinates, 3)],
)
def test_accelerations_by_gamma_are_those_of_loop_joints(make, gamma, n_y):
    """gamma closes the loops, its derivatives obey their rows, and y accelerates as the compiled dynamics says."""
    model = make()
    closure = LoopClosure(model, gamma, n_y)
    rng = np.random.default_rng(1)
    for _ in range(3):
        y, yd = rng.uniform(-0.15, 0.15, n_y), rng.uniform(-0.5, 0.5, n_y)
        at = closure.rates(y, yd)  # refuses where a loop is open by 1e-9
        rows = loop_constraint(model, at.q, at.qd)
        assert_allclose(rows.K @ at.G, 0.0, atol=1e-13 * np.abs(rows.K).max() * np.abs(at.G).max())
        assert_allclose(rows.K @ at.g, rows.k, atol=1e-12 * (1.0 + np.abs(rows.k).max()))
        tau = rng.normal(size=model.nv) * 100.0
        found = at.G @ closure.acceleration(y, yd, tau) + at.g
        expected = rbd.forward_dynamics(model, at.q, at.qd, tau)
        assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
