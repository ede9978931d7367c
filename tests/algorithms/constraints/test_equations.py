"""Equations of motion collected and constrained: implicit against explicit against dual, and against other models."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import constraints as con
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree


@pytest.fixture
def rng():
    return np.random.default_rng(317)


@pytest.fixture
def constrained(rng):
    """A random tree with a random constraint in both forms: K G = 0, K g = k."""
    model = random_tree(5, 9)
    q, qd, tau = random_state(model, 5)
    equation = con.equation_of_motion(model, q, qd, tau, f_ext=rng.normal(size=(10, 6)))
    K, k = rng.normal(size=(4, model.nv)), rng.normal(size=4)
    G = np.linalg.svd(K)[2][4:].T @ rng.normal(size=(model.nv - 4,) * 2)
    return equation, K, k, G, np.linalg.pinv(K) @ k


@pytest.mark.source("F3.04")
@pytest.mark.parametrize("seed", range(3))
def test_collected_systems_are_one_model_of_all_of_them(seed, off):
    """Trees side by side in one model, and apart; and a single body by its spatial equation."""
    trees = [random_tree(seed + k, 4) for k in (0, 10, 20)]
    forest = rbd.Model("forest", gravity=trees[0].gravity)
    trees = [tree.with_parameters({"gravity": forest.gravity}) for tree in trees]
    for k, tree in enumerate(trees):
        for body in tree.bodies[1:]:
            up = tree.bodies[body.parent].name
            parent = "world" if body.parent == 0 else f"{k}-{up}"
            forest.add_body(f"{k}-{body.name}", parent, body.joint.type, body.joint.placement, body.inertia)
    states = [random_state(tree, seed) for tree in trees]
    q, qd, tau = (np.concatenate(part) for part in zip(*states))
    apart = con.collect(*(con.equation_of_motion(tree, *state) for tree, state in zip(trees, states)))
    assert off(apart.acceleration(), algorithms.aba(forest, q, qd, tau).qdd) < 1e-9  # condition of H
    assert off(apart.H, rbd.crba(forest, q)) < 1e-13
    assert apart.n == forest.nv


@pytest.mark.source("F3.04")
def test_a_body_is_a_system_too(rng):
    inertia = rbd.Inertia.box([0.3, 0.2, 0.5], mass=2.0).transformed(rbd.spatial.se3.random(rng))
    free = rbd.Model("free")
    free.add_body("body", joint=rbd.Free(), inertia=inertia)
    q, v, f = free.random_q(rng), rng.normal(size=6), rng.normal(size=6)
    gravity = rbd.forward_kinematics(free, q).poses[1][:3, :3].T @ free.gravity
    body = con.equation_of_body(inertia, v, f, gravity)
    arm = rbd.library.double_pendulum()
    state = random_state(arm, 1)
    both = con.collect(con.equation_of_motion(arm, *state), body).acceleration()
    assert_allclose(both[:2], algorithms.aba(arm, *state).qdd, rtol=1e-12)
    assert_allclose(both[2:], algorithms.aba(free, q, v, f).qdd, rtol=1e-11, atol=1e-11)


def test_nothing_collected_is_a_system_without_freedom():
    nothing = con.collect()
    assert nothing.n == 0 and nothing.acceleration().shape == (0,)


@pytest.mark.source("F3.05", "F3.06", "F3.07")
def test_three_ways_to_apply_a_constraint(constrained, off):
    equation, K, k, G, g = constrained
    implicit = con.apply_implicit(equation, K, k)
    explicit, dual = con.apply_explicit(equation, G, g), con.apply_explicit_dual(equation, G, g)
    scale = np.abs(equation.tau - equation.C).max()
    for other in (explicit, dual):
        assert off(other.qdd, implicit.qdd) < 1e-9
        assert off(other.tau_c, implicit.tau_c, scale) < 1e-9
    assert off(dual.ydd, explicit.ydd) < 1e-9
    assert (implicit.n_ic, implicit.indeterminacy) == (4, 0)


@pytest.mark.source("F3.05", "F3.06")
def test_the_acceleration_obeys_and_the_force_does_no_work(constrained, rng):
    """The constraint, the equation with the force in it (Eq 3.14), and Jourdain's principle, each by itself."""
    equation, K, k, G, _ = constrained
    found = con.apply_implicit(equation, K, k)
    assert_allclose(K @ found.qdd, k, atol=1e-9)
    left = equation.H @ found.qdd + equation.C - equation.tau - found.tau_c
    assert np.abs(left).max() < 1e-10 * np.abs(found.tau_c).max()
    velocities = G @ rng.normal(size=(G.shape[1], 20))
    assert np.abs(velocities.T @ found.tau_c).max() < 1e-11 * np.abs(found.tau_c).max() * np.abs(velocities).max()


