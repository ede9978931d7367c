"""The coefficients of Crouch-Grossman methods, by their order conditions and by a step in exact arithmetic."""

from __future__ import annotations

from itertools import combinations

import mpmath
import numpy as np
import pytest

from rbdkit.formulations import LinearSystem
from rbdkit.integrators import CrouchGrossman3, CrouchGrossman4, State

METHODS = pytest.mark.parametrize("method", [CrouchGrossman3(), CrouchGrossman4()], ids=lambda m: m.name)


@METHODS
def test_classical_order_conditions(method):
    A, b = np.array(method.A), np.array(method.b)
    c = A.sum(axis=1)
    conditions = [(b.sum(), 1), (b @ c, 1 / 2), (b @ c**2, 1 / 3), (b @ A @ c, 1 / 6)]
    if method.order == 4:
        conditions += [
            (b @ c**3, 1 / 4),
            (b @ (c * (A @ c)), 1 / 8),
            (b @ A @ c**2, 1 / 12),
            (b @ A @ A @ c, 1 / 24),
        ]
    for found, expected in conditions:
        assert found == pytest.approx(expected, abs=1e-15)


@METHODS
def test_conditions_on_the_order_of_the_factors(method):
    """Of x' = x a(t) with matrices a that do not commute: products of exponentials against the Magnus series.

    To order three ``sum_i<j b_i b_j (c_j - c_i) = 1/6``; to order four the same for c^2, and one for double brackets.
    """
    b, c = np.array(method.b), np.array(method.A).sum(axis=1)
    pairs = list(combinations(range(len(b)), 2))
    assert sum(b[i] * b[j] * (c[j] - c[i]) for i, j in pairs) == pytest.approx(1 / 6, abs=1e-15)
    if method.order == 4:
        assert sum(b[i] * b[j] * (c[j] ** 2 - c[i] ** 2) for i, j in pairs) == pytest.approx(1 / 6, abs=1e-15)


@METHODS
def test_local_error_on_a_group_in_exact_arithmetic(method):
    """Rotations under ``Y' = Y skew(w(Y, t))``: halving a step of 1e-2 divides its error by 2^(order + 1).

    In 40 digits; the coefficients, given to 16 digits, leave 1e-17 of an error of 1e-11.
    """
    with mpmath.workdps(40):
        h = mpmath.mpf(1) / 64
        errors = []
        for step in (h, h / 2):
            exact = mpmath.eye(3)
            for k in range(8):
                exact = _extrapolated(exact, k * step / 8, step / 8)
            errors.append(mpmath.norm(_composed(method, step) - exact))
    assert float(mpmath.log(errors[0] / errors[1], 2)) == pytest.approx(method.order + 1, abs=0.15)


def _spin(Y, t):
    """A matrix of so(3) that depends on attitude and time."""
    x, y, z = 1 + Y[0, 1] + t, Y[1, 2] - 2 * t * t, mpmath.mpf("0.5") + Y[2, 0] * Y[0, 0]
    return mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _composed(method, h):
    A, b = ([[mpmath.mpf(x) for x in row] for row in rows] for rows in (method.A, [method.b]))
    stages = []
    for row in A:
        stages.append(_spin(_product(row, stages, h), h * mpmath.fsum(row)))
    return _product(b[0], stages, h)


def _product(weights, stages, h):
    Y = mpmath.eye(3)
    for weight, stage in zip(weights, stages, strict=False):
        Y = Y * mpmath.expm(h * weight * stage, method="taylor")
    return Y


def _extrapolated(Y, t, h):
    """Y after h by a method of order 8: extrapolated midpoint steps of the matrix equation."""
    table = []
    for j, n in enumerate((2, 4, 6, 8)):
        table.append([_midpoint(Y, t, h, n)])
        for k in range(1, j + 1):
            factor = (mpmath.mpf(n) / (2, 4, 6, 8)[j - k]) ** 2 - 1
            table[j].append(table[j][k - 1] + (table[j][k - 1] - table[j - 1][k - 1]) / factor)
    return table[-1][-1]


def _midpoint(Y, t, h, n):
    """Gragg's modified midpoint rule with n substeps."""
    s = h / n
    before, now = Y, Y + s * Y * _spin(Y, t)
    for k in range(1, n):
        before, now = now, before + 2 * s * now * _spin(now, t + k * s)
    return (before + now + s * now * _spin(now, t + h)) / 2


@METHODS
def test_stages_are_the_evaluations_of_the_step(method):
    seen = []

    class Watched(LinearSystem):
        def rate(self, t, x, v):
            seen.append(t)
            return super().rate(t, x, v)

    system = Watched(-np.eye(2), np.zeros((2, 2)))
    state = State(1.0, np.ones(2), np.zeros(2))
    method.step(system, state, 0.1)
    stages = method.stages(Watched(-np.eye(2), np.zeros((2, 2))), state, 0.1)
    assert seen[: len(stages)] == [stage.t for stage in stages] and len(seen) == 2 * len(stages)
    assert len(stages) == len(method.b)
    np.testing.assert_allclose([s.t for s in stages], 1.0 + 0.1 * np.sum(method.A, axis=1))
