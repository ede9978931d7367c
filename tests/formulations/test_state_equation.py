"""The state equation of first order, integrated by SciPy, against `simulate` and differences of q."""

import doctest
import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.errors import StateError
from rbdkit.formulations import JointSystem, state_equation
from rbdkit.functions import accelerations, balances, hybrid, kinematics, terms
from rbdkit.library import joint_gallery, pendulum, random_state, random_tree, uncommon_joints
from rbdkit.library.mueller_terze import three_bar_linkage

pytestmark = pytest.mark.source("F3.03")


def gallery(seed):
    rng = np.random.default_rng(seed)
    return [*joint_gallery(rng), *uncommon_joints(rng)]


def solved(equation, q, v, duration, tolerance=1e-11):
    run = solve_ivp(
        equation, (0.0, duration), equation.join(q, v), method="DOP853", rtol=tolerance, atol=tolerance, max_step=0.02
    )
    assert run.success
    return run


@pytest.mark.parametrize("seed", range(3))
def test_trees_of_all_joint_types_move_as_simulate_moves_them(seed):
    """Other coordinates (quaternions in place of displacements), another method, the same motion.

    RK4 at h and h/2 tell how far it is from the limit itself; sixteen times nearer is where the limit lies.
    """
    joints = gallery(seed)[seed::3]
    model = random_tree(seed, len(joints), joints, branching=0.8)
    q, v, tau = random_state(model, seed)
    v, tau = 0.3 * v, 0.3 * tau
    f_ext = {"b3": np.array([0.1, -0.2, 0.3, 0.5, 0.4, -0.3])}
    coarse, fine = (
        rbd.simulate(model, q, v, 0.1, dt=dt, tau=lambda t, q, v: tau * np.cos(t), f_ext=f_ext) for dt in (2e-3, 1e-3)
    )
    equation = rbd.StateEquation(model, lambda t, q, v: tau * np.cos(t), f_ext=f_ext)
    run = solved(equation, q, v, 0.1)
    q_end, v_end = equation.split(run.y[:, -1])
    error = np.concatenate([model.difference(fine.q[-1], q_end), v_end - fine.v[-1]])
    known = np.concatenate([model.difference(coarse.q[-1], fine.q[-1]), fine.v[-1] - coarse.v[-1]])
    assert np.abs(error).max() < np.abs(known).max() / 10.0 + 1e-9
    assert np.abs(known).max() < 1e-3


@pytest.mark.parametrize("joint", gallery(7), ids=lambda joint: joint.kind)
def test_rates_of_coordinates_are_differences_of_q(joint):
    """d/dt q along q(t) = integrate(q, t v), by a central difference of order 4 (1e-3^4 and rounding 1e-16 / 1e-3)."""
    model = random_tree(3, 3, [joint])
    q, v, tau = random_state(model, 3)
    h = 1e-3
    qdot, vdot = rbd.state_derivative(model, q, v, tau)
    ends = {k: model.integrate(q, k * h * v) for k in (-2, -1, 1, 2)}
    slope = (8.0 * (ends[1] - ends[-1]) - (ends[2] - ends[-2])) / (12.0 * h)
    np.testing.assert_allclose(qdot, slope, atol=1e-9)
    np.testing.assert_array_equal(vdot, rbd.forward_dynamics(model, q, v, tau))
    equation = rbd.StateEquation(model, tau)
    np.testing.assert_allclose(equation(0.0, equation.join(q, v)), np.concatenate([qdot, vdot]), rtol=1e-12, atol=1e-12)


def test_stacks_and_the_readable_form():
    model = random_tree(1, 8)
    states = [random_state(model, seed) for seed in range(4)]
    q, v, tau = (np.array(part) for part in zip(*states, strict=True))
    qdot, vdot = rbd.state_derivative(model, q, v, tau)
    assert qdot.shape == (4, model.nq) and vdot.shape == (4, model.nv)
    one = rbd.state_derivative(model, q[2], v[2], tau[2], backend="book")
    np.testing.assert_allclose(one.qdot, qdot[2], atol=1e-14)
    np.testing.assert_allclose(one.vdot, vdot[2], rtol=1e-9, atol=1e-9)


def test_mimic_and_prescribed_joints_springs_and_dampers():
    """The same as the rate of the system that `simulate` steps."""
    model = rbd.Model()
    ball = rbd.Inertia(1.0, [0.1, 0.0, 0.2], 0.05 * np.eye(3))
    shaken = rbd.Prescribed(rbd.Prismatic("z"), lambda t: ([np.sin(t)], [np.cos(t)], [-np.sin(t)]))
    model.add_body("table", joint=shaken, inertia=ball)
    model.add_body("arm", "table", rbd.Revolute("y"), inertia=ball, damping=0.3, stiffness=2.0)
    model.add_body("slide", "arm", rbd.Prismatic("x"), inertia=ball, mimic=rbd.Mimic("arm_joint", 0.5))
    model.add_body("ball", "slide", rbd.Spherical(), inertia=ball, stiffness=1.0)
    q, v, tau = random_state(model, 4)
    equation = rbd.StateEquation(model, tau)
    rate = equation(0.7, equation.join(q, v))
    np.testing.assert_allclose(rate[model.nq :], JointSystem(model, lambda t, q, v: tau).rate(0.7, q, v), rtol=1e-12)
    run = solved(equation, q, v, 0.5)
    other = rbd.simulate(model, q, v, 0.5, tau=tau, integrator="dop853")
    np.testing.assert_allclose(equation.split(run.y[:, -1])[1], other.v[-1], atol=1e-7)


