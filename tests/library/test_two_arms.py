"""Five-bar linkages: closed where they are said to be, two freedoms, refusals by name."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.loops import loop_constraint, loop_mobility
from rbdkit.library.two_arms import five_bar, five_bar_elbows


@pytest.mark.parametrize("tip", [None, (0.2, 0.7), (-0.05, 0.55)])
def test_it_is_closed_with_its_tip_there(tip):
    model = five_bar(tip=tip)
    q = model.neutral()
    assert np.abs(loop_constraint(model, q, np.zeros(4)).delta).max() < 1e-15
    poses = rbd.forward_kinematics(model, q).poses
    at = np.array([0.15, 0.4 + np.sqrt(0.25 - 0.15**2)]) if tip is None else np.array(tip)
    for side, elbow, foot in zip(("left", "right"), five_bar_elbows(at), ((0, 0), (0.3, 0)), strict=True):
        assert poses[model.body(f"{side}_fore").index][[0, 2], 3] == pytest.approx(elbow)
        assert np.hypot(*(elbow - foot)) == pytest.approx(0.4)
        assert np.hypot(*(at - elbow)) == pytest.approx(0.5)
    left, right = five_bar_elbows(at)
    assert at[0] * left[1] > at[1] * left[0]  # outward: to the left of the way to the tip
    assert (at[0] - 0.3) * right[1] < at[1] * (right[0] - 0.3)


def test_two_freedoms():
    model = five_bar()
    hinge, ball = loop_mobility(model, model.neutral()), five_bar(closing=rbd.SphereInCylinder("y"))
    assert (hinge.mobility, hinge.counted_in_plane, hinge.excess) == (2, 2, 3)
    assert loop_mobility(ball, ball.neutral()).properly_constrained


def test_refusals():
    with pytest.raises(rbd.ModelError, match="right arm does not reach the tip at"):
        five_bar(tip=(-0.65, 0.2))
    with pytest.raises(rbd.ModelError, match="left arm"):
        five_bar_elbows([0.9, 0.2])
    with pytest.raises(rbd.ModelError, match="distal"):
        five_bar(distal=-1.0)
