"""The cat lands on its feet by the closed form, by simulation, and by momentum alone."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import cat_roll, falling_cat, waist, waist_motion
from rbdkit.library.falling_cat import HALF, RADIUS, smooth_step
from rbdkit.spatial import quaternion, se3, so3

BENDS = (0.6, 1.32, 2.2)


def roll_about_x(R: np.ndarray) -> float:
    """Angle of a turn about x; anything else left over is an error."""
    assert abs(R[0, 0] - 1.0) < 1e-9
    return float(np.arctan2(R[2, 1], R[1, 1]))


def wrapped(angle: float) -> float:
    return (angle + np.pi) % (2 * np.pi) - np.pi


@pytest.mark.source("F9.10")
@pytest.mark.parametrize("bend", BENDS)
def test_a_falling_cat_turns_without_angular_momentum(bend):
    """Simulated with the waist prescribed, under gravity; RK4 at 0.5 ms is good to about 1e-8."""
    cat = falling_cat(waist_motion(bend, duration=0.5))
    run = rbd.simulate(cat, duration=0.5, dt=5e-4, progress=False)
    assert wrapped(roll_about_x(run.poses("front")[-1, :3, :3]) - cat_roll(bend)) == pytest.approx(0.0, abs=1e-7)
    assert run.poses("rear")[-1][:3, :3] == pytest.approx(run.poses("front")[-1][:3, :3], abs=1e-7)
    for k in range(0, len(run), 100):
        h = rbd.momentum(cat, run.q[k], run.v[k], "com", t=run.t[k])
        assert h[:3] == pytest.approx(np.zeros(3), abs=1e-8)
        com = rbd.center_of_mass(cat, run.q[k], t=run.t[k]) - rbd.center_of_mass(cat, run.q[0], t=0.0)
        assert com == pytest.approx(0.5 * cat.gravity * run.t[k] ** 2, abs=1e-8)


@pytest.mark.source("F9.05", "F9.11")
@pytest.mark.parametrize("bend", BENDS)
def test_the_turn_follows_from_momentum_alone(bend):
    """v_0 = -(I_0c)^-1 F qd, carried along by exponentials at the middle of each step, extrapolated once."""
    system, motion = algorithms.to_floating_base(falling_cat()), waist_motion(bend, duration=1.0)

    def turned(steps: int) -> float:
        pose = np.eye(4)
        for k in range(steps):
            q, omega, _ = motion((k + 0.5) / steps)
            pose = pose @ se3.exp(algorithms.base_velocity(system, q, omega) / steps)
        return np.unwrap([cat_roll(bend), np.arctan2(pose[2, 1], pose[1, 1])])[1]

    coarse, fine = turned(80), turned(160)
    assert fine + (fine - coarse) / 3.0 == pytest.approx(cat_roll(bend), abs=2e-5)


@pytest.mark.source("F9.10", "F9.04")
def test_hybrid_dynamics_and_the_prescribed_joint_agree():
    """The driven joint as a joint type, in hybrid dynamics, and in floating-base inverse dynamics."""
    motion, t = waist_motion(1.32, duration=0.5), 0.21
    driven, free = falling_cat(motion), falling_cat()
    rng = np.random.default_rng(1)
    q, v = driven.random_q(rng), rng.normal(size=6)
    w, omega, rate = motion(t)
    q_all, v_all = np.concatenate([q, w]), np.concatenate([v, omega])
    expected = rbd.aba(driven, q, v, np.zeros(6), t=t)
    a, tau = rbd.hybrid_dynamics(free, q_all, v_all, np.zeros(9), np.concatenate([np.zeros(6), rate]), ["float"])
    assert a[:6] == pytest.approx(expected, abs=1e-10)
    reaction = algorithms.rnea(driven, q, v, expected, t=t).f[2]
    assert tau[6:] == pytest.approx(reaction[:3], abs=1e-10)
    system, state = algorithms.to_floating_base(free), algorithms.to_floating_state(free, q_all, v_all)
    found = algorithms.floating_inverse_dynamics(
        system, state.q, state.qd, state.v_0, rate, a_g=system.gravity(state.pose)
    )
    assert found.a_0 == pytest.approx(expected, abs=1e-10)
    assert found.tau == pytest.approx(tau[6:], abs=1e-10)


def test_motion_of_the_waist_is_its_own_derivative():
    motion, h = waist_motion(1.2, duration=0.7, turns=2.0), 1e-5
    for t in (0.05, 0.1, 0.3, 0.5, 0.6, 0.9):
        _, omega, rate = motion(t)
        (before, w_before, _), (after, w_after, _) = motion(t - h), motion(t + h)
        turn = quaternion.to_matrix(before).T @ quaternion.to_matrix(after)
        assert so3.log(turn) / (2 * h) == pytest.approx(omega, abs=1e-5)
        assert (w_after - w_before) / (2 * h) == pytest.approx(rate, abs=1e-5 * max(1.0, np.abs(rate).max()))
    assert motion(2.0)[0] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-15)
    assert smooth_step(-1.0) == (0.0, 0.0, 0.0)
    assert smooth_step(2.0)[0] == 1.0


def test_the_waist_does_not_twist():
    """The line round the trunk that meets its like at the waist keeps meeting it: no component about x in the turn."""
    for toward in np.linspace(0.0, 6.0, 7):
        q = waist(1.1, toward)
        assert q[1] == 0.0
        assert quaternion.to_matrix(q)[0, 0] == pytest.approx(np.cos(1.1))


def test_slenderness_is_the_models():
    inertia = falling_cat().body("front").inertia
    along, across = inertia.inertia_com[0, 0], inertia.inertia_com[1, 1]
    assert cat_roll(1.0, along / across) == pytest.approx(cat_roll(1.0), abs=1e-14)
    assert inertia.com == pytest.approx([0.5 * HALF, 0.0, 0.0])
    assert RADIUS < HALF
    assert cat_roll(0.0) == 0.0
