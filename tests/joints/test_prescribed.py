"""Joints whose motion is a function of time: jcalc with time as its last argument."""

import re
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.errors import StateError
from rbdkit.joints import Cylindrical, EulerSpherical, Planar, Prescribed, Revolute, Spherical, Universal

NONE = np.zeros(0)


def swing(size):
    """q, v and dv/dt of size coordinates with qdot = v."""
    k = np.arange(1, size + 1)
    return lambda t: (np.sin(k * t) + 0.2, k * np.cos(k * t), -(k**2) * np.sin(k * t))


def spin(t):
    """A quaternion that turns about a fixed axis with a rate that grows."""
    n, angle = np.array([2.0, -1.0, 2.0]) / 3.0, 0.5 * t + t**2
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * n]), (0.5 + 2 * t) * n, 2.0 * n


DRIVEN = {
    "revolute": Prescribed(Revolute([0.0, 0.6, 0.8]), swing(1)),
    "cylindrical": Prescribed(Cylindrical("y"), swing(2)),
    "universal": Prescribed(Universal(), swing(2)),
    "euler": Prescribed(EulerSpherical(), swing(3)),
    "spherical": Prescribed(Spherical(), spin),
}


@pytest.mark.source("F4.10", "F4.22", "F3.02")
@pytest.mark.parametrize("name", DRIVEN)
def test_velocity_and_acceleration_are_those_of_the_motion(name, slope, cross_motion):
    """No freedom: sigma = v_J moves X_J, and c_J is the rate of sigma, by differences in time (rounding eps / h)."""
    driven = DRIVEN[name]
    for t in (0.0, 0.37, 2.0):
        X, S, v_J, c_J = driven.calc(NONE, NONE, t)
        assert S.shape == (6, 0)
        assert_allclose(slope(partial(driven.transform, NONE), t, 1.0), -cross_motion(v_J) @ X, atol=5e-11)
        assert_allclose(slope(partial(driven.velocity, NONE, NONE), t, 1.0), c_J, atol=5e-11)
        assert_array_equal(driven.velocity(NONE, NONE, t), v_J)
        assert_array_equal(driven.constraint_subspace(NONE), np.eye(6))
        assert driven.rate(NONE, NONE).shape == (0,)


def test_time_zero_is_the_default():
    driven = DRIVEN["universal"]
    assert_array_equal(driven.pose(NONE), driven.pose(NONE, 0.0))
    assert np.abs(driven.pose(NONE) - driven.pose(NONE, 1.0)).max() > 0.1


def test_stacks_share_the_motion():
    driven = DRIVEN["euler"]
    assert driven.pose(np.zeros((4, 0)), 0.5).shape == (4, 4, 4)
    assert_array_equal(driven.velocity(np.zeros((4, 0)), np.zeros((4, 0)), 0.5)[3], driven.velocity(NONE, NONE, 0.5))


@pytest.mark.parametrize("motion, says", [
    (lambda t: ([1.0, 2.0], [1.0, 2.0], [0.0, 0.0]), "it must be finite q, v and dv/dt of sizes 3, 3, 3"),
    (lambda t: (np.zeros(3), np.zeros(3)), "of sizes 3, 3, 3"),
    (lambda t: (np.zeros(3), np.full(3, np.nan), np.zeros(3)), "at t = 0.5 s its motion is [[0.0, 0.0, 0.0], [nan, "),
])  # fmt: skip
def test_a_motion_of_the_wrong_kind(motion, says):
    with pytest.raises(StateError, match=re.escape(says)):
        Prescribed(Planar(), motion).pose(NONE, 0.5)


def test_a_motion_off_the_manifold():
    drifting = Prescribed(Spherical(), lambda t: ([1.0 + t, 0, 0, 0], np.zeros(3), np.zeros(3)))
    drifting.pose(NONE, 0.0)
    with pytest.raises(StateError, match=r"spherical joint: quaternion .* has norm 1\.5, not 1"):
        drifting.pose(NONE, 0.5)


@pytest.mark.parametrize("t", ["1.0", None, [0.0, 1.0], 1j])
def test_a_time_that_is_none(t):
    model = rbd.Model("driven")
    model.add_body(
        "a", joint=rbd.Prescribed(rbd.Revolute("y"), lambda t: (0.4 * t, 0.4, 0.0)), inertia=rbd.Inertia(1.0)
    )
    for backend in ("auto", "book"):
        with pytest.raises(StateError, match=r"t = .* must be a time in s"):
            rbd.center_of_mass(model, [], t=t, backend=backend)
