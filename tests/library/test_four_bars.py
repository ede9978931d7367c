"""Four-bar linkages: how they are put together, what Grashof says, and a row of them."""

from math import pi

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.joints import SphereInCylinder
from rbdkit.library import four_bar_kind, n_four_bar, planar_four_bar

LINKAGES = {
    "crank-rocker": (0.2, 0.5, 0.45, 0.4),
    "rocker-crank": (0.4, 0.5, 0.45, 0.2),
    "double-crank": (0.4, 0.5, 0.2, 0.45),
    "double-rocker": (0.4, 0.2, 0.5, 0.45),
    "change-point": (0.2, 0.5, 0.4, 0.3),
    "triple-rocker": (0.4, 0.45, 0.7, 0.35),
}


def _turns(crank, coupler, base, rocker):
    """Whether coupler and rocker bridge the gap at every angle of the crank."""
    try:
        for angle in np.linspace(0.0, 2.0 * pi, 721):
            planar_four_bar(None, crank, coupler, base, rocker, angle=angle)
    except ModelError:
        return False
    return True


@pytest.mark.parametrize("kind", LINKAGES)
def test_grashof_says_which_bars_go_round(kind):
    """By trying: crank and rocker seen from the base, the coupler from either of these."""
    crank, coupler, base, rocker = LINKAGES[kind]
    assert four_bar_kind(crank, coupler, base, rocker) == kind
    turning = _turns(crank, coupler, base, rocker), _turns(rocker, coupler, base, crank)
    assert turning == (
        kind in ("crank-rocker", "double-crank", "change-point"),
        kind in ("rocker-crank", "double-crank"),
    )
    coupler_turns = _turns(coupler, rocker, crank, base), _turns(coupler, crank, rocker, base)
    assert all(coupler_turns) == (kind == "double-rocker")


@pytest.mark.parametrize("crossed", [False, True])
def test_both_ways_to_put_it_together_close(crossed, loop_gap):
    lengths = {"crank": 0.2, "coupler": 0.5, "base": 0.45, "rocker": 0.4}
    model = planar_four_bar(**lengths, angle=0.7, crossed=crossed)
    assert loop_gap(model, model.neutral()) < 1e-15
    kinematics = rbd.forward_kinematics(model, model.neutral())
    top = kinematics.pose("coupler")[:3, 3]
    np.testing.assert_allclose(top, 0.2 * np.array([np.cos(0.7), 0.0, np.sin(0.7)]), atol=1e-16)
    pin = model.loops[0].successor_placement[:3, 3] + [0.45, 0.0, 0.0]
    assert np.hypot(*(pin - top)[[0, 2]]) == pytest.approx(0.5, rel=1e-15)
    assert np.hypot(*(pin - [0.45, 0.0, 0.0])[[0, 2]]) == pytest.approx(0.4, rel=1e-15)
    to_foot = [0.45, 0.0, 0.0] - top
    assert (to_foot[0] * (pin - top)[2] - to_foot[2] * (pin - top)[0] > 0.0) is not crossed


def test_bars_that_do_not_meet_are_refused_with_the_gap():
    with pytest.raises(ModelError, match=r"crank = 0\.5.*at 3\.14159 rad.*is 0\.9 m.*bridge 0 to 0\.8 m"):
        planar_four_bar(None, crank=0.5, coupler=0.4, base=0.4, rocker=0.4, angle=pi)
    with pytest.raises(ModelError, match="coupler = 2 is longer than the other three"):
        four_bar_kind(0.5, 2, 0.5, 0.5)
    with pytest.raises(ModelError, match=r"rocker = -1\.0 must be a positive length"):
        planar_four_bar(rocker=-1.0)
    with pytest.raises(ModelError, match=r"loops = 0 .*positive whole"):
        n_four_bar(0)


@pytest.mark.parametrize("angle", [0.0, 0.4])
@pytest.mark.parametrize("loops", [1, 3])
def test_a_row_of_four_bars_moves_like_one_bar(loops, angle, loop_gap):
    """One freedom: with m = 1 kg and l = 1 m, T = (N + 1) w^2 / 6 + N w^2 / 2, V = (3 N + 1) g cos(a) / 2."""
    model, q, v = n_four_bar(loops, angle, speed=2.0)
    assert loop_gap(model, q) < 1e-15
    moved = q + 0.3 * v
    assert loop_gap(model, moved) < 1e-14
    energy, start = rbd.energy(model, moved, v), rbd.energy(model, q, v)
    thickness = (loops + 1) * 0.25 * 0.02**2  # kg m2, of the uprights' round cross sections
    assert energy.kinetic == pytest.approx(0.5 * 4.0 * ((loops + 1) / 3.0 + thickness + loops), rel=1e-14)
    fall = 0.5 * (3 * loops + 1) * 9.81 * (np.cos(angle + 0.6) - np.cos(angle))
    assert energy.potential - start.potential == pytest.approx(fall, rel=1e-13)


def test_a_row_may_be_closed_without_redundant_constraints(loop_gap):
    model, q, _ = n_four_bar(2, closing=SphereInCylinder("y"))
    assert loop_gap(model, q) < 1e-15
    assert model.nv - sum(6 - loop.joint.nv for loop in model.loops) == 1
