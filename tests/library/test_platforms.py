"""Parallel robots: closed where they are said to be, and their freedoms."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.library import stewart_coordinates, stewart_platform
from rbdkit.spatial import se3, so3


def test_the_legs_of_a_stewart_platform_reach_every_pose(loop_gap):
    model = stewart_platform(base=0.9, platform=0.5, height=0.8, spread=0.15)
    assert loop_gap(model, model.neutral()) < 1e-15
    rng = np.random.default_rng(1)
    for _ in range(5):
        pose = se3.pose(so3.exp(rng.uniform(-0.5, 0.5, 3)), [0.0, 0.0, 0.8] + rng.uniform(-0.2, 0.2, 3))
        q = stewart_coordinates(model, pose)
        model.check_q(q)
        assert loop_gap(model, q) < 1e-15
        np.testing.assert_allclose(rbd.forward_kinematics(model, q).pose("platform"), pose, atol=1e-15)


def test_what_is_no_stewart_platform_is_refused():
    with pytest.raises(ModelError, match=r"is no rbdkit\.library\.stewart_platform"):
        stewart_coordinates(rbd.library.planar_four_bar(), np.zeros(3))
    with pytest.raises(ModelError, match=r"spread = 1\.0"):
        stewart_platform(spread=1.0)
