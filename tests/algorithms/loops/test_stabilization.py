"""What stabilization is for: a four-bar linkage integrated with fixed steps in the coordinates of its tree."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.loops import Baumgarte, loop_constraint, loop_equation, solve_for_independents
from rbdkit.library import planar_four_bar

pytestmark = pytest.mark.source("F8.03")
MODEL = planar_four_bar(coupler=0.4)
MODEL.gravity = np.zeros(3)
TAU = np.array([0.02, 0.0, 0.0])


def start():
    q = MODEL.neutral()
    K = loop_constraint(MODEL, q, np.zeros(3)).K
    v = np.linalg.svd(K)[2][2]
    return q, 4.0 * v / v[0]


@cache
def run(h, seconds, T_stab, off=0.0):
    """By RK4; off : how far the loop is open at the start, m. Returns states, and loop errors at all steps."""
    how = None if T_stab is None else Baumgarte.of_time(T_stab)

    def rate(x):
        # open by more than a little, the linkage is not planar; three of its five rows are known to say nothing
        equation = loop_equation(MODEL, x[:3], x[3:], TAU, stabilization=how, tol=1e-6)
        return np.concatenate([x[3:], solve_for_independents(equation).motion.qdd])

    x = np.concatenate(start())
    x[2] += off / 0.4
    states = [x]
    for _ in range(round(seconds / h)):
        k1 = rate(x)
        k2 = rate(x + 0.5 * h * k1)
        k3 = rate(x + 0.5 * h * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3))
        states.append(x)
        if not np.abs(x).max() < 1e3:
            break
    return np.array(states), np.array([np.abs(loop_constraint(MODEL, x[:3], x[3:]).delta).max() for x in states])


def test_without_it_errors_pile_up():
    """Unstabilized, the loop opens as time goes by; stabilized, the error is bounded by what a few steps add."""
    _, bare = run(0.02, 2.0, None)
    _, held = run(0.02, 2.0, 0.1)
    assert bare[100] > 1.5 * bare[50] and bare[100] > 10.0 * held[50:].max()
    assert held.max() < 1e-4


def test_an_error_fades_with_the_time_constant():
    """Critically damped, e = e0 (1 + t / T) exp(-t / T), as far as the axes of the loop joint stand still."""
    for T in (0.02, 0.04):
        _, gap = run(0.005, 0.1, T, off=1e-5)
        t = 0.005 * np.arange(len(gap))
        expected = gap[0] * (1.0 + t / T) * np.exp(-t / T)
        assert_allclose(gap, expected, atol=0.1 * gap[0])
        assert gap[-1] < 0.35 * gap[0]


def test_a_factor_of_two_hardly_matters():
    """All of these T_stab give the motion with the same error, which is that of the method: halve the step instead."""
    exact = run(0.005, 1.0, 0.1)[0][-1]
    errors = {T: np.abs(run(0.02, 1.0, T)[0][-1] - exact).max() for T in (0.05, 0.1, 0.2)}
    assert max(errors.values()) < 1.5 * min(errors.values())
    half = np.abs(run(0.01, 1.0, 0.1)[0][-1] - exact).max()
    assert half < 0.2 * errors[0.1]


def test_too_small_makes_the_equations_stiff():
    """-1/T is a double eigenvalue; RK4 is stable for h / T < 2.785, and no longer just beyond."""
    h = 0.002
    _, calm = run(h, 0.1, h / 2.6, off=1e-6)
    _, wild = run(h, 0.1, h / 3.1, off=1e-6)
    assert calm.max() < 1e-3 and wild.max() > 1e2 * calm.max()
