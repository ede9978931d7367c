"""Figs 10.1 and 10.2: round-off far from the body and at speed."""

import mpmath
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.accuracy import far_frame_errors, planar_acceleration, speed_errors
from rbdkit.accuracy.conditioning import growth
from rbdkit.library import far_body
from rbdkit.spatial import planar

FAR = np.geomspace(10.0, 1e4, 13)
NEAR = np.geomspace(1e-3, 0.5, 9)


@pytest.mark.source("F10.01")
def test_the_equation_of_the_book():
    body = planar_acceleration((100.0, 10.0))
    assert np.array_equal(body.matrix, [[10101, -10, 100], [-10, 1, 0], [100, 0, 1]])
    assert np.array_equal(body.rhs, [111, -1, 1])
    assert np.array_equal(body.exact, [1, 9, -99])  # (1, cy - 1, 1 - cx)
    assert body.condition == pytest.approx(1.0205e8, rel=1e-4)
    # four digits of sixteen are lost
    assert np.all(body.relative_error < 1e-11) and np.max(body.relative_error) > 1e-13


@pytest.mark.source("F10.01")
@pytest.mark.parametrize("c", [(0.3, -0.8), (100.0, 10.0), (-7.0, 2000.0)])
def test_matrix_and_right_hand_side_against_planar_vectors(c):
    """I_O and f_O - v_O x* I_O v_O by planar transforms of what they are at C."""
    v_C = np.array([1.0, 3.0, -2.0])
    body = planar_acceleration(c, v_C[1:])
    X = planar.transform(0.0, *c)  # from O to C
    v, f = np.linalg.inv(X) @ v_C, X.T @ [1.0, -1.0, 1.0]
    I = planar.inertia(1.0, c, 1.0)
    assert body.matrix == pytest.approx(I, rel=1e-14)
    scale = np.abs(planar.crf(v)).max() * np.abs(I @ v).max()
    assert body.rhs == pytest.approx(f - planar.crf(v) @ I @ v, abs=1e-14 * scale)


@pytest.mark.source("F10.01")
def test_the_exact_solution_solves_the_exact_equation():
    """In integers, where floats are exact."""
    for c, velocity in (((100, 10), (0, 0)), ((-31, 17), (5, -3)), ((2, 1), (100, 70))):
        body = planar_acceleration(c, velocity)
        assert np.array_equal(body.matrix @ body.exact, body.rhs)
        a_C = planar.transform(0.0, *c) @ body.exact
        assert np.array_equal(a_C, [1.0, velocity[1] - 1.0, 1.0 - velocity[0]])


@pytest.mark.source("F10.01")
def test_the_error_is_flat_near_the_body_and_grows_with_the_square_of_the_distance():
    near, far = far_frame_errors(NEAR), far_frame_errors(FAR)
    assert growth(FAR, far) == pytest.approx(2.0, abs=0.3)
    assert np.all(near < 1e-15) and np.ptp(np.log10(near)) < 0.7  # some units of the last place, all the way
    at_100 = far_frame_errors([100.0])[0]
    assert 1e-13 < at_100 < 1e-11


@pytest.mark.source("F10.01")
def test_single_precision_is_as_much_worse_as_its_digits_are_fewer():
    distances = np.geomspace(10.0, 300.0, 8)
    single, double = far_frame_errors(distances, np.float32), far_frame_errors(distances)
    assert growth(distances, single) == pytest.approx(2.0, abs=0.4)
    ratio = np.median(single / double)
    assert np.log2(ratio) == pytest.approx(53 - 24, abs=2.5)
    assert far_frame_errors([1e4], np.float32)[0] > 0.1  # nothing is left
    body = planar_acceleration((3.0, 1.0), dtype=np.float32)
    assert body.matrix.dtype == body.computed.dtype == np.float32


@pytest.mark.source("F10.01")
def test_mpmath_agrees_about_the_error():
    c, v = (123.456, -78.9), (4.5, -6.7)
    body = planar_acceleration(c, v)
    with mpmath.workdps(40):
        x, y, vx, vy = map(mpmath.mpf, (*c, *v))
        I = mpmath.matrix([[1 + x * x + y * y, -y, x], [-y, 1, 0], [x, 0, 1]])
        v_O = mpmath.matrix([1, vx + y, vy - x])
        cross = mpmath.matrix([[0, -v_O[2], v_O[1]], [0, 0, -1], [0, 1, 0]])
        a = mpmath.lu_solve(I, mpmath.matrix([1 + x + y, -1, 1]) - cross * (I * v_O))
        d = [mpmath.mpf(float(number)) - exact for number, exact in zip(body.computed, a, strict=True)]
        at_C = [float(e) for e in (d[0], d[1] - d[0] * y, d[2] + d[0] * x)]
        assert [float(e) for e in a] == pytest.approx(body.exact.tolist(), rel=1e-15)
    assert body.error == pytest.approx(at_C, rel=1e-12)


@pytest.mark.source("F10.02")
def test_speed_ruins_the_right_hand_side_even_close_to_the_body():
    """Section 10.1: momentum crossed with velocity is a small difference of numbers like the speed squared."""
    speeds = np.geomspace(100.0, 1e5, 10)
    for distance in (0.01, 1.0):
        errors = speed_errors(speeds, distance)
        assert growth(speeds, errors) == pytest.approx(2.0, abs=0.35)
        assert errors[-1] > 1e4 * speed_errors([0.1], distance)[0]
    assert far_frame_errors([1.0], velocity=(6e3, 8e3))[0] > 1e-10  # matrix and distance are harmless
    assert planar_acceleration((1.0, 0.0)).condition < 10.0


@pytest.mark.source("F10.01")
def test_the_algorithms_of_rbdkit_make_the_same_error_from_the_same_far_frame():
    """A model whose body frame is at O: its joint-space equation is Eq 10.1."""
    c = (1000.0, 300.0)
    v, f = np.array([1.0, c[1], -c[0]]), np.array([1.0 + sum(c), -1.0, 1.0])
    exact = np.array([1.0, c[1] - 1.0, 1.0 - c[0]])
    X = planar.transform(0.0, *c)
    for run in (lambda m, *x: rbd.algorithms.aba(m, *x).qdd, rbd.algorithms.forward_dynamics_crba):
        error = np.abs(X @ (run(far_body(c), np.zeros(3), v, f) - exact)).max()
        assert 1e-12 < error < 1e-7
    centred = far_body((0.0, 0.0))
    assert rbd.forward_dynamics(centred, np.zeros(3), [1.0, 0.0, 0.0], [1.0, -1.0, 1.0]) == pytest.approx(
        [1.0, -1.0, 1.0], abs=1e-15
    )
