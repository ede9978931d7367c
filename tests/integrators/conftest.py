"""Systems with quaternions in them, and their motion by a route that knows nothing of charts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.algorithms import forward_dynamics
from rbdkit.formulations import JointSystem
from rbdkit.library import random_state, random_tree, spherical_pendulum


@pytest.fixture(scope="session")
def systems():
    """Model and initial state: a tumbling free body, a pendulum on a ball joint, a branched tree of manifold joints."""
    body = rbd.Model("free body", gravity=(0, 0, 0))
    body.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.4], mass=2.0))
    tumbling = body.neutral(), np.array([0.3, 4.0, 0.2, 0.5, -0.3, 0.2])  # about the middle axis: unstable
    pendulum = spherical_pendulum()
    swinging = pendulum.integrate(pendulum.neutral(), [1.2, 0.3, 0.0]), np.array([0.5, 1.0, 2.0])
    kinds = [rbd.Spherical(), rbd.Planar(), rbd.Free(), rbd.Universal(), rbd.Planar("x", translation="successor")]
    tree = random_tree(7, 5, kinds)
    return {
        "free body": (body, *tumbling),
        "spherical pendulum": (pendulum, *swinging),
        "branched tree": (tree, *random_state(tree, 7)[:2]),
    }


@pytest.fixture(scope="session")
def reference(systems):
    """The state after some seconds, from qdot = rate(q, v) with quaternions as four plain numbers; to about 1e-12."""
    known: dict[tuple[str, float], tuple[np.ndarray, np.ndarray]] = {}

    def solve(name: str, duration: float) -> tuple[np.ndarray, np.ndarray]:
        if (name, duration) not in known:
            model, q0, v0 = systems[name]
            nothing = np.zeros(model.nv)

            def rate(t, y):
                q, v = y[: model.nq], y[model.nq :]
                return np.concatenate([model.rate(q, v), forward_dynamics(model, q, v, nothing)])

            start = np.concatenate([q0, v0])
            y = solve_ivp(rate, (0.0, duration), start, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
            known[name, duration] = y[: model.nq], y[model.nq :]
        return known[name, duration]

    return solve


@pytest.fixture(scope="session")
def torque_free():
    """The joint-coordinate system of a model on which nothing acts but gravity."""

    def make(model) -> JointSystem:
        nothing = np.zeros(model.nv)
        return JointSystem(model, lambda t, q, v: nothing)

    return make
