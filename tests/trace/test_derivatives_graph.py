"""Derivatives of recorded arithmetic, against the complex step, mpmath and SymPy's differentiation."""

import math

import mpmath
import numpy as np
import pytest

from rbdkit.trace import compile_python, python_source, select, trace
from rbdkit.trace.differentiate import gradient, jacobian, pullback, tangent
from rbdkit.trace.run.backend import executable
from rbdkit.trace.scalar import whole

ROUND_OFF = 1e-14  # of a handful of operations


def pendulum_forces(q, v, m):
    """Torques of a double pendulum: what robots are made of, products of sines, cosines and parameters."""
    c, s = np.cos(q[1]), np.sin(q[1])
    h = m[1] * s
    return [
        (m[0] + m[1] * c) * v[0] + (m[2] + 0.5 * m[1] * c) * v[1] - h * v[0] * v[1],
        (m[2] + 0.5 * m[1] * c) * v[0] / (1.5 + np.cos(q[0])) + np.sqrt(m[2] + v[1] * v[1]) - 0.5 * h * v[0] ** 2,
    ]


POINT = np.array([0.3, -0.8]), np.array([1.1, 0.4]), np.array([1.7, 0.9, 0.5])
NAMES = ("q", "v", "m")


@pytest.fixture(scope="module")
def forces():
    return trace(pendulum_forces, 2, 2, 3, names=NAMES)


def complex_step(function, point, which: int) -> np.ndarray:
    """Exact to round-off: no difference is taken."""
    columns = []
    for k in range(len(point[which])):
        moved = [x.astype(complex) for x in point]
        moved[which][k] += 1e-30j
        columns.append(np.array([complex(y).imag / 1e-30 for y in function(*moved)]))
    return np.array(columns).T


@pytest.mark.parametrize("which", range(3))
def test_a_jacobian_is_that_of_the_complex_step(forces, which):
    found = np.array(jacobian(forces, NAMES[which])(*POINT), dtype=float)
    assert np.abs(found - complex_step(pendulum_forces, POINT, which)).max() < ROUND_OFF
    # the traced function takes complex numbers itself
    assert np.abs(found - complex_step(forces, POINT, which)).max() < ROUND_OFF


def test_forward_and_reverse_agree(forces):
    """Rows weighted from the left, columns from the right: both are parts of one matrix."""
    rng = np.random.default_rng(0)
    J = np.hstack([np.array(jacobian(forces, name)(*POINT), dtype=float) for name in NAMES])
    dx, w = rng.normal(size=7), rng.normal(size=2)
    along = tangent(forces)(*POINT, *np.split(dx, [2, 4]))
    assert np.abs(along.astype(float) - J @ dx).max() < ROUND_OFF
    assert np.abs(pullback(forces)(*POINT, w).astype(float) - w @ J).max() < ROUND_OFF


