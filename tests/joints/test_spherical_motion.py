"""Section 4.5 in motion: two models of one ball joint, gimbal lock, and what a quaternion off the sphere does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import aba, crba, momentum
from rbdkit.joints import EulerSpherical, Free, Planar, Spherical
from rbdkit.spatial import euler, plucker, quaternion
from rbdkit.spatial.inertia import Inertia

ARM = Inertia.box([0.5, 0.1, 0.2], mass=1.5).transformed(rbd.pose(position=[0.3, 0.1, -0.2]))


def ball(joint):
    model = rbd.Model("ball")
    model.add_body("arm", joint=joint, inertia=ARM)
    model.add_body("hand", "arm", rbd.Revolute("y"), [0.5, 0.0, 0.0], Inertia.sphere(0.1, mass=0.5))
    return model


@pytest.mark.source("F4.16", "F4.17")
def test_quaternions_and_euler_angles_swing_alike_away_from_gimbal_lock():
    """The same start, each in its own coordinates; both runs are right to the integrator's error."""
    quaternions, angles = ball(Spherical()), ball(EulerSpherical())
    q, omega = np.array([0.3, 0.2, -0.4]), np.array([0.5, -0.3, 1.0])
    one = rbd.simulate(
        quaternions, [*quaternion.from_matrix(euler.to_matrix(q)), 0.2], [*omega, 0.1], duration=0.5, dt=1e-3
    )
    two = rbd.simulate(angles, [*q, 0.2], [*euler.rates(q, omega), 0.1], duration=0.5, dt=1e-3)
    assert np.cos(two.q[:, 1]).min() > 0.15
    assert_allclose(two.poses(), one.poses(), atol=1e-9)


@pytest.mark.source("F4.17", "F4.25")
def test_near_gimbal_lock_the_euler_joint_is_ill_conditioned_and_the_quaternion_is_not():
    """cond H grows like 1 / cos^2 of pitch in angles and stays where it is in quaternions; the arm is the same."""
    quaternions, angles = ball(Spherical()), ball(EulerSpherical())
    found = []
    for distance in (1e-1, 1e-2, 1e-3):
        q = np.array([0.4, np.pi / 2 - distance, 0.1])
        p = quaternion.from_matrix(euler.to_matrix(q))
        in_angles, in_quaternions = crba(angles, np.append(q, 0.2)).H, crba(quaternions, np.append(p, 0.2)).H
        found.append((np.linalg.cond(in_angles), np.linalg.cond(in_quaternions)))
        # one physical system: H of the angles is S^T H S of the quaternions
        A = np.eye(4)
        A[:3, :3] = euler.rate_matrix(q)
        assert_allclose(in_angles, A.T @ in_quaternions @ A, atol=1e-13)
        assert_allclose(euler.conditioning(q), 1 / np.linalg.cond(A[:3, :3]), rtol=1e-6)
    conditions = np.array(found)
    assert_allclose(conditions[1:, 0] / conditions[:-1, 0], 100.0, rtol=0.2)
    assert_allclose(conditions[:, 1], conditions[0, 1], rtol=1e-9)


@pytest.mark.source("F4.26")
def test_a_quaternion_off_the_sphere_scales_the_subtree_that_it_carries():
    """E of Eq 4.12 with |p|^2 = 1 + e is not a rotation; where the hand is, is off in proportion to e (L2142)."""
    p = quaternion.random(np.random.default_rng(3))
    offs = []
    for e in (1e-2, 1e-3):
        raw = p * np.sqrt(1 + e)
        p0, p1, p2, p3 = raw
        E = 2 * np.array([
            [p0**2 + p1**2 - 0.5, p1 * p2 + p0 * p3, p1 * p3 - p0 * p2],
            [p1 * p2 - p0 * p3, p0**2 + p2**2 - 0.5, p2 * p3 + p0 * p1],
            [p1 * p3 + p0 * p2, p2 * p3 - p0 * p1, p0**2 + p3**2 - 0.5],
        ])  # fmt: skip
        R = quaternion.to_matrix(p)
        assert_allclose(E + np.eye(3), (1 + e) * (R.T + np.eye(3)), atol=1e-14)  # what is scaled, and by how much
        offs.append(np.linalg.norm(E.T @ [0.5, 0, 0] - R @ [0.5, 0, 0]))
    assert_allclose(offs[0] / offs[1], 10.0, rtol=1e-9)


@pytest.mark.source("F4.26")
@pytest.mark.parametrize("integrator", ["heun", "rk4"])
def test_runs_stay_on_the_sphere_whatever_the_step(integrator):
    """Every recorded quaternion has norm 1 to round-off, also with a tenth of a radian and more a step."""
    model = ball(Spherical())
    run = rbd.simulate(model, model.neutral(), [3.0, -4.0, 6.0, 2.0], duration=4.0, dt=0.02, integrator=integrator)
    assert_allclose(np.linalg.norm(run.q[:, :4], axis=1), 1.0, rtol=0, atol=1e-15 * 8)


@pytest.mark.source("F4.15", "F4.18")
@pytest.mark.parametrize("translation", ["predecessor", "successor"])
@pytest.mark.parametrize("far", [0.0, 1e3])
def test_a_free_body_keeps_its_momentum_far_away_and_spinning(translation, far):
    """Newton and Euler: momentum about the world's origin is constant, here with both conventions of translation.

    The error of a run is the integrator's, and far away the round-off of a moment with an arm of a kilometre.
    """
    model = rbd.Model("free", gravity=[0, 0, 0])
    model.add_body("body", joint=Free(translation), inertia=ARM)
    q = Free(translation).project(rbd.pose(position=[far, -far, 0.5 * far]))
    run = rbd.simulate(model, q, [3.0, 1.0, -2.0, 0.4, 0.5, -0.6], duration=1.0, dt=1e-3)
    about_origin = [momentum(model, *state) for state in zip(run.q[::200], run.v[::200], strict=True)]
    assert_allclose(about_origin, np.broadcast_to(about_origin[0], (6, 6)), atol=2e-9 * max(1.0, far))
    # the same by the one body's own equation, I a + v x* I v = 0
    v, a = run.v[-1], aba(model, run.q[-1], run.v[-1], np.zeros(6)).qdd
    I = ARM.matrix
    h = I @ v
    bias = np.concatenate([np.cross(v[:3], h[:3]) + np.cross(v[3:], h[3:]), np.cross(v[:3], h[3:])])
    assert_allclose(a, -np.linalg.solve(I, bias), rtol=1e-10)


@pytest.mark.source("F4.15")
def test_a_planar_body_far_away_turns_about_its_own_centre():
    """Without forces: the centre of mass goes straight at constant speed and the spin is constant, in either axes."""
    inertia = Inertia.box([0.2, 0.3, 0.1], mass=2.0)
    for translation in ("predecessor", "successor"):
        model = rbd.Model("disc", gravity=[0, 0, 0])
        model.add_body("disc", joint=Planar("z", translation), inertia=inertia)
        q = Planar("z", translation).project(rbd.pose(position=[1e3, -500.0, 0.0]))
        run = rbd.simulate(model, q, [2.0, 0.3, -0.4], duration=1.0, dt=1e-3)
        start, end = run.poses("disc")[0], run.poses("disc")[-1]
        assert_allclose(end[:3, 3] - start[:3, 3], start[:3, :3] @ [0.3, -0.4, 0.0], atol=1e-9)
        assert_allclose(run.v[-1][0], 2.0, rtol=1e-13)
        assert_allclose(end[:3, :3], plucker.rz(2.0).T @ start[:3, :3], atol=1e-9)
