"""The checks of chapter 6 accept right answers in whatever form and explain the usual wrong ones."""

from itertools import product

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.sparse import expand_parents, multiply_L, solve_L, solve_LT
from rbdkit.library import double_pendulum
from rbdkit.library.revolute_trees import revolute_tree
from rbdkit_course.featherstone import chapter_6

NONSENSE = [None, "tree", 3.5, object(), [], [None], ["a", "b"], {}, float("nan"), [float("inf")] * 7, print]


def test_trees_with_eight_entries_above_the_diagonal():
    """Every tree of seven bodies on one base body, against the entries of H computed."""
    rng = np.random.default_rng(0)
    arrays = [(0, *rest) for rest in product(*(range(1, i) for i in range(2, 8)))]
    for k in rng.choice(len(arrays), 25, replace=False):
        entries = (np.count_nonzero(rbd.crba(revolute_tree(arrays[k], 1), np.full(7, 0.3))) - 7) // 2
        verdict = chapter_6.tree_with_filled_entries(arrays[k])
        assert bool(verdict) == (entries == 8)
        assert entries == 8 or f"fills {entries} entries" in verdict.why
    assert chapter_6.tree_with_filled_entries(np.array([0, 1, 1, 1, 1, 2, 3]))
    assert "to the base" in chapter_6.tree_with_filled_entries(range(7)).why
    assert "further" in chapter_6.tree_with_filled_entries([0, 1, 1, 1, 1, 1, 1]).why
    assert "2 bodies stand on the base" in chapter_6.tree_with_filled_entries([0, 0, 1, 1, 2, 2, 3]).why
    assert "λ(2) = 2" in chapter_6.tree_with_filled_entries([0, 2, 1, 1, 1, 1, 1]).why
    assert "seven whole numbers" in chapter_6.tree_with_filled_entries([0, 1, 2]).why


def test_parents_of_the_rows():
    """All regular parent arrays, against the pattern of H of a robot built so."""
    joints = [rbd.Free(), rbd.Universal(), rbd.Fixed(), rbd.Revolute("x"), rbd.Spherical(), rbd.Revolute("z")]
    assert tuple(joint.nv for joint in joints) == chapter_6.FREEDOMS
    wanted = np.eye(13, dtype=bool)
    for row, parent in enumerate(chapter_6.ROWS):
        while parent:
            wanted[row, parent - 1] = wanted[parent - 1, row] = True
            parent = chapter_6.ROWS[parent - 1]
    ball = rbd.Inertia.sphere(0.1, mass=1.0).transformed(rbd.pose(position=[0.2, 0.3, 0.1]))
    rng, accepted = np.random.default_rng(0), []
    for lam in product(*(range(i) for i in range(1, 7))):
        verdict = chapter_6.parents_of_the_rows(lam)
        if verdict:
            accepted.append(lam)
        if not verdict and rng.random() > 0.05:
            continue
        model = rbd.Model("six joints")
        for i, (parent, joint) in enumerate(zip(lam, joints, strict=True), 1):
            above = model.bodies[parent].name
            model.add_body(f"body {i}", above, joint, rbd.pose(position=rng.normal(size=3)), ball)
        same = np.array_equal(rbd.crba(model, model.random_q(rng)) != 0.0, wanted)
        assert bool(verdict) == (same and 3 in lam), (lam, verdict.why)
    assert accepted == [(0, 1, 1, 2, 3, 2), (0, 1, 2, 2, 1, 3), (0, 1, 2, 3, 1, 2), (0, 1, 2, 3, 1, 3)]


def test_what_is_wrong_with_parents():
    assert chapter_6.parents_of_the_rows(np.array([0, 1, 2, 3, 1, 2])) and chapter_6.parents_of_the_rows(
        "0, 1, 2, 3, 1, 3"
    )
    assert "the bodies 1 to 6" in chapter_6.parents_of_the_rows([0, 1]).why
    assert "nothing hangs on body 3" in chapter_6.parents_of_the_rows([0, 1, 2, 2, 1, 2]).why
    assert "λ(5) = 6: the parent is a body" in chapter_6.parents_of_the_rows([0, 1, 2, 3, 6, 3]).why
    assert "λ(1) = -1" in chapter_6.parents_of_the_rows([-1, 0, 1, 2, 0, 1]).why
    assert (
        "variable 9 would follow variable 6, not 8. Body 3 has no"
        in chapter_6.parents_of_the_rows([0, 1, 1, 3, 1, 3]).why
    )
    assert "variable 7 would follow variable 0, not 6." in chapter_6.parents_of_the_rows([0, 0, 2, 3, 1, 2]).why
    assert "variable 10 would follow variable 8, not 6." in chapter_6.parents_of_the_rows([0, 1, 2, 3, 2, 2]).why
    assert "variable 13 would follow variable 12, not 8." in chapter_6.parents_of_the_rows([0, 1, 2, 3, 1, 5]).why
    assert not chapter_6.parents_of_the_rows(expand_parents([0, 1, 2, 3, 1, 3], chapter_6.FREEDOMS))


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
    for check in (chapter_6.tree_with_filled_entries, chapter_6.parents_of_the_rows, chapter_6.solve_transposed):
        verdict = check(answer)
        assert not verdict and verdict.why
    for check in (chapter_6.limbs, chapter_6.uncoupled_angle):
        verdict = check(answer)
        assert not verdict and verdict.why
