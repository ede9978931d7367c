"""The cat under the sliders is where the simulated cat is when its bend has run round as far."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import to_fixed_state
from rbdkit.library import cat_roll, falling_cat
from rbdkit_course.featherstone.pictures.cat_waist import cat_waist, state

CAT = falling_cat()


@pytest.mark.parametrize(("bend", "runs"), [(0.4, 0.3), (1.32, 0.7), (2.5, 1.6)])
def test_the_picture_moves_without_angular_momentum(bend, runs):
    """Its own finite difference over a bit of running round has no angular momentum and leaves the centre of mass."""
    h = 1e-6
    before, middle, after = (to_fixed_state(state(bend, runs + s))[0] for s in (-h, 0.0, h))
    v = CAT.difference(before, after) / (2 * h) / (2 * np.pi)
    _, expected = to_fixed_state(state(bend, runs))
    assert v == pytest.approx(expected, abs=1e-8)
    assert rbd.momentum(CAT, middle, v, "com") == pytest.approx(np.zeros(6), abs=1e-9)
    assert rbd.center_of_mass(CAT, middle) == pytest.approx(np.zeros(3), abs=1e-15)


def test_a_whole_run_rolls_the_cat():
    for bend in (0.5, 1.32, 2.0):
        front = state(bend, 0.0).pose[:3, :3], state(bend, 1.0).pose[:3, :3]
        turn = front[1] @ front[0].T
        assert np.trace(turn) == pytest.approx(1.0 + 2.0 * np.cos(cat_roll(bend)))
        assert turn[0, 0] == pytest.approx(1.0)


def test_readout():
    playground = cat_waist()
    playground.set(**{"run round": 0.5})
    readout = dict(playground.picture.readout)
    assert readout["one run rolls it by"] == "-179.9°"
    assert readout["rolled so far"] == "-90.0°"
    playground.set(bend=0.0)
    assert playground.picture.arrows == ()
    playground.close()
