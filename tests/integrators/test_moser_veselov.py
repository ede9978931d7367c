import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import NotCovered, packaged
from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations import FORMULATIONS, LocalVelocity, QuaternionBodies
from rbdkit.integrators import INTEGRATORS, MoserVeselov, State
from rbdkit.library import double_pendulum, pendulum, tumbling_box, tumbling_box_state
from rbdkit.spatial.so3 import unskew

J = np.array([[3.0, 0.4, 0.0], [0.4, 2.0, -0.2], [0.0, -0.2, 4.0]])


@pytest.fixture
def model():
    model = rbd.Model("body", gravity=(0.5, 0.0, -9.81))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(2.0, [0.1, -0.3, 0.2], J))
    return model


def pull(system):
    """A spring from a point of the body to the origin."""

    def f_ext(t, x, v):
        end = (system.poses(x)[1] @ [0.3, 0.1, -0.2, 1.0])[:3]
        return np.array([np.zeros(6), rbd.wrench(-5.0 * end, end)])

    return f_ext


@pytest.mark.parametrize("cls", [LocalVelocity, QuaternionBodies])
def test_discrete_equations_of_motion(model, cls):
    """``skew(h Pi + h^2/2 M) = F J_d - J_d F^T`` and its like at the end of the step; Störmer-Verlet for the centre.

    Read from two states, with no formula of the code.
    """
    system, h = cls(model), 0.05
    system.f_ext = pull(system)
    start = State(0.0, *system.state(model.random_q(4), np.array([1.0, 2.0, -0.5, 0.3, 0.2, 0.1])))
    end = MoserVeselov().step(system, start, h)
    (H0,), (H1,) = system.frames(start.x), system.frames(end.x)
    (v0,), (v1,) = system.twists(start.x, start.v), system.twists(end.x, end.v)
    (f0,), (f1,) = system.forces(0.0, start.x, start.v), system.forces(h, end.x, end.v)
    F, J_d = H0[:3, :3].T @ H1[:3, :3], 0.5 * np.trace(J) * np.eye(3) - J
    impulse = unskew(F @ J_d - J_d @ F.T)
    np.testing.assert_allclose(impulse, h * J @ v0[3:] + 0.5 * h**2 * f0[3:], rtol=0, atol=1e-14)
    np.testing.assert_allclose(J @ v1[3:], F.T @ impulse / h + 0.5 * h * f1[3:], rtol=0, atol=1e-13)
    pushed = H0[:3, :3] @ (v0[:3] + 0.5 * h * f0[:3] / 2.0)
    np.testing.assert_allclose(H1[:3, 3], H0[:3, 3] + h * pushed, rtol=0, atol=1e-14)
    np.testing.assert_allclose(H1[:3, :3] @ (v1[:3] - 0.5 * h * f1[:3] / 2.0), pushed, rtol=0, atol=1e-14)


def test_the_error_of_a_turn_is_squared_by_each_iteration(model):
    """As by Newton's method with the exact Jacobian: a wrong entry of that leaves the answer, but takes ten or more."""
    system = LocalVelocity(model)
    start = State(0.0, *system.state(model.random_q(4), np.array([1.0, 2.0, -0.5, 0.0, 0.0, 0.0])))
    for h in (0.05, 0.2):  # turns of 0.1 and 0.5 rad
        assert MoserVeselov().step(system, start, h).solve.iterations <= 4


