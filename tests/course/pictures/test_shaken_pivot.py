"""The shaken pendulum of the picture moves as hybrid dynamics says, and needs the force that it says."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import shaken_pendulum, shaking
from rbdkit_course.featherstone.pictures.shaken_pivot import DAMPING, DURATION, draw, motion, shaken_pivot


@pytest.mark.source("F9.01")
def test_angle_and_force_are_those_of_hybrid_dynamics():
    a, w = 0.03, 110.0
    times, angles, force = motion(a, w, 0.4)
    model = shaken_pendulum()
    for k in range(2, len(times) - 2, len(times) // 7):
        h = times[1]
        rate = (angles[k - 2] - 8 * angles[k - 1] + 8 * angles[k + 1] - angles[k + 2]) / (12 * h)
        second = (-angles[k - 2] + 16 * angles[k - 1] - 30 * angles[k] + 16 * angles[k + 1] - angles[k + 2]) / (
            12 * h * h
        )
        z, dz, ddz = shaking(a, w)(times[k])
        found, tau = rbd.hybrid_dynamics(
            model, [z, angles[k]], [dz, rate], [np.nan, -DAMPING * rate], [ddz, np.nan], ["hinge"]
        )
        size = a * w * w / 0.5
        assert found[1] == pytest.approx(second, abs=1e-3 * size)  # of the difference quotient, 24 points a period
        assert force[k] == pytest.approx(tau[0], abs=1e-3 * a * w * w)


def test_it_stands_above_the_limit_and_falls_below():
    above, below = (dict(draw(0.03, w, 0.35, DURATION).readout) for w in (140.0, 80.0))
    assert above["needed to stand"] == "104 rad/s"
    assert above["at the end it"] == "stands"
    assert below["at the end it"] == "does not stand"
    assert dict(draw(0.0, 80.0, 0.35, 0.0).readout)["needed to stand"] == "shaking"


def test_the_time_slider_picks_a_state():
    playground = shaken_pivot()
    times, angles, _ = motion(0.03, 130.0, 0.35)
    playground.set(time=1.0)
    k = int(np.argmin(np.abs(times - 1.0)))
    bob = playground.picture.poses[2]
    assert bob[2, 3] == pytest.approx(0.03 * np.cos(130.0 * times[k]))
    assert bob[:3, 2] == pytest.approx([np.sin(angles[k]), 0.0, np.cos(angles[k])])
    playground.close()
