"""What a tour says is to be seen is there."""

import re

import numpy as np
import pytest

from rbdkit_course.featherstone.pictures.feasible_set import feasible_set
from rbdkit_course.featherstone.pictures.inverse_dynamics_arrows import inverse_dynamics_arrows
from rbdkit_course.featherstone.pictures.push_the_box import push_the_box
from rbdkit_course.featherstone.pictures.screw_field import screw_field


def numbers_at_stops(playground):
    """The first number of each line of the readout, at one stop after the other."""
    for k in range(len(playground.tour)):
        playground.visit(k)
        assert not playground.panel.fault and playground.tour[k].see
        lines = [re.findall(r"[+-]?\d+\.?\d*", value) for _, value in playground.picture.readout]
        yield [float(line[0]) if line else np.nan for line in lines]
    playground.close()


def test_push_the_box():
    along_x, along_y, between, heavy = numbers_at_stops(push_the_box())
    assert along_x[0] == 5.0 and along_y[0] == 2.0
    assert along_x[3] == along_y[3] == 0.0 and 0.0 < between[3] < heavy[3]
    assert heavy[1] == 2.0


def test_what_the_joints_must_do():
    still, weightless, swing, free = numbers_at_stops(inverse_dynamics_arrows())
    assert any(still[:3]) and not any(weightless)
    assert abs(swing[0]) < 0.1 * abs(swing[1]) and free == swing


def test_a_screw():
    turning, screw, back, wrench = numbers_at_stops(screw_field())
    assert turning[2] == 0.0 and screw[2] == back[2] == wrench[2] == pytest.approx(0.8)


def test_two_feet():
    middle, over, beyond, heavy = numbers_at_stops(feasible_set())
    assert middle[0] == middle[1] == pytest.approx((15.0 + 2.0 * 9.81) / 2.0, abs=0.01)
    assert over[0] == pytest.approx(9.81, abs=0.01)
    assert 0.0 < beyond[0] < 9.81 and heavy[0] == 0.0
