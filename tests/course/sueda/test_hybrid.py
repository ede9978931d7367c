"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit_course.sueda import hybrid as course


@pytest.mark.source("S2.18")
def test_hyper_reduced():
    assert course.hyper_reduced(lambda M, f, J: np.linalg.inv(J.T @ M @ J) @ (J.T @ f))
    for answer, why in (
        (lambda M, f, J: np.linalg.lstsq(J, np.linalg.solve(M, f), rcond=None)[0], "fits them"),
        (lambda M, f, J: J.T @ f, "with 1 coordinates entry"),
        (lambda M, f, J: J.T @ np.linalg.inv(M) @ J @ (J.T @ f), "put the inertia together first"),
        (lambda M, f, J: f, "shape (1,)"),
        (lambda M, f: f, "give a function of (M_r, f_r, J)"),
    ):
        verdict = course.hyper_reduced(answer)
        assert not verdict and why in verdict.why, verdict.why


@pytest.mark.source("S2.22")
def test_hybrid():
    def solve(M, f, told, qdd):
        rest = [i for i in range(len(f)) if i not in told]
        motion = np.zeros(len(f))
        motion[told] = qdd
        motion[rest] = np.linalg.solve(M[np.ix_(rest, rest)], f[rest] - M[np.ix_(rest, told)] @ qdd)
        return motion, (M @ motion - f)[told]

    def untouched(M, f, told, qdd):
        motion = np.linalg.solve(M, f)
        motion[told] = qdd
        return motion, 0 * qdd

    assert course.hybrid(solve)
    for answer, why in (
        (untouched, "do not notice"),
        (lambda *given: (solve(*given)[0], -solve(*given)[1]), "the wrong way"),
        (lambda *given: (solve(*given)[0], 0 * given[3]), "of the motors"),
        (lambda M, f, told, qdd: (np.linalg.solve(M, f), 0 * qdd), "as they were told"),
        (lambda M, f, told, qdd: (np.where(np.isin(range(4), told), solve(M, f, told, qdd)[0], 7.0), qdd), "entry"),
        (lambda *given: solve(*given)[0], "2 things"),
    ):
        verdict = course.hybrid(answer)
        assert not verdict and why in verdict.why, verdict.why


@pytest.mark.source("S2.19")
def test_spring_slope():
    def force(dx, K, L):
        length = np.linalg.norm(dx)
        return K * (length - L) / L**2 * dx / length

    def slope(dx, K, L, h=1e-3):
        columns = [
            (force(dx - 2 * h * e, K, L) - 8 * force(dx - h * e, K, L) + 8 * force(dx + h * e, K, L))
            - force(dx + 2 * h * e, K, L)
            for e in np.eye(3)
        ]
        return np.array(columns).T / (12 * h)

    assert course.spring_slope(slope)

    def along(dx, K, L):
        return K / L**2 * np.outer(dx, dx) / (dx @ dx)

    for answer, why in (
        (along, "resists being turned"),
        (lambda *given: -slope(*given), "the sign"),
        (lambda dx, K, L: K / L**2 * np.eye(3), "no length"),
        (lambda dx, K, L: slope(dx, K, L) * L, "1/L twice"),
        (lambda dx, K, L: 3.0 * slope(dx, K, L), "entry"),
        (lambda dx, K, L: K, "shape (3, 3)"),
    ):
        verdict = course.spring_slope(answer)
        assert not verdict and why in verdict.why, verdict.why
