"""Compiled implicit steps, put into the equations that they claim to solve, and measured against SciPy's own loop.

Neither knows the text of a step: accelerations are those of `rbd.aba`, with springs and dampers written out.
"""

from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.library import random_state, random_tree

JOINTS = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Spherical(), rbd.Cylindrical("z")]


STIFFNESS, DAMPING = 20.0, 0.5


def accelerations(model, q, v):
    return rbd.aba(model, q, v, -STIFFNESS * q - DAMPING * v)


def arm():
    """A chain of three with springs and dampers."""
    model, parent = rbd.Model("arm"), "world"
    for k, axis in enumerate("yxz"):
        inertia = rbd.Inertia(1.0 + k, [0.05, 0.0, -0.2], np.diag([0.2, 0.25, 0.1]))
        placement = (0.0, 0.0, -0.4 * (k > 0))
        model.add_body(f"b{k}", parent, rbd.Revolute(axis), placement, inertia, stiffness=STIFFNESS, damping=DAMPING)
        parent = f"b{k}"
    return model, np.array([0.3, -0.2, 0.4]), np.array([0.5, -1.0, 0.7])


def steps_of(model, q, v, h, **options):
    motion = rbd.simulate(model, q, v, duration=5 * h, dt=h, progress=False, **options)
    assert "compiled loop" in motion.report.backend
    return zip(motion.q[:-1], motion.v[:-1], motion.q[1:], motion.v[1:], strict=True)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_midpoints_obey_the_equations_of_motion(seed):
    model, h = random_tree(seed, 5, JOINTS), 5e-3
    q, v, _ = random_state(model, seed)
    for q_0, v_0, q_1, v_1 in steps_of(model, q, v, h, integrator="implicit_midpoint"):
        v_m = 0.5 * (v_0 + v_1)
        a = rbd.aba(model, model.move(q_0, 0.5 * h * v_m), v_m, np.zeros(model.nv))
        # solved to 1e-14 of the largest velocity; accelerations of a second algorithm differ by some roundings
        np.testing.assert_allclose(
            v_1 - v_0, h * a, rtol=0, atol=1e-13 * max(1.0, np.abs(v_1).max(), h * np.abs(a).max())
        )
        np.testing.assert_allclose(q_1, model.move(q_0, h * v_m), rtol=0, atol=1e-14 * max(1.0, np.abs(q_1).max()))


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_a_linearly_implicit_step_solves_its_linear_equations():
    model, q, v = arm()
    h, K = 2e-2, -STIFFNESS * np.eye(3)
    for q_0, v_0, q_1, v_1 in steps_of(model, q, v, h, integrator="linearly_implicit_euler"):
        H, a = rbd.crba(model, q_0), accelerations(model, q_0, v_0)
        left = (H + h * DAMPING * np.eye(3) - h * h * K) @ (v_1 - v_0)
        np.testing.assert_allclose(left, h * H @ a + h * h * K @ v_0, rtol=0, atol=1e-13 * np.abs(h * H @ a).max())
        np.testing.assert_allclose(q_1, q_0 + h * v_1, rtol=0, atol=1e-15)


ORDERS = [
    ("implicit_midpoint", "joint", 2), ("implicit_midpoint", "se3", 2), ("variational", "joint", 2),
    ("linearly_implicit_sdirk2", "joint", 2), ("linearly_implicit_sdirk2", "maximal", 2),
    ("linearly_implicit_euler", "joint", 1), ("velocity_euler", "joint", 1), ("generalized_alpha", "so3xr3", 2),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize(("name", "formulation", "order"), ORDERS)
def test_the_error_of_compiled_steps_has_the_order_that_is_said(name, formulation, order):
    model, q, v = arm()

    def rate(t, y):
        return np.concatenate([y[3:], accelerations(model, y[:3], y[3:])])

    exact = solve_ivp(rate, (0.0, 0.2), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-13).y[:3, -1]
    run = partial(rbd.simulate, model, q, v, duration=0.2, formulation=formulation, integrator=name, progress=False)
    off = [np.linalg.norm(run(dt=h).q[-1] - exact) for h in (2e-3, 1e-3)]
    # what follows in the error is a per cent or two of it
    assert np.log2(off[0] / off[1]) == pytest.approx(order, abs=0.1)