def test_quaternions_stay_near_their_sphere_and_come_back_to_it():
    """The exact solution stays on it; what SciPy leaves is its tolerance, and the motion is right to that."""
    model = rbd.library.spherical_pendulum()
    q, v = model.integrate(model.neutral(), [0.8, 0.0, 0.0]), np.array([0.0, 1.0, 2.0])
    ends = []
    for tolerance in (1e-5, 1e-11):
        equation = rbd.StateEquation(model)
        run = solve_ivp(equation, (0.0, 2.0), equation.join(q, v), rtol=tolerance, atol=tolerance, method="DOP853")
        norms = np.linalg.norm(run.y[:4], axis=0)
        assert np.abs(norms - 1.0).max() < 1e2 * tolerance
        positions, velocities = equation.split(run.y.T)
        assert positions.shape == (len(run.t), 4)
        np.testing.assert_allclose(np.linalg.norm(positions, axis=1), 1.0, atol=1e-15)
        assert np.ptp(rbd.energy(model, positions, velocities).total) < 1e4 * tolerance
        ends.append(velocities[-1])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-3)


def test_off_the_sphere_the_equation_is_that_at_the_nearest_coordinates():
    model = random_tree(0, 6, [rbd.Free(), rbd.Free("successor"), rbd.SphereInCylinder("x"), rbd.Revolute("z")])
    q, v, tau = random_state(model, 0)
    equation = rbd.StateEquation(model, tau)
    at = equation(0.0, equation.join(q, v))
    for joint in model.joints[1:]:
        if joint.nq > 1:
            longer = q.copy()
            longer[joint.q_slice.start : joint.q_slice.start + 4] *= 1.3
            np.testing.assert_allclose(equation(0.0, np.concatenate([longer, v])), at, rtol=1e-11, atol=1e-11)


def test_laws_get_copies_and_are_checked():
    model = pendulum()
    seen = []

    def law(t, q, v):
        seen.append((t, q.copy(), v.copy()))
        q[:], v[:] = 7.0, 7.0
        return [1.0]

    equation, x = rbd.StateEquation(model, law), np.array([0.3, 0.1])
    constant = rbd.StateEquation(model, [1.0], f_ext={"rod": [0.0] * 6})
    np.testing.assert_array_equal(equation(0.2, x), constant(0.2, x))
    assert x.tolist() == [0.3, 0.1] and seen[0][0] == 0.2 and seen[0][1].tolist() == [0.3]
    for wrong, says in (
        (lambda t, q, v: [1.0, 2.0], "tau has shape (2,)"),
        (lambda t, q, v: [np.nan], "tau[0] (joint 'hinge') is not finite"),
        (lambda t, q, v: [[1.0]], "tau has shape (1, 1)"),
    ):
        with pytest.raises(StateError, match=re.escape(says)):
            rbd.StateEquation(model, wrong)(0.0, x)


def test_loops_are_honoured_and_watched():
    """Accelerations are those of an assembly of bodies; what has drifted open is no solution."""
    model, q, v = three_bar_linkage()
    equation, still = rbd.StateEquation(model), np.zeros(model.nv)
    expected = rbd.algorithms.divide_and_conquer(model, q, v, still).qdd
    scale = np.abs(expected).max()
    for found in (equation(0.0, equation.join(q, v))[model.nq :], rbd.state_derivative(model, q, v, still).vdot):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * scale)
    assert np.array_equal(equation.split(equation.join(q, v))[0], q)
    apart = equation.join(np.stack([q, model.integrate(q, 0.01 * np.eye(model.nv)[0])]), v)
    with pytest.raises(StateError, match=r"leaves loop joint 'joint3' open by .* rbdkit\.simulate"):
        equation.split(apart)


def test_what_it_refuses():
    model = rbd.library.spherical_pendulum()
    equation = rbd.StateEquation(model)
    x = equation.join(model.neutral(), np.zeros(3))
    with pytest.raises(StateError, match=re.escape("x has shape (6,); model 'spherical pendulum' needs (7,)")):
        equation(0.0, x[:6])
    with pytest.raises(StateError, match=re.escape("x has shape (2, 6)")):
        equation.split(np.zeros((2, 6)))
    with pytest.raises(StateError, match="a quaternion has lost its norm"):
        equation.split(x * 1.01)
    with pytest.raises(StateError, match=re.escape("q[0] (joint 'pivot') is not finite")):
        equation.split(np.where(np.arange(7) == 0, np.nan, x))
    with pytest.raises(StateError, match="norm 0"):
        equation(0.0, np.zeros(7))
    with pytest.raises(StateError, match="norm 2, not 1"):
        rbd.state_derivative(model, [2.0, 0, 0, 0], np.zeros(3), np.zeros(3))
    assert np.isnan(equation(0.0, np.full(7, np.inf))).all()


MODULES = state_equation, accelerations, balances, hybrid, kinematics, terms


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_in_the_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
