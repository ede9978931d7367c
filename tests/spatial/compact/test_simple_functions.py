"""Tables A.1 and A.2: the few functions that a matrix tool lacks, among them XtoV, planar and spatial."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import Inertia, crf, crm, planar, plucker, se3, so3


def planar_exact(X, theta, r):
    """u by the logarithm of the pose in space."""
    return planar.extract(se3.log(plucker.to_pose(plucker.rotz(theta) @ plucker.xlt([*r, 0.0]))))


@pytest.mark.source("FA.01")
def test_planar_functions(rng):
    """Xpln, crm, crf and mcI against their definitions: 3-vectors, power, kinetic energy of two point masses."""
    theta, r, w = 0.7, rng.normal(size=2), rng.normal()
    X = planar.transform(theta, *r)
    v_O = rng.normal(size=2)
    turn = np.array([[np.cos(theta), np.sin(theta)], [-np.sin(theta), np.cos(theta)]])
    v_P = v_O + w * np.array([-r[1], r[0]])  # of the point at B's origin
    assert_allclose(X @ [w, *v_O], [w, *(turn @ v_P)], rtol=0, atol=1e-15)

    v, m, f = (rng.normal(size=3) for _ in range(3))
    assert_allclose(planar.crf(v) @ f @ m, -f @ planar.crm(v) @ m, rtol=1e-14)  # v x* f . m = -f . v x m
    h = 1e-6
    moved = np.linalg.inv(planar.transform(*(h * v)))  # coordinates of what is carried along, after a time h
    assert_allclose((moved @ m - m) / h, planar.crm(v) @ m, rtol=0, atol=1e-5)  # forward difference

    c, arm = rng.normal(size=2), np.array([0.3, -0.2])
    points = [c + arm, c - arm]
    energy = sum(0.5 * 0.5 * np.sum((v[1:] + v[0] * np.array([-y, x])) ** 2) for x, y in points)
    assert 0.5 * v @ planar.inertia(1.0, c, arm @ arm) @ v == pytest.approx(energy, rel=1e-14)


@pytest.mark.source("FA.01")
@pytest.mark.parametrize("theta", [1.5, 0.4, 1e-3, -0.9])
def test_planar_velocity_is_invariant_and_a_multiple_of_the_exact_one(theta, rng):
    r = rng.normal(size=2)
    X = planar.transform(theta, *r)
    v = planar.to_velocity(X)
    assert_allclose(X @ v, v, rtol=0, atol=2e-16 * 10)
    assert_allclose(v * np.arcsin(X[1, 2]) / X[1, 2], planar_exact(X, theta, r), rtol=1e-13)
    simple = planar.to_velocity(X, invariant=False)
    assert np.abs(X @ simple - simple).max() > 0.1 * theta**2 * np.abs(r).min()


@pytest.mark.source("FA.01")
@pytest.mark.parametrize(("invariant", "order"), [(False, 1), (True, 2)])
def test_planar_velocities_converge(invariant, order, rng):
    """Relative error of first order in the angle, and of second order."""
    r, errors = rng.normal(size=2), []
    for theta in (1e-2, 1e-3):
        X = planar.transform(theta, *r)
        u = planar_exact(X, theta, r)
        errors.append(np.abs(planar.to_velocity(X, invariant) - u).max() / np.abs(u).max())
    assert np.log10(errors[0] / errors[1]) == pytest.approx(order, abs=0.05)


@pytest.mark.source("FA.01", "FA.02")
def test_velocity_of_a_shift_is_exact(rng):
    for invariant in (False, True):
        assert_allclose(planar.to_velocity(planar.transform(0.0, 0.3, -2.0), invariant), [0, 0.3, -2.0], atol=1e-16)
    r = rng.normal(size=3)
    assert_allclose(plucker.to_velocity(plucker.xlt(r)), [0, 0, 0, *r], rtol=0, atol=0)


@pytest.mark.source("FA.02")
def test_spatial_velocity_is_invariant(rng):
    X = plucker.from_pose(se3.random(rng, (20,)))
    v = plucker.to_velocity(X)
    assert_allclose((X @ v[..., None])[..., 0], v, rtol=0, atol=1e-14)
    assert_allclose((plucker.inverse(X) @ v[..., None])[..., 0], v, rtol=0, atol=1e-14)


@pytest.mark.source("FA.02")
def test_spatial_velocity_converges_with_the_square_of_the_angle(rng):
    """Against the logarithm, and against where the frame is after a time h at that velocity."""
    w, r, errors = rng.normal(size=3), rng.normal(size=3), []
    for angle in (1e-2, 1e-3):
        T = se3.pose(so3.exp(angle * w / np.linalg.norm(w)), r)
        u = se3.log(T)
        errors.append(np.abs(plucker.to_velocity(plucker.from_pose(T)) - u).max())
        assert_allclose(se3.exp(plucker.to_velocity(plucker.from_pose(T))), T, rtol=0, atol=angle**2)
    assert np.log10(errors[0] / errors[1]) == pytest.approx(2, abs=0.05)


@pytest.mark.source("FA.02")
def test_spatial_velocity_is_not_a_multiple_of_the_exact_one():
    """Along the axis of a turn by theta the angular part is short by sin(theta)/theta, the linear one by cos(theta)."""
    T = se3.pose(so3.exp([0.0, 0.0, 1.2]), [0.5, 0.2, 0.7])
    ratio = plucker.to_velocity(plucker.from_pose(T))[[2, 5]] / se3.log(T)[[2, 5]]
    assert_allclose(ratio, [np.sin(1.2) / 1.2, np.cos(1.2)], rtol=1e-14)


@pytest.mark.source("FA.02")
def test_spatial_functions(rng):
    """rotx, roty, rotz, xlt against the motion of points; crm, crf against differences; mcI against point masses."""
    P = rng.normal(size=3)
    w, v_O, r = (rng.normal(size=3) for _ in range(3))
    for k, rot in enumerate((plucker.rotx, plucker.roty, plucker.rotz)):
        E = so3.exp(-0.7 * np.eye(3)[k])  # coordinates turn the other way
        assert_allclose(rot(0.7) @ [*w, *v_O], [*(E @ w), *(E @ v_O)], rtol=0, atol=1e-15)
        assert_allclose(plucker.force(rot(0.7)), rot(0.7), rtol=0, atol=0)  # section A.2: X* = X of a rotation
    assert_allclose(plucker.xlt(r) @ [*w, *v_O], [*w, *(v_O + np.cross(w, r))], rtol=0, atol=1e-15)

    v, m, h = rng.normal(size=6), rng.normal(size=6), 1e-5
    there, back = (plucker.inverse(plucker.from_pose(se3.exp(s * v))) for s in (h, -h))
    assert_allclose((there - back) @ m / (2 * h), crm(v) @ m, rtol=0, atol=1e-8)
    assert_allclose(plucker.force(there - back) @ m / (2 * h), crf(v) @ m, rtol=0, atol=1e-8)

    arm = np.array([0.3, -0.2, 0.1])
    I_C = arm @ arm * np.eye(3) - np.outer(arm, arm)
    energy = sum(0.25 * np.sum((v[3:] + np.cross(v[:3], x)) ** 2) for x in (P + arm, P - arm))
    assert 0.5 * v @ Inertia(1.0, P, I_C).matrix @ v == pytest.approx(energy, rel=1e-13)
