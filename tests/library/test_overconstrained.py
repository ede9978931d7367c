"""Linkages that a count of constraints calls rigid."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.formulations import SE3
from rbdkit.library import rectangular_bricard, sarrus_linkage


@pytest.mark.parametrize("model", [rectangular_bricard(), rectangular_bricard(1.0, 0.6, 0.8), sarrus_linkage()])
def test_six_hinges_leave_one_freedom_and_say_one_thing_twice(model):
    system = SE3(model)
    x, v = system.state(model.neutral(), np.zeros(model.nv))
    (finding,) = model.validate()
    assert (finding.severity, finding.what) == ("note", "redundant constraints")
    assert "are 5, and 1 of them says what others say" in finding.message
    assert np.abs(system.constraint_error(x)).max() < 1e-15
    equations = system.index1(0.0, x, v)
    assert (len(equations.eta), equations.rank, equations.redundant, equations.freedom) == (30, 29, 1, 1)
    assert np.sum(np.linalg.svd(equations.J)[1] > 1e-12) == 29


def test_the_hinges_of_bricards_linkage_obey_his_conditions():
    """a1^2 + a3^2 + a5^2 = a2^2 + a4^2 + a6^2, and each axis meets the next bar at a right angle (trihedral case)."""
    model = rectangular_bricard(1.0, 0.6, 0.8)
    T = rbd.forward_kinematics(model, model.neutral()).poses
    places = np.array([*T[1:, :3, 3], [0.0, 0.0, 0.8]])
    bars = np.roll(places, -1, axis=0) - places
    axes = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    squares = np.sum(bars**2, axis=1)
    assert squares[::2].sum() == pytest.approx(squares[1::2].sum(), rel=1e-15)
    for k in range(6):
        assert abs(bars[k] @ axes[k]) + abs(bars[k - 1] @ axes[k]) + abs(axes[k] @ axes[k - 1]) < 1e-15


def test_lengths_without_meaning_are_refused_by_name():
    with pytest.raises(ModelError, match=r"b = -1\.0.*positive length"):
        rectangular_bricard(1.0, -1.0)
    with pytest.raises(ModelError, match="width = 0"):
        sarrus_linkage(width=0)
    with pytest.raises(ModelError, match=r"rise = 2\.0.*pi/2"):
        sarrus_linkage(rise=2.0)
