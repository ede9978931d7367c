"""Closed-form coefficients against Lagrange's equations, RNEA and differences; and what they cost."""

import numpy as np
import pytest
import sympy as sp

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.closed_form import closed_form
from rbdkit.algorithms.recursion_cost import closed_form_operations, original
from rbdkit.library import double_pendulum, joint_gallery, random_state, random_tree, uncommon_joints

SEEDS = range(4)


@pytest.mark.source("F5.08")
def test_double_pendulum_against_christoffel_symbols_by_sympy():
    """Two rods: H from the energies, C_ijk = (dH_ij/dq_k + dH_ik/dq_j - dH_jk/dq_i)/2, g = dV/dq, exactly."""
    length, mass, radius = 1.3, 0.7, 0.03 * 1.3
    q = sp.symbols("q1 q2")
    v = sp.symbols("v1 v2")
    angles = (q[0], q[0] + q[1])
    rates = (v[0], v[0] + v[1])
    moment = mass * (length**2 / 12 + radius**2 / 4)
    T = V = x = z = 0
    for angle, rate in zip(angles, rates, strict=True):
        cx, cz = x - sp.sin(angle) * length / 2, z - sp.cos(angle) * length / 2
        cv = [sum(sp.diff(c, a) * b for a, b in zip(q, v, strict=True)) for c in (cx, cz)]
        T += mass * (cv[0] ** 2 + cv[1] ** 2) / 2 + moment * rate**2 / 2
        V += mass * 9.81 * cz
        x, z = x - sp.sin(angle) * length, z - sp.cos(angle) * length
    H = sp.hessian(T, v)
    model = double_pendulum(length, mass)
    for numbers in ([0.3, -0.8], [1.9, 2.4]):
        here = dict(zip(q, numbers, strict=True))
        found = closed_form(model, np.array(numbers))
        for i in range(2):
            assert float(sp.diff(V, q[i]).subs(here)) == pytest.approx(found.g[i], abs=1e-13)
            for j in range(2):
                assert float(H[i, j].subs(here)) == pytest.approx(found.H[i, j], abs=1e-14)
                for k in range(2):
                    christoffel = (sp.diff(H[i, j], q[k]) + sp.diff(H[i, k], q[j]) - sp.diff(H[j, k], q[i])) / 2
                    assert float(christoffel.subs(here)) == pytest.approx(found.C[i, j, k], abs=1e-14)


@pytest.mark.source("F5.08")
@pytest.mark.parametrize("seed", SEEDS)
def test_sum_of_all_terms_is_what_rnea_says(seed, off):
    """Trees of all joint types; the coefficients are found once, the motions are many."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 10, [*joint_gallery(rng), *uncommon_joints(rng)])
    q = random_state(model, seed)[0]
    found = closed_form(model, q)
    assert off(found.H, algorithms.crba(model, q).H) < 1e-12
    for k in range(3):
        _, v, a = random_state(model, k)
        assert off(found.inverse_dynamics(v, a), algorithms.rnea(model, q, v, a).tau) < 1e-12


@pytest.mark.source("F5.08")
@pytest.mark.parametrize("seed", SEEDS)
def test_each_coefficient_by_polarization(seed, off):
    """C_ijk from RNEA alone: (c(e_j + e_k) - c(e_j) - c(e_k))/2, exact because c is quadratic."""
    model = random_tree(seed, 6)
    q = random_state(model, seed)[0]
    C, one = closed_form(model, q).C, np.eye(model.nv)
    alone = [algorithms.coriolis_force(model, q, e) for e in one]
    for j in range(model.nv):
        assert off(C[:, j, j], alone[j], scale=np.abs(C).max()) < 1e-13
        for k in range(j):
            both = algorithms.coriolis_force(model, q, one[j] + one[k])
            assert off(C[:, j, k], 0.5 * (both - alone[j] - alone[k]), scale=np.abs(C).max()) < 1e-12
    assert np.array_equal(C, C.transpose(0, 2, 1))


@pytest.mark.source("F5.08")
def test_christoffel_symbols_of_a_tree_and_the_passivity_they_bring(off):
    """Where v is the rate of q: C_ijk from differences of H, step 1e-5; and Hdot - 2 C(v) is skew-symmetric."""
    joints = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Universal(), rbd.Helical("y", pitch=0.2), rbd.EulerSpherical()]
    model = random_tree(4, 6, joints)
    q, v, _ = random_state(model, 4)
    C = closed_form(model, q).C
    dH = np.empty((model.nv,) * 3)
    for k, step in enumerate(1e-5 * np.eye(model.nv)):
        dH[:, :, k] = (algorithms.crba(model, q + step).H - algorithms.crba(model, q - step).H) / 2e-5
    christoffel = 0.5 * (dH + dH.transpose(0, 2, 1) - dH.transpose(2, 1, 0))
    assert off(C, christoffel) < 1e-9
    N = dH @ v - 2.0 * C @ v
    assert off(N, -N.T) < 1e-9


@pytest.mark.source("F5.08")
def test_rotors_and_joints_that_follow_others(mimicking, off):
    coupled, _, _, _ = mimicking
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, coupled.nv))
    found = closed_form(coupled, q)
    assert off(found.H, algorithms.crba(coupled, q).H) < 1e-13
    assert off(found.inverse_dynamics(v, a), algorithms.rnea(coupled, q, v, a).tau) < 1e-13


@pytest.mark.source("F5.01", "F5.08")
def test_cost_grows_with_the_fourth_power_and_is_a_hundred_times_that_of_the_recursion():
    """Section 5.2: O(n^4) against O(n), and 'about a hundred times' for an arm of six joints: it is 79 times."""
    totals = [closed_form_operations(n).total for n in range(1, 8)]
    fourth = np.diff(totals, 4)
    assert np.ptp(fourth) == 0 and fourth[0] == 954
    assert (totals[5], original(6).operations().total) == (46212 + 38448, 593 + 474)
