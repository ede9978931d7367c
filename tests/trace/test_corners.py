"""Recorded functions where their cases meet: zeros with a sign, infinity, what is no number, whole multiples."""

import itertools

import numpy as np
import pytest

from rbdkit.trace import compile_python, executable, jacobian, python_source, trace

NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 0.1, 0.3, 0.7, -2.5, 1.5, -7.3, np.inf, -np.inf, np.nan, 1e-200,
    1e200, 2.0**51 + 1.0, 1e15,
]  # fmt: skip
ONE = [
    "sign", "abs", "floor", "ceil", "trunc", "rint", "sqrt", "cbrt", "exp", "log", "log1p", "expm1", "sinh", "cosh",
    "tanh", "arcsinh", "arctanh", "arctan", "arcsin", "arccos", "isnan", "isfinite", "isinf", "signbit", "square",
    "nan_to_num",
]  # fmt: skip
TWO = [
    "arctan2", "hypot", "maximum", "minimum", "fmax", "fmin", "copysign", "heaviside", "less", "greater", "less_equal",
    "greater_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_xor", "logaddexp", "power",
    "remainder", "fmod", "floor_divide",
]  # fmt: skip
EXACT = {"remainder", "fmod", "floor_divide"}
"""To the last digit, as long as the quotient is below 2^50; beyond they are no numbers."""


def run_of(function, count):
    program = trace(lambda *x: [1.0 * function(*x)], *[()] * count, names=("x", "y")[:count]).program()
    given = {name: np.zeros(1) for name in program.arrays}
    run = executable(program, "llvm").bind(given, {})

    def value(*numbers):
        for name, number in zip(("x", "y"), numbers, strict=False):
            if name in given:
                given[name][0] = number
        run()
        return given["result"][0]

    return value


def told(name, *numbers):
    with np.errstate(all="ignore"):
        return 1.0 * float(getattr(np, name)(*map(np.float64, numbers)))


def same(name, found, expected):
    if np.isnan(expected) or np.isinf(expected):
        return np.isnan(found) if np.isnan(expected) else found == expected
    rel = 0.0 if name in EXACT else 1e-13 if name == "power" else 2e-15
    return abs(found - expected) <= rel * abs(expected)


def left_out(name, *numbers):
    """What the docstrings leave out."""
    if name in EXACT:
        with np.errstate(all="ignore"):
            return abs(np.divide(*numbers)) >= 2.0**50 and np.isfinite(numbers[0])
    return name == "power" and numbers == (-np.inf, 0.5)  # NumPy itself has two values for it, by ** and by power


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(name):
    value = run_of(getattr(np, name), 1)
    found = [(x, value(x), told(name, x)) for x in NUMBERS]
    assert [each for each in found if not same(name, each[1], each[2])] == []


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    value, pairs = run_of(getattr(np, name), 2), itertools.product(NUMBERS, NUMBERS)
    asked = [pair for pair in pairs if not left_out(name, *pair)]
    found = [(pair, value(*pair), told(name, *pair)) for pair in asked]
    assert [each for each in found if not same(name, each[1], each[2])] == []


@pytest.mark.parametrize(
    "name", ["arctan2", "maximum", "minimum", "power", "remainder", "fmod", "heaviside", "copysign"]
)
@pytest.mark.parametrize("which", [0, 1])
def test_with_one_number_that_is_known(name, which):
    wrong = []
    for known in (0.0, 1.0, -1.0, 2.0, 0.1, -2.5, 3.0, np.inf, np.nan):
        value = run_of(lambda x, known=known: getattr(np, name)(*((known, x) if which == 0 else (x, known))), 1)
        for x in NUMBERS:
            pair = (known, x) if which == 0 else (x, known)
            skipped = left_out(name, *pair) or (name == "power" and -np.inf in pair) or pair == (np.inf, 0.0)
            if not skipped and not (same(name, value(x), told(name, *pair)) or (name == "power" and x == 0.0)):
                wrong.append((pair, value(x), told(name, *pair)))
    assert wrong == []


