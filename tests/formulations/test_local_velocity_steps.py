"""Time stepping of Holzinger, Gerstmayr, Schöberl, section 5.3, and their example, section 6, with what it shows."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.formulations import LocalVelocity, QuaternionBodies
from rbdkit.formulations.local_velocity import Projection, gamma, mass_matrix, tangent
from rbdkit.integrators import RK4
from rbdkit.library import free_rotation, tumbling_box, tumbling_box_state
from rbdkit.library.holzinger import MOMENTS, SPIN
from rbdkit.spatial import quaternion

STEPS = (160, 320, 640, 1280, 2560, 5120)


# --- the scheme, written out ------------------------------------------------------------------------------------------


class Scheme:
    """Eqs 79-87 for one body, as printed but for two choices.

    load : Q as a function of (H, w, t). stage_poses : whether loads are taken at the poses of the stages or, as Eqs
    83-85 say, at H_i. carry : whether n goes on from step to step, as Eq 82 says, or begins each at zero.
    """

    def __init__(self, projection, mass, J, load, stage_poses=True, carry=False):
        self.projection, self.mass, self.J, self.load = projection, mass, J, load
        self.M = mass_matrix(projection, mass, J)
        self.stage_poses, self.carry, self.n = stage_poses, carry, np.zeros(6)

    def f(self, H, w, t):
        return np.linalg.solve(self.M, self.load(H, w, t) - gamma(self.projection, self.mass, self.J, w) @ w)  # Eq 79

    def step(self, H, w, t, h):
        def T(n):
            return tangent.unified_inverse(self.projection, n)  # Eq 72

        def pose(n):
            return H @ tangent.exp(n) if self.stage_poses else H

        n = self.n if self.carry else np.zeros(6)
        K1, k1 = h * T(n) @ w, h * self.f(H, w, t)  # Eq 82
        K2 = h * T(K1 / 2) @ (w + k1 / 2)  # Eq 83
        k2 = h * self.f(pose(K1 / 2), w + k1 / 2, t + h / 2)
        K3 = h * T(K2 / 2) @ (w + k2 / 2)  # Eq 84
        k3 = h * self.f(pose(K2 / 2), w + k2 / 2, t + h / 2)
        K4 = h * T(K3) @ (w + k3)  # Eq 85
        k4 = h * self.f(pose(K3), w + k3, t + h)
        self.n = (K1 + 2 * K2 + 2 * K3 + K4) / 6
        return H @ tangent.exp(self.n), w + (k1 + 2 * k2 + 2 * k3 + k4) / 6  # Eqs 86, 87

    def run(self, H, w, duration, steps):
        self.n = np.zeros(6)
        for k in range(steps):
            H, w = self.step(H, w, k * duration / steps, duration / steps)
        return H, w


PROJECTION = Projection.hexahedral(0.7, 1.3, 2.1)
J = np.array([[3.0, 0.4, 0.0], [0.4, 2.0, -0.2], [0.0, -0.2, 4.0]])
START = np.eye(4), PROJECTION.coordinates([0.3, -0.2, 0.5, 1.0, 2.0, -0.7])


def nothing(H, w, t):
    return np.zeros(6)


def spring(H, w, t):
    """A spring from a point of the body to a fixed one: it depends on the pose."""
    y = np.array([0.5, 0.2, -0.1])
    stretch = np.array([1.0, 0.0, 0.5]) - (H[:3, :3] @ y + H[:3, 3])
    return PROJECTION.generalized_force(y, H[:3, :3].T @ (6.0 * stretch))


def orders(make, load) -> float:
    """Order of the pose of a variant of the scheme, against the scheme as it should be with a step 16 times shorter."""
    exact, _ = Scheme(PROJECTION, 2.0, J, load).run(*START, 1.0, 640)
    errors = [np.abs(make().run(*START, 1.0, n)[0] - exact).max() for n in (20, 40)]
    return float(np.log2(errors[0] / errors[1]))


@pytest.mark.source("H.09")
@pytest.mark.parametrize("load", [nothing, spring])
def test_the_scheme_has_order_four_with_stage_poses_and_increments_from_zero(load):
    assert orders(lambda: Scheme(PROJECTION, 2.0, J, load), load) == pytest.approx(4.0, abs=0.2)


@pytest.mark.source("H.09")
def test_misprint_loads_at_the_pose_of_the_beginning_cost_three_orders():
    """Eqs 83-85 evaluate f at H_i: right for the free body, order 1 under a load that depends on the pose."""
    assert orders(lambda: Scheme(PROJECTION, 2.0, J, nothing, stage_poses=False), nothing) == pytest.approx(
        4.0, abs=0.2
    )
    assert orders(lambda: Scheme(PROJECTION, 2.0, J, spring, stage_poses=False), spring) == pytest.approx(1.0, abs=0.1)


@pytest.mark.source("H.09")
def test_misprint_an_increment_carried_on_costs_two_orders():
    """Eq 82 has T^-1(n_i): with the n of the step before the order is 2, since every step has a chart of its own."""
    assert orders(lambda: Scheme(PROJECTION, 2.0, J, nothing, carry=True), nothing) == pytest.approx(2.0, abs=0.2)


@pytest.mark.source("H.09")
def test_formulation_and_integrator_together_are_the_scheme():
    """A step of "local_velocity" with "rk4" is Eqs 82-87 to round-off, under a load too."""
    model = tumbling_box((3.0, 2.0, 4.0), 2.0)

    def pull(t, x, v):
        H = system.frames(x)[0]
        y = H[:3, :3] @ [0.5, 0.2, -0.1] + H[:3, 3]
        f = 6.0 * (np.array([1.0, 0.0, 0.5]) - y)
        return np.array([np.zeros(6), [*np.cross(y, f), *f]])

    system = LocalVelocity(model, f_ext=pull, projection=PROJECTION)
    state = RK4().init(system, 0.0, system.place(START[0][None]), START[1])
    H, w = START
    scheme = Scheme(PROJECTION, 2.0, np.diag([3.0, 2.0, 4.0]), spring)
    for k in range(10):
        H, w = scheme.step(H, w, 0.05 * k, 0.05)
        state = RK4().step(system, state, 0.05)
    assert_allclose(system.frames(state.x)[0], H, rtol=0, atol=1e-14)
    assert_allclose(state.v, w, rtol=0, atol=2e-14)


# --- the example ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exact():
    """Omega and quaternion after a second, to all digits."""
    Omega, p = free_rotation(MOMENTS, SPIN, [1.0])
    return Omega[0], p[0]


def exact_rk4(steps: int) -> np.ndarray:
    """Omega after a second by the classical Runge-Kutta method on Euler's equations, in 40 digits.

    Where it passes 1e9 if it runs away.
    """
    with localcontext() as context:
        context.prec = 40
        J1, J2, J3 = (Decimal(x) for x in MOMENTS)
        a, b, c = (J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3
        h, state = Decimal(1) / steps, [Decimal(x) for x in SPIN]

        def f(w):
            return [a * w[1] * w[2], b * w[2] * w[0], c * w[0] * w[1]]

        def ahead(w, s, k):
            return [x + s * y for x, y in zip(w, k, strict=True)]

        for _ in range(steps):
            if max(map(abs, state)) > 1e9:
                break
            k1 = f(state)
            k2 = f(ahead(state, h / 2, k1))
            k3 = f(ahead(state, h / 2, k2))
            k4 = f(ahead(state, h, k3))
            state = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(state, k1, k2, k3, k4, strict=True)]
        return np.array([float(x) for x in state])


def run(cls, steps: int, duration: float = 1.0):
    """The formulation and all states of a run by the compiled RK4, which test_free_bodies compares with RK4."""
    system = cls(tumbling_box())
    times = np.linspace(0.0, duration, steps + 1)
    x, v = system.state(*tumbling_box_state())
    record = system.compiled_run(RK4(), times, x, v, 1, lambda done: None)
    return system, record.q, record.v


@pytest.fixture(scope="module")
def runs():
    """Omega at the end and the largest |det R - 1| of both methods for each number of steps a second."""
    results = {}
    for cls in (LocalVelocity, QuaternionBodies):
        for steps in STEPS:
            system, x, v = run(cls, steps)
            assert len(x) == steps + 1
            det = np.max(np.abs(np.linalg.det(system.frames(x)[:, 0, :3, :3]) - 1.0))
            results[cls.name, steps] = system.velocities(x[-1], v[-1])[1, :3], det
    return results


METHODS = pytest.mark.parametrize("method", ["local_velocity", "quaternion"])


@pytest.mark.source("H.10", "H.12")
@METHODS
def test_order_four_over_a_range_of_steps(runs, exact, method):
    """Fig 11. Slope over the steps that resolve the motion and whose error is above what rounding makes of it."""
    h = 1.0 / np.array(STEPS)
    errors = np.array([np.linalg.norm(runs[method, steps][0] - exact[0]) for steps in STEPS])
    resolved = slice(1, 4)
    slope = np.polyfit(np.log(h[resolved]), np.log(errors[resolved]), 1)[0]
    assert slope == pytest.approx(4.0, abs=0.1)
    assert np.all(errors[4:] < 1e-4)


@pytest.mark.source("H.12")
def test_without_rounding_the_slope_is_four_down_to_the_shortest_step(exact):
    errors = np.array([np.linalg.norm(exact_rk4(steps) - exact[0]) for steps in STEPS[1:]])
    slopes = np.log2(errors[:-1] / errors[1:])
    assert_allclose(slopes, 4.0, atol=0.1)


@pytest.mark.source("H.12")
@METHODS
def test_rounding_errors_are_all_that_the_short_steps_add(runs, method):
    """Floats and 40 digits differ by what an unstable motion makes of 1e-16: up to 1e-5 of 100 rad/s.

    So no run in floats, that with h = 1e-5 of the paper included, is a reference to machine precision.
    """
    for steps in STEPS:
        assert np.linalg.norm(runs[method, steps][0] - exact_rk4(steps)) < 1e-4


@pytest.mark.source("H.12")
@METHODS
def test_determinant_of_the_rotation_matrix(runs, method):
    """Fig 12."""
    assert max(runs[method, steps][1] for steps in STEPS) < 1e-13


@pytest.mark.source("H.12")
@pytest.mark.parametrize("steps", [10, 20, 40])
@pytest.mark.parametrize("cls", [LocalVelocity, QuaternionBodies])
def test_the_longest_steps_of_the_paper_run_away(cls, steps):
    """h = 1/10 and 1/40 are in the list of Fig 11, but such a step grows the unstable mode until nothing is finite.

    The method does, not the rounding: in 40 digits it happens too.
    """
    system = cls(tumbling_box())
    state = RK4().init(system, 0.0, *system.state(*tumbling_box_state()))
    with pytest.raises(FloatingPointError):
        for _ in range(steps):
            state = RK4().step(system, state, 1.0 / steps)
    assert np.abs(exact_rk4(steps)).max() > 1e9


@pytest.mark.source("H.12")
def test_a_run_with_the_reference_step_of_the_paper_is_as_good_as_rounding_lets_it_be(exact):
    """h = 1e-5, 100000 steps: by its order the error would be 1e-11; it is what rounding makes of it."""
    for cls in (LocalVelocity, QuaternionBodies):
        system, x, v = run(cls, 100_000)
        error = np.linalg.norm(system.velocities(x[-1], v[-1])[1, :3] - exact[0])
        assert 1e-9 < error < 1e-2
        assert np.max(np.abs(np.linalg.det(system.frames(x)[:, 0, :3, :3]) - 1.0)) < 2e-12


@pytest.mark.source("H.10")
def test_both_methods_compute_the_same_rotation(runs):
    """Both solve n' = T^-1(n) Omega with the same tableau; only the rounding differs."""
    for steps in (160, 320, 640):
        assert_allclose(runs["local_velocity", steps][0], runs["quaternion", steps][0], rtol=0, atol=1e-4)
    ends = []
    for cls in (LocalVelocity, QuaternionBodies):
        system, x, _ = run(cls, 50, 0.05)
        ends.append(system.frames(x)[-1, 0])
    assert_allclose(ends[0], ends[1], rtol=0, atol=1e-13)


