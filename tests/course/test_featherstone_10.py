"""The checks of chapter 10 accept right answers in whatever form and explain the usual wrong ones."""

import itertools

import numpy as np
import pytest

from rbdkit.accuracy import response
from rbdkit.costs import branching
from rbdkit.library import branched_parents, chain_parents, zigzag_angles, zigzag_chain
from rbdkit_course.featherstone import chapter_10

NONSENSE = [None, "soon", [], {}, object(), np.nan, [np.nan] * 6, [[1, 2], [3]], lambda: 1 / 0, np.inf]


def planar_cross_force(v):
    return np.array([[0.0, -v[2], v[1]], [0.0, 0.0, -v[0]], [0.0, v[0], 0.0]])


def at_the_centre(c, v, f):
    a = f - planar_cross_force(v) @ v
    return [a[0], a[1] + a[0] * c[1], a[2] - a[0] * c[0]]


def at_the_origin(c, v, f):
    X = np.array([[1.0, 0.0, 0.0], [-c[1], 1.0, 0.0], [c[0], 0.0, 1.0]])  # from O to C
    v_O, I_O = np.linalg.inv(X) @ v, X.T @ X
    return np.linalg.solve(I_O, X.T @ f - planar_cross_force(v_O) @ I_O @ v_O)


def test_own_acceleration():
    assert chapter_10.own_acceleration(at_the_centre)
    assert chapter_10.own_acceleration(lambda *x: np.array(at_the_centre(*x))[:, None])  # a column
    assert "digits go" in chapter_10.own_acceleration(at_the_origin).why
    assert "no round-off" in chapter_10.own_acceleration(lambda c, v, f: f).why
    assert "three finite" in chapter_10.own_acceleration(lambda c, v, f: f[:2]).why
    assert "ZeroDivisionError" in chapter_10.own_acceleration(lambda c, v, f: 1 / 0).why


def test_worst_error():
    H = response(zigzag_chain(), zigzag_angles(), np.ones(6)).H
    allowed = 0.01 * np.linalg.norm(H.sum(axis=1))
    vectors = np.linalg.eigh(H).eigenvectors.T
    for sign in (1.0, -1.0):
        assert chapter_10.worst_error(sign * allowed * vectors[0])
    assert chapter_10.worst_error((0.999 * allowed * vectors[0]).tolist())
    assert "other end" in chapter_10.worst_error(allowed * vectors[-1]).why
    assert "what is possible" in chapter_10.worst_error(allowed * np.ones(6) / np.sqrt(6.0)).why
    assert "may use all" in chapter_10.worst_error(0.5 * allowed * vectors[0]).why
    assert "its norm" in chapter_10.worst_error(np.ones(6)).why
    assert "no harm" in chapter_10.worst_error(np.zeros(6)).why


def test_cheapest_tree():
    tree = (0, 1, 2, 3, 4, 2, 6, 1, 8, 9, 8, 11)
    assert chapter_10.cheapest_tree(tree)
    assert chapter_10.cheapest_tree(np.array(tree, dtype=float))
    mirrored = (0, 1, 2, 3, 2, 5, 1, 7, 8, 9, 7, 11)  # the other half first
    assert branching(mirrored).crba == branching(tree).crba
    assert chapter_10.cheapest_tree(mirrored)
    for parents in (chain_parents(12), branched_parents(12)):
        assert "is every fork worth it" in chapter_10.cheapest_tree(parents).why
    assert "stand on the base" in chapter_10.cheapest_tree((0,) * 12).why
    assert "3 children" in chapter_10.cheapest_tree((0, 1, 1, 1, *range(4, 12))).why
    assert "smaller number" in chapter_10.cheapest_tree((0, 5, *range(2, 12))).why
    assert "12 whole numbers" in chapter_10.cheapest_tree(range(5)).why


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_the_least_cost_is_that_of_the_best_of_all_trees(n):
    """By trying every parent array."""
    trees = itertools.product((0,), *(range(1, i) for i in range(2, n + 1)))
    costs = [branching(tree).crba.total for tree in trees if max(tree.count(k) for k in range(1, n + 1)) <= 2]
    assert min(costs) == chapter_10._least(n)


def test_beat_the_simplifier():
    assert chapter_10.beat_the_simplifier(lambda v, I: (I[1] - I[0]) * v[0] * v[1])
    assert chapter_10.beat_the_simplifier(lambda v, I: v[1] * (v[0] * (I[1] - I[0])))
    assert "in common" in chapter_10.beat_the_simplifier(lambda v, I: v[0] * I[1] * v[1] - v[1] * I[0] * v[0]).why
    assert "with 6m + 3a" not in chapter_10.beat_the_simplifier(lambda v, I: np.cross(v, I * v)[2]).why
    assert "other way round" in chapter_10.beat_the_simplifier(lambda v, I: (I[0] - I[1]) * v[0] * v[1]).why
    assert "gives" in chapter_10.beat_the_simplifier(lambda v, I: v[0] * v[1]).why
    assert "symbols" in chapter_10.beat_the_simplifier(lambda v, I: float((I[1] - I[0]) * v[0] * v[1])).why
    assert "one number" in chapter_10.beat_the_simplifier(lambda v, I: v).why


def test_boldest_tolerance():
    assert chapter_10.boldest_tolerance(1e-5)
    assert chapter_10.boldest_tolerance(np.float64(5e-6))
    assert "Ask for more" in chapter_10.boldest_tolerance(1e-3).why
    assert "bolder" in chapter_10.boldest_tolerance(1e-9).why
    assert "between" in chapter_10.boldest_tolerance(3.0).why


@pytest.mark.parametrize("check", ["own_acceleration", "worst_error", "cheapest_tree", "beat_the_simplifier"])
def test_nonsense_is_answered(check):
    for answer in NONSENSE:
        verdict = getattr(chapter_10, check)(answer)
        assert not verdict and verdict.why


def test_nonsense_tolerances_are_answered():
    for answer in NONSENSE:
        assert not chapter_10.boldest_tolerance(answer)
