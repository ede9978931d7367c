"""Linkages that turn turning into sliding."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.library import spatial_slider_crank


def test_the_slider_follows_the_crank_out_of_the_plane(loop_gap):
    """The distance of the slider from the crank's end is the rod's length, whatever the motion."""
    model = spatial_slider_crank()
    assert loop_gap(model, model.neutral()) < 1e-15
    motion = rbd.simulate(model, duration=0.4, formulation="se3")
    assert np.ptp(motion.q[:, 0]) > 1.0
    angle, slide = motion.q[:, 0], motion.q[:, model.joint("slide").q_slice.start]
    start = np.sqrt(0.3**2 - 0.18**2 - 0.12**2)
    end = np.column_stack([np.zeros_like(angle), 0.1 + 0.08 * np.cos(angle), 0.12 + 0.08 * np.sin(angle)])
    np.testing.assert_allclose((start + slide) ** 2 + np.sum(end**2, axis=1), 0.3**2, atol=1e-9)


def test_a_rod_too_short_is_refused():
    with pytest.raises(ModelError, match=r"rod = 0\.2 .*it is 0\.216333 m"):
        spatial_slider_crank(rod=0.2)
