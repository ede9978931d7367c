"""Integrals over recorded times: SciPy's, and parabolas without an error."""

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

from rbdkit.simulation.simpson import integral


@pytest.mark.parametrize("n", range(2, 10))
def test_times_of_any_distance(n):
    rng = np.random.default_rng(n)
    t = np.cumsum(rng.uniform(0.1, 2.0, n))
    y = rng.normal(size=n)
    # the same sums in another order
    np.testing.assert_allclose(integral(y, t), cumulative_simpson(y, x=t, initial=0.0), rtol=0, atol=1e-13)
    if n > 2:
        exact = (t**3 - t[0] ** 3) - 2.0 * (t**2 - t[0] ** 2) + 0.5 * (t - t[0])
        np.testing.assert_allclose(integral(3.0 * t**2 - 4.0 * t + 0.5, t), exact, rtol=1e-13, atol=1e-12)


def test_one_state_and_none_of_anything():
    assert integral(np.array([3.0]), np.array([0.0])).tolist() == [0.0]
    assert integral(np.zeros(4), np.arange(4.0)).tolist() == [0.0] * 4
