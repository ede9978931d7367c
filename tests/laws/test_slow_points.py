"""Corners that stick and creep, bodies that rattle: rigid motions go on, and go on right."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ConvergenceError
from rbdkit.laws.problem import Problem
from rbdkit.laws.slow_points import rubbed
from tests.laws.scenes import cube


@pytest.mark.source("F11.08")
@pytest.mark.parametrize("dt", [0.01, 0.05])
@pytest.mark.parametrize("part", [0.99, 0.9999, 1.0001])
def test_a_free_box_creeps_down_a_slope_as_its_friction_says(part, dt):
    """Four corners, of which each could turn the box; mu = part tan(alpha), and the speed known to round-off."""
    slope = np.deg2rad(20.0)
    model, q = cube(friction=part * np.tan(slope), slope=slope, edge=0.2)
    motion = rbd.simulate(model, q, duration=0.2, dt=dt, contact="rigid")
    speed = 9.81 * np.sin(slope) * max(0.0, 1.0 - part) * 0.2
    np.testing.assert_allclose(motion.v[-1], [0, 0, 0, speed, 0, 0], rtol=0, atol=1e-13)
    assert [event.kind for event in motion.events] == ["gain"] if part > 1.0 else ["slip"] * 4 + ["gain"]


@pytest.mark.parametrize("law", ["rigid", "impulse"])
def test_a_box_that_slides_and_stops_stays(law):
    """It stops after v / (g (mu cos - sin)), and way v^2 / 2 of that."""
    slope = np.deg2rad(10.0)
    model, q = cube(friction=0.5, slope=slope, edge=0.1)
    braking = 9.81 * (0.5 * np.cos(slope) - np.sin(slope))
    motion = rbd.simulate(model, q, [0, 0, 0, 0.4, 0, 0], duration=0.3, dt=0.02, contact=law)
    stick = next(event for event in motion.events if event.kind == "stick")
    np.testing.assert_allclose(stick.t, 0.4 / braking, rtol=1e-9)
    way = (motion.q[-1, 4:] - q[4:]) @ [np.cos(slope), 0.0, -np.sin(slope)]
    np.testing.assert_allclose(way, 0.08 / braking, rtol=1e-9)
    np.testing.assert_allclose(motion.v[-1], 0.0, atol=1e-12)


def test_a_box_that_rattles_comes_to_rest():
    """It falls on a corner, then on others ever faster; what cannot be told apart is made by impulses, and named."""
    rng = np.random.default_rng(1)
    model, q = cube(friction=0.5)
    turn = rng.normal(size=4)
    q[:4], q[6] = turn / np.linalg.norm(turn), 0.3
    motion = rbd.simulate(model, q, 3.0 * rng.normal(size=6), duration=3.0, dt=0.01, contact="rigid")
    found = motion.report.contacts
    assert dict(found.events)["chatter"] >= 1
    (note,) = found.notes
    assert "of 300 steps were ended with impulses" in note and "ground/cube" in note
    assert found.penetration < 1e-6 and motion.report.energy_error < 1e-3
    assert np.abs(motion.v[-1]).max() < 1e-6 and abs(motion.q[-1, 6] - 0.05) < 1e-6
    R = motion.poses("cube")[-1, :3, :3]
    np.testing.assert_allclose(np.abs(R).max(axis=0)[np.argmax(np.abs(R[2]))], 1.0, atol=1e-6)  # on a face


def law_missed(lam, W, b, mu, slow, way):
    """Largest fault, from the words of both laws."""
    a = (W @ lam.ravel() + b).reshape(-1, 3)
    faults = [np.abs(np.minimum(lam[:, 0], a[:, 0])).max()]
    for own, force, rate, rough, direction in zip(slow, lam, a, mu, way):
        size, friction = np.hypot(*rate[1:]), np.hypot(*force[1:])
        if not own:
            faults.append(np.abs(force[1:] + rough * force[0] * direction).max())
        elif size > 1e-9:  # slides: at the limit, against it
            faults.append(np.abs(force[1:] * size + rough * force[0] * rate[1:]).max() / size)
        else:
            faults.append(max(0.0, friction - rough * force[0]))
    return max(faults)


def test_forces_at_slow_points_obey_their_laws():
    """Random points that stick, creep, slide and part, as many as there are freedoms and more."""
    rng = np.random.default_rng(7)
    for m in (1, 2, 4, 6):
        for _ in range(6):
            J = rng.normal(size=(3 * m, 8))
            W, b, mu = J @ J.T, J @ rng.normal(size=8), rng.uniform(0.1, 0.4, m)  # what J cannot reach is not asked
            slow = rng.uniform(size=m) < 0.7
            angle = rng.uniform(0.0, 2.0 * np.pi, m)
            way = np.stack([np.cos(angle), np.sin(angle)], axis=1)
            names = tuple(f"C{k}" for k in range(m))
            lam = rubbed(W, b, mu, slow, way, np.zeros((m, 3)), names)
            assert law_missed(lam, W, b, mu, slow, way) < 1e-8
            every = np.ones(m, dtype=bool)
            one = rubbed(W, b, mu, every, way, np.zeros((m, 3)), names)
            assert Problem(W, b, mu, names, one).residual(one) < 1e-9


def test_forces_that_do_not_exist_are_told():
    """A point that is pulled in and that no force can push off."""
    W = np.zeros((3, 3))
    with pytest.raises(ConvergenceError, match="forces at 'chalk'"):
        rubbed(
            W, np.array([-1.0, 0.0, 0.0]), np.ones(1), np.ones(1, bool), np.zeros((1, 2)), np.zeros((1, 3)), ("chalk",)
        )


def test_a_ball_that_spins_fast_comes_to_roll_and_rolls_on():
    """A cue ball slides on a parabola for 2 s / (7 mu g) (Coriolis 1835), then rolls straight, its spin about the
    normal untouched. What was left of its slip, of the second order in the step, never ended and wore that spin down.
    """
    r, mu, dt, g = 0.0286, 0.2, 2e-3, 9.81
    v, w, normal = np.array([2.0, 0.5, 0.0]), np.array([-30.0, -40.0, 25.0]), np.array([0.0, 0.0, r])
    slip = v - np.cross(w, normal)
    rolls = 2.0 * np.linalg.norm(slip) / (7.0 * mu * g)
    model = rbd.Model("table")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(r, mass=0.17), geometry=rbd.Sphere(r))
    model.add_ground(friction=mu)
    motion = rbd.simulate(model, [1, 0, 0, 0, 0, 0, r], [*w, *v], duration=0.6, dt=dt, contact="rigid")
    (stick,) = (event.t for event in motion.events if event.kind == "stick")
    assert rolls < stick <= rolls + 3.0 * dt  # the slip halves and more from step to step, until it is given up
    later = motion.t > stick + 1.5 * dt
    R = motion.poses("ball")[later, :3, :3]
    spin, speed = (np.einsum("nij,nj->ni", R, x) for x in (motion.v[later, :3], motion.v[later, 3:]))
    np.testing.assert_allclose(speed - np.cross(spin, normal), 0.0, atol=1e-13)
    np.testing.assert_allclose(np.ptp(spin, axis=0), 0.0, atol=1e-4)  # steps of RK4 where axes turn 0.11 rad in each
    assert np.ptp(spin[:, 2]) < 3e-6  # likewise, without friction that could change it
    np.testing.assert_allclose(spin[-1, 2], w[2], atol=4e-4)  # second order, in the few steps of the change
    np.testing.assert_allclose(speed[-1], v - mu * g * rolls * slip / np.linalg.norm(slip), atol=2e-4)  # likewise