def test_zero_to_the_power_of_zero():
    assert run_of(np.power, 2)(0.0, 0.0) == run_of(lambda x: 0.0**x, 1)(0.0) == run_of(lambda x: x**0, 1)(0.0) == 1.0


def test_remainders_are_exact():
    """Times are multiples of steps: 0.3 % 0.1 is nearly 0.1, and 1.0 % 0.1 is, too."""
    value = run_of(np.remainder, 2)
    rng = np.random.default_rng(3)
    pairs = [(0.1 * k, 0.1) for k in range(300)] + [(k / 10, 0.1) for k in range(300)]
    pairs += [
        (x * y, y) for x, y in zip(rng.integers(-(2**40), 2**40, 300), 10.0 ** rng.uniform(-5, 5, 300), strict=True)
    ]
    assert [value(*pair) for pair in pairs] == [np.remainder(*pair) for pair in pairs]


def test_zeros_have_signs():
    """Of what is read from arrays: NumPy's angle of (-0.0, -1) is minus half a turn."""
    angle = run_of(np.arctan2, 2)
    for y, x in itertools.product((0.0, -0.0), (0.0, -0.0, 1.0, -1.0)):
        assert repr(float(angle(y, x))) == repr(float(np.arctan2(y, x)))
    assert run_of(lambda x: np.copysign(2.0, x), 1)(-0.0) == -2.0


def test_the_slope_of_copysign():
    slopes = jacobian(trace(lambda x, y: [np.copysign(x, y)], (), (), names=("x", "y")), "x")
    slope = compile_python(python_source(slopes), "traced")
    for x, y in itertools.product((2.0, -2.0), (3.0, -3.0)):
        assert np.ravel(slope(x, y)) == [np.sign(x) * np.sign(y)]


EXACT_ZEROS = [
    "sin", "tan", "arctan", "arcsin", "sinh", "tanh", "arcsinh", "arctanh", "expm1", "log1p", "abs", "floor", "trunc",
    "rint", "sqrt", "cbrt", "negative", "reciprocal",
]  # fmt: skip


@pytest.mark.parametrize("backend", ["python", "llvm"])
def test_laws_keep_zeros_with_their_signs(backend):
    """Where a sign tells the side of a jump: `numpy.arctan2` and what divides by a zero see it."""
    x = np.array([0.0, -0.0])
    program = trace(lambda x: [getattr(np, f)(x[k]) for f in EXACT_ZEROS for k in (0, 1)], 2, names=("x",), exact=True)
    given = {"x": x, "result": np.zeros(2 * len(EXACT_ZEROS))}
    executable(program.program(), backend).bind(given, {})()
    with np.errstate(divide="ignore"):
        expected = np.array([getattr(np, f)(y) for f in EXACT_ZEROS for y in x])
    assert list(map(repr, given["result"])) == list(map(repr, expected))


@pytest.mark.parametrize("backend", ["python", "llvm"])
def test_zeros_of_laws_are_numbers(backend):
    """0 / 0 and 0 * inf are none, and whole quotients that vanish have the sign of the others."""
    numbers = [0.0, -0.0, 2.0, -2.0, np.inf, -np.inf, np.nan]
    laws = [
        lambda x: 0.0 / x, lambda x: 0 * (1.0 / x), lambda x: 1.0 / (0.0 / x), lambda x: x // 3.0, lambda x: x // -3.0,
    ]  # fmt: skip
    program = trace(lambda x: [law(y) for law in laws for y in x], len(numbers), names=("x",), exact=True).program()
    given = {"x": np.array(numbers), "result": np.zeros(len(laws) * len(numbers))}
    executable(program, backend).bind(given, {})()
    with np.errstate(all="ignore"):
        expected = [law(np.float64(y)) for law in laws for y in numbers]
    for found, right in zip(given["result"], expected, strict=True):
        assert found == right or (np.isnan(found) and np.isnan(right))
