import mpmath
import numpy as np
import pytest

from rbdkit.spatial.stumpff import SWITCH, half_cotangent, stumpff

EPS = np.finfo(float).eps
ANGLES = np.concatenate(
    [[0.0], 10.0 ** np.arange(-300, 0, 25), np.geomspace(1e-12, 6.28, 150), np.nextafter(SWITCH, [0, 9]), [2 * np.pi]]
)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_stumpff_functions_are_accurate_to_a_few_ulp(k):
    """Against the series in 50 digits; c_1 and c_2 vanish at 2 pi, so the error is measured against 1/k!."""
    for t in ANGLES:
        exact = mpmath.hyp1f2(1, mpmath.mpf(k + 1) / 2, mpmath.mpf(k + 2) / 2, -(mpmath.mpf(t) ** 2) / 4)
        exact /= mpmath.factorial(k)
        error = abs(stumpff(k, float(t)) - exact) * mpmath.factorial(k)
        assert error < 4 * EPS, f"t = {t}"


def test_half_cotangent_is_accurate_to_a_few_ulp():
    for t in ANGLES[ANGLES < 6.2]:
        d, e = half_cotangent(float(t))
        x = mpmath.mpf(t if t > 1e-15 else 1e-15)
        with mpmath.workdps(120):  # the closed forms lose 60 digits at 1e-15
            exact_d = (1 - x / 2 * mpmath.cot(x / 2)) / x**2
            exact_e = (exact_d - mpmath.mpf(1) / 12) / x**2
        assert abs(d / exact_d - 1) < 4 * EPS / (1 - t / 6.3), f"t = {t}"
        assert abs(e / exact_e - 1) < 12 * EPS / (1 - t / 6.3), f"t = {t}"


def test_arrays_give_the_same_as_floats():
    for k in (1, 2, 3, 4, 5):
        np.testing.assert_allclose(stumpff(k, ANGLES), [stumpff(k, float(t)) for t in ANGLES], rtol=2 * EPS, atol=EPS)
    np.testing.assert_allclose(
        np.array(half_cotangent(ANGLES[:-1])).T, [half_cotangent(float(t)) for t in ANGLES[:-1]], rtol=4 * EPS
    )
