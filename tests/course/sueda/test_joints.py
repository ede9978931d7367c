"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit.spatial import se3
from rbdkit.spatial.so3 import skew
from rbdkit_course.sueda import joints as course


@pytest.mark.source("S1.17")
def test_constraint_rows():
    inverse, adjoint = np.linalg.inv, se3.adjoint

    def rows(E_i, E_k, E_ij, kept, to_i=None, to_k=None):
        to_i = adjoint(inverse(E_ij)) if to_i is None else to_i(E_ij)
        to_k = -adjoint(inverse(E_i @ E_ij) @ E_k) if to_k is None else to_k(E_i, E_k, E_ij)
        return np.hstack([to_i, to_k])[kept]

    assert course.constraint_rows(rows)
    assert course.constraint_rows(lambda *given: -rows(*given))
    for change, why in (
        ({"to_i": adjoint}, "so its inverse"),
        ({"to_i": lambda E: np.eye(6)}, "columns of body i"),
        ({"to_k": lambda a, b, c: adjoint(inverse(a @ c) @ b)}, "It is their difference"),
        ({"to_k": lambda a, b, c: -adjoint(inverse(c)) @ adjoint(b)}, "one more inverse"),
        ({"to_k": lambda a, b, c: np.eye(6)}, "columns of body k"),
    ):
        verdict = course.constraint_rows(lambda *given, change=change: rows(*given, **change))
        assert not verdict and why in verdict.why, verdict.why
    for answer, why in ((None, "not a function"), (lambda *given: rows(*given)[0], "shape (6, 12)")):
        verdict = course.constraint_rows(answer)
        assert not verdict and why in verdict.why


@pytest.mark.source("S1.17")
def test_kkt():
    def solve(M, G, f, sign=1.0):
        lam = np.linalg.solve(G @ np.linalg.solve(M, G.T), G @ np.linalg.solve(M, f))
        return np.linalg.solve(M, f - G.T @ lam), sign * lam

    assert course.kkt(solve)
    for answer, why in (
        (lambda M, G, f: solve(M, G, f, -1.0), "a minus before"),
        (lambda M, G, f: (solve(M, G, f)[0], np.zeros(5)), "of the multipliers"),
        (lambda M, G, f: (np.zeros(12), np.zeros(5)), "who pushes there"),
        (lambda M, G, f: (np.linalg.solve(M, f), np.zeros(5)), "come apart"),
        (lambda M, G, f: np.zeros(17), "2 things"),
    ):
        verdict = course.kkt(answer)
        assert not verdict and why in verdict.why, verdict.why


@pytest.mark.source("S1.19")
def test_hinge_gap():
    def gap(X):
        z = X[:3, :3].T @ [0.0, 0.0, 1.0]
        return [z[1], -z[0], *(X[:3, :3].T @ X[:3, 3])]

    def by_logarithm(X):  # turned back about z first
        angle = np.arctan2(X[1, 0] - X[0, 1], X[0, 0] + X[1, 1])
        turned = se3.exp(np.array([0, 0, -angle, 0, 0, 0])) @ X
        return se3.log(turned)[[0, 1, 3, 4, 5]]

    assert course.hinge_gap(gap) and course.hinge_gap(by_logarithm)
    for answer, why in (
        (lambda X: se3.log(X)[[0, 1, 3, 4, 5]], "the rows of G say"),
        (lambda X: [*gap(X)[:2], *X[:3, 3]], "move along x"),
        (lambda X: se3.log(X)[1:], "is intact at 0.3"),
        (lambda X: np.zeros(5), "turn about x"),
        (lambda X: np.array(gap(X)) * (np.abs(skew(X[:3, 3])).max() < 0.1), "torn apart"),
        (lambda X: 1, "shape (5,)"),
    ):
        verdict = course.hinge_gap(answer)
        assert not verdict and why in verdict.why, verdict.why