def test_symmetric_in_time(model):
    system = LocalVelocity(model)
    system.f_ext = pull(system)
    start = State(0.0, *system.state(model.random_q(4), np.array([1.0, 2.0, -0.5, 0.3, 0.2, 0.1])))
    back = MoserVeselov().step(system, MoserVeselov().step(system, start, 0.1), -0.1)
    np.testing.assert_allclose(back.x, start.x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(back.v, start.v, rtol=0, atol=1e-13)


def test_uniform_gravity_is_free_fall(model):
    """The parabola is exact at any step, whatever the turn."""
    system = LocalVelocity(model)
    q, v = model.random_q(4), np.array([1.0, 2.0, -0.5, 0.3, 0.2, 0.1])
    state = State(0.0, *system.state(q, v))
    (H,), (twist,) = system.frames(state.x), system.twists(state.x, state.v)
    for _ in range(10):
        state = MoserVeselov().step(system, state, 0.2)
    expected = H[:3, 3] + 2.0 * H[:3, :3] @ twist[:3] + 0.5 * 4.0 * model.gravity
    np.testing.assert_allclose(system.frames(state.x)[0, :3, 3], expected, rtol=1e-13)


def test_bodies_without_forces_between_them_step_as_each_alone():
    inertias = [rbd.Inertia(2.0, [0.1, -0.3, 0.2], J), rbd.Inertia(0.5, [0.2, 0.0, 0.1], 0.1 * J)]
    v = np.random.default_rng(5).normal(size=(2, 6))
    ends = []
    for members in ([0], [1], [0, 1]):
        model = rbd.Model("bodies")
        for k in members:
            model.add_body(f"body {k}", joint=rbd.Free(), inertia=inertias[k])
        system = LocalVelocity(model, tau=lambda t, x, v: np.sin(v))
        end = MoserVeselov().step(system, State(0.0, *system.state(model.neutral(), v[members].ravel())), 0.1)
        ends.append((end.x, end.v))
    for alone, together in zip(zip(*ends[:2], strict=True), ends[2], strict=True):
        np.testing.assert_allclose(together, np.concatenate(alone), rtol=0, atol=1e-13)


def test_stages_are_its_two_ends(model):
    system = LocalVelocity(model)
    start = State(1.0, *system.state(model.random_q(4), np.ones(6)))
    end, stages = MoserVeselov().step(system, start, 0.1), MoserVeselov().stages(system, start, 0.1)
    assert [stage.t for stage in stages] == [1.0, pytest.approx(1.1)]
    np.testing.assert_array_equal(stages[1].x, end.x)
    np.testing.assert_allclose(start.v + 0.1 * stages[0].v_rate, end.v, rtol=1e-13)
    np.testing.assert_allclose(system.move(start.x, 0.1 * stages[0].u_rate), end.x, rtol=0, atol=1e-13)


def test_a_step_too_long_to_turn_by_is_refused_by_name():
    """The tumbling box turns by five radians in 1/20 s: no rotation belongs to such an impulse."""
    system = LocalVelocity(tumbling_box())
    with pytest.raises(ArithmeticError, match="the turn of the step from t = 0 s could not be solved"):
        MoserVeselov().step(system, State(0.0, *system.state(*tumbling_box_state())), 0.05)


def test_it_refuses_other_formulations():
    with pytest.raises(SimulationError, match=r"moser_veselov.*; it steps 'local_velocity', 'quaternion'"):
        rbd.simulate(pendulum(), duration=0.1, dt=0.01, integrator="moser_veselov", progress=False)


@pytest.mark.parametrize("formulation", ["quaternion", "local_velocity"])
def test_compiled_steps_are_the_readable_ones(formulation):
    """Of two bodies, each with its own equations; they are solved to 1e-15."""
    model = rbd.Model("two boxes")
    for name, size in (("large", [0.1, 0.2, 0.4]), ("small", [0.3, 0.1, 0.05])):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=2.0))
    system, method, h = FORMULATIONS[formulation](model), MoserVeselov(), 0.01
    q, v = model.random_q(np.random.default_rng(5)), np.array([0.3, 4.0, 0.2, 0.5, -0.3, 0.2, 3.0, 0.2, 9.0, 0, 1, 0])
    x, w = system.state(q, v)
    run = system.compiled_run(method, h * np.arange(31), x, w, 10, lambda done: None)
    state, most = method.init(system, 0.0, x, w), 0
    for _ in range(30):
        state = method.step(system, state, h)
        most = max(most, state.solve.iterations)
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.v[-1], state.v, rtol=0, atol=1e-12)
    assert abs(run.solves[:, 0].max() - most) <= 1  # each body for itself there, all together here


def test_a_turn_without_solution_is_an_error_there_too():
    model = rbd.Model("fast", gravity=(0, 0, 0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(1.0, inertia_com=np.diag([5.3, 1.2, 4.4])))
    with pytest.raises(ConvergenceError, match="the turn of the step from t = 0 s could not be solved"):
        rbd.simulate(
            model, v0=[1.0, 0.5, 100.0, 0, 0, 0], duration=1.0, dt=0.1, formulation="quaternion",
            integrator="moser_veselov", progress=False,
        )  # fmt: skip


@pytest.mark.parametrize("name", ["moser_veselov", "generalized_alpha", "rk4_projected"])
def test_what_cannot_step_joint_coordinates_is_refused_by_name(name):
    with pytest.raises(SimulationError, match=rf"integrator '{name}' does not step formulation 'joint'; it steps '"):
        rbd.simulate(double_pendulum(), integrator=name, duration=0.01, progress=False)
    with pytest.raises(NotCovered, match="not joint coordinates"):
        packaged(double_pendulum(), INTEGRATORS[name])
