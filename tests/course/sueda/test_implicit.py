"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit_course.sueda import implicit as course


@pytest.mark.source("S2.17")
def test_mass_on_spring():
    def step(x, v, k, d, m, h, kk=2, force=1.0, damped=0.0, sign=1.0, along=True):
        new = (m * v - force * h * k * x - damped * h * d * v) / (m + h * d + sign * h**kk * k)
        return x + h * (new if along else v), new

    def explicit(x, v, k, d, m, h):
        v = v + h * (-k * x - d * v) / m
        return x + h * v, v

    assert course.mass_on_spring(step)
    for change, why in (
        ({"damped": 1.0}, "not on the right"),
        ({"kk": 1}, "h squared"),
        ({"sign": -1.0}, "force falls"),
        ({"force": 0.0}, "is missing"),
        ({"along": False}, "along the new velocity"),
        ({"force": 3.0}, "should be"),
    ):
        verdict = course.mass_on_spring(lambda *given, change=change: step(*given, **change))
        assert not verdict and why in verdict.why, verdict.why
    for answer, why in (
        (explicit, "explicit step"),
        (lambda *given: 1.0, "2 things"),
        (lambda *given: (0.0, step(*given)[1]), "x = 0"),
        (lambda *given: ("a", "b"), "a number is asked for"),
    ):
        verdict = course.mass_on_spring(answer)
        assert not verdict and why in verdict.why, verdict.why


@pytest.mark.source("S1.11", "S2.17")
def test_velocities():
    def step(M, K, D, f, v, h, twice=1.0, of_K=-1.0, of_D=1.0, power=2):
        return np.linalg.inv(M + of_D * h * D + of_K * h**power * K) @ (M @ v + h * (f + twice * D @ v))

    assert course.velocities(step)
    for change, why in (
        ({"twice": 0.0}, "give it back"),
        ({"of_K": 1.0}, "minus h² K"),
        ({"of_K": 1.0, "twice": 0.0}, "see what f contains"),
        ({"of_D": -1.0}, "plus h D"),
        ({"of_D": 0.0, "of_K": 0.0, "twice": 0.0}, "explicit step"),
        ({"power": 1}, "h squared"),
        ({"power": 3}, "entry"),
    ):
        verdict = course.velocities(lambda *given, change=change: step(*given, **change))
        assert not verdict and why in verdict.why, verdict.why


def test_two_stages():
    def step(f, J, y, h, gamma=1.0 - 0.5**0.5, back=2.0):
        A = np.eye(len(y)) - gamma * h * J
        k1 = np.linalg.solve(A, f(y))
        k2 = np.linalg.solve(A, f(y + h * k1) - back * k1)
        return y + h * (1.5 * k1 + 0.5 * k2)

    def by_richardson(f, J, y, h):  # another method of second order, and no less right
        def euler(y, h):
            return y + h * np.linalg.solve(np.eye(len(y)) - h * J, f(y))

        return 2.0 * euler(euler(y, 0.5 * h), 0.5 * h) - euler(y, h)

    assert course.two_stages(step) and course.two_stages(by_richardson)
    for answer, why in (
        (lambda f, J, y, h: y + h * np.linalg.solve(np.eye(len(y)) - h * J, f(y)), "4 times"),
        (lambda *given: step(*given, back=1.0), "4 times"),
        (lambda *given: step(*given, gamma=0.5), "is left after a step"),
        (lambda f, J, y, h: 0.0, "shape (2,)"),
    ):
        verdict = course.two_stages(answer)
        assert not verdict and why in verdict.why, verdict.why
