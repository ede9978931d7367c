"""The recipes of docs/recipes.md run as they stand, and find what something else finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are
from scipy.optimize import minimize

import rbdkit as rbd

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (.+?)\n.*?^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))


def run(title: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "recipe"}
    exec(compile(RECIPES[title], f"docs/recipes.md: {title}", "exec"), names)
    return names


def cart_pole_regulator(names: dict[str, Any]) -> None:
    """Riccati's equation of the textbook's A and B, with the pole's angle from the top."""
    M, m, l, g = 1.0, 0.2, 0.5, 9.81
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1], B[2:, 0] = [-m * g / M, (M + m) * g / (M * l)], [1 / M, -1 / (M * l)]
    P = solve_continuous_are(A, B, np.diag([1.0, 10.0, 1.0, 1.0]), [[0.1]])
    np.testing.assert_allclose(names["gains"], 10.0 * (B.T @ P)[0], rtol=1e-8)
    assert np.abs(names["trajectory"].q[-1]).max() < 1e-2


def humanoid(names: dict[str, Any]) -> None:
    """It leans back into its posture, which it leaves without the regulator."""
    model, near, rest, run = (names[x] for x in ("model", "near", "rest", "trajectory"))
    assert len(near.independent) == model.nv - 6 and near.poles.real.max() > 1.0
    np.testing.assert_allclose(rbd.contacts(model, rest.q, margin=1e-9)[0].phi, 0.0, atol=1e-9)
    first, last = (np.abs(near.error(run.q[k], run.v[k])).max() for k in (0, -1))
    assert first > 0.1 and last < 0.2 * first
    loose = rbd.simulate(names["glued"], run.q[0], run.v[0], duration=1.0, dt=5e-3, tau=rest.tau, progress=False)
    assert np.abs(near.error(loose.q[-1], loose.v[-1])).max() > 10.0 * last


def predictive_control(names: dict[str, Any]) -> None:
    """Near the top, the regulator of the horizon's own steps; farther away, what SciPy finds within the bounds."""
    A, B, P, R, control = (names[x] for x in ("A", "B", "P", "R", "control"))
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)[0]
    x = 1e-3 * np.array([0.3, 0.2, -0.5, 0.4])
    assert control(x) == pytest.approx(-K @ x, rel=1e-4)
    far, step, Q = np.array([0.0, 0.6, 0.0, 0.0]), names["step"], names["Q"]

    def cost(forces):
        total, state = 0.0, far
        for u in forces:
            total += state @ Q @ state + R[0, 0] * u * u
            state = np.array(step(state, u)).ravel()
        return total + state @ P @ state

    start, state = [], far  # the linear regulator, clipped
    for _ in range(names["steps"]):
        start.append(float(np.clip(-K @ state, -10.0, 10.0)))
        state = np.array(step(state, start[-1])).ravel()
    found = minimize(cost, start, bounds=[(-10.0, 10.0)] * len(start), method="L-BFGS-B", options={"ftol": 1e-14})
    assert control(far) == pytest.approx(found.x[0], abs=1e-3) and abs(control(far)) > 9.9


def environments(names: dict[str, Any]) -> None:
    """Each lane moves as a simulation of its own does."""
    made = names["Pendulums"](3)
    made.reset(seed=1)
    q, actions = made.q.copy(), np.array([[0.5], [-2.0], [1.0]], dtype=np.float32)
    for _ in range(10):
        seen, reward, ended, over, _ = made.step(actions)
    assert made.observation_space.contains(seen) and made.action_space.contains(actions)
    for lane in range(3):
        alone = rbd.simulate(
            made.model,
            q[lane],
            duration=0.2,
            tau=actions[lane].astype(float),
            integrator="symplectic_euler",
            progress=False,
        )
        np.testing.assert_allclose(made.q[lane], alone.q[-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(reward[lane], -np.cos(alone.q[-1, 0]), rtol=0, atol=1e-12)
    for _ in range(190):
        assert not over.any()
        _, _, ended, over, _ = made.step(actions)
    assert over.all() and not ended.any()
    again, _, _, over, _ = made.step(actions)
    assert not over.any() and np.abs(again[:, 2]).max() == 0.0
    first, second = (names["Pendulums"](4).reset(seed=7)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def gradient_of_miss() -> np.ndarray:
    """The gradient of `miss` in the recipes at zero forces, by differences of rbdkit's own numbers."""
    model = rbd.library.double_pendulum()

    def miss(tau):
        q = v = np.zeros(2)
        for _ in range(50):
            v = v + 0.01 * rbd.forward_dynamics(model, q, v, tau)
            q = q + 0.01 * v
        return np.sum((q - [0.5, 0.2]) ** 2)

    return np.array([(miss(e) - miss(-e)) / 2e-4 for e in 1e-4 * np.eye(2)])


def of_jax(names: dict[str, Any]) -> None:
    jax, jnp, miss, acceleration = (names[x] for x in ("jax", "jnp", "miss", "acceleration"))
    found = jax.jit(jax.grad(miss))(jnp.zeros(2))
    np.testing.assert_allclose(found, gradient_of_miss(), rtol=1e-6)
    q, v, tau = np.random.default_rng(0).normal(size=(3, 5, 2))
    many = jax.vmap(jax.jacobian(acceleration, argnums=(0, 1, 2)))(q, v, tau)
    known = jax.vmap(jax.jacobian(rbd.export_function(names["model"], "aba", "jax"), argnums=(0, 1, 2)))(q, v, tau)
    for ours, theirs in zip(many, known, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def of_torch(names: dict[str, Any]) -> None:
    np.testing.assert_allclose(names["tau"].grad.numpy(), gradient_of_miss(), rtol=1e-6)
    torch = names["torch"]
    given = [torch.tensor(x, requires_grad=True) for x in np.random.default_rng(0).normal(size=(3, 4, 2))]
    assert torch.autograd.gradcheck(names["Acceleration"].apply, given)


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "A regulator for a cart-pole": cart_pole_regulator,
    "A humanoid on one foot": humanoid,
    "A step of model predictive control": predictive_control,
    "Many environments for reinforcement learning": environments,
    "In a function of JAX": of_jax,
    "In a function of PyTorch": of_torch,
}


def test_each_recipe_is_checked():
    assert list(RECIPES) == list(CHECKS) and TEXT.count("```python") == len(RECIPES)


@pytest.mark.parametrize("title", CHECKS)
def test_recipe(title):
    if title == "In a function of PyTorch" and find_spec("torch") is None:
        pytest.skip("PyTorch, 200 MB, is no part of the test environment: pip install torch")
    CHECKS[title](run(title))
