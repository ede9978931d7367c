"""Exponentials, logarithms and NumPy's other functions of one number in recorded code, against mpmath and NumPy."""

import math

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.trace import Copies, symbols, trace
from rbdkit.trace.differentiate import jacobian
from rbdkit.trace.run.backend import executable

ULP = {
    "exp": 1.0, "log": 1.0, "log1p": 3.0, "log2": 2.0, "log10": 3.0, "expm1": 4.0, "tanh": 4.0, "sinh": 4.0,
    "cosh": 3.0, "arcsinh": 5.0, "arccosh": 5.0, "arctanh": 6.0, "cbrt": 2.0,
}  # fmt: skip
"""Units of the last digit that each may be wrong by, of which every operation that it is made of gives half a one."""
MPMATH = {"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "log2": "log2", "log10": "log10"}
SLOPES = {
    "exp": np.exp, "expm1": np.exp, "log": lambda x: 1.0 / x, "log1p": lambda x: 1.0 / (1.0 + x),
    "log2": lambda x: 1.0 / x / np.log(2.0), "log10": lambda x: 1.0 / x / np.log(10.0),
    "tanh": lambda x: 1.0 / np.cosh(x) ** 2, "sinh": np.cosh, "cosh": np.sinh,
    "arcsinh": lambda x: 1.0 / np.sqrt(1.0 + x * x), "arctanh": lambda x: 1.0 / (1.0 - x * x),
    "arccosh": lambda x: 1.0 / np.sqrt((x - 1.0) * (x + 1.0)), "cbrt": lambda x: 1.0 / (3.0 * np.cbrt(x) ** 2),
}  # fmt: skip


def arguments(name):
    """Numbers of all sizes that a function takes."""
    rng = np.random.default_rng(4)
    signs, sizes = rng.choice([-1.0, 1.0], 300), 10.0 ** rng.uniform(-20, 2.5, 300)
    near = np.concatenate([rng.normal(size=200), 1e-3 * rng.normal(size=100), signs * sizes])
    match name:
        case "log" | "log2" | "log10":
            return np.concatenate([np.abs(near), 10.0 ** rng.uniform(-307, 308, 200), [1.0, 2.0, 0.5, 1.0 - 2**-53]])
        case "log1p":
            return np.concatenate(
                [near[near > -1.0], 10.0 ** rng.uniform(2, 307, 50), -1.0 + 10.0 ** rng.uniform(-15, -1, 50)]
            )
        case "arccosh":
            return 1.0 + 10.0 ** rng.uniform(-12, 150, 300)
        case "arctanh":
            return np.tanh(near[np.abs(near) < 15])
        case "cbrt" | "arcsinh":
            return np.concatenate([near, signs[:100] * 10.0 ** rng.uniform(-300, 300, 100)])
    return np.concatenate([near, rng.uniform(-700, 700, 200)])


def compiled(function, x, backend="llvm"):
    """What recorded code of a function of one number gives for many."""
    program = trace(lambda x: np.ravel(function(x[0])), 1, names=("x",)).program()
    found, given = np.zeros(1), np.zeros(1)
    run = executable(program, backend).bind({"x": given, "result": found}, {})
    values = []
    for number in x:
        given[0] = number
        run()
        values.append(found[0])
    return np.array(values)


@pytest.mark.parametrize("name", ULP)
@pytest.mark.parametrize("backend", ["llvm", "python"])
def test_to_the_last_digits(name, backend):
    x = arguments(name)
    found = compiled(getattr(np, name), x, backend)
    with mpmath.workdps(60):
        exact = {"log2": lambda x: mpmath.log(x, 2), "log10": mpmath.log10}.get(name) or getattr(
            mpmath, MPMATH.get(name, name)
        )
        if name == "cbrt":
            exact = lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))  # noqa: E731
        for number, value in zip(x, found, strict=True):
            expected = exact(mpmath.mpf(float(number)))
            error = abs(mpmath.mpf(float(value)) - expected) / np.spacing(abs(float(expected)))
            assert error <= ULP[name], (number, value, float(expected), float(error))


@pytest.mark.parametrize("name", ULP)
def test_numbers_among_symbols_are_computed_at_once(name):
    x = arguments(name)[::20]
    x = np.concatenate([x, [720.0, -720.0]]) if name in ("sinh", "cosh", "tanh", "exp", "expm1") else x
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
        found = trace(lambda y: getattr(np, name)(symbols([*y, *x.tolist()]))[1:], 1, names=("x",)).outputs
    assert all(isinstance(value, float) for value in found)
    assert_allclose(found, expected, rtol=1e-15 * ULP[name])


