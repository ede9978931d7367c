"""The three cases by the energy-momentum methods: what they keep, and how they come to the exact motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import StateError
from rbdkit.integrators import second_quotient
from rbdkit.library.gebhardt_romero import CASES, INERTIA
from rbdkit.spatial import so3, twist

pytestmark = pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # the steps of the paper are: up to 2 rad in each

EM, TANGENT = "energy_momentum", "tangent_energy_momentum"


def spread(values, t, since):
    """Largest difference between values from a time on."""
    return np.ptp(values[t >= since - 1e-9])


@pytest.mark.source("G.10")
def test_case_1_keeps_k_and_pi_to_round_off(run):
    """K = 717.428571 J, Pi = (20.571429, -72.857143, 0) kg m2/s through 1000 steps: a few eps of what is summed."""
    motion = run(1, EM, 0.005)
    kept = motion.invariants()
    assert_allclose(kept["K"], 717.428571428571, rtol=1e-13)
    assert_allclose(kept["Pi1"], 20.571428571428, atol=1e-11)
    assert_allclose(kept["Pi2"], -72.857142857143, atol=1e-11)
    pi = motion.system.angular_momentum(motion.x, motion.w)
    Pi3 = np.einsum("ni,ni->n", pi, motion.x[:, 6:])
    assert_allclose(Pi3, 0.0, atol=1e-11)
    assert np.ptp(pi, axis=0).max() > 5.0  # in space it is not constant: the standard body's would be
    assert np.abs(motion.constraint_error()).max() < 1e-14
    assert {solve.iterations for solve in motion.solves} == {3}


@pytest.mark.source("G.10", "G.03")
def test_case_1_moves_on_a_great_circle_without_twist(run):
    motion = run(1, EM, 0.005)
    axis = CASES[0].v0 / np.linalg.norm(CASES[0].v0)
    assert_allclose(motion.x[:, 6:] @ axis, 0.0, atol=1e-12)
    assert np.abs(twist.twist_angle(motion.poses("body")[:, :3, :3])).max() < 1e-11


@pytest.mark.source("G.09")
def test_free_motion_of_the_method_in_closed_form(run):
    """It turns about the exact axis by 2 atan(h w / 2) in a step, a little less than h w."""
    h, W = 0.005, CASES[0].v0
    motion = run(1, EM, h, 1.0)
    angle = 2.0 * np.arctan(0.5 * h * np.linalg.norm(W))
    exact = so3.exp(np.arange(201)[:, None] * angle * W / np.linalg.norm(W))
    assert_allclose(motion.poses("body")[:, :3, :3], exact, atol=1e-12)


@pytest.mark.source("G.11", "G.12")
@pytest.mark.parametrize(("number", "off"), [(2, 3e-4), (3, 2e-5)])
def test_after_the_load_k_is_constant_and_pi_is_up_to_what_the_load_left(run, number, off):
    """A load takes the velocity off the tangent space by a part that changes sign from step to step, and with it Pi
    wavers: at h = 0.005 s by 3e-4 of 1236 (case 2) and 2e-5 of 614 (case 3). K has no such part."""
    motion = run(number, EM, 0.005, 3.0)
    kept = motion.invariants()
    assert spread(kept["K"], motion.t, 1.0) < 1e-13 * kept["K"][-1]
    for name in ("Pi1", "Pi2"):
        assert 1e-7 < spread(kept[name], motion.t, 1.0) < off
    after = motion.t >= 1.0
    leftover = motion.system.velocity_error(motion.x[after], motion.w[after])
    stretching = leftover[:, 4]  # d2 . d2'
    assert np.abs(stretching).max() > 1e-6
    assert np.all(stretching[1:] * stretching[:-1] < 0.0)


@pytest.mark.source("G.11", "G.12")
@pytest.mark.parametrize("number", [2, 3])
def test_what_the_load_leaves_vanishes_with_the_step(run, number):
    def waver(h):
        motion = run(number, EM, h, 1.5)
        return spread(motion.invariants()["Pi1"], motion.t, 1.0)

    assert waver(0.00125) < waver(0.0025) / 10.0 < waver(0.005) / 100.0


@pytest.mark.source("G.11", "G.12")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_back_on_the_tangent_space_momenta_are_exact_at_the_papers_step(run, number):
    """Pi at every step is Pi(0) plus the impulse, and K belongs to it: the midpoint sum of the triangle is exact."""
    case = CASES[number - 1]
    motion = run(number, TANGENT, 0.005)
    kept = motion.invariants()
    exact = np.array([case.momentum(t) for t in motion.t])
    scale = np.abs(exact).max()
    assert_allclose(kept["Pi1"], exact[:, 0], atol=1e-13 * scale)
    assert_allclose(kept["Pi2"], exact[:, 1], atol=1e-13 * scale)
    energies = np.array([case.kinetic_energy(t) for t in motion.t])
    assert_allclose(kept["K"], energies, atol=1e-13 * energies.max())
    errors = motion.system.velocity_error(motion.x, motion.w)
    assert np.abs(errors).max() < 1e-14 * np.linalg.norm(motion.w, axis=1).max()


@pytest.mark.source("G.11", "G.12")
@pytest.mark.parametrize("number", [2, 3])
def test_invariants_come_to_the_exact_ones_with_order_2(run, number):
    case, errors = CASES[number - 1], []
    for h in (1e-3, 5e-4):
        kept = run(number, EM, h, 1.0, every=round(1.0 / h)).invariants()
        errors.append([kept["Pi1"][-1] - case.momentum(1.0)[0], kept["Pi2"][-1] - case.momentum(1.0)[1]])
        errors[-1].append(kept["K"][-1] - case.kinetic_energy(1.0))
    order = np.log2(np.abs(errors[0]) / np.abs(errors[1]))
    assert_allclose(order[:2], 2.0, atol=0.1)
    # in case 2 the moment turns about one axis all the time, and K gains two orders
    assert order[2] == pytest.approx(4.0 if number == 2 else 2.0, abs=0.1)


@pytest.mark.source("G.11", "G.12")
@pytest.mark.parametrize("integrator", [EM, TANGENT])
@pytest.mark.parametrize(("number", "h"), [(2, 4e-4), (3, 5e-4)])
def test_the_motion_comes_to_the_exact_one_with_order_2(run, exact, number, h, integrator):
    """All directors through the loaded second, at steps that resolve it."""
    _, R = exact(number)
    errors = []
    for step in (h, h / 2):
        found = run(number, integrator, step, 1.0, every=round(0.1 / step)).poses("body")[:, :3, :3]
        errors.append(np.linalg.norm(found - R, axis=(1, 2))[1:])
    assert errors[0].max() < 0.6
    assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.05)


@pytest.mark.source("G.13")
@pytest.mark.parametrize("integrator", [EM, TANGENT, "lagrange_dalembert"])
@pytest.mark.parametrize(("number", "h", "duration"), [(1, 0.005, 5.0), (2, 4e-4, 1.0), (3, 1e-3, 1.0)])
def test_second_quotient_of_precision_is_four(run, number, h, duration, integrator):
    """Of the directors, over time, at steps that resolve the motion: case 1 at the paper's own."""
    every = round(duration / 50 / h)
    runs = [run(number, integrator, h / n, duration, every=n * every).x for n in (1, 2, 4)]
    Q = second_quotient(*runs)
    assert np.isnan(Q[0])
    # in case 2 the error of the tangent method goes through zero at 0.16 s, and the quotient with it
    assert np.abs(Q[10:] - 4.0).max() < 0.05


@pytest.mark.source("G.13")
@pytest.mark.parametrize("number", [2, 3])
def test_at_the_papers_step_the_loaded_cases_are_not_resolved(run, number):
    """The body turns 2.2 and 1.1 rad a step: after five seconds the three runs have nothing to do with each other."""
    runs = [run(number, EM, 0.005 / n, 5.0, every=20 * n).x for n in (1, 2, 4)]
    Q = second_quotient(*runs)[12:]
    assert np.abs(Q - 4.0).max() > 1.0
    W = np.linalg.solve(INERTIA, CASES[number - 1].momentum(1.0))
    assert 0.005 * np.linalg.norm(W) == pytest.approx({2: 2.2250, 3: 1.0980}[number], abs=1e-4)


def test_quotients_of_runs_at_other_times_are_refused():
    with pytest.raises(StateError, match="recorded at the same times"):
        second_quotient(np.zeros((3, 2)), np.zeros((5, 2)), np.zeros((3, 2)))
