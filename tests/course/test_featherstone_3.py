"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

from rbdkit.joints import Helical
from rbdkit.spatial import subspace
from rbdkit_course.featherstone import chapter_3

NONSENSE = (None, "six", 10**400, [1, 2], np.full(6, np.nan), {"a": 1}, object(), [[1, 2], [3]])


def test_sweet_spot():
    """Radius of gyration about the hinge squared, over the distance of the centre of mass; of a rod, 2/3 of it."""
    exact = (1.2**2 + 0.08**2) / 12 / 0.6 + 0.6
    assert chapter_3.sweet_spot(exact)
    assert chapter_3.sweet_spot(np.array([0.8]))
    assert "centre of mass" in chapter_3.sweet_spot(0.6).why
    assert "helps" not in chapter_3.sweet_spot(1.2).why
    assert "help you along" in chapter_3.sweet_spot(1.2).why
    assert "against yours" in chapter_3.sweet_spot(0.3).why


def test_screw_constraints():
    S = Helical("z", pitch=0.2).motion_subspace(np.zeros(1))
    T = subspace.orthogonal_complement(S)
    table = np.eye(6)[:, [0, 1, 3, 4, 5]]
    table[:, 4] = [0, 0, -0.2, 0, 0, 1]
    for answer in (T, 3 * T @ np.random.default_rng(1).normal(size=(5, 5)), table, table.tolist()):
        assert chapter_3.screw_constraints(answer)
    assert "transpose" in chapter_3.screw_constraints(T.T).why
    assert "sign" in chapter_3.screw_constraints(table * [[1], [1], [-1], [1], [1], [1]]).why
    assert "that is the hinge" in chapter_3.screw_constraints(np.eye(6)[:, [0, 1, 3, 4, 5]]).why
    assert "span only 4" in chapter_3.screw_constraints(table[:, [0, 1, 2, 3, 3]]).why
    assert "does work" in chapter_3.screw_constraints(np.eye(6)[:, :5]).why


def test_rope():
    exact = np.array([0, 0, 0.72, 0.6, 0.8, 0]) / 0.72
    assert chapter_3.rope(exact)
    assert chapter_3.rope(exact[:, None].tolist())
    assert "ask the hinge" in chapter_3.rope([0, 0, 1, 0, 0, 0]).why
    assert "must be 1" in chapter_3.rope([0, 0, 0.72, 0.6, 0.8, 0]).why
    assert "not along the rope" in chapter_3.rope([0, 0, 1, 0, 1.25, 0]).why
    assert "r × f" in chapter_3.rope([0, 0, 0, 0.6, 0.8, 0]).why


def test_quarter_turn():
    quarter, across = np.pi / 4, np.pi / 8
    half = [(0, quarter), (across, 0), (0, -quarter)]
    moves = [*half, *[(-x, -y) for x, y in half]]
    for answer in (moves, np.array(moves), moves[::-1], [(y, x) for x, y in moves]):
        assert chapter_3.quarter_turn(answer)
    cut = [(x / 2, y / 2) for x, y in moves for _ in range(2)]
    assert chapter_3.quarter_turn(cut)  # the same ways with a rest between
    assert "not where it began" in chapter_3.quarter_turn(half).why
    assert "rolled back" in chapter_3.quarter_turn([(1, 0), (-1, 0)]).why
    assert "A quarter of the circumference" in chapter_3.quarter_turn([(1, 0), (0, 1), (-1, 0), (0, -1)]).why
    assert "pairs" in chapter_3.quarter_turn([]).why


def test_push_on_a_joint():
    def exact(I, S, f):
        return S @ np.linalg.solve(S.T @ I @ S, S.T @ f)

    assert chapter_3.push_on_a_joint(exact)
    assert chapter_3.push_on_a_joint(lambda I, S, f: exact(I, S, f).tolist())
    wrongs = {
        "free body": lambda I, S, f: np.linalg.solve(I, f),
        "right angles": lambda I, S, f: S @ np.linalg.lstsq(S, np.linalg.solve(I, f), rcond=None)[0],
        "not in S": lambda I, S, f: np.ones(6),
        "in S, but": lambda I, S, f: 2 * exact(I, S, f),
        "six numbers": lambda I, S, f: S.T @ f,
        "LinAlgError": lambda I, S, f: np.linalg.inv(np.zeros((2, 2))),
    }
    for word, function in wrongs.items():
        verdict = chapter_3.push_on_a_joint(function)
        assert not verdict and word in verdict.why, (word, verdict)


@pytest.mark.parametrize("answer", NONSENSE)
def test_nonsense(answer):
    for check in (chapter_3.sweet_spot, chapter_3.screw_constraints, chapter_3.rope, chapter_3.quarter_turn):
        assert not check(answer)
    assert "not a function" in chapter_3.push_on_a_joint(answer).why
    assert not chapter_3.push_on_a_joint(lambda *_: answer)
