"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit.spatial.fields import material_jacobian
from rbdkit_course.sueda import contact as course


def swept(A, b, low, high, sweeps=2000):
    x = np.zeros(len(b))
    for _ in range(sweeps):
        for i in range(len(b)):
            x[i] = np.clip(x[i] - (A[i] @ x + b[i]) / A[i, i], low[i], high[i])
    return x


@pytest.mark.source("S1.18")
def test_normal_row():
    def row(E, x, n, at=lambda R, x, p: R.T @ (x - p), turned=lambda R, n: R.T @ n, sign=1.0):
        R, p = E[:3, :3], E[:3, 3]
        arm, along = at(R, x, p), turned(R, n)
        return np.concatenate([sign * np.cross(arm, along), along])

    assert course.normal_row(row)
    for change, why in (
        ({"at": lambda R, x, p: x}, "wants the point in the body"),
        ({"at": lambda R, x, p: x - p}, "turn the arm"),
        ({"sign": -1.0}, "the wrong sign"),
        ({"turned": lambda R, n: n}, "turn it"),
        ({"turned": lambda R, n: -R.T @ n}, "parting counts"),
        ({"turned": lambda R, n: 2 * R.T @ n}, "entry"),
    ):
        verdict = course.normal_row(lambda *given, change=change: row(*given, **change))
        assert not verdict and why in verdict.why, verdict.why
    borrowed = course.normal_row(lambda E, x, n: E[:3, :3].T @ n @ material_jacobian(E[:3, :3].T @ (x - E[:3, 3])))
    assert not borrowed and "for you to write" in borrowed.why
    assert "shape (6,)" in course.normal_row(lambda E, x, n: 0.0).why


@pytest.mark.source("S1.18", "S1.20")
def test_impulses():
    def contacts(A, b):
        return swept(A, b, 0 * b, np.full(len(b), np.inf))

    assert course.contact_impulses(contacts)
    assert course.friction_impulses(lambda B, c, limit: swept(B, c, -limit, limit))
    for answer, why in (
        (lambda A, b: np.linalg.lstsq(A, -b, rcond=None)[0], "pulls"),
        (lambda A, b: 0 * b, "sink in"),
        (lambda A, b: contacts(A, b) + 1.0, "pushes and parts"),
        (lambda A, b: np.maximum(np.linalg.lstsq(A, -b, rcond=None)[0], 0.0), "at the end is too late"),
        (lambda A, b: "all", "an array of shape (1,)"),
    ):
        verdict = course.contact_impulses(answer)
        assert not verdict and why in verdict.why, verdict.why
    for answer, why in (
        (lambda B, c, limit: np.linalg.lstsq(B, -c, rcond=None)[0], "is more than"),
        (lambda B, c, limit: 0 * c, "of slip are left"),
        (lambda B, c, limit: np.clip(np.linalg.lstsq(B, -c, rcond=None)[0], -limit, limit), "two that see each other"),
        (lambda B, c, limit: limit * np.sign(c), "against the slip"),
        (lambda B, c: c, "give a function of (B, c, limit)"),
    ):
        verdict = course.friction_impulses(answer)
        assert not verdict and why in verdict.why, verdict.why
