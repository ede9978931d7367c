"""Forces that are known at many states at once are what they are at one after the other."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import double_pendulum
from rbdkit.simulation.forces import TracedForce, at_states, drive
from rbdkit.simulation.traced_forces import torque_law

TIMES = np.array([0.0, 0.1, 0.2, 0.3, 0.37])
ASKED = np.array([-0.1, 0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.35, 0.37, 0.4])


def law(t, q, v):
    return np.sin(3.0 * t) - 2.0 * v * q


@pytest.mark.parametrize("tau", [
    None, np.array([1.0, -2.0]), np.arange(8.0).reshape(4, 2) ** 2, np.arange(10.0).reshape(5, 2) ** 2, law,
], ids=["zero", "constant", "held", "sampled", "function"])  # fmt: skip
def test_at_once_is_one_by_one(tau):
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, len(ASKED), 2))
    force = drive(double_pendulum(), tau, TIMES).function
    one_by_one = [force(t, *state) for t, *state in zip(ASKED.tolist(), q, v, strict=True)]
    np.testing.assert_array_equal(at_states(force, ASKED, q, v), one_by_one)


def test_held_forces_jump_and_sampled_ones_follow_straight_lines():
    rows = np.array([[0.0], [10.0], [30.0], [20.0]])
    model = rbd.library.pendulum()
    held = drive(model, rows, TIMES).function
    assert at_states(held, ASKED, ASKED[:, None], ASKED[:, None]).ravel().tolist() == [
        0, 0, 0, 10, 30, 30, 20, 20, 20, 20,
    ]  # fmt: skip
    sampled = drive(model, np.vstack([rows, [[55.0]]]), TIMES).function
    np.testing.assert_allclose(
        at_states(sampled, ASKED[1:9], ASKED[1:9, None], ASKED[1:9, None]).ravel(),
        [0.0, 5.0, 10.0, 30.0, 25.0, 20.0, 45.0, 55.0],
        rtol=1e-14,
    )


def test_traced_functions_are_asked_in_code():
    model, asked = double_pendulum(), []

    def counted(t, q, v):
        asked.append(t)
        return law(t, q, v)

    force = TracedForce(counted, torque_law(model, rbd.traced(law), law, 1.0))
    q, v = np.random.default_rng(1).normal(size=(2, len(ASKED), 2))
    found = at_states(force, ASKED, q, v)
    assert not asked
    np.testing.assert_allclose(found, [force(*x) for x in zip(ASKED, q, v, strict=True)], rtol=1e-13, atol=1e-14)
    assert len(asked) == len(ASKED)


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_the_torques_of_a_run_are_its_own_to_change(formulation):
    model = double_pendulum()
    run = rbd.simulate(model, duration=0.01, dt=1e-3, tau=[1.0, 2.0], formulation=formulation)
    run.tau[0] = 7.0
    assert run.tau[1].tolist() == [1.0, 2.0]
