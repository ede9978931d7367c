import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ConvergenceError
from rbdkit.formulations import JointSystem, LinearSystem, LocalVelocity
from rbdkit.integrators import ImplicitMidpoint, State
from rbdkit.library import pendulum


def test_a_linear_system_is_stepped_by_the_cayley_transform():
    """(1 - h/2 A)^-1 (1 + h/2 A), with a spring so stiff that explicit methods would explode."""
    K, C, h = np.array([[-1e6, 3.0], [2.0, -4.0]]), np.array([[-0.1, 0.0], [0.0, -2e3]]), 0.1
    system = LinearSystem(K, C)
    state = State(0.0, np.array([1.0, -0.5]), np.array([0.2, 0.3]))
    A, one = system.matrix, np.eye(4)
    expected = np.linalg.solve(one - 0.5 * h * A, (one + 0.5 * h * A) @ [1.0, -0.5, 0.2, 0.3])
    end = ImplicitMidpoint().step(system, state, h)
    np.testing.assert_allclose(np.concatenate([end.x, end.v]), expected, rtol=1e-9)


def test_a_step_forward_and_a_step_back_meet_where_they_began():
    """The rule is symmetric in time: what is left is the tolerance of Newton's method."""
    model = rbd.Model("body")
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(1.0, [0.1, 0.2, 0.0], np.diag([1.0, 2.0, 2.5])))
    system = LocalVelocity(model)
    start = State(0.0, *system.state(model.random_q(3), np.array([1.0, -2.0, 0.5, 0.1, 0.2, 0.3])))
    there = ImplicitMidpoint().step(system, start, 0.2)
    back = ImplicitMidpoint().step(system, there, -0.2)
    assert there.solve.iterations >= 1
    np.testing.assert_allclose(back.x, start.x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(back.v, start.v, rtol=0, atol=1e-13)


def test_its_stage_is_the_midpoint_of_its_step():
    system = JointSystem(pendulum())
    start = State(0.0, np.array([1.0]), np.array([0.5]))
    end, (stage,) = ImplicitMidpoint().step(system, start, 0.1), ImplicitMidpoint().stages(system, start, 0.1)
    assert stage.t == 0.05
    np.testing.assert_allclose(stage.v, 0.5 * (start.v + end.v), rtol=1e-14)
    np.testing.assert_allclose(end.v, start.v + 0.1 * stage.v_rate, rtol=1e-13)
    np.testing.assert_allclose(stage.v_rate, system.rate(0.05, stage.x, stage.v), rtol=1e-12)


def test_a_step_without_solution_says_when_and_what_to_do():
    """v' = v^2 + 1 has no midpoint if the step is long."""

    class Explosive(LinearSystem):
        def rate(self, t, x, v):
            return v**2 + 1.0

    system = Explosive(np.zeros((1, 1)), np.zeros((1, 1)))
    with pytest.raises(ConvergenceError, match=r"midpoint of the step from t = 2 s.*residual.*take a shorter step"):
        ImplicitMidpoint().step(system, State(2.0, np.zeros(1), np.array([3.0])), 1.0)