OPERATIONS = {
    "add": (lambda x: x + 2.5 * x, "x + 2.5*x"),
    "sub": (lambda x: 1.0 - x - 3.0 * x, "1 - x - 3*x"),
    "mul": (lambda x: x * x * 0.7, "x*x*0.7"),
    "div": (lambda x: 2.0 / x + x / (x + 3.0), "2/x + x/(x + 3)"),
    "neg": (lambda x: -(x * x), "-x*x"),
    "power": (lambda x: x**5, "x**5"),
    "sqrt": (lambda x: np.sqrt(x * x + 0.5), "sqrt(x*x + 0.5)"),
    "sin": (lambda x: np.sin(3.0 * x), "sin(3*x)"),
    "cos": (lambda x: np.cos(x * x), "cos(x*x)"),
    "nested": (lambda x: np.sin(np.cos(np.sqrt(x)) / x), "sin(cos(sqrt(x))/x)"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_against_mpmath_and_sympy(name):
    import sympy

    function, formula = OPERATIONS[name]
    traced, x = trace(function, ()), 0.8
    by_sympy = float(sympy.diff(sympy.sympify(formula)).evalf(30, subs={sympy.Symbol("x"): sympy.Float("0.8", 30)}))
    with mpmath.workdps(40):
        by_mpmath = float(mpmath.diff(mpmath_form(formula), mpmath.mpf("0.8")))
    for derivative in (gradient(traced), jacobian(traced)):
        found = float(derivative(x))
        assert found == pytest.approx(by_sympy, rel=ROUND_OFF)
        assert found == pytest.approx(by_mpmath, rel=ROUND_OFF)


def mpmath_form(formula: str):
    names = {"sin": mpmath.sin, "cos": mpmath.cos, "sqrt": mpmath.sqrt}
    return lambda x: eval(formula, names, {"x": x})


def test_second_derivatives_by_differentiating_twice():
    traced = trace(lambda x: np.sin(x[0]) * x[1] ** 3 + x[0] / x[1], 2)
    x = np.array([0.4, 1.3])
    H = np.array(jacobian(gradient(traced))(x), dtype=float)
    a, b = x
    expected = [
        [-math.sin(a) * b**3, 3 * math.cos(a) * b**2 - 1 / b**2],
        [3 * math.cos(a) * b**2 - 1 / b**2, 6 * math.sin(a) * b + 2 * a / b**3],
    ]
    assert np.abs(H - expected).max() < ROUND_OFF


def test_the_branch_taken_is_differentiated():
    """Also where the other one has no derivative, or none that is finite."""
    root = trace(lambda x: select(x > 0.0, np.sqrt(x) * np.sqrt(x) * x, -2.0 * x), ())
    with np.errstate(invalid="ignore", divide="ignore"):
        for derivative in (gradient(root), jacobian(root)):
            assert float(derivative(-1.0)) == -2.0
            assert float(derivative(0.25)) == pytest.approx(0.5, rel=ROUND_OFF)
        # at the turn the condition x > 0 does not hold, and the root's slope is infinite there
        assert float(gradient(root)(0.0)) == -2.0
    size = trace(abs, ())
    assert [float(gradient(size)(x)) for x in (-3.0, 2.0, 0.0)] == [-1.0, 1.0, 1.0]


def test_rounding_has_no_slope():
    saw = trace(lambda x: x * x - whole(x), ())
    assert float(gradient(saw)(1.3)) == pytest.approx(2.6, rel=ROUND_OFF)
    assert float(tangent(saw)(1.3, 1.0)) == pytest.approx(2.6, rel=ROUND_OFF)


def test_derivatives_go_through_the_emitters(forces):
    back = pullback(forces)
    w = np.array([0.3, -2.0])
    expected = back(*POINT, w).astype(float)
    source = python_source(back)
    assert np.abs(np.array(compile_python(source, "traced")(*POINT, w), dtype=float) - expected).max() < ROUND_OFF
    program = back.program()
    arrays = {**dict(zip((*NAMES, "weights"), (*POINT, w), strict=True)), "result": np.zeros(7)}
    executable(program, "llvm").bind(arrays, {})()
    assert np.abs(arrays["result"] - expected).max() < ROUND_OFF


def test_derivatives_share_what_the_values_compute():
    """A gradient by n numbers costs a small multiple of the function, not n of them (Griewank: at most about four)."""
    n = 30
    traced = trace(lambda x: np.sin(x @ x) * np.prod(x[:5]) / (1.0 + np.sqrt(x @ x)), n)
    assert gradient(traced).operations().total < 4 * traced.operations().total


def test_what_does_not_matter_disappears():
    traced = trace(lambda x, y: [3.0 * x + y * y, y], (), (), names=("x", "y"))
    assert jacobian(traced, "x").operations().total == 0
    assert [float(value) for value in jacobian(traced, "x")(1.0, 2.0)] == [3.0, 0.0]


def test_wrong_requests_are_named(forces):
    with pytest.raises(TypeError, match="'z' is not one of the traced function's: q, v, m"):
        jacobian(forces, "z")
    with pytest.raises(TypeError, match="argument None"):
        jacobian(forces)
    with pytest.raises(TypeError, match="of shape \\(2,\\); take the jacobian"):
        gradient(forces, "q")
