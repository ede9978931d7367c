"""Momentum, energy, Jacobian and impulses of floating systems."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.spatial import plucker

SEEDS = range(6)
ROUND_OFF = 1e-11


@pytest.mark.source("F9.11")
@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_and_energy_are_sums_over_bodies(seed, floater, off):
    case = floater(seed)
    state = (case.system, case.joint_q, case.qd, case.v_0)
    h_world = plucker.force(plucker.inverse(case.X_0)) @ algorithms.floating_momentum(*state)
    assert off(h_world, algorithms.momentum(case.model, case.q, case.v)) < ROUND_OFF
    T = algorithms.floating_kinetic_energy(*state)
    assert off(T, algorithms.energy(case.model, case.q, case.v).kinetic) < ROUND_OFF


@pytest.mark.source("F9.11")
@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_of_the_base_for_a_given_momentum(seed, floater, off):
    case = floater(seed)
    h = np.random.default_rng(seed).normal(size=6)
    for momentum, expected in ((None, np.zeros(6)), (h, h)):
        v_0 = algorithms.base_velocity(case.system, case.joint_q, case.qd, momentum)
        _, v = algorithms.to_fixed_state(algorithms.FloatingState(case.pose, case.joint_q, v_0, case.qd))
        found = plucker.force(case.X_0) @ algorithms.momentum(case.model, case.q, v)
        assert off(found, expected, scale=np.abs(case.qd).max()) < 1e-10


@pytest.mark.source("F9.08", "F9.11")
@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_momentum_is_the_external_force(seed, floater, off):
    """d/dt of momentum in the world, central difference along the accelerations that Table 9.4 gives."""
    case = floater(seed)
    result = algorithms.floating_aba(*case.state, case.tau[6:], f_ext=case.f_base, a_g=case.a_g)
    a, step = np.concatenate([result.a_0, result.qdd]), 1e-6

    def momentum(h):
        q = case.model.integrate(case.q, h * case.v)
        return algorithms.momentum(case.model, q, case.v + h * a)

    rate = (momentum(step) - momentum(-step)) / (2 * step)
    com = algorithms.center_of_mass(case.model, case.q)
    weight = algorithms.wrench(case.model.mass * case.model.gravity, com)
    assert off(rate, weight + case.f_world.sum(axis=0), scale=np.abs(a).max()) < 1e-6  # of the difference quotient


@pytest.mark.source("F9.08", "F9.11")
@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_energy_is_the_power(seed, floater, off):
    """dT/dt by central difference along the accelerations of Table 9.4; power of joints, weight and external forces."""
    case = floater(seed)
    result = algorithms.floating_aba(*case.state, case.tau[6:], f_ext=case.f_base, a_g=case.a_g)
    a, step = np.concatenate([result.a_0, result.qdd]), 1e-6

    def energy(h):
        q, v = case.model.integrate(case.q, h * case.v), case.v + h * a
        state = algorithms.to_floating_state(case.model, q, v)
        return algorithms.floating_kinetic_energy(case.system, state.q, state.qd, state.v_0)

    weight = np.einsum("nij,nj->ni", case.system.inertias, result.X_0 @ case.a_g)
    external = np.einsum("nij,nj->ni", plucker.force(result.X_0), case.f_base)
    power = case.tau[6:] @ case.qd + np.sum(result.v * (weight + external))
    assert off((energy(step) - energy(-step)) / (2 * step), power, scale=np.abs(a).max()) < 1e-6


@pytest.mark.source("F9.12")
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_of_a_system_that_nothing_holds(seed, floater, off):
    """a_i depends on qdd through J_fl, the base's own motion included (Example 9.4)."""
    case = floater(seed)
    rng = np.random.default_rng(seed)
    X_0 = algorithms.floating_rnea(*case.state).X_0
    names = ["base", *(body.name for body in case.system.tree.bodies[1:])]
    one, other = (rng.normal(size=case.system.tree.nv) for _ in range(2))
    runs = [
        algorithms.floating_inverse_dynamics(*case.state, qdd, f_ext=case.f_base, a_g=case.a_g) for qdd in (one, other)
    ]
    for i, name in enumerate(names):
        J = algorithms.floating_jacobian(case.system, case.joint_q, name)
        a = [run.ar[i] + X_0[i] @ run.a_0 for run in runs]
        assert off(a[0] - a[1], J @ (one - other), scale=max(np.abs(x).max() for x in a)) < ROUND_OFF


@pytest.mark.source("F9.12")
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_gives_velocities_at_zero_momentum(seed, floater, off):
    case = floater(seed)
    v_0 = algorithms.base_velocity(case.system, case.joint_q, case.qd)
    _, v = algorithms.to_fixed_state(algorithms.FloatingState(case.pose, case.joint_q, v_0, case.qd))
    model = case.model
    model.add_frame("grip", "b5", [0.3, -0.2, 0.1])
    system = algorithms.to_floating_base(model)
    kinematics = rbd.forward_kinematics(model, case.q, v)
    for name in ("base", "b5", "grip", model.bodies[-1].name):
        J = algorithms.floating_jacobian(system, case.joint_q, name)
        assert off(J @ case.qd, kinematics.velocity(name), scale=np.abs(v).max()) < ROUND_OFF


@pytest.mark.source("F9.12")
@pytest.mark.parametrize("seed", SEEDS)
def test_blows(seed, floater, off):
    """Velocities jump by H^-1 J^T of all impulses; a blow from within leaves the momentum as it was."""
    case = floater(seed)
    system, model, q = case.system, case.model, case.joint_q
    inside = case.tau[6:]
    jump = algorithms.impulse_response(system, q, inside)
    assert off(np.linalg.inv(algorithms.floating_equation(*case.state).H_fl) @ inside, jump.qd) < 1e-10
    h = algorithms.floating_momentum(system, q, jump.qd, jump.v_0)
    assert off(h, np.zeros(6), scale=np.abs(inside).max()) < 1e-10
    for i, body in enumerate(system.tree.bodies):
        J = algorithms.floating_jacobian(system, q, system.name if i == 0 else body.name)
        assert off(jump.v[i], J @ jump.qd, scale=np.abs(jump.v).max()) < 1e-10
    J_world = [algorithms.jacobian(model, case.q, body.name, "world") for body in model.bodies]
    all_blows = case.tau + sum(J.T @ f for J, f in zip(J_world, case.f_world, strict=True))
    hit = algorithms.impulse_response(system, q, inside, external=case.f_base)
    expected = np.linalg.solve(algorithms.crba_base(model, case.q), all_blows)
    assert off(np.concatenate([hit.v_0, hit.qd]), expected) < 1e-10
