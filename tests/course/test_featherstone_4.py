"""The checks of chapter 4 accept right answers in whatever form and explain the usual wrong ones."""

from itertools import product

import numpy as np
import pytest

from rbdkit.joints import RackAndPinion
from rbdkit.model.graph import ConnectivityGraph, regular_numbering, spanning_trees
from rbdkit.spatial import euler, quaternion
from rbdkit_course.featherstone import chapter_4

NONSENSE = [None, "tree", object(), [], [None], ["a", "b"], {}, float("nan"), [float("inf")] * 6, print, lambda: 1]


@pytest.mark.parametrize("answer", NONSENSE)
@pytest.mark.parametrize("check", ["loops_of_the_platform", "tree_of_wishes", "four_parameters", "planet_subspace",
                                   "norm_after"])  # fmt: skip
def test_nonsense_is_wrong_and_explained(check, answer):
    verdict = getattr(chapter_4, check)(answer)
    assert not verdict and len(verdict.why) > 5


def test_loops_of_the_platform():
    assert chapter_4.loops_of_the_platform(5)
    assert chapter_4.loops_of_the_platform(np.int64(5))
    assert chapter_4.loops_of_the_platform([5.0])
    assert "first one closes nothing" in chapter_4.loops_of_the_platform(6).why
    assert "not independent" in chapter_4.loops_of_the_platform(15).why
    assert "leaves the fixed base out" in chapter_4.loops_of_the_platform(4).why
    assert not chapter_4.loops_of_the_platform(0)
    graph = chapter_4.platform_on_legs(6)
    tree = next(iter(spanning_trees(graph)))
    assert len(tree.chords) == 5


def test_trees_of_wishes():
    """All arrays there are, against sets made by the graph's own numbering."""
    right = 0
    for parents in product(*(range(i) for i in range(1, 7))):
        joints = [(f"J{i}", f"B{p}", f"B{i}") for i, p in enumerate(parents, 1)]
        (tree,) = spanning_trees(ConnectivityGraph(joints, base="B0"))
        numbering = regular_numbering(tree, [f"B{i}" for i in range(1, 7)])
        fits = (
            numbering.children(0) == (1,)
            and len(numbering.subtree(2)) == 4
            and len(numbering.support(6)) == 3
            and sum(not numbering.children(i) for i in range(1, 7)) == 3
        )
        assert bool(chapter_4.tree_of_wishes(parents)) == fits
        right += fits
    assert right >= 2, "there is more than one answer"
    assert "only body 1" in chapter_4.tree_of_wishes([0, 0, 1, 2, 2, 2]).why
    assert "nu(2)" in chapter_4.tree_of_wishes([0, 1, 2, 3, 4, 5]).why
    assert "kappa(6)" in chapter_4.tree_of_wishes([0, 1, 2, 2, 2, 1]).why
    assert "parents come first" in chapter_4.tree_of_wishes([1, 1, 2, 2, 2, 1]).why
    assert "six whole numbers" in chapter_4.tree_of_wishes([0, 1, 1.5, 2, 2, 2]).why


def test_four_parameters():
    assert chapter_4.four_parameters([0.25, -np.pi / 2, 0.1, np.pi / 2])
    assert chapter_4.four_parameters((0.25, 1.5 * np.pi, 0.1, -1.5 * np.pi))
    # the other normal direction: the same frame is not reached, so a < 0 does not help here
    assert not chapter_4.four_parameters([-0.25, np.pi / 2, 0.1, np.pi / 2])
    assert "degrees" in chapter_4.four_parameters([0.25, -90, 0.1, 90]).why
    assert "wrong sign" in chapter_4.four_parameters([0.25, np.pi / 2, 0.1, np.pi / 2]).why
    assert "a and d" in chapter_4.four_parameters([0.1, -np.pi / 2, 0.25, np.pi / 2]).why
    assert "alpha and theta" in chapter_4.four_parameters([0.25, np.pi / 2, 0.1, -np.pi / 2]).why
    assert "right way" in chapter_4.four_parameters([0.25, -np.pi / 2, 0.1, 0.0]).why
    assert "z_1 comes out" in chapter_4.four_parameters([0.0, 0.0, 0.0, 0.0]).why


def test_planet_subspace():
    R, r = chapter_4.SUN, chapter_4.PLANET

    def by_differences(q, h=1e-6):
        """From the pose alone: angular and linear velocity in planet axes."""

        def at(s):
            return (1 + R / r) * s, (R + r) * np.array([np.cos(s), np.sin(s), 0.0])

        (turn, _), (ahead, p1), (behind, p0) = at(q), at(q + h), at(q - h)
        E = euler.to_matrix([turn, 0.0, 0.0]).T
        return [0, 0, (ahead - behind) / (2 * h), *(E @ (p1 - p0) / (2 * h))]

    assert chapter_4.planet_subspace(by_differences)
    assert chapter_4.planet_subspace(lambda q: np.reshape(by_differences(q), (6, 1)))

    def sun_axes(q):
        return [0, 0, 1 + R / r, -(R + r) * np.sin(q), (R + r) * np.cos(q), 0]

    assert "turn it by" in chapter_4.planet_subspace(sun_axes).why
    at_the_sun = np.cross([0, 0, 1 + R / r], [1, 0, 0])

    def spatial(q):
        center = (R + r) * np.array([np.cos(q), np.sin(q), 0])
        return [*sun_axes(q)[:3], *(np.array(sun_axes(q)[3:]) - np.cross([0, 0, 1 + R / r], center))]

    assert at_the_sun[1] > 0 and "axes of the sun, at" in chapter_4.planet_subspace(spatial).why
    assert "the arm itself turns" in chapter_4.planet_subspace(lambda q: [0, 0, R / r, 0, R + r, 0]).why
    assert "1 + R/r" in chapter_4.planet_subspace(lambda q: [0, 0, 1, 0, 0, 0]).why
    assert "by differences" in chapter_4.planet_subspace(lambda q: [0, 0, 1 + R / r, 9, 0, 0]).why
    assert "stopped with ZeroDivisionError" in chapter_4.planet_subspace(lambda q: 1 / 0).why
    # a rack and pinion is what becomes of it with a sun of infinite radius: the same S up to the arm's angle per turn
    flat = RackAndPinion("z", -r).motion_subspace(np.array([0.7]))[:, 0]
    assert np.isclose(np.linalg.norm(flat[3:]), r)


def test_norm_after():
    p = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(chapter_4.STEPS):
        p = p + chapter_4.STEP * quaternion.rate(p, np.array([0.0, 0.0, chapter_4.SPIN]))
    norm = np.linalg.norm(p)
    assert chapter_4.norm_after(norm)
    assert chapter_4.norm_after(round(float(norm), 3))
    assert "square of the norm" in chapter_4.norm_after(norm**2).why
    assert "half of" in chapter_4.norm_after((1 + (chapter_4.STEP * chapter_4.SPIN) ** 2) ** (chapter_4.STEPS / 2)).why
    assert "Euler leaves the sphere" in chapter_4.norm_after(1.0).why
    assert "Pythagoras" in chapter_4.norm_after(7.0).why