@pytest.mark.parametrize("name", SLOPES)
def test_their_slopes(name):
    x = arguments(name)
    x = x[(np.abs(x) < 300.0) & (np.abs(x) > 1e-6)]
    if name in ("arccosh", "arctanh", "log1p"):  # near an end of its range a slope is as good as the distance from it
        x = x[(np.abs(np.abs(x) - 1.0) > 1e-3)]
    program = jacobian(trace(lambda x: [getattr(np, name)(x[0])], 1, names=("x",)), "x").program()
    found, given = np.zeros(1), np.zeros(1)
    run = executable(program, "llvm").bind({"x": given, "result": found}, {})
    for number in x:
        given[0] = number
        run()
        np.testing.assert_allclose(
            found[0], SLOPES[name](number), rtol=3e-13, atol=1e-15, err_msg=f"{name} at {number}"
        )


def test_what_overflows_and_what_is_not_defined():
    special = np.array([0.0, -0.0, 1.0, -1.0, 709.7, 711.0, 1e6, -709.0, -746.0, -1e6, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        for name in ("exp", "expm1", "tanh", "log", "log1p", "sinh", "cosh", "arcsinh", "cbrt"):
            expected = getattr(np, name)(special)
            for backend in ("llvm", "python"):
                found = compiled(getattr(np, name), special, backend)
                np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-300, err_msg=f"{name}, {backend}")


POWERS = [2, 3, 7, -1, -2, 0.5, -0.5, 1.5, 2.5, 1.0 / 3.0, 0.1, -1.7, np.pi, 40, 65.0, 0.0]


@pytest.mark.parametrize("exponent", POWERS)
def test_powers(exponent):
    x = 10.0 ** np.random.default_rng(1).uniform(-4, 4, 100)
    for power in (lambda x: x**exponent, lambda x: np.power(x, exponent)):
        np.testing.assert_allclose(compiled(power, x), x**exponent, rtol=5e-15 * max(1.0, abs(exponent)))
    if float(exponent).is_integer():
        np.testing.assert_allclose(
            compiled(lambda x: x**exponent, -x), (-x) ** exponent, rtol=1e-14 * max(1, abs(exponent))
        )
    np.testing.assert_allclose(compiled(lambda x: 1.3**x, np.log(x)), 1.3 ** np.log(x), rtol=1e-14)
    np.testing.assert_allclose(
        compiled(lambda x: x**x, 0.1 * x[x < 100]), (0.1 * x[x < 100]) ** (0.1 * x[x < 100]), rtol=1e-13
    )


class Law:
    """What a user's own formulas are copied for."""


ROUNDED = {
    "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "floor": np.floor, "fabs": np.fabs, "sign": np.sign,
    "radians": np.radians, "degrees": np.degrees, "halves": lambda x: x % 0.5, "own": lambda x: x // 0.3,
    "fmod": lambda x: np.fmod(x, 0.7), "copysign": lambda x: np.copysign(2.0, x),
    "sign of another": lambda x: np.copysign(x, -1.0), "heaviside": lambda x: np.heaviside(x, 0.5),
    "logaddexp": lambda x: np.logaddexp(x, 0.3), "fmax": lambda x: np.fmax(x, 0.1),
    "max": lambda x: np.max(np.array([x, 0.2, -x])), "min": lambda x: np.min(np.array([[x, 0.2], [0.1, -x]])),
    "any": lambda x: np.where(np.any(np.array([x > 1.0, x < -1.0])), 3.0, x),
    "all": lambda x: np.where(np.all(np.array([x > -1.0, x < 1.0])), x * x, 2.0),
    "unlike": lambda x: np.where(np.not_equal(x, 0.0), 1.0, -1.0),
    "either": lambda x: np.where(np.logical_xor(x > -1.0, x > 1.0), 1.0, -1.0),
    "table": lambda x: np.interp(x, [-1.0, -0.5, 0.0, 0.0, 2.0], [3.0, -1.0, 0.5, 1.0, 0.0]),
    "module math": lambda x: math.exp(-x * x) + math.log(2.0 + math.tanh(x), 10.0) + math.pow(math.fabs(x) + 1.0, 0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDED)
def test_functions_that_round_choose_and_look_up(name):
    function = ROUNDED[name]
    x = np.concatenate([np.random.default_rng(2).normal(size=200) * 2.0, [0.0, 1.0, -1.0, 0.5, 2.0]])
    expected = [function(number) for number in x]
    np.testing.assert_allclose(compiled(Copies(Law).of(function), x), expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.0, 1.0, 2.0, 3.0]])
def test_tables_have_a_value_for_each_place(values):
    with pytest.raises(TypeError, match=f"there are {len(values)} for 3"):
        trace(lambda x: np.interp(x, [0.0, 1.0, 2.0], values), ())
