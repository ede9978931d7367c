"""The tangent of the dynamics: its slope by differences, and what its tour says of it."""

import numpy as np
import pytest

from rbdkit_course.featherstone.pictures.tangent_of_dynamics import accelerations, slope, tangent_of_dynamics


@pytest.mark.parametrize("pose", [(0.6, 0.9, 2.0), (-2.0, 3.0, 0.0), (1.0, -1.4, -5.0)])
def test_slope_by_differences(pose):
    """To both sides by 1e-5 rad: curvature about 1e-10, round-off about 1e-10."""
    shoulder, elbow, spin = pose
    ends = accelerations(shoulder, np.array([elbow - 1e-5, elbow + 1e-5]), spin)
    assert (ends[1] - ends[0]) / 2e-5 == pytest.approx(slope(*pose), rel=1e-6, abs=1e-6)


def test_tour_says_what_is_seen():
    picture = tangent_of_dynamics()
    near, far, still = picture.tour
    off = []
    for stop in (near, far):
        at = {**picture.values, **stop.values}
        machine = accelerations(at["shoulder"], np.array([at["elbow"], at["elbow"] + at["away"]]), at["spin"])
        line = machine[0] + slope(at["shoulder"], at["elbow"], at["spin"]) * at["away"]
        off.append(
            abs(line - machine[1]) / np.ptp(accelerations(at["shoulder"], np.linspace(-0.6, 2.4, 50), at["spin"]))
        )
    assert off[0] < 0.01 and off[1] > 0.1  # less than a line's width, and more than ten
    assert still.values == {"spin": 0.0}
