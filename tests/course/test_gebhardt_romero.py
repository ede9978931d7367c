"""The checks accept right answers, whatever their form, and explain wrong ones."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library.gebhardt_romero import CASES
from rbdkit_course import gebhardt_romero as course


@pytest.mark.parametrize("answer", [np.arccos(0.75), np.pi - np.arccos(0.75), np.arccos(0.25), np.float64(0.7227)])
def test_quarter_turn_is_accepted_on_both_sides_of_the_equator(answer):
    assert course.quarter_turn(answer)


@pytest.mark.parametrize(("answer", "why"), [(0.5, "turned by 44"), ("north", "not an angle"), (4.0, "not an angle")])
def test_other_circles_are_explained(answer, why):
    verdict = course.quarter_turn(answer)
    assert not verdict
    assert why in verdict.why


def test_constant_momentum():
    """In space or in the body: asked of a run."""
    case = CASES[0]
    run = rbd.simulate(
        case.model, v0=case.v0, duration=0.5, dt=5e-3, formulation="directors", integrator="energy_momentum"
    )
    space = run.system.angular_momentum(run.x, run.w)
    body = np.squeeze(space[:, None, :] @ np.swapaxes(run.x.reshape(-1, 3, 3), -1, -2), axis=1)
    assert np.ptp(space, axis=0).max() < 1e-9 * np.abs(space).max() and np.ptp(body, axis=0).min() > 0.1
    assert course.constant_momentum({"space"}) and course.constant_momentum("Space")
    for answer, word in (
        ("body", "may not twist"),
        (["body", "space"], "principal"),
        ("head", "name"),
        (set(), "name"),
    ):
        assert not course.constant_momentum(answer) and word in course.constant_momentum(answer).why


def test_forbidden_turn():
    e = np.eye(3)
    octant = np.array([e[2], e[0], e[1], e[2]])
    assert course.forbidden_turn(octant)
    assert course.forbidden_turn(octant[::-1].tolist())
    for answer, why in (
        (octant[:3], "end where it began"),
        (np.array([e[2], e[0], [0.6, 0.8, 0.0], e[2]]), "turned by 53.1"),
        (2.0 * octant, "has 2."),
        (np.full((180, 3), 0.9), "has 1.559"),
        (octant * [[1.0], [1.05], [1.3], [1.0]], "point 2, (0, 1.3, 0), has 1.3"),  # the worst is named
        ("round", "points (n, 3)"),
    ):
        verdict = course.forbidden_turn(answer)
        assert not verdict
        assert why in verdict.why


def test_step_angle():
    assert course.step_angle(lambda h, w: 2.0 * np.arctan(h * w / 2.0))
    assert course.step_angle(lambda h, w: 2.0 * np.arccos(1.0 / np.sqrt(1.0 + (0.5 * h * w) ** 2)))
    for answer, why in (
        (lambda h, w: h * w, "what the body itself does"),
        (lambda h, w: np.arcsin(min(h * w, 1.0)), "the other method"),
        (lambda h, w: np.arctan(0.5 * h * w), "half of it"),
        (lambda h, w: 1.0, "your function says 1.0000"),
        (0.3, "give a function"),
    ):
        verdict = course.step_angle(answer)
        assert not verdict
        assert why in verdict.why


def test_longest_chord():
    assert course.longest_chord(0.0045)
    for answer, why in ((0.005, "stops before"), (0.001, "be bolder"), (None, "not a step")):
        verdict = course.longest_chord(answer)
        assert not verdict
        assert why in verdict.why
