"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
import rbdkit_course as course
from rbdkit.algorithms.solvers import active_set
from rbdkit_course.featherstone import chapter_11


def test_one_contact():
    assert chapter_11.one_contact(lambda M, d: (max(0.0, -d / M), max(0.0, d)))
    assert chapter_11.one_contact(lambda M, d: [0.0, d] if d > 0 else np.array([-d / M, 0.0]))
    for answer, word in (
        (lambda M, d: (-d / M, 0.0), "pulls"),
        (lambda M, d: (0.0, d), "sinks"),
        (lambda M, d: (max(0.0, -d / M), 0.0), "not M λ + d"),
        (lambda M, d: (max(0.0, -d / M) + 1.0, max(0.0, d) + M), "one of both must be zero"),
        (lambda M, d: (0.0, 0.0), "not M λ + d"),
        (lambda M, d: 3.0, "are asked for"),
        (lambda M: 3.0, "stopped with TypeError"),
        ("rule", "not a function"),
    ):
        verdict = chapter_11.one_contact(answer)
        assert not verdict and word in verdict.why


def exchange(A, row, column):
    A = np.array(A)
    A[row] /= A[row, column]
    for i in range(len(A)):
        if i != row:
            A[i] -= A[i, column] * A[row]
    return A


def test_lemke_pivot():
    assert chapter_11.lemke_pivot(exchange)
    assert chapter_11.lemke_pivot(lambda A, row, column: exchange(A, row, column).tolist())
    M, d = chapter_11.start_of_lemke()
    assert_allclose(M @ active_set(M, d).lam + d, 0.0, atol=1e-12)

    def halves(A, row, column, change):
        pivot, other = A[row] / A[row, column], 1 - row
        A[other] = change(A, pivot, row, other, column)
        A[row] = pivot
        return A

    def undivided(A, row, column):
        other = 1 - row
        A[other] = A[other] - A[other, column] * A[row]
        A[row] = A[row] / A[row, column]
        return A

    for answer, word in (
        (lambda A, r, c: A, "nothing changed"),
        (lambda A, r, c: exchange(A, r, c) * 2.0, "divided by the pivot"),
        (lambda A, r, c: halves(A, r, c, lambda A, p, r, o, c: A[o]), "must become zero"),
        (lambda A, r, c: halves(A, r, c, lambda A, p, r, o, c: A[o] + A[o, c] * p), "after the division"),
        (undivided, "after the division"),
        (lambda A, r, c: halves(A, r, c, lambda A, p, r, o, c: A[o] * 7.0), "is off"),
        (lambda A, r, c: A[0], "has shape"),
        (lambda A, r, c: 1 / 0, "ZeroDivisionError"),
    ):
        verdict = chapter_11.lemke_pivot(answer)
        assert not verdict and word in verdict.why


def cone(f_t, f_n, mu):
    size = np.linalg.norm(f_t)
    return f_t if size <= mu * f_n else f_t * (mu * f_n / size)


def test_friction_cone():
    assert chapter_11.friction_cone(cone)
    for answer, word in (
        (lambda f, n, mu: np.clip(f, -mu * n, mu * n), "pyramid"),
        (lambda f, n, mu: f, "comes through whole"),
        (lambda f, n, mu: f * mu * n / max(np.linalg.norm(f), 1e-9), "inside the cone"),
        (lambda f, n, mu: cone(f, 1.2 * n, mu), "is still"),
        (lambda f, n, mu: 0.5 * cone(f, n, mu) if np.linalg.norm(f) > mu * n else f, "should be μ f_n"),
        (lambda f, n, mu: [1.0], "two numbers"),
        (None, "not a function"),
    ):
        verdict = chapter_11.friction_cone(answer)
        assert not verdict and word in verdict.why
    with np.errstate(all="ignore"):
        verdict = chapter_11.friction_cone(lambda f, n, mu: f / np.linalg.norm(f) * min(np.linalg.norm(f), mu * n))
    assert not verdict and "no direction" in verdict.why


@pytest.mark.parametrize(
    ("answer", "word"),
    [(0.6107, "in rad"), (44.427, "normal force falls"), (20.0, "m g sin"), ("steep", "not an angle")],
)
def test_slope_angle(answer, word):
    assert chapter_11.slope_angle(34.992)
    verdict = chapter_11.slope_angle(answer)
    assert not verdict and word in verdict.why


@pytest.mark.parametrize(
    ("right", "other", "word"),
    [
        ("(1 + e)", "(1 - e)", "goes on into the slope"),  # as fast as the right one
        ("tuple(after / 4)", "tuple(-after / 4)", "goes on into the slope"),
        ("tuple(after / 4)", "tuple(after / 4 * [-1, 1, 1])", "the ball along"),
        ("tuple(after / 4)", "tuple(0 * after)", "which way"),
        ('text="after"', 'text="before"', "which way"),
        ("(1 + e)", "(2 + e)", "the picture says"),
    ],
)
def test_a_bounce_has_a_direction(right, other, word):
    def drawn(code):
        names = {"np": np, "rbd": rbd, "before": np.array([0.0, 0.0, -3.0])}
        exec(code, names)
        return chapter_11.bounced(names["my_bounce"])

    solution = course.exercise("F11-5").solution
    assert right in solution and drawn(solution) and drawn(solution.replace("after / 4", "2 * after"))
    verdict = drawn(solution.replace(right, other))
    assert not verdict and word in verdict.why
