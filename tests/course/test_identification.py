"""The arm that is measured in the notebook on identification, and what is said of answers."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course import identification as ident

pytestmark = pytest.mark.robots


def test_sines_are_found_again():
    dance = rbd.identification.exciting_motion(ident.first_guess(), period=10.0, tries=2)
    data = ident.measure(dance, seconds=10.0)
    q, v, a = ident.smooth(data, period=10.0)
    exact = dance(data.t)
    assert len(data.t) == 500
    assert np.std(data.q - exact[0]) == pytest.approx(ident.ENCODER, rel=0.1)
    # eleven numbers from 500 samples; the fifth sine turns at 3.1 rad/s
    for found, true, most in zip((q, v, a), exact, (1e-4, 3e-4, 1e-3), strict=True):
        assert np.abs(found - true).max() < most


def test_torques_have_the_noise_that_is_told():
    dance = rbd.identification.exciting_motion(ident.first_guess(), period=10.0, tries=2)
    data = ident.measure(dance, seconds=10.0)
    left = data.tau - rbd.inverse_dynamics(ident.real_arm(), *dance(data.t))
    assert np.std(left, axis=0) == pytest.approx(ident.NOISE, rel=0.15)


def test_the_load_is_what_the_regressor_of_the_hand_finds():
    arm, (q, v, a, tau) = ident.real_arm(), ident.with_load()
    Y = rbd.inertial_regressor(arm, q, v, a)[:, :, arm.body("wrist_3_link").index].reshape(-1, 10)
    rest = (tau - rbd.inverse_dynamics(arm, q, v, a)).ravel()
    mass = np.linalg.lstsq(Y, rest, rcond=None)[0][0]
    assert mass == pytest.approx(ident.LOAD, rel=0.01)
    assert ident.load_in_the_hand(mass)


def test_the_first_joint_feels_one_parameter():
    arm = ident.real_arm()
    q, v, a = np.random.default_rng(1).normal(size=(3, 20, 6))
    Y = rbd.inertial_regressor(arm, q, v, a)[:, :, arm.body("shoulder_link").index].reshape(-1, 10)
    felt = {name for name, size in zip(ident.FIELDS, np.abs(Y).max(axis=0), strict=True) if size > 1e-9}
    assert felt == {"Izz"} and ident.felt_by_the_first_joint(felt)


@pytest.mark.parametrize(
    ("check", "answer", "said"),
    [
        ("longer_record", 40, ""),
        ("longer_record", 80.0, "is off"),
        ("longer_record", "long", "not a number"),
        ("felt_by_the_first_joint", "Izz", ""),
        ("felt_by_the_first_joint", {"weight"}, "no set of names"),
        ("columns_of_a_pendulum", lambda q, v, a: np.stack([v, np.sign(v), np.sin(q), 2 * a], axis=1), ""),
        ("columns_of_a_pendulum", lambda q, v, a: np.stack([v, np.sign(v), np.sin(q), v**3], axis=1), "no sum of"),
        ("columns_of_a_pendulum", lambda q, v, a: a, "(40, 4), not (40,)"),
        ("columns_of_a_pendulum", 4, "not a function"),
        ("load_in_the_hand", 2.3, ""),
        ("load_in_the_hand", 9.0, "is off"),
    ],
)
def test_what_is_said_of_answers(check, answer, said):
    verdict = getattr(ident, check)(answer)
    assert bool(verdict) == (not said) and said in verdict.why
