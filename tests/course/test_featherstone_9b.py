"""The checks on gears and equivalence accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.gears import Gear, Gears
from rbdkit_course.featherstone import chapter_9b
from rbdkit_course.featherstone.chapter_9b import CRANK, LOAD, ROTOR, WRIST_RATIO, elbow_arm

NONSENSE = [None, "soon", [1, 2], np.nan, -1.5, np.zeros((2, 2)), {}, lambda x: x]


def test_wrist():
    """The right matrix from the gears of such a wrist."""
    model, rho = rbd.Model(), WRIST_RATIO
    for name in ("pitch", "roll", "motor 1", "motor 2"):
        model.add_body(name, joint=rbd.Revolute("z"), joint_name=name)
    first = Gear("motor 1", ("pitch", "roll"), lambda pitch, roll: rho * (pitch + roll))
    second = Gear("motor 2", ("pitch", "roll"), lambda pitch, roll: rho * (pitch - roll))
    G = Gears(model, [first, second]).G([0.3, -0.4])
    assert chapter_9b.wrist(G) and chapter_9b.wrist(G.tolist())
    assert "four rows" in chapter_9b.wrist(G.T).why
    assert "40 turns" in chapter_9b.wrist(np.concatenate([G[:2], G[2:] / rho])).why
    assert "way back" in chapter_9b.wrist(np.concatenate([G[:2], 0.5 * G[2:]])).why
    assert "signs" in chapter_9b.wrist(np.abs(G)).why
    assert "identity" in chapter_9b.wrist(G[::-1]).why
    assert "row 3" in chapter_9b.wrist(np.concatenate([G[:2], G[:2]])).why


def test_best_ratio():
    """By trying: the load's acceleration for a unit of torque is rho / (J + rho^2 I)."""
    ratios = np.linspace(1.0, 200.0, 19901)
    best = ratios[np.argmax(ratios / (LOAD + ratios**2 * ROTOR))]
    assert chapter_9b.best_ratio(best)
    assert "goes with the square" in chapter_9b.best_ratio(LOAD / ROTOR).why
    assert "rotor is most" in chapter_9b.best_ratio(3 * best).why
    weak = chapter_9b.best_ratio(0.5 * best)
    assert "too weak" in weak.why and "80 %" in weak.why
    assert "positive" in chapter_9b.best_ratio(0).why


def test_crank_bias():
    assert chapter_9b.crank_bias(lambda y, yd: -CRANK * np.sin(y) * yd**2)
    assert "far end" in chapter_9b.crank_bias(lambda y, yd: CRANK * np.sin(y) * yd**2).why
    assert "velocity of the slide" in chapter_9b.crank_bias(lambda y, yd: CRANK * np.cos(y) * yd).why
    assert "is missing" in chapter_9b.crank_bias(lambda y, yd: -CRANK * np.sin(y) * yd).why
    assert "differentiate" in chapter_9b.crank_bias(lambda y, yd: 0.0).why
    assert "one finite number" in chapter_9b.crank_bias(lambda y, yd: [y, yd]).why


def test_lighter_forearm():
    model = elbow_arm()
    body = model.bodies[2].inertia
    m = 0.5 * body.mass
    particle = rbd.Inertia(m).ten_parameters
    pair = (rbd.Inertia(0.5 * m, [0, 0, -0.02]) + rbd.Inertia(0.5 * m, [0, 0, 0.1])).ten_parameters
    assert chapter_9b.lighter_forearm(particle)
    assert chapter_9b.lighter_forearm(pair.tolist())
    assert "where it is" in chapter_9b.lighter_forearm(0.5 * body.ten_parameters).why
    assert "changes the motion" in chapter_9b.lighter_forearm(rbd.Inertia(m, [0.1, 0, 0]).ten_parameters).why
    assert "half of it is" in chapter_9b.lighter_forearm(0.5 * particle).why
    assert "ten finite numbers" in chapter_9b.lighter_forearm(body).why


def test_identifiable():
    """Gautier and Khalil: 7 for a hinge, 4 for a slide, less 6 for a first hinge that is upright."""
    assert chapter_9b.identifiable(3 * 7 + 4 - 6)
    assert chapter_9b.identifiable(19.0)
    assert "told apart" in chapter_9b.identifiable(40).why
    assert "hides more" in chapter_9b.identifiable(25).why
    assert "start from 40" in chapter_9b.identifiable(12).why
    assert "whole number" in chapter_9b.identifiable(19.5).why


@pytest.mark.parametrize("answer", NONSENSE)
@pytest.mark.parametrize(
    "check",
    [
        chapter_9b.wrist,
        chapter_9b.best_ratio,
        chapter_9b.crank_bias,
        chapter_9b.lighter_forearm,
        chapter_9b.identifiable,
    ],
)
def test_nonsense_is_only_wrong(check, answer):
    verdict = check(answer)
    assert not verdict and verdict.why
