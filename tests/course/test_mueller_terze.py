"""The checks of the exercises on Müller and Terze accept any right answer and explain the usual wrong ones."""

import numpy as np
import pytest
from scipy.linalg import expm

import rbdkit as rbd
from rbdkit.library import heavy_top
from rbdkit.spatial import se3, so3, so3xr3
from rbdkit_course import mueller_terze as course


def by_equation_8(C, V):
    omega, v = V[:3], V[3:]
    t = np.linalg.norm(omega)
    if t == 0.0:
        return C @ se3.pose(position=v)
    W = so3.skew(omega)
    R = np.eye(3) + np.sin(t) / t * W + (1 - np.cos(t)) / t**2 * W @ W
    return C @ se3.pose(R, (np.eye(3) - R) @ np.cross(omega, v) / t**2 + omega @ v / t**2 * omega)


@pytest.mark.parametrize("move", [by_equation_8, lambda C, V: C @ expm(se3.bracket(V))])
def test_any_screw_is_right(move):
    assert course.screw_step(move)


@pytest.mark.parametrize(
    ("move", "hint"),
    [
        (lambda C, V: expm(se3.bracket(V)) @ C, "fixed axes"),
        (lambda C, V: C @ se3.exp(V), "for you to write"),
        (lambda C, V: so3xr3.multiply(C, so3xr3.exp(V)), "position is not"),
        (lambda C, V: C, "rotation is off"),
        (lambda C, V: V, "shape"),
        (lambda C, V: 1 / 0, "ZeroDivisionError"),
        (lambda C, V: by_equation_8(C, V) if V[:3].any() else C * np.nan, "division by the angle"),
    ],
)
def test_other_steps_are_explained(move, hint):
    verdict = course.screw_step(move)
    assert not verdict and hint in verdict.why


def test_halving_the_step():
    drift = [
        rbd.simulate(*heavy_top(), 0.5, h, formulation="so3xr3", progress=False).constraint_error()[-1]
        for h in (1e-3, 5e-4)
    ]
    measured = np.linalg.norm(drift[0]) / np.linalg.norm(drift[1])
    assert course.halving(measured) and course.halving(f"{measured:.2f}")
    for answer, hint in ((32, "twice as many"), (1 / 16, "old one over"), (4.0, "order 2.0"), ("x", "not a number")):
        verdict = course.halving(answer)
        assert not verdict and hint in verdict.why
    assert "did you measure" in course.halving(16).why and "is close" in course.halving(15.0).why


def test_pairs_that_the_direct_product_closes():
    assert course.closed_by_the_direct_product({"prismatic", "planar"})
    for answer, hint in (
        ({"revolute"}, "chords"),
        ({"planar"}, "one more"),
        (set(), "2 more"),
        ({"ball"}, "not in the table"),
        ("prismatic", "one more"),
    ):
        verdict = course.closed_by_the_direct_product(answer)
        assert not verdict and hint in verdict.why.replace("is one more", "one more").replace("are 2 more", "2 more")


def test_redundant_rows():
    assert course.redundant_rows(3) and course.redundant_rows(3.0) and course.redundant_rows("3")
    for answer, hint in ((-2, "linkage moves"), (2, "not 2"), (3.5, "whole number")):
        verdict = course.redundant_rows(answer)
        assert not verdict and hint in verdict.why
