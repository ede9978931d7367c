"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit.algorithms.redmax import redmax_jacobian, redmax_jacobian_and_rate
from rbdkit_course.sueda import reduced as course


def jacobian(bodies, parent=None, own=None):
    J = np.zeros((6 * bodies.n, bodies.nv))
    for i in bodies.order:
        p = bodies.parent[i] if parent is None else parent(bodies, i)
        if p:
            J[bodies.block(i)] = bodies.Ad_p[i] @ J[bodies.block(p)]
        J[bodies.block(i), bodies.own[i]] = bodies.Ad_J[i] @ bodies.S[i] if own is None else own(bodies, i)
    return J


@pytest.mark.source("S2.01")
def test_jacobian():
    assert course.jacobian(jacobian)
    for change, why in (
        ({"parent": lambda bodies, i: 0}, "joints before it"),
        ({"parent": lambda bodies, i: i - 1}, "need not be"),
        ({"parent": lambda bodies, i: 1 if i > 1 else 0}, "below it"),
        ({"own": lambda bodies, i: bodies.S[i]}, "must come to the body"),
        ({"own": lambda bodies, i: bodies.Ad_J[i][:, :1] + 0 * bodies.S[i]}, "entry"),
    ):
        verdict = course.jacobian(lambda bodies, change=change: jacobian(bodies, **change))
        assert not verdict and why in verdict.why, verdict.why
    for answer, why in (
        (redmax_jacobian, "for you to write"),
        (lambda bodies: np.eye(3), "shape (24, 6)"),
        (3, "not a"),
    ):
        verdict = course.jacobian(answer)
        assert not verdict and why in verdict.why, verdict.why


def rate(bodies, J, first=1.0, second=1.0, printed=False):
    J_dot = np.zeros_like(J)
    for i in bodies.order:
        p = bodies.parent[i]
        if p:
            turned = bodies.Ad_p[i] if printed else bodies.Ad_p_dot[i]
            J_dot[bodies.block(i)] = bodies.Ad_p[i] @ J_dot[bodies.block(p)] + second * turned @ J[bodies.block(p)]
        J_dot[bodies.block(i), bodies.own[i]] = first * bodies.Ad_J[i] @ bodies.S_dot[i]
    return J_dot


@pytest.mark.source("S2.02")
def test_rate():
    assert course.jacobian_rate(rate)
    for change, why in (
        ({"first": 0.0}, "own second axis"),
        ({"printed": True}, "as it is printed"),
        ({"second": 0.0}, "entry"),
    ):
        verdict = course.jacobian_rate(lambda bodies, J, change=change: rate(bodies, J, **change))
        assert not verdict and why in verdict.why, verdict.why
    assert "for you" in course.jacobian_rate(lambda bodies, J: redmax_jacobian_and_rate(bodies)[1]).why
    assert "stopped with" in course.jacobian_rate(lambda bodies, J: 1 / 0).why


@pytest.mark.source("S2.03")
def test_accelerations():
    def solve(J, J_dot, M, f_m, f_r, qd, drift=-1.0, own=1.0):
        return np.linalg.inv(J.T @ M @ J) @ (own * f_r + J.T @ (f_m + drift * M @ J_dot @ qd))

    assert course.reduced_accelerations(solve)
    for change, why in (
        ({"drift": 0.0}, "is missing"),
        ({"drift": 1.0}, "taken off"),
        ({"own": 0.0}, "add them"),
        ({"own": -1.0}, "wrong sign"),
        ({"own": 9.0}, "entry"),
    ):
        verdict = course.reduced_accelerations(lambda *given, change=change: solve(*given, **change))
        assert not verdict and why in verdict.why, verdict.why
