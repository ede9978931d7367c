"""The cart with a pole and the humanoid on one foot of notebook 03, and what is said of answers."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course import control


def test_the_pole_falls_as_fast_as_by_hand():
    """A thin rod of mass m and length l on a free cart of mass M: s^2 (1/3 - m / (4 (M + m))) = g / (2 l)."""
    s = rbd.linearize(control.cart_pole(), [0.0, 0.0], inputs="cart_joint").poles.real.max()
    assert s**2 == pytest.approx(9.81 / 2 / (1 / 3 - 0.5 / 2.5 / 4), rel=2e-3)  # the rod is 2 cm thick


def test_the_humanoid_balances_over_its_sole():
    model, q = control.one_foot()
    foot = rbd.forward_kinematics(model, q).pose("left foot")
    assert np.abs(foot[:3, :3] - np.eye(3)).max() < 1e-9
    assert rbd.center_of_mass(model, q)[1] == pytest.approx(foot[1, 3], abs=1e-9)
    near = [contact for contact in rbd.contacts(model, q, np.zeros(model.nv), margin=1e-6)]
    assert len(near) == 4 and all("left foot" in str(contact) for contact in near), near


def test_a_shove_lasts_a_tenth_of_a_second():
    push = control.shove(80.0)
    q = v = np.zeros(1)
    assert push(0.25, q, v)["chest"][4] == 80.0
    assert not push(0.35, q, v)["chest"].any() and not push(0.1, q, v)["chest"].any()


def test_a_weak_shove_is_withstood():
    run = control.balancing(control.shove(30.0), duration=0.8)
    sway = rbd.center_of_mass(run.model, run.q)[:, 1]
    assert 1e-3 < np.ptp(sway) < 0.02 and abs(sway[-1] - sway[0]) < 0.5 * np.ptp(sway)


@pytest.mark.parametrize(
    ("answer", "said"),
    [(0.553, ""), ("0.553", ""), (0.24, "by e"), (0.1666, "doubles"), (2.0, "is off"), ("soon", "not a number")],
)
def test_what_is_said_of_a_time(answer, said):
    verdict = control.time_to_fall(answer)
    assert bool(verdict) == (not said) and said in verdict.why


@pytest.mark.parametrize(
    ("period", "said"),
    [(0.18, ""), (0.1, "Be bolder"), (180, "milliseconds"), (0.3, "it falls"), (-1.0, "not a period")],
)
def test_what_is_said_of_a_period(period, said):
    gains = rbd.linearize(control.cart_pole(), [0.0, 0.0], inputs="cart_joint").lqr([10, 10, 1, 1], [0.1])
    verdict = control.longest_period(period, gains)
    assert bool(verdict) == (not said) and said in verdict.why
    assert "run the cell with lqr" in control.longest_period(period, None).why
