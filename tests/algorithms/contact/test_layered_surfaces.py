"""Surfaces with a spring in series, and arrays: closed forms of visco-elastic solids, and where energy goes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from rbdkit.algorithms.contact import CompliantSurface, SeriesSurface, SurfaceArray
from rbdkit.errors import ModelError

FINE = {"rtol": 1e-10, "atol": 1e-14}


@pytest.mark.source("F11.17")
def test_a_series_surface_relaxes():
    """Pressed at once by d and held: K_s d at first, K K_s / (K + K_s) d at last, with the time D / (K + K_s)."""
    one, d = SeriesSurface(400.0, 3.0, 1200.0), 0.01
    run = solve_ivp(
        lambda t, y: [one.rate(y[0], one.force(-d, y[0]))], (0, 0.01), [0.0], t_eval=np.linspace(0, 0.01, 7), **FINE
    )
    at_last = 400.0 * 1200.0 / 1600.0 * d
    expected = at_last + (1200.0 * d - at_last) * np.exp(-run.t * 1600.0 / 3.0)
    assert_allclose([one.force(-d, y) for y in run.y[0]], expected, rtol=1e-8)
    assert_allclose(one.force(-d, one.at_rest(-d)), at_last)
    assert one.force(0.001, 0.0) == 0.0


@pytest.mark.source("F11.17")
def test_a_series_surface_under_a_wave_has_the_modulus_of_a_standard_linear_solid():
    """K* = K_s (K + i w D) / (K + i w D + K_s), about a dent that keeps it touched."""
    K, D, K_s, w, mean, wave = 400.0, 3.0, 1200.0, 200.0, -0.02, 0.004
    one = SeriesSurface(K, D, K_s)
    p = lambda t: mean + wave * np.sin(w * t)  # noqa: E731
    period = 2.0 * np.pi / w
    t = 3.0 + period * np.arange(64) / 64
    run = solve_ivp(
        lambda t, y: [one.rate(y[0], one.force(p(t), y[0]))], (0, t[-1]), [one.at_rest(mean)], t_eval=t,
        method="LSODA", **FINE,
    )  # fmt: skip
    f = np.array([one.force(p(x), y) for x, y in zip(t, run.y[0], strict=True)])
    found = 2.0 * np.mean(f * np.exp(-1j * w * t)) / (-wave / 1j)
    assert_allclose(found, K_s * (K + 1j * w * D) / (K + 1j * w * D + K_s), rtol=1e-6)


@pytest.mark.source("F11.17")
def test_a_hard_spring_on_top_leaves_the_linear_surface():
    K, D, pushed = 400.0, 3.0, (-0.01, -0.05)  # p = -0.01 - 0.05 t
    stiff, plain = SeriesSurface(K, D, 1e6), CompliantSurface(K, D)
    y = solve_ivp(
        lambda t, y: [stiff.rate(y[0], stiff.force(pushed[0] + pushed[1] * t, y[0]))], (0, 0.02), [-0.01],
        method="LSODA", **FINE,
    ).y[0, -1]  # fmt: skip
    p = pushed[0] + 0.02 * pushed[1]
    assert_allclose(stiff.force(p, y), plain.force(p, pushed[1], p), rtol=1e-3)
    assert_allclose(stiff.recovered(-0.01, 0.3), -0.01 * np.exp(-0.3 * K / D))


@pytest.mark.source("F11.17")
def test_what_moves_over_an_array_pays_for_its_dents():
    """Power of normal force and drag = rate of what the springs hold + what the dampers take, step by step."""
    K, D, depth, speed, h, n = 500.0, 4.0, -0.01, 0.4, 2.5e-4, 2000
    array = SurfaceArray(CompliantSurface(K, D), np.linspace(0.0, 0.5, 11))
    s_0 = 0.01 + 1e-9  # so that steps begin, and never end, just beyond a place: slopes jump there

    def rate(t, x):
        z = x[:-2]
        f, drag = array.forces(depth, 0.0, s_0 + speed * t, speed, z)
        z_rate = array.rates(s_0 + speed * t, f, z)
        return np.array([*z_rate, -drag * speed, D * z_rate @ z_rate])  # work of the hand that moves it, heat

    w = array.weights(s_0)
    start = depth * w / (w @ w)
    x = np.array([*start, 0.0, 0.0])
    for k in range(n):  # the midpoint rule
        x = x + h * rate((k + 0.5) * h, x + 0.5 * h * rate(k * h, x))
    z_end, work, heat = x[:-2], x[-2], x[-1]
    stored = 0.5 * K * (z_end @ z_end - start @ start)
    assert work > 1e-3  # it is dragged all the way
    assert_allclose(work, stored + heat, rtol=1e-3)  # of order two: (125 h)^2 / 6
    assert_allclose(array.weights(s_0 + speed * n * h) @ z_end, depth, rtol=1e-3)  # the body fills its dent


@pytest.mark.source("F11.17")
def test_at_one_of_its_places_an_array_is_one_pair():
    plain, array = CompliantSurface(500.0, 4.0), SurfaceArray(CompliantSurface(500.0, 4.0), [0.0, 0.1, 0.3])
    for p_rate in (-0.2, 0.0, 0.1):
        f, drag = array.forces(-0.01, p_rate, 0.1, 0.0, np.array([0.0, -0.01, 0.0]))
        assert f == pytest.approx(plain.force(-0.01, p_rate, -0.01))
        assert drag == pytest.approx(-f * 0.01 / 0.2)  # the wall of the dent ahead
    assert array.forces(0.01, -1.0, 0.1, 0.0, np.zeros(3)) == (0.0, 0.0)
    assert array.slopes(-0.1).tolist() == array.slopes(0.4).tolist() == [0.0, 0.0, 0.0]


def test_surfaces_without_meaning_are_refused():
    with pytest.raises(ModelError, match="K_s = 0"):
        SeriesSurface(1.0, 1.0, 0.0)
    with pytest.raises(ModelError, match="must be linear"):
        SurfaceArray(CompliantSurface(1.0, 1.0, 1.5), [0.0, 1.0])
    with pytest.raises(ModelError, match="larger than the one before"):
        SurfaceArray(CompliantSurface(1.0, 1.0), [0.0, 0.0])
