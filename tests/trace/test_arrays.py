"""NumPy's functions on arrays of symbols do what they do to numbers."""

import math

import numpy as np
import pytest

from rbdkit.trace import compile_python, equal, jacobian, python_source, select, trace

FUNCTIONS = {
    "clip": lambda t, x: np.clip(x, -0.5, 0.5),
    "clip of a number": lambda t, x: np.clip(x[0] * 3.0, -0.5, t),
    "minimum": lambda t, x: np.minimum(x, t),
    "maximum of numbers": lambda t, x: np.maximum(t, x[1]),
    "maximum with an array": lambda t, x: np.maximum(np.array([0.1, -0.1, 0.2]), x),
    "where": lambda t, x: np.where(x > 0.0, x, -2.0 * x),
    "where of an array": lambda t, x: np.where(np.array([True, False, True]), x, t),
    "where at least": lambda t, x: np.where(x >= t, x, np.where(x <= -0.2, 3.0, t)),
    "at most": lambda t, x: [select(t <= x[0], 1.0, t), select(x[1] >= x[1], 2.0, t)],
    "where of numbers": lambda t, x: np.where(x[0] > 0.0, t, -t),
    "conditions as numbers": lambda t, x: (x[0] > 0.0) * t + 2.0 * (x < t),
    "several conditions": lambda t, x: np.where((x > -0.5) & (x < t) | ~(x < 1.0), x, t),
    "logical functions": lambda t, x: np.where(np.logical_and(x > -0.5, np.logical_not(x > t)), x, t),
    "select of arrays": lambda t, x: np.select([x > t, x < -0.5], [x * x, t + x], 0.5),
    "sign": lambda t, x: np.sign(x) + np.sign(t) + np.sign(x - x),
    "where below": lambda t, x: np.where(x < t, np.sin(x), 1.0),
    "abs": lambda t, x: np.abs(x) + abs(t),
    "number and array": lambda t, x: t * x + np.ones(3) * t - (t - x) / (2.0 + t * np.array([1.0, 2.0, 3.0])),
    "scalars of NumPy": lambda t, x: np.float64(2.0) * t + np.float64(1.0) - t / np.float64(4.0),
    "assignments": lambda t, x: assigned(t, x),
    "in place": lambda t, x: in_place(x),
    "products": lambda t, x: np.eye(3) @ x + np.cross(x, [1.0, 2.0, 3.0]) * np.dot(x, x),
    "sums": lambda t, x: [np.sum(x), x.sum(), np.sum(x**2), np.mean(x)],
    "shapes": lambda t, x: np.concatenate([x[::-1], np.outer(x, x).ravel(), x.reshape(3, 1).T[0]]),
    "select": lambda t, x: select(equal(x[0], t), 1.0, x[0]),
}


def assigned(t, x):
    y = np.zeros_like(x)
    y[0], y[1:] = t, np.sin(x[:2])
    return y


def in_place(x):
    y = x.copy()
    y += 1.0
    y *= x
    np.sin(y, out=y)
    return y


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = FUNCTIONS[name]
    record = trace(function, (), 3, names=("t", "x"))
    own = compile_python(python_source(record), "traced")
    rng = np.random.default_rng(0)
    for _ in range(5):
        t, x = rng.normal(), rng.normal(size=3)
        expected = function(t, x)
        np.testing.assert_allclose(own(t, x.tolist()), np.ravel(expected), rtol=1e-14)
        assert record.shape == np.shape(expected)


def test_what_needs_a_value_is_refused():
    with pytest.raises(TypeError, match=r"use rbdkit\.trace\.equal"):
        trace(lambda x: 1.0 if x[0] == 0.0 else x[0], 2)
    with pytest.raises(TypeError, match="cannot branch on a symbol"):
        trace(lambda x: max(x[0], x[1]), 2)
    with pytest.raises(TypeError, match=r"numpy\.zeros_like of an argument"):
        trace(lambda x: np.zeros(2).__setitem__(0, x[0]), 2)


def test_the_angle_of_a_point_to_two_units_of_the_last_digit():
    rng = np.random.default_rng(0)
    traced = trace(lambda y, x: [np.arctan2(y, x)], (), (), names=("y", "x"))
    angle, slopes = (compile_python(python_source(code), "traced") for code in (traced, jacobian(traced, "y")))
    points = [*rng.normal(size=(2000, 2)), *(rng.normal(size=(2000, 2)) * 10.0 ** rng.uniform(-150, 150, (2000, 2)))]
    points += [np.array([y, x]) for y in (-1.0, 0.0, 1.0, 0.66) for x in (-1.0, 0.0, 1.0)]
    for y, x in points:
        expected = math.atan2(y, x)
        assert abs(angle(float(y), float(x))[0] - expected) <= 2.0 * np.spacing(abs(expected))
    for y, x in [*points[:2000], (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (0.66, 1.0)]:  # where it folds, too
        assert np.ravel(slopes(float(y), float(x)))[0] == pytest.approx(x / (x * x + y * y), rel=1e-13, abs=1e-14)
    assert trace(lambda x: [np.arctan(x)], (), names=("x",))(0.3) == pytest.approx(math.atan(0.3), rel=2e-16)
