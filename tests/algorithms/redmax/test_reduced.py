"""Jacobians and equations of motion of the notes against Featherstone's algorithms and differences, all joint types."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.redmax import (
    bodies_at,
    jacobian_product,
    redmax_jacobian,
    redmax_jacobian_and_rate,
    reduced_equation,
    transposed_product,
)
from rbdkit.errors import ModelError
from rbdkit.library import random_state

SEEDS = range(4)
ROUND_OFF = 1e-10  # 26 bodies, one behind the other in places; H of these trees has a condition below 1e5


@pytest.fixture(params=SEEDS)
def case(request, make_tree):
    seed = request.param
    model = make_tree(seed, True)
    q, v, tau = random_state(model, seed)
    return model, q, v, tau, np.random.default_rng(seed).normal(size=(len(model.bodies), 6))


@pytest.mark.source("S2.01")
def test_jacobian_of_every_body_is_that_of_its_own_frame(case, off):
    model, q, v, *_ = case
    bodies = bodies_at(model, q, v, t=0.4)
    J = redmax_jacobian(bodies)
    for i, body in enumerate(model.bodies[1:], start=1):
        own = bodies.Ad_J[i] @ algorithms.jacobian(model, q, body.name, t=0.4)
        assert off(J[bodies.block(i)], own) < ROUND_OFF


@pytest.mark.source("S2.02", "S2.12", "S2.09", "S2.08")
def test_rate_of_the_jacobian_is_its_difference_along_the_motion(case, off):
    model, q, v, *_ = case

    def J_at(s: float) -> np.ndarray:
        return redmax_jacobian(bodies_at(model, model.move(q, s * v), v, t=0.4 + s))

    h = 2e-3 / max(1.0, np.linalg.norm(v))
    slope = sum(w * (J_at(k * h) - J_at(-k * h)) for k, w in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))) / h
    _, J_dot = redmax_jacobian_and_rate(bodies_at(model, q, v, t=0.4))
    assert off(J_dot, slope) < 1e-8  # differences of sixth order


@pytest.mark.source("S2.02", "S2.23")
def test_products_in_linear_time_are_those_of_the_matrices(case, off):
    model, q, v, *_ = case
    bodies, rng = bodies_at(model, q, v, t=0.4), np.random.default_rng(1)
    J, J_dot = redmax_jacobian_and_rate(bodies)
    for shape in ((model.nv,), (model.nv, 3)):
        x, w = rng.normal(size=shape), rng.normal(size=(6 * bodies.n, *shape[1:]))
        y, z = jacobian_product(bodies, x)
        assert off(y, J @ x) < ROUND_OFF
        assert off(z, J_dot @ x) < ROUND_OFF
        assert off(transposed_product(bodies, w), J.T @ w) < ROUND_OFF


@pytest.mark.source("S2.02", "S2.03")
def test_reduced_equation_is_that_of_the_recursive_algorithms(case, off):
    model, q, v, tau, f_ext = case
    bodies = bodies_at(model, q, v, tau, f_ext=f_ext, t=0.4)
    reduced = reduced_equation(bodies)
    assert off(reduced.M_r, algorithms.crba(model, q, t=0.4).H) < ROUND_OFF
    expected = algorithms.forward_dynamics(model, q, v, tau, f_ext=f_ext, t=0.4)
    assert off(reduced.accelerations(), expected) < ROUND_OFF
    still = bodies_at(model, q, v, tau, f_ext=f_ext, t=0.4, passive=False)
    bare = algorithms.forward_dynamics_crba(model, q, v, tau, f_ext=f_ext, t=0.4)
    assert off(reduced_equation(still).accelerations(), bare) < ROUND_OFF


def test_loops_are_refused_by_name():
    model = rbd.library.planar_four_bar()
    with pytest.raises(ModelError, match="REDMAX needs a tree"):
        bodies_at(model, model.neutral(), np.zeros(model.nv))
