"""The checks of chapter 6 accept right answers in whatever form and explain the usual wrong ones."""

from itertools import product

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.sparse import multiply_L, solve_L, solve_LT
from rbdkit.course.featherstone import chapter_6
from rbdkit.library import double_pendulum
from rbdkit.library.revolute_trees import revolute_tree

NONSENSE = [None, "tree", 3.5, object(), [], [None], ["a", "b"], {}, float("nan"), [float("inf")] * 7, print]


def test_trees_with_23_entries():
    """Every tree of seven bodies on one base body, against the entries of H computed."""
    rng = np.random.default_rng(0)
    arrays = [(0, *rest) for rest in product(*(range(1, i) for i in range(2, 8)))]
    for k in rng.choice(len(arrays), 25, replace=False):
        entries = np.count_nonzero(rbd.crba(revolute_tree(arrays[k], 1), np.full(7, 0.3)))
        verdict = chapter_6.tree_with_filled_entries(arrays[k])
        assert bool(verdict) == (entries == 23)
        assert entries == 23 or f"fills {entries} entries" in verdict.why
    assert chapter_6.tree_with_filled_entries(np.array([0, 1, 1, 1, 1, 2, 3]))
    assert "to the base" in chapter_6.tree_with_filled_entries(range(7)).why
    assert "further" in chapter_6.tree_with_filled_entries([0, 1, 1, 1, 1, 1, 1]).why
    assert "2 bodies stand on the base" in chapter_6.tree_with_filled_entries([0, 0, 1, 1, 2, 2, 3]).why
    assert "λ(2) = 2" in chapter_6.tree_with_filled_entries([0, 2, 1, 1, 1, 1, 1]).why
    assert "seven whole numbers" in chapter_6.tree_with_filled_entries([0, 1, 2]).why


def test_expanded_parents():
    book = [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 10, 11, 6]
    assert chapter_6.expanded(book)
    assert chapter_6.expanded(tuple(k - 1 for k in book))
    assert "13 freedoms" in chapter_6.expanded(book[:-1]).why
    printed = [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 11, 6]  # Table 6.4 as it stands, on a weld
    assert "no freedom" in chapter_6.expanded(printed).why
    first = [0, 1, 2, 3, 4, 5, 1, 7, 6, 6, 10, 11, 1]
    assert "not the first" in chapter_6.expanded(first).why
    assert "entry 12" in chapter_6.expanded([*book[:11], 10, 6]).why


def test_solving_with_the_transposed_factor():
    def in_place(L, x, lam):
        for i in reversed(range(len(lam))):
            x[i] /= L[i, i]
            j = lam[i]
            while j >= 0:
                x[j] -= L[i, j] * x[i]
                j = lam[j]

    def dense(L, x, lam):
        for i in reversed(range(len(lam))):
            x[i] /= L[i, i]
            for j in range(i):
                x[j] -= L[i, j] * x[i]
        return x

    def wasteful(L, x, lam):
        in_place(L, x.copy(), lam)
        return in_place(L, x, lam)

    def copied(L, x, lam):
        x = np.array(x, dtype=float)
        in_place(L, x, lam)
        return x

    assert chapter_6.solve_transposed(in_place)
    assert "cannot be seen" in chapter_6.solve_transposed(copied).why and chapter_6.solve_transposed(copied)
    assert "for you to write" in chapter_6.solve_transposed(solve_LT).why
    assert "NaN" in chapter_6.solve_transposed(dense).why
    assert "more than once" in chapter_6.solve_transposed(wasteful).why
    assert "this is L⁻¹x" in chapter_6.solve_transposed(solve_L).why
    assert "as it was" in chapter_6.solve_transposed(lambda L, x, lam: x).why
    assert "off by" in chapter_6.solve_transposed(multiply_L).why
    assert "IndexError" in chapter_6.solve_transposed(lambda L, x, lam: x[99]).why
    assert "TypeError" in chapter_6.solve_transposed(lambda L: L).why
    assert "shape ()" in chapter_6.solve_transposed(lambda L, x, lam: 7.0).why
    assert "is 'x'" in chapter_6.solve_transposed(lambda L, x, lam: "x").why


def test_limbs():
    """D1 and D2 of k chains of 60/k joints, by their closed forms (Eq 6.28)."""
    work = {k: k * ((m**2 - m) // 2 + (m**3 - m) // 3) for k in (1, 2, 10, 12, 15) for m in (60 // k,)}
    assert work[1] / work[12] >= 100 > work[1] / work[10]
    assert chapter_6.limbs(12) and chapter_6.limbs(np.int64(12)) and chapter_6.limbs(12.0)
    assert f"{work[10]} of {work[1]}" in chapter_6.limbs(10).why
    assert "fewer limbs" in chapter_6.limbs(15).why
    assert "share evenly" in chapter_6.limbs(7).why and "share evenly" in chapter_6.limbs(0).why


def test_the_angle_without_coupling():
    angle = np.arccos(-2.0 / 3.0)  # m l² / 3 + m l (l / 2) cos q2 = 0 for thin rods
    assert abs(rbd.crba(double_pendulum(), [0.7, angle])[0, 1]) < 2e-3  # the rods of the model are not quite thin
    for good in (angle, -angle, 2 * np.pi - angle, np.float64(2.3)):
        assert chapter_6.uncoupled_angle(good)
    assert "in degrees" in chapter_6.uncoupled_angle(np.degrees(angle)).why
    assert "half a turn" in chapter_6.uncoupled_angle(angle - np.pi).why
    assert "right angle" in chapter_6.uncoupled_angle(np.pi / 2).why
    assert "blue arrow" in chapter_6.uncoupled_angle(0.0).why
    assert "not an angle" in chapter_6.uncoupled_angle(True).why


@pytest.mark.parametrize("answer", NONSENSE)
def test_nonsense_is_answered_kindly(answer):
    for check in (chapter_6.tree_with_filled_entries, chapter_6.expanded, chapter_6.solve_transposed):
        verdict = check(answer)
        assert not verdict and verdict.why
    for check in (chapter_6.limbs, chapter_6.uncoupled_angle):
        verdict = check(answer)
        assert not verdict and verdict.why
