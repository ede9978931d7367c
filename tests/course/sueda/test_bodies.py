"""Right answers are accepted, and wrong ones explained."""

import numpy as np
import pytest

from rbdkit.spatial import se3
from rbdkit.spatial.so3 import skew
from rbdkit_course.sueda import bodies as course


def exp(phi):
    w, W = np.linalg.norm(phi[:3]), skew(phi[:3])
    a, b, c = (np.sin(w) / w, (1 - np.cos(w)) / w**2, (w - np.sin(w)) / w**3) if w > 1e-4 else (1.0, 0.5, 1 / 6)
    R, V = np.eye(3) + a * W + b * W @ W, np.eye(3) + b * W + c * W @ W
    return np.block([[R, (V @ phi[3:])[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def changed(part, value):
    def answer(phi):
        E = exp(phi)
        E[part] = value(E, phi)
        return E

    return answer


def without_limit(phi):
    w = np.linalg.norm(phi[:3])
    with np.errstate(invalid="ignore"):
        return np.sin(w) / w / (np.sin(w) / w) * exp(phi)


@pytest.mark.source("S1.03")
def test_exponential():
    assert course.exponential(exp)
    for answer, why in (
        (changed(np.s_[:3, :3], lambda E, phi: E[:3, :3].T.copy()), "transposed"),
        (changed(np.s_[:3, 3], lambda E, phi: phi[3:]), "V v"),
        (changed(np.s_[3, 3], lambda E, phi: 0.0), "0 0 0 1"),
        (changed(np.s_[0, 0], lambda E, phi: 2.0), "should be"),
        (without_limit, "divided by zero"),
        (lambda phi: exp(phi) if np.linalg.norm(phi[:3]) > 1e-6 else 2.0 * np.eye(4), "0/0"),
        (lambda phi: 3, "an array of shape (4, 4)"),
        (lambda: 3, "give a function of (phi)"),
        (se3.exp, "for you to write"),
        ("exp", "not a function"),
    ):
        verdict = course.exponential(answer)
        assert not verdict and why in verdict.why


@pytest.mark.source("S1.06")
def test_adjoint():
    def adjoint(E, P=lambda R, p: skew(p) @ R):
        R, p = E[:3, :3], E[:3, 3]
        return np.block([[R, np.zeros((3, 3))], [P(R, p), R]])

    assert course.adjoint(adjoint)
    for answer, why in (
        (lambda E: adjoint(E).T, "belongs below"),
        (lambda E: adjoint(E, lambda R, p: R @ skew(p)), "and you have R [p]"),
        (lambda E: adjoint(E, lambda R, p: -skew(p) @ R), "the sign"),
        (lambda E: np.linalg.inv(adjoint(E)), "the inverse"),
        (lambda E: adjoint(E) + np.eye(6), "entry (1, 1)"),
        (lambda E: [1, 2], "shape (6, 6)"),
        (se3.adjoint, "for you to write"),
    ):
        verdict = course.adjoint(answer)
        assert not verdict and why in verdict.why


@pytest.mark.source("S1.10")
def test_free_step():
    def step(E, phi, M, g, h, gravity=lambda R, g: R.T @ g, ad=lambda phi: se3.ad(phi).T, move=None):
        fall = np.concatenate([np.zeros(3), gravity(E[:3, :3], g)])
        new = phi + h * (np.linalg.solve(M, ad(phi) @ M @ phi) + fall)
        return (E @ se3.exp(h * new) if move is None else move(E, phi, new, h)), new

    assert course.free_step(step)
    assert course.free_step(lambda *given: list(step(*given)))
    for change, why in (
        ({"gravity": lambda R, g: g}, "turn it"),
        ({"gravity": lambda R, g: 0 * g}, "no gravity"),
        ({"ad": lambda phi: 0 * se3.ad(phi)}, "keeps its twist"),
        ({"ad": lambda phi: -se3.ad(phi).T}, "with a plus"),
        ({"ad": se3.ad}, "transposed"),
        ({"gravity": lambda R, g: 2 * g}, "of the twist entry"),
        ({"move": lambda E, phi, new, h: E @ se3.exp(h * phi)}, "takes the new twist"),
        ({"move": lambda E, phi, new, h: se3.exp(h * new) @ E}, "on the right"),
        ({"move": lambda E, phi, new, h: E + h * E @ se3.bracket(new)}, "right angles"),
        ({"move": lambda E, phi, new, h: E}, "of the pose entry"),
    ):
        verdict = course.free_step(lambda *given, change=change: step(*given, **change))
        assert not verdict and why in verdict.why, verdict.why
    for answer, why in ((lambda *given: 1.0, "2 things"), (lambda *given: (1, 2), "shape (4, 4)")):
        verdict = course.free_step(answer)
        assert not verdict and why in verdict.why
