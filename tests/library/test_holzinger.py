"""The tumbling box, and its free rotation by two routes that know nothing of each other."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import ModelError
from rbdkit.library import free_rotation, tumbling_box, tumbling_box_state
from rbdkit.library.holzinger import MOMENTS, SPIN
from rbdkit.spatial import Inertia, quaternion

TIMES = np.array([0.0, 0.1, 0.25, 0.5, 1.0])


def by_elliptic_functions(t: float, digits: int = 50) -> list[mpmath.mpf]:
    """Omega(t) of the tumbling box in closed form: Omega_3 = 100 sn, Omega_1 ~ dn, Omega_2 ~ cn of lambda t + K(m).

    Euler's equations hold for amplitudes with ``lambda^2 m = Omega_3^2 (J3-J2)(J1-J3)/(J1 J2)`` and
    ``lambda^2 (1-m) = Omega_1^2 (J1-J2)(J1-J3)/(J2 J3)`` at the start, where Omega_2 = 0.
    """
    with mpmath.workdps(digits):
        J1, J2, J3 = (mpmath.mpf(x) for x in MOMENTS)
        O1, _, O3 = (mpmath.mpf(x) for x in SPIN)
        middle = O3**2 * (J3 - J2) * (J1 - J3) / (J1 * J2)
        rest = O1**2 * (J1 - J2) * (J1 - J3) / (J2 * J3)
        rate, m = mpmath.sqrt(middle + rest), middle / (middle + rest)
        u = rate * mpmath.mpf(t) + mpmath.ellipk(m)
        a = O1 / mpmath.sqrt(1 - m)
        b = (J1 - J3) * O3 * a / (J2 * rate)
        return [
            a * mpmath.ellipfun("dn", u, m=m),
            b * mpmath.ellipfun("cn", u, m=m),
            O3 * mpmath.ellipfun("sn", u, m=m),
        ]


@pytest.mark.source("H.12")
def test_taylor_series_meet_the_elliptic_functions():
    """Both to all digits of a float, a second of an unstable motion long: absolute error of numbers up to 100."""
    Omega, _ = free_rotation(MOMENTS, SPIN, TIMES)
    exact = np.array([[float(x) for x in by_elliptic_functions(t)] for t in TIMES])
    assert_allclose(Omega, exact, rtol=0, atol=2e-14)


@pytest.mark.source("H.12")
def test_rounding_errors_of_the_reference_do_not_reach_a_float():
    """30 and 38 digits give the same floats; 16 digits do not."""
    runs = {digits: np.hstack(free_rotation(MOMENTS, SPIN, [1.0], digits)) for digits in (16, 30, 38)}
    assert_allclose(runs[30], runs[38], rtol=1e-15, atol=1e-16)
    assert np.abs(runs[16] - runs[38]).max() > 1e-9


def test_attitude_of_the_reference_turns_the_angular_momentum_into_one_that_stays():
    """Relative to its length, to the rounding of the floats returned."""
    Omega, p = free_rotation(MOMENTS, SPIN, TIMES)
    momentum = np.einsum("nij,nj->ni", quaternion.to_matrix(p), Omega * MOMENTS)
    assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), rtol=0, atol=1e-15 * 8 * 436)
    assert_allclose(np.linalg.norm(p, axis=1), 1.0, rtol=1e-15)


def test_a_steady_rotation():
    Omega, p = free_rotation((1.0, 2.0, 2.5), (0.0, 0.0, 3.0), [0.0, 0.5, 7.0])
    assert_allclose(Omega, [[0, 0, 3]] * 3, rtol=0, atol=0)
    assert_allclose(p, [[np.cos(1.5 * t), 0, 0, np.sin(1.5 * t)] for t in (0, 0.5, 7.0)], rtol=0, atol=2e-16)


def test_times_must_ascend():
    with pytest.raises(ValueError, match="ascends from 0"):
        free_rotation(MOMENTS, SPIN, [0.2, 0.1])
    with pytest.raises(ValueError, match="ascends from 0"):
        free_rotation(MOMENTS, SPIN, [-0.1, 0.1])


@pytest.mark.source("H.11")
def test_the_box_has_the_inertia_of_the_paper():
    model = tumbling_box()
    inertia = model.body("box").inertia
    assert_allclose(inertia.inertia_com, np.diag(MOMENTS))
    assert inertia.mass == 1.0 and not model.gravity.any() and not model.validate()
    shape = model.body("box").geometry[0].shape
    assert_allclose(Inertia.box(shape.size, mass=1.0).inertia_com, inertia.inertia_com, rtol=1e-14)
    assert_allclose(model.frame("P").placement[:3, 3], [0, 0, 1])
    q, v = tumbling_box_state()
    assert_allclose(v, [0.01, 0, 100, 0, 0, 0])
    model.check_q(q)


@pytest.mark.source("H.11")
def test_the_third_axis_is_the_middle_one():
    """Section 6 orders the moments J11 > J22 > J33; they are not, and that is why the rotation is unstable."""
    J11, J22, J33 = MOMENTS
    assert J11 > J33 > J22
    with pytest.raises(ModelError, match="triangle inequality"):
        tumbling_box((5.0, 1.0, 1.0))
