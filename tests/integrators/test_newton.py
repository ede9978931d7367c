"""Newton's method: quadratic, with or without a Jacobian, and clear when it fails."""

from itertools import pairwise

import numpy as np
import pytest

from rbdkit.errors import ConvergenceError
from rbdkit.integrators.newton import solve


def circle_and_line(z):
    return np.array([z[0] ** 2 + z[1] ** 2 - 2.0, z[0] - z[1]])


def derivative(z):
    return np.array([[2.0 * z[0], 2.0 * z[1]], [1.0, -1.0]])


@pytest.mark.parametrize("jacobian", [derivative, None])
def test_the_root_is_found_and_the_residuals_fall_quadratically(jacobian):
    z, solved = solve(circle_and_line, np.array([2.0, 0.5]), jacobian)
    np.testing.assert_allclose(z, [1.0, 1.0], rtol=1e-12)
    r = solved.residuals
    assert solved.iterations == len(r) - 1 <= 6
    assert all(after <= 1.0 * before**2 + 1e-12 for before, after in pairwise(r[1:]))


def test_a_solution_needs_no_iteration():
    _, solved = solve(circle_and_line, np.array([1.0, 1.0]), derivative)
    assert solved.iterations == 0


def test_round_off_ends_the_search_when_the_tolerance_cannot_be_met():
    """The residual of x^2 = 2e20 is no smaller than its last digit, about 1e4."""
    z, _ = solve(lambda x: x**2 - 2e20, np.array([1e10]), lambda x: np.diag(2.0 * x))
    assert z[0] == pytest.approx(np.sqrt(2e20), rel=1e-15)


@pytest.mark.parametrize(
    ("residual", "reason"),
    [
        (lambda z: z**2 + 1.0, "after 20 iterations"),
        (lambda z: np.full(1, np.nan), "residual is nan"),
        (lambda z: np.ones(1), "Jacobian is singular"),
    ],
)
def test_failure_tells_what_was_solved_the_residual_and_what_to_try(residual, reason):
    with pytest.raises(ConvergenceError, match=reason) as error:
        solve(residual, np.array([0.7]), what="the step at t = 3 s", advice="halve the step")
    assert str(error.value).startswith("the step at t = 3 s could not be solved")
    assert "halve the step" in str(error.value)
