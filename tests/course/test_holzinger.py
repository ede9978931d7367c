"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations.local_velocity import Projection
from rbdkit.library import tumbling_box, tumbling_box_state
from rbdkit_course import holzinger

J = np.array([5.2988, 1.1775, 4.3568])


def test_equal_masses():
    """Energy of w1 and w2: m (w1 - w2)^2/4 + J33 (w1 + w2)^2/(4 l2^2), and so on around."""
    for mass in (1.0, 2.5):
        l1, l2, l3 = np.sqrt(J[[1, 2, 0]] / mass)
        assert holzinger.equal_masses(Projection.hexahedral(l1, l2, l3), J, mass)
        assert "wrong places" in holzinger.equal_masses(Projection.hexahedral(*np.sqrt(J / mass)), J, mass).why
        cube = Projection.hexahedral(l1, l2, l3)
        scaled = Projection(cube.points, 2.0 * cube.directions)
        assert "diagonal, but" in holzinger.equal_masses(scaled, J, mass).why
        assert "is not in it" in holzinger.equal_masses(Projection.hexahedral(), J, mass).why
    assert "not a Projection" in holzinger.equal_masses((1, 2, 3), J, 1.0).why


def test_unseen():
    cube = Projection.hexahedral()
    turn = np.array([0, 0, 0, 0, 0, 2.0])
    on_the_axes = np.roll(cube.points, 1, axis=1) * [[1], [2], [3], [4], [5], [6]]
    along_them = np.abs(np.sign(on_the_axes))  # no point moves along its own radius when the body turns
    assert holzinger.unseen(on_the_axes, along_them, turn)
    assert "another motion" in holzinger.unseen(on_the_axes, along_them, [1, 0, 0, 0, 0, 0]).why
    assert "same" in holzinger.unseen(np.zeros((6, 3)), cube.directions, turn).why
    flat = cube.points * [1, 1, 0] + np.arange(6)[:, None] * [1e-3, 0, 0]
    assert "choice above" in holzinger.unseen(flat, cube.directions, [0, 0, 0, 0, 0, 1]).why
    assert "regular" in holzinger.unseen(cube.points, cube.directions, turn).why
    assert "at rest" in holzinger.unseen(cube.points, cube.directions, np.zeros(6)).why
    assert "cheating" in holzinger.unseen(cube.points, 0 * cube.directions, turn).why
    assert "shape (5, 3)" in holzinger.unseen(cube.points[:5], cube.directions, turn).why
    assert "six rows" in holzinger.unseen("cube", cube.directions, turn).why


def test_first_flip():
    run = rbd.simulate(tumbling_box(), *tumbling_box_state(), duration=0.5, dt=1e-3, progress=False)
    flip = run.t[np.argmax(run.v[:, 2] < 0)]
    assert holzinger.first_flip(flip)
    assert holzinger.first_flip(float(flip))
    assert "half way" in holzinger.first_flip(2 * flip - 1e-3).why
    assert "off" in holzinger.first_flip(0.2).why
    assert "not a number" in holzinger.first_flip("soon").why


@pytest.mark.source("H.12")
@pytest.mark.parametrize(
    ("step", "word"),
    [
        (1 / 400, "1.5⁴"),
        (1 / 100, "shorten"),
        (1 / 20, "shorten"),
        (3e-4, "bolder"),
        (1e-4, "far shorter"),
        (2.0, "not a step"),
        ("h", "not a"),
    ],
)
def test_longest_step(step, word):
    verdict = holzinger.longest_step(step)
    assert word in verdict.why
    assert bool(verdict) == (step == 1 / 400)
