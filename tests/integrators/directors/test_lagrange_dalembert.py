"""The discrete Lagrange-d'Alembert method: its own equations, its closed form, and the paper's comparison."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.formulations import Directors, NonTwistingDirectors
from rbdkit.integrators import LagrangeDAlembert, half_step_energy
from rbdkit.library.gebhardt_romero import CASES, INERTIA, fixed_point_model
from rbdkit.simulation import SimulationWarning
from rbdkit.spatial import so3

METHOD = "lagrange_dalembert"


@pytest.mark.source("G.14")
@pytest.mark.parametrize("formulation", [Directors, NonTwistingDirectors])
def test_three_positions_obey_the_discrete_equations(formulation):
    """M (q_2 - 2 q_1 + q_0) / h - h Q(q_1) is a combination of the reactions at q_1, and no more: the two-step form."""
    rows = np.array([np.zeros(6), [0.3, -0.8, 0.5, 0.0, 0.0, 0.0]])
    system = formulation(fixed_point_model(), lambda t, x, v: np.array([t, 0.4, 0.0]), lambda t, x, v: rows)
    h, method = 0.1, LagrangeDAlembert()
    states = [method.init(system, 0.0, *system.state(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.2, -0.7, 0.0])))]
    for _ in range(6):
        states.append(method.step(system, states[-1], h))
    for before, here, after in zip(states, states[1:], states[2:], strict=False):
        force = system.generalized_force(here.t, here.x, here.v)
        balance = system.M @ (after.x - 2.0 * here.x + before.x) / h - h * force
        reactions = np.vstack([system.H(here.x), system.G(here.x)])
        along = np.linalg.lstsq(reactions.T, balance, rcond=None)[0]
        assert_allclose(reactions.T @ along, balance, atol=1e-12)
        middle = 0.5 * (here.x + after.x)
        assert_allclose(system.G(middle) @ (after.x - here.x), 0.0, atol=1e-14)
        assert_allclose(system.constraint_error(after.x), 0.0, atol=1e-14)


@pytest.mark.source("G.14")
def test_free_motion_of_the_method_in_closed_form(run):
    """It turns by arcsin(h w) in a step, more than h w. The Hamiltonian at the nodes is exact; the energy of the chords
    is larger by 1 / cos^2 of half the angle: the paper's 'differs a little'."""
    h, case = 0.005, CASES[0]
    motion = run(1, METHOD, h, 1.0)
    w = np.linalg.norm(case.v0)
    angle = np.arcsin(h * w)
    turns = so3.exp(np.arange(201)[:, None] * angle * case.v0 / w)
    assert_allclose(motion.poses("body")[:, :3, :3], turns, atol=1e-11)
    kept = motion.invariants()
    assert_allclose(kept["K"], 717.428571428571, rtol=1e-12)
    assert_allclose(kept["Pi1"], 20.571428571428, atol=1e-11)
    assert_allclose(kept["Pi2"], -72.857142857143, atol=1e-11)
    chords = half_step_energy(motion.system, motion.x, h)
    assert_allclose(chords, 717.428571428571 / np.cos(0.5 * angle) ** 2, rtol=1e-11)


@pytest.mark.source("G.14")
@pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # it turns by up to 0.4 rad in each
@pytest.mark.parametrize(("number", "h"), [(2, 0.001), (3, 0.0025)])
def test_momenta_take_up_the_impulses_of_the_nodes(run, number, h):
    """The trapezoid sum of the triangle is exact, and so are Pi and K after the load."""
    case = CASES[number - 1]
    motion = run(number, METHOD, h, 1.5)
    kept = motion.invariants()
    exact = np.array([case.momentum(t) for t in motion.t])
    after = motion.t >= 1.0
    for k in (0, 1):
        assert_allclose(kept[f"Pi{k + 1}"][after], exact[after, k], atol=1e-13 * np.abs(exact).max())
    assert_allclose(kept["K"][after], case.kinetic_energy(1.0), rtol=1e-13)


