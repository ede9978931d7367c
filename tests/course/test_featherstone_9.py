"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest
from scipy.optimize import brentq

from rbdkit import algorithms
from rbdkit.library import cat_roll, satellite_with_arm
from rbdkit_course.featherstone import chapter_9


def test_merged():
    assert chapter_9.merged([0, 1, 1, 0, 0])
    assert chapter_9.merged(np.array([0, 1, 1, 0, 0]))
    assert "old parents" in chapter_9.merged((1, 2, 2, 3, 3)).why
    assert "old numbers" in chapter_9.merged((0, 2, 2, 0, 0)).why
    assert "base itself" in chapter_9.merged((-1, 0, 1, 1, 0, 0)).why
    assert "5 entries" in chapter_9.merged((0, 1, 1)).why
    assert "entry 4 is off. It belongs to body 6" in chapter_9.merged((0, 1, 1, 1, 0)).why
    for nonsense in (None, "three", 7, [None], [[1], [2]]):
        assert "not a list" in chapter_9.merged(nonsense).why


def solve(H, C, tau, a, free, coupling=1.0, forces=True):
    a, tau = a.copy(), tau.copy()
    rhs = tau[free] - C[free] - coupling * H[np.ix_(free, ~free)] @ a[~free]
    a[free] = np.linalg.solve(H[np.ix_(free, free)], rhs)
    if forces:
        tau[~free] = (H @ a + C)[~free]
    return a, tau


def test_hybrid():
    assert chapter_9.hybrid(solve)
    assert "H12 qdd2 is missing" in chapter_9.hybrid(lambda *args: solve(*args, coupling=0.0)).why
    assert "wrong sign" in chapter_9.hybrid(lambda *args: solve(*args, coupling=-1.0)).why
    assert "accelerations are right" in chapter_9.hybrid(lambda *args: solve(*args, forces=False)).why
    assert "free joints are off" in chapter_9.hybrid(lambda *args: solve(*args, coupling=3.0)).why
    everything = lambda H, C, tau, a, free: (np.linalg.solve(H, tau - C), tau)  # noqa: E731
    assert "accelerations that were given" in chapter_9.hybrid(everything).why
    assert "forces that were given" in chapter_9.hybrid(lambda H, C, tau, a, free: (a, H @ a + C)).why
    assert "for all joints" in chapter_9.hybrid(lambda H, C, tau, a, free: (a[free], tau)).why
    assert "ZeroDivisionError" in chapter_9.hybrid(lambda *args: 1 / 0).why
    assert "returned None" in chapter_9.hybrid(lambda *args: None).why
    assert "not a function" in chapter_9.hybrid(None).why


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (np.sqrt(2 * 9.81 * 0.6) / 0.015, "massless rod"),
        (np.sqrt(2 * 9.81 * 0.4) / 0.015 / 2 / np.pi, "hertz"),
        (np.sqrt(9.81 * 0.4) / 0.015, "√2"),
        (50.0, "off"),
        ("fast", "not a frequency"),
        (None, "not a frequency"),
        (np.nan, "not a frequency"),
    ],
)
def test_standing_rod(answer, word):
    assert chapter_9.standing_rod(np.sqrt(2 * 9.81 * 0.4) / 0.015)
    assert chapter_9.standing_rod(187)
    verdict = chapter_9.standing_rod(answer)
    assert not verdict
    assert word in verdict.why


def test_cat_in_two_runs():
    for roll in (-0.5 * np.pi, -1.5 * np.pi):
        assert chapter_9.cat_in_two_runs(brentq(lambda bend, roll=roll: cat_roll(bend) - roll, 0.1, 3.0))
    half = brentq(lambda bend: cat_roll(bend) + np.pi, 0.1, 3.0)
    assert "each of the two" in chapter_9.cat_in_two_runs(half).why
    assert "odd number" in chapter_9.cat_in_two_runs(0.3).why
    assert "between 0 and π" in chapter_9.cat_in_two_runs(-1.0).why
    for nonsense in (None, "a lot", [1.0, 2.0], np.inf):
        assert "not an angle" in chapter_9.cat_in_two_runs(nonsense).why


def test_straight_gripper():
    system, q = algorithms.to_floating_base(satellite_with_arm()), np.array(chapter_9.ARM)
    R = algorithms.forward_kinematics(system.tree, q).pose("gripper")[:3, :3]  # in hull axes
    target = np.array([chapter_9.GRIPPER_SPEED, 0.0, 0.0])
    floating = np.linalg.solve(R @ algorithms.floating_jacobian(system, q, "gripper")[3:], target)
    held = np.linalg.solve(R @ algorithms.jacobian(system.tree, q, "gripper")[3:], target)
    assert chapter_9.straight_gripper(floating)
    assert chapter_9.straight_gripper(floating.reshape(3, 1).tolist())
    assert "held still" in chapter_9.straight_gripper(held).why
    assert "3 by 3" in chapter_9.straight_gripper([0.0, 0.0, 0.0]).why
    for nonsense in (None, "fast", [1.0, 2.0], [np.nan] * 3, object()):
        assert not chapter_9.straight_gripper(nonsense)