@pytest.mark.source("F3.05")
def test_dependent_rows_leave_the_motion_and_free_the_multipliers(constrained, rng, off):
    equation, K, k, _, _ = constrained
    A = np.vstack([np.eye(4), rng.normal(size=(3, 4))])
    once, over = con.apply_implicit(equation, K, k), con.apply_implicit(equation, A @ K, A @ k)
    assert off(over.qdd, once.qdd) < 1e-8
    assert off(over.tau_c, once.tau_c) < 1e-8
    assert (over.n_ic, over.indeterminacy) == (4, 3)
    saddle = np.block([[equation.H, (A @ K).T], [A @ K, np.zeros((7, 7))]])
    assert np.linalg.matrix_rank(saddle, 1e-8) == equation.n + 4
    other = over.lam + np.linalg.svd(A)[0][:, 4:] @ rng.normal(size=3)  # other multipliers, the same force
    assert_allclose((A @ K).T @ other, over.tau_c, atol=1e-8)


@pytest.mark.source("F3.05")
@pytest.mark.parametrize("heavier", [1e-12, 1e12])
def test_dependent_rows_are_those_of_the_constraint_however_heavy_the_system(constrained, heavier, off):
    """The same system in other units of mass moves the same, its constraint force in proportion."""
    equation, K, k, _, _ = constrained
    K, k = np.vstack([K, K[0] + K[2]]), np.append(k, k[0] + k[2])
    scaled = con.EquationOfMotion(heavier * equation.H, heavier * equation.C, heavier * equation.tau)
    found, expected = con.apply_implicit(scaled, K, k), con.apply_implicit(equation, K[:4], k[:4])
    assert off(found.qdd, expected.qdd) < 1e-8
    assert off(found.tau_c / heavier, expected.tau_c) < 1e-8


@pytest.mark.source("F3.05")
def test_contradicting_rows_are_told(constrained):
    equation, K, k, _, _ = constrained
    with pytest.raises(StateError, match="depends on others but demands another acceleration"):
        con.apply_implicit(equation, np.vstack([K, K[1]]), np.append(k, k[1] + 1.0))
    with pytest.raises(StateError, match=re.escape(f"need (4, {equation.n})")):
        con.apply_implicit(equation, K[:, 1:], k)


@pytest.mark.source("F3.06")
def test_energy_and_power_in_the_variables_that_are_left(constrained, rng):
    equation, _, _, G, g = constrained
    reduced = con.project(equation, G, g)
    yd = rng.normal(size=G.shape[1])
    qd = G @ yd
    assert yd @ reduced.H @ yd == pytest.approx(qd @ equation.H @ qd, rel=1e-12)  # Eq 3.22
    assert reduced.tau @ yd == pytest.approx(equation.tau @ qd, rel=1e-11)  # Eq 3.23
    assert np.linalg.eigvalsh(reduced.H)[0] > 0.0


@pytest.mark.source("F3.06")
def test_a_geared_model_is_its_free_twin_under_an_explicit_constraint(mimicking, rng):
    """Mimic joints are q = gamma(y) with constant G; the model with them knows nothing of projections."""
    coupled, independent, G, full = mimicking
    y, yd, u = rng.normal(size=(3, 2))
    tau = np.linalg.pinv(G.T) @ u
    equation = con.equation_of_motion(independent, full(y), G @ yd, tau)
    found = con.apply_explicit(equation, G, np.zeros(4))
    theirs = algorithms.forward_dynamics_crba(coupled, y, yd, u)
    assert_allclose(found.ydd, theirs, rtol=1e-10)


def test_bad_equations_are_refused():
    with pytest.raises(StateError, match="do not fit"):
        con.EquationOfMotion(np.eye(2), np.zeros(2), np.zeros(3))
    with pytest.raises(StateError, match="not finite"):
        con.EquationOfMotion(np.eye(2), np.array([np.nan, 0.0]), np.zeros(2))
    massless = con.EquationOfMotion(np.diag([1.0, 0.0]), np.zeros(2), np.zeros(2))
    with pytest.raises(ModelError, match="H is singular"):
        massless.acceleration()
    with pytest.raises(ModelError, match="moves nothing that has inertia"):
        con.apply_implicit(massless, np.array([[1.0, 0.0]]), np.zeros(1))
    with pytest.raises(ModelError, match="dual system is singular"):
        con.apply_explicit_dual(massless, np.array([[1.0], [0.0]]), np.zeros(2))
    with pytest.raises(StateError, match="do not fit 2 freedoms"):
        con.apply_explicit(massless, np.eye(3), np.zeros(3))