@pytest.mark.source("G.14")
@pytest.mark.parametrize("number", [2, 3])
def test_the_papers_step_is_too_long_for_the_loaded_cases(run, number):
    """Chords are no longer than diameters: h w = 1 is the end, reached at 0.47 s in case 2 and 0.79 s in case 3."""
    case, h = CASES[number - 1], 0.005
    with pytest.warns(SimulationWarning, match=r"lagrange_dalembert at t = .* residual .* take dt = 0\.00"):
        motion = run(number, METHOD, h)
    middles = motion.t[-1] + h * np.array([-0.5, 0.5])  # of the last step that was made and of the one that was not
    speeds = [np.linalg.norm(np.linalg.solve(INERTIA, case.momentum(t))) for t in middles]
    assert h * speeds[0] < 1.0 < h * speeds[1]


@pytest.mark.source("G.14")
def test_standard_body_keeps_k_and_pi_and_in_gravity_not_its_energy():
    """Free, it is the integrable discretization of Moser and Veselov: the Hamiltonian at the nodes is exact too."""
    heavy = rbd.Model("top")
    heavy.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, (0.0, 0.0, 0.2), INERTIA))
    method = LagrangeDAlembert()
    for model, kept_names in ((fixed_point_model(), {"K", "pi"}), (heavy, {"angular momentum about the vertical"})):
        system = Directors(model)
        start = system.state(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.2, -0.7, 0.9]))
        states = [method.init(system, 0.0, *start)]
        for _ in range(60):
            states.append(method.step(system, states[-1], 0.1))
        invariants = system.invariants(np.array([s.x for s in states]), np.array([s.v for s in states]))
        for name, values in invariants.items():
            drift = np.abs(values - values[0]).max() / np.abs(values[0]).max()
            assert drift < 1e-13 if name in kept_names else drift > 1e-5, name


@pytest.mark.source("G.14")
def test_the_papers_comparison_of_case_1(run):
    """On [4, 5] s the energy-momentum method is behind the exact motion and this one ahead, and both take about as many
    iterations: its steps turn by w h (1 + (w h)^2 / 6), those of the other by w h (1 - (w h)^2 / 12)."""
    h = 0.005
    em, dla = run(1, "energy_momentum", h), run(1, METHOD, h)
    w = np.linalg.norm(CASES[0].v0)
    behind, ahead = -((w * h) ** 2) / 12.0, (w * h) ** 2 / 6.0
    late = em.t >= 4.0
    for motion, share in ((em, behind), (dla, ahead)):
        start, across = np.array([0.0, 0.0, 1.0]), np.cross(CASES[0].v0 / w, [0.0, 0.0, 1.0])
        phase = np.unwrap(np.arctan2(motion.x[:, 6:] @ across, motion.x[:, 6:] @ start))
        assert_allclose(phase[late] / (w * motion.t[late]) - 1.0, share, rtol=0.01)
    for motion in (em, dla):
        assert 3.0 <= np.mean([solve.iterations for solve in motion.solves]) <= 4.0
    assert_allclose(em.invariants()["Pi1"], dla.invariants()["Pi1"], atol=1e-11)
    assert 0.1 < np.abs(em.x[late, 6:] - dla.x[late, 6:]).max() < 0.3


def test_nodes_are_its_stages():
    system, method = Directors(fixed_point_model()), LagrangeDAlembert()
    state = method.init(system, 0.0, *system.state(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.2, -0.7, 0.9])))
    first, last = method.stages(system, state, 0.1)
    new = method.step(system, state, 0.1)
    assert (first.t, last.t) == (0.0, 0.1)
    assert_allclose(first.x + 0.1 * first.u_rate, new.x, atol=1e-15)
    assert_allclose(last.v, new.v, atol=1e-15)


def test_it_runs_by_name():
    run = rbd.simulate(CASES[0].model, v0=[1.0, 0.5, 0.2], duration=0.1, formulation="directors", integrator=METHOD)
    assert len(run.solves) == len(run.t) - 1


def test_a_load_that_depends_on_velocity_leaves_the_order_at_two():
    """A braking moment, taken at the velocity before it has acted, would make the order 1."""
    model = fixed_point_model()
    options = {"v0": [1.2, -0.7, 0.9], "tau": rbd.traced(lambda t, q, v: -2.0 * v), "duration": 0.4, "progress": False}
    exact = rbd.simulate(model, integrator="dop853", dt=0.01, **options).poses()[-1]
    off = [
        np.abs(
            rbd.simulate(model, dt=h, formulation="directors", integrator="lagrange_dalembert", **options).poses()[-1]
            - exact
        ).max()
        for h in (0.02, 0.01)
    ]
    assert 3.6 < off[0] / off[1] < 4.4
