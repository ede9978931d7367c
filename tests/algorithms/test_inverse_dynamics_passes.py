"""The passes of the recursive Newton-Euler algorithm in the other forms of the book, and what they imply."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force

SEEDS = range(6)
ROUND_OFF = 1e-12


def transforms_to_base(model, q):
    return [plucker.from_pose(T) for T in rbd.forward_kinematics(model, q).poses]


@pytest.mark.source("F5.03", "F5.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_forces_asked_of_the_children_are_those_handed_to_the_parent(seed, off):
    """Section 5.3 has both loops: for each j in mu(i), and f_lambda(i) += ...; with external forces."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    f_x = np.random.default_rng(seed).normal(size=(len(model.bodies), 6))
    result, X_0 = algorithms.rnea(model, q, v, a, f_ext=f_x), transforms_to_base(model, q)
    f = np.zeros((len(model.bodies), 6))
    for i in model.inward:
        I_i, v_i, a_i = model.I[i], result.v[i], result.a[i]
        f[i] = I_i @ a_i + cross_force(v_i, I_i @ v_i) - plucker.force(X_0[i]) @ f_x[i]
        for j in model.children(i):
            f[i] = f[i] + plucker.force(plucker.inverse(result.X[j])) @ f[j]  # iXj* f_j, Eq 5.20 as it stands
    assert off(f[1:], result.f[1:]) < ROUND_OFF


@pytest.mark.source("F5.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_forces_are_linear_in_the_accelerations(seed, off):
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    b = random_state(model, seed + 100)[1]

    def tau(acceleration):
        return algorithms.rnea(model, q, v, acceleration).tau

    assert off(tau(2.0 * a - 3.0 * b), 2.0 * tau(a) - 3.0 * tau(b) + 2.0 * tau(0.0 * a)) < ROUND_OFF


@pytest.mark.source("F5.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_power_of_the_joints_is_the_rate_of_energy(seed, off):
    """tau . v = dT/dt + dV/dt, differences along the motion: 1e-10 from the step, as much from round-off."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    h = 1e-5
    ends = [rbd.energy(model, model.integrate(q, d * v + 0.5 * d * d * a), v + d * a).total for d in (h, -h)]
    tau = algorithms.rnea(model, q, v, a).tau
    assert off(tau @ v, (ends[0] - ends[1]) / (2.0 * h), scale=np.abs(tau) @ np.abs(v)) < 1e-7


@pytest.mark.source("F5.06")
@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_compensation_by_the_stripped_down_recursion(seed, off):
    """Eqs 5.12, 5.13: f_i = -I_i a_g + sum of f_j, in base coordinates; no velocity, no acceleration."""
    model = random_tree(seed)
    q = random_state(model, seed)[0]
    X_0, a_g = transforms_to_base(model, q), np.concatenate([np.zeros(3), model.gravity])
    f, tau = np.zeros((len(model.bodies), 6)), np.zeros(model.nv)
    for i in model.inward:
        f[i] += -(X_0[i].T @ model.I[i] @ X_0[i]) @ a_g
        f[model.parent[i]] += f[i]
        joint = model.joints[i]
        tau[joint.v_slice] = (plucker.inverse(X_0[i]) @ joint.motion_subspace(q)).T @ f[i]
    assert off(algorithms.gravity_force(model, q), tau) < ROUND_OFF
