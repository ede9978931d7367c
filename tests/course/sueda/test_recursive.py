"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit.algorithms.redmax import jacobian_product, redmax_jacobian
from rbdkit_course.sueda import recursive as course


def outward(bodies, x, carried=1.0):
    y = np.zeros((bodies.n + 1, 6))
    for i in bodies.order:
        y[i] = bodies.Ad_J[i] @ bodies.S[i] @ x[bodies.own[i]] + carried * bodies.Ad_p[i] @ y[bodies.parent[i]]
    return y[1:].ravel()


def unturned(bodies, x):
    y = np.zeros((bodies.n + 1, 6))
    for i in bodies.order:
        y[i] = bodies.Ad_J[i] @ bodies.S[i] @ x[bodies.own[i]] + y[bodies.parent[i]]
    return y[1:].ravel()


def as_in_a_chain(bodies, x):
    y = np.zeros((bodies.n + 1, 6))
    for i in bodies.order:
        y[i] = bodies.Ad_J[i] @ bodies.S[i] @ x[bodies.own[i]] + bodies.Ad_p[i] @ y[i - 1]
    return y[1:].ravel()


def inward(bodies, y, heard="all"):
    felt, x = np.vstack([np.zeros(6), y.reshape(-1, 6)]), np.zeros(bodies.nv)
    given = felt.copy()
    for i in reversed(bodies.order):
        x[bodies.own[i]] = bodies.S[i].T @ bodies.Ad_J[i].T @ felt[i]
        passed, p = bodies.Ad_p[i].T @ felt[i], bodies.parent[i]
        if heard == "all":
            felt[p] += passed
        elif heard == "last":
            felt[p] = given[p] + passed
    return x


@pytest.mark.source("S2.23")
def test_products():
    assert course.product(outward) and course.transposed(inward)
    for answer, why in (
        (lambda b, x: outward(b, x, 0.0), "own body only"),
        (lambda b, x: outward(b, x, 2.0), "body 1 first"),
        (unturned, "in the axes of the parent"),
        (as_in_a_chain, "not always body i - 1"),
        (lambda b, x: jacobian_product(b, x)[0], "for you to write"),
        (lambda b, x: redmax_jacobian(b) @ x, "for you to write"),
        (lambda b, x: x, "shape (36,)"),
    ):
        verdict = course.product(answer)
        assert not verdict and why in verdict.why, verdict.why
    for answer, why in (
        (lambda b, y: inward(b, y, "none"), "own body only"),
        (lambda b, y: inward(b, y, "last"), "add, do not assign"),
        (lambda b, y: 2.0 * inward(b, y), "before their parent"),
        (lambda b, y: None, "shape (9,)"),
    ):
        verdict = course.transposed(answer)
        assert not verdict and why in verdict.why, verdict.why


@pytest.mark.source("S2.26")
def test_gradients():
    def gradients(A, b, M, tol, downhill=False, known=True):
        x, r, steps = np.zeros(len(b)), b, 0
        z = M(r) if known else r
        p = z
        while np.linalg.norm(r) > tol * np.linalg.norm(b) and steps < 200:
            Ap = A(p)
            old, alpha = r @ z, (r @ z) / (p @ Ap)
            x, r = x + alpha * p, r - alpha * Ap
            z = M(r) if known else r
            p, steps = z if downhill else z + (r @ z) / old * p, steps + 1
        return x, steps

    assert course.gradients(gradients)
    for answer, why in (
        (lambda *given: gradients(*given, downhill=True), "of |b| is left"),
        (lambda *given: gradients(*given, known=False), "8 are plenty"),
        (lambda A, b, M, tol: (np.linalg.solve(A.matrix, b), 1), "There is no matrix"),
        (lambda A, b, M, tol: (np.linalg.solve([A(e) for e in np.eye(len(b))], b), 1), "for each column"),
        (lambda A, b, M, tol: b, "2 things"),
        (lambda A, b, M, tol: (b, "many"), "a number"),
    ):
        verdict = course.gradients(answer)
        assert not verdict and why in verdict.why, verdict.why
