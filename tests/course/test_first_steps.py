"""The checks accept right answers in whatever form and explain the usual wrong ones."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import double_pendulum, pendulum, small_swing_period
from rbdkit.spatial import se3
from rbdkit_course import first_steps


def test_period_accepts_theory_and_simulation():
    model = pendulum()
    assert first_steps.period(small_swing_period(model), model)
    swing = rbd.simulate(model, q0=[0.02], duration=5.0, dt=2e-3, progress=False)
    downward = [k for k in range(1, len(swing)) if swing.q[k - 1, 0] > 0 >= swing.q[k, 0]]
    assert first_steps.period(swing.t[downward[1]] - swing.t[downward[0]], model)


@pytest.mark.parametrize(
    ("factor", "word"), [(0.5, "half"), (1.15, "wide swing"), (3.0, "off"), (float("nan"), "not a number")]
)
def test_period_explains_wrong_answers(factor, word):
    model = pendulum()
    verdict = first_steps.period(factor * small_swing_period(model), model)
    assert not verdict
    assert word in verdict.why


def test_period_knows_the_other_formulas():
    model = pendulum()
    assert "rad/s" in first_steps.period(2 * np.pi / small_swing_period(model), model).why
    # the centre of mass is half a metre below the hinge
    assert "point mass" in first_steps.period(2 * np.pi * np.sqrt(0.5 / 9.81), model).why


def test_longest_step():
    model, q0 = double_pendulum(), np.array([1.5, 0.5])
    verdicts = {
        dt: first_steps.longest_step(dt, model, q0, duration=1.0) for dt in (0.05, 0.02, 0.01, 0.005, 0.0025, 1e-6)
    }
    assert sum(map(bool, verdicts.values())) == 1
    assert "shorten" in verdicts[0.05].why
    assert "bolder" in verdicts[0.0025].why
    assert "far shorter" in verdicts[1e-6].why


def rods(axis="y", lower=(0, 0, -1.0), middle=(0, 0, -0.5)):
    model = rbd.Model("two rods")
    thin = rbd.Inertia.box((0.01, 0.01, 1.0), mass=1.0)
    model.add_body("first", joint=rbd.Revolute(axis), inertia=thin.transformed(se3.pose(position=[0, 0, -0.5])))
    model.add_body("second", "first", rbd.Revolute(axis), lower, thin.transformed(se3.pose(position=middle)))
    return model


def along(direction, second="y", gravity=(0.0, 0.0, -9.81)):
    """Two thin rods whose zero pose lies along a direction."""
    direction = np.array(direction, dtype=float)
    size = np.where(direction != 0.0, 1.0, 0.01)
    rod = rbd.Inertia.box(size, mass=1.0).transformed(se3.pose(position=0.5 * direction))
    model = rbd.Model("two rods", gravity=gravity)
    model.add_body("first", joint=rbd.Revolute("y"), inertia=rod)
    model.add_body("second", "first", rbd.Revolute(second), direction, rod)
    return model


@pytest.mark.parametrize(
    "model",
    [rods(), rods("-y"), along([1, 0, 0]), along([0, 0, 1]), along([-1, 0, 0], "-y")],
    ids=["boxes", "other sense", "horizontal", "upright", "horizontal, signs differ"],
)
def test_two_rods_accepts_any_right_model(model):
    assert first_steps.two_rods(model)


@pytest.mark.parametrize(
    ("gravity", "word"),
    [((0.0, 0.0, -1.6), "weight is off"), ((0.0, 0.0, 0.0), "nothing pulls"), ((0.0, -9.81, 0.0), "nothing pulls")],
)
def test_two_rods_under_another_gravity(gravity, word):
    verdict = first_steps.two_rods(along([1, 0, 0], gravity=gravity))
    assert not verdict and word in verdict.why


@pytest.mark.parametrize(
    ("model", "word"),
    [
        (rbd.Model("empty"), "0 freedoms"),
        (pendulum(), "1 freedoms"),
        (rods(lower=(0, 0, 0)), "wrong place"),
        (rods(middle=(0, 0, 0)), "own middle"),
        (rods(axis="x"), None),
        (double_pendulum(), "of your own"),
        ("pendulum", "not a Model"),
    ],
)
def test_two_rods_explains(model, word):
    verdict = first_steps.two_rods(model)
    if word is None:
        # about x instead of y the rods swing sideways, with the same equations
        assert verdict
    else:
        assert not verdict
        assert word in verdict.why


def test_a_verdict_shows_itself():
    verdict = first_steps.period(0.1, pendulum())
    assert repr(verdict).startswith("✗")
    assert "not yet" in verdict._repr_html_()
    assert "<b>" not in first_steps.two_rods("<b>")._repr_html_().split("&ensp;")[1]
