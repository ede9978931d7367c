"""The checks accept right answers, whatever their form, and explain wrong ones."""

import numpy as np
import pytest

from rbdkit.algorithms.elastic import Attached, point_spring
from rbdkit.forces.muscle_curves import passive_force_length
from rbdkit.joints.spline_basis import BASES
from rbdkit.spatial import se3
from rbdkit.spatial.so3 import skew
from rbdkit_course import sueda_parts as course


def wrenches(E1, x1, E2, x2, k):
    dx = E2[:3, :3] @ x2 + E2[:3, 3] - E1[:3, :3] @ x1 - E1[:3, 3]
    f1, f2 = k * E1[:3, :3].T @ dx, -k * E2[:3, :3].T @ dx
    return np.concatenate([skew(x1) @ f1, f1, skew(x2) @ f2, f2])


def by_differences(E1, x1, E2, x2, k):
    h, columns = 1e-3, []
    for e in np.eye(12):

        def at(s, e=e):
            return wrenches(E1 @ se3.exp(s * e[:6]), x1, E2 @ se3.exp(s * e[6:]), x2, k)

        columns.append((at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h))
    return np.array(columns).T


def test_spring_stiffness():
    assert course.spring_stiffness(by_differences)
    for change, why in (
        (lambda K: -K, "as printed"),
        (lambda K: 0.5 * (K + K.T), "symmetrized"),
        (lambda K: K / 7.0, "k is missing"),
        (lambda K: K + np.eye(12, k=3), "in block"),
        (lambda K: K[0], "twelve"),
    ):
        verdict = course.spring_stiffness(lambda *a, change=change: change(by_differences(*a)))
        assert not verdict and why in verdict.why
    borrowed = course.spring_stiffness(lambda E1, x1, E2, x2, k: point_spring(Attached(E1, x1), Attached(E2, x2), k).K)
    assert not borrowed and "for you to write" in borrowed.why


def test_passive_curve():
    exact = np.array(passive_force_length().coefficients)
    assert course.passive_curve(exact) and course.passive_curve(exact.ravel().tolist())
    late = exact.copy()
    late[1] *= 1.1
    for answer, why in ((late, "printed with 1.8"), (np.zeros(8), "slope 0"), ("curve", "eight numbers")):
        verdict = course.passive_curve(answer)
        assert not verdict and why in verdict.why


def spline(frames, q, rows=(1, 2, 3)):
    weights = BASES["b_spline"] @ [1.0, q, q**2, q**3]
    Q = frames[0]
    for k in rows:
        Q = Q @ se3.exp(se3.log(se3.inverse(frames[k - 1]) @ frames[k]) * weights[k:].sum())
    return Q


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda frames, q: np.einsum("k,kij->ij", BASES["b_spline"] @ [1, q, q**2, q**3], frames), "no pose"),
        (lambda frames, q: spline(frames, q, (1, 2)), "cumulative"),
        (lambda frames, q: frames[0], "5/6"),
        (lambda frames, q: 3.0, "not a pose"),
        (lambda frames: frames, "function of"),
    ],
)
def test_spline_pose(answer, why):
    assert course.spline_pose(spline)
    verdict = course.spline_pose(answer)
    assert not verdict and why in verdict.why
