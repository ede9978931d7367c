"""Dedicated floating-base algorithms against the same system on a six-freedom joint, and against each other."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.sparse import factorize, sparsity_pattern
from rbdkit.errors import ModelError

SEEDS = range(6)
ROUND_OFF = 1e-10  # 25 bodies, two routes through the solution of ~60 equations


@pytest.mark.source("F9.06", "F9.09")
@pytest.mark.parametrize("seed", SEEDS)
def test_coefficients_are_those_of_the_six_freedom_joint(seed, floater, off):
    """S_1 = 1 in base coordinates: rows 0 to 5 of H and C are [I_0c F] and p_0c (text after Eq 9.11)."""
    case = floater(seed)
    equation = algorithms.floating_equation(*case.state, f_ext=case.f_base, a_g=case.a_g)
    assert off(equation.matrix, algorithms.crba_base(case.model, case.q)) < ROUND_OFF
    rest = np.zeros(case.model.nv)
    assert off(equation.bias, algorithms.rnea_base(case.model, case.q, case.v, rest, f_ext=case.f_world)) < ROUND_OFF


@pytest.mark.source("F9.06")
def test_columns_of_f_are_what_unit_accelerations_need_at_the_base(floater, off):
    """Eq 9.12 by inverse dynamics of the fixed model: no velocity, no gravity, one joint accelerates."""
    case = floater(2)
    still = case.model.with_parameters({"gravity": np.zeros(3)})
    F = algorithms.floating_crba(case.system, case.joint_q).F
    for k in range(case.system.tree.nv):
        unit = np.eye(case.model.nv)[6 + k]
        assert off(rbd.rnea(still, case.q, np.zeros(case.model.nv), unit)[:6], F[:, k]) < ROUND_OFF


@pytest.mark.source("F9.06", "F9.08", "F9.09")
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_four_ways(seed, floater, off):
    case = floater(seed)
    tau, model = case.tau[6:], case.model
    expected = algorithms.forward_dynamics_crba(model, case.q, case.v, case.tau, f_ext=case.f_world)
    by_matrix = algorithms.floating_equation(*case.state, f_ext=case.f_base, a_g=case.a_g).solve(tau)
    by_bodies = algorithms.floating_aba(*case.state, tau, f_ext=case.f_base, a_g=case.a_g)
    assert off(np.concatenate(by_matrix), expected) < ROUND_OFF
    assert off(np.concatenate([by_bodies.a_0, by_bodies.qdd]), expected) < ROUND_OFF
    fixed = algorithms.aba(model, case.q, case.v, case.tau, f_ext=case.f_world)
    assert off(by_bodies.v, fixed.v[1:]) < ROUND_OFF
    assert off(by_bodies.IA, fixed.IA[1:]) < ROUND_OFF
    gravity = [fixed.X[1] @ np.concatenate([np.zeros(3), model.gravity])]  # a of the fixed model is without
    for i in range(2, len(model.bodies)):
        gravity.append(fixed.X[i] @ gravity[model.parent[i] - 1])
    assert off(by_bodies.a, fixed.a[1:] + np.array(gravity)) < ROUND_OFF


@pytest.mark.source("F9.06", "F9.08")
@pytest.mark.parametrize("seed", SEEDS)
def test_joint_accelerations_do_not_feel_uniform_gravity(seed, floater, off):
    case = floater(seed)
    tau, g = case.tau[6:], 100.0 * case.a_g
    for accelerations in (
        lambda a_g: algorithms.floating_aba(*case.state, tau, f_ext=case.f_base, a_g=a_g).qdd,
        lambda a_g: algorithms.floating_equation(*case.state, f_ext=case.f_base, a_g=a_g).solve(tau)[1],
    ):
        assert off(accelerations(g), accelerations(np.zeros(6))) < 100 * ROUND_OFF
    moved = algorithms.floating_aba(*case.state, tau, f_ext=case.f_base, a_g=g).a_0
    still = algorithms.floating_aba(*case.state, tau, f_ext=case.f_base).a_0
    assert off(moved - still, g, scale=np.abs(moved).max()) < ROUND_OFF


@pytest.mark.source("F9.07")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_joints_alone(seed, floater, off):
    """Eqs 9.14-9.16: against the solution, and as the Schur complement that the inverse of the whole matrix shows."""
    case = floater(seed)
    equation = algorithms.floating_equation(*case.state, f_ext=case.f_base, a_g=case.a_g)
    expected = algorithms.forward_dynamics_crba(case.model, case.q, case.v, case.tau, f_ext=case.f_world)[6:]
    assert off(np.linalg.solve(equation.H_fl, case.tau[6:] - equation.C_fl), expected) < ROUND_OFF
    inverse = np.linalg.inv(algorithms.crba_base(case.model, case.q))
    assert off(np.linalg.inv(equation.H_fl), inverse[6:, 6:]) < ROUND_OFF
    assert np.linalg.eigvalsh(equation.H - equation.H_fl)[0] > -ROUND_OFF * np.abs(equation.H).max()


@pytest.mark.source("F9.07")
def test_eliminating_the_base_destroys_branch_sparsity(floater):
    case = floater(4)
    equation = algorithms.floating_equation(*case.state)
    assert np.mean(equation.H == 0.0) > 0.3
    assert np.mean(np.abs(equation.H_fl) < 1e-14) == 0.0
    assert np.count_nonzero(equation.H_fl) > np.count_nonzero(equation.H)


@pytest.mark.source("F9.09")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_whole_matrix_factorizes_along_its_tree(seed, floater, off):
    """Same sparsity as on the six-freedom joint: L keeps every zero."""
    case = floater(seed)
    lam = algorithms.floating_parent(case.system)
    assert lam == algorithms.expanded_parent(case.model)
    M = algorithms.floating_equation(*case.state).matrix
    pattern = sparsity_pattern(lam)
    assert not pattern.all()
    assert not M[~pattern].any()
    L = factorize(M, lam).L
    assert not L[~pattern].any()
    assert off(L.T @ L, M) < ROUND_OFF


@pytest.mark.source("F9.10")
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_and_back(seed, floater, off):
    case = floater(seed)
    found = algorithms.floating_inverse_dynamics(*case.state, case.a[6:], f_ext=case.f_base, a_g=case.a_g)
    back = algorithms.floating_aba(*case.state, found.tau, f_ext=case.f_base, a_g=case.a_g)
    assert off(back.qdd, case.a[6:]) < ROUND_OFF
    assert off(back.a_0, found.a_0) < ROUND_OFF
    whole = algorithms.rnea(case.model, case.q, case.v, np.concatenate([found.a_0, case.a[6:]]), f_ext=case.f_world)
    assert off(whole.tau[:6], np.zeros(6), scale=np.abs(whole.f).max()) < ROUND_OFF
    assert off(found.tau, whole.tau[6:]) < ROUND_OFF
    assert off(found.f[1:], whole.f[2:]) < ROUND_OFF


@pytest.mark.source("F9.10", "F9.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_hybrid_dynamics_with_the_base_alone_free(seed, floater, off):
    case = floater(seed)
    found = algorithms.floating_inverse_dynamics(*case.state, case.a[6:], f_ext=case.f_base, a_g=case.a_g)
    a, tau = rbd.hybrid_dynamics(case.model, case.q, case.v, case.tau, case.a, ["base_joint"], f_ext=case.f_world)
    assert off(found.a_0, a[:6]) < ROUND_OFF
    assert off(found.tau, tau[6:]) < ROUND_OFF


def test_mimic_joints_go_by_the_matrix(mimicking, off):
    """Two models that differ by a tie between joints only, both set afloat: M of one is G^T M G of the other."""
    coupled, independent, G, free = mimicking
    rng = np.random.default_rng(5)
    inertia, a_g = rbd.Inertia.box([0.3, 0.4, 0.5], mass=3.0), rng.normal(size=6)
    ours, theirs = (algorithms.FloatingBase(tree, "raft", inertia) for tree in (coupled, independent))
    q, qd, tau, v_0 = *rng.normal(size=(3, 2)), rng.normal(size=6)
    wide = np.block([[np.eye(6), np.zeros((6, 2))], [np.zeros((4, 6)), G]])
    equation = algorithms.floating_equation(ours, q, qd, v_0, a_g=a_g)
    free_equation = algorithms.floating_equation(theirs, free(q), G @ qd, v_0, a_g=a_g)
    assert off(equation.matrix, wide.T @ free_equation.matrix @ wide) < 1e-12
    assert off(equation.bias, wide.T @ free_equation.bias) < 1e-12
    a_0, qdd = equation.solve(tau)
    found = algorithms.floating_inverse_dynamics(ours, q, qd, v_0, qdd, a_g=a_g)
    assert off(found.tau, tau) < 1e-11
    assert off(found.a_0, a_0) < 1e-11
    with pytest.raises(ModelError, match=r"'c_joint', 'd_joint'.*use floating_equation"):
        algorithms.floating_aba(ours, q, qd, v_0, tau)


def test_a_base_with_nothing_to_hold_on_to():
    system = algorithms.FloatingBase(rbd.Model(), "point", rbd.Inertia(1.0))
    with pytest.raises(ModelError, match="floating base 'point' can move"):
        algorithms.floating_aba(system, np.zeros(0), np.zeros(0), np.zeros(6), np.zeros(0))