@pytest.mark.source("H.10")
def test_the_quaternion_keeps_its_length_without_being_told_to():
    _, x, _ = run(QuaternionBodies, 5120)
    assert np.max(np.abs(np.linalg.norm(x[:, :4], axis=1) - 1.0)) < 1e-13


@pytest.mark.source("H.11")
def test_the_body_flips_over_and_point_P_travels_between_the_poles():
    """Figs 7-10 at h = 1/1280 against the exact motion: Omega_3 and P_3 change between +-100 and +-1."""
    times = np.arange(1281) / 1280
    Omega, p = free_rotation(MOMENTS, SPIN, times)
    system, x, w = run(LocalVelocity, 1280)
    P = (system.poses(x)[:, 1] @ [0.0, 0.0, 1.0, 1.0])[:, :3]
    assert_allclose(P, quaternion.to_matrix(p) @ [0.0, 0.0, 1.0], rtol=0, atol=1e-5)
    assert_allclose(system.velocities(x, w)[:, 1, :3], Omega, rtol=0, atol=1e-3)
    assert P[:, 2].min() < -0.999 and P[:, 2].max() > 0.999
    assert np.count_nonzero(np.diff(np.sign(Omega[:, 2]))) == 3
    assert np.max(np.abs(np.linalg.det(system.frames(x)[:, 0, :3, :3]) - 1.0)) < 1e-13


@pytest.mark.source("H.11")
def test_initial_coordinates_as_printed():
    """Eq 89."""
    system = LocalVelocity(tumbling_box())
    x, w = system.state(*tumbling_box_state())
    assert_allclose(w, np.array([100, 100, 0.01, 0.01, 0, 0]) / np.sqrt(2), rtol=1e-15)
    assert_allclose(system.frames(x)[0], np.eye(4))
