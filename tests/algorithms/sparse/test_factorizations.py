"""L^T L and L^T D L: products, zeros that are never touched, and the dense limit by SciPy."""

import numpy as np
import pinocchio as pin
import pytest
import scipy.linalg

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.sparse import expanded_parent, factorize, ltdl, ltl, sparsity_pattern
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_state, random_tree
from rbdkit.model.graph import depth_first, reordered

EPS = np.finfo(float).eps


@pytest.mark.source("F6.08", "F6.09")
@pytest.mark.parametrize("method", ["ltl", "ltdl"])
def test_factors_multiply_to_h_without_fill_in(method, trees, positive_definite, off):
    for seed, lam in enumerate(trees):
        H, marked = positive_definite(lam, seed)
        factors = factorize(marked, lam, method)  # NaN above the diagonal and between branches
        L, D = factors.L, factors.D
        assert off(L.T @ np.diag(D) @ L, H) < 10 * EPS  # sums of at most 14 products
        assert not L[~np.tril(sparsity_pattern(lam))].any()
        untouched = ~np.tril(sparsity_pattern(lam))
        assert np.isnan(factors.packed[untouched]).all() and np.isfinite(factors.packed[~untouched]).all()
        if method == "ltdl":
            np.testing.assert_array_equal(np.diagonal(L), 1.0)
            assert (D > 0.0).all()


@pytest.mark.source("F6.08", "F6.09")
def test_they_are_cholesky_factorizations_of_the_reversed_matrix(trees, positive_definite, off):
    """SciPy, dense, on the matrix with rows and columns from last to first (section 6.4: reordered Cholesky).

    SciPy's LDL^T pivots where it has a reason to, and then has another L: with these diagonals it never has one.
    """
    comparable = 0
    for seed, lam in enumerate(trees):
        H, _ = positive_definite(lam, seed)
        L = scipy.linalg.cholesky(H[::-1, ::-1], lower=True).T[::-1, ::-1]
        assert off(factorize(H, lam, "ltl").L, L) < 20 * EPS
        unit, D, order = scipy.linalg.ldl(H[::-1, ::-1])
        if (order == np.arange(len(lam))).all() and not np.tril(D, -1).any():  # SciPy has not pivoted
            comparable += 1
            assert off(factorize(H, lam, "ltdl").L, unit.T[::-1, ::-1]) < 20 * EPS
        assert off(factorize(H, lam, "ltdl").D, np.diagonal(L) ** 2) < 20 * EPS
    assert comparable == len(trees)


@pytest.mark.source("F6.08", "F6.09")
def test_the_chain_is_the_dense_factorization(positive_definite, off):
    n = 9
    chain = tuple(range(-1, n - 1))
    H, _ = positive_definite(chain, 3)
    assert np.all(sparsity_pattern(chain))
    expected = scipy.linalg.cholesky(H[::-1, ::-1], lower=True).T[::-1, ::-1]
    assert off(np.tril(ltl(H.copy(), chain)), expected) < 10 * EPS


@pytest.mark.source("F6.08", "F6.09")
def test_they_work_in_place(positive_definite):
    lam = (-1, 0, 0, 1, 1, 2, 2)
    for factorization in (ltl, ltdl):
        H = positive_definite(lam)[0]
        above = np.triu(H, 1)
        assert factorization(H, lam) is H
        np.testing.assert_array_equal(np.triu(H, 1), above)


@pytest.mark.source("F6.05", "F6.08", "F6.09")
@pytest.mark.parametrize("method", ["ltl", "ltdl"])
@pytest.mark.parametrize("seed", range(6))
def test_forward_dynamics_by_sparse_factors(method, seed, off):
    """All joint types, welds, branches, rotors and external forces, against ABA, which has no H."""
    model = random_tree(seed)
    rng = np.random.default_rng(seed)
    rotors = {f"{joint.name}.armature": rng.uniform(0.0, 0.2, joint.nv) for joint in model.joints if joint.nv}
    model = model.with_parameters(rotors)
    q, v, tau = random_state(model, seed)
    f_ext = {body.name: rng.normal(size=6) for body in model.bodies[1:]}
    found = algorithms.forward_dynamics_crba(model, q, v, tau, f_ext=f_ext, factorization=method)
    H = rbd.crba(model, q)
    assert off(found, algorithms.aba(model, q, v, tau, f_ext=f_ext).qdd) < 10 * np.linalg.cond(H) * EPS
    factors = factorize(H, expanded_parent(model), method)
    assert off(factors.L.T @ np.diag(factors.D) @ factors.L, H) < 20 * EPS


@pytest.mark.parametrize("method", ["ltl", "ltdl"])
def test_many_right_hand_sides(method, positive_definite, off):
    lam = (-1, 0, 1, 0, 3, 3)
    H, marked = positive_definite(lam, 5)
    inverse = factorize(marked, lam, method).solve(np.eye(6))
    assert off(inverse, np.linalg.inv(H)) < 10 * EPS
    whole = factorize(marked, lam, method).solve([1, 2, 3, 4, 5, 6])
    assert off(whole, inverse @ np.arange(1.0, 7.0)) < 10 * EPS


@pytest.mark.parametrize("method", ["ltl", "ltdl"])
def test_matrices_that_are_not_positive_definite(method):
    for pivot in (0.0, -2.0):
        with pytest.raises(ModelError, match=f"not positive definite: row 1 is left with {pivot:g} on its diagonal"):
            factorize(np.diag([1.0, pivot, 1.0]), (-1, 0, 1), method)
    with pytest.raises(ModelError, match="row 0 is left with -3"):
        factorize([[1.0, 2.0], [2.0, 1.0]], (-1, 0), method)


def test_what_factorize_refuses():
    with pytest.raises(ModelError, match="'cholesky'; there are 'ltl', 'ltdl'"):
        factorize(np.eye(2), (-1, 0), "cholesky")
    with pytest.raises(ModelError, match=r"shape \(3, 3\), but the parent array has 2 entries"):
        factorize(np.eye(3), (-1, 0))
    with pytest.raises(ModelError, match="entry 1 of the parent array is 1"):
        factorize(np.eye(2), (-1, 1))
    with pytest.raises(StateError, match=r"tau has shape \(3,\); the matrix has 2 rows"):
        factorize(np.eye(2), (-1, 0)).solve(np.ones(3))
    assert factorize(np.zeros((0, 0)), ()).solve(np.zeros(0)).shape == (0,)


@pytest.mark.source("F6.08", "F6.09", "F6.10")
@pytest.mark.parametrize("seed", range(4))
def test_pinocchio_has_the_same_factors(seed, twin_of, off):
    """Its H = U D U^T is L^T D L. It numbers depth first, so the tree is built that way."""
    joints = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Spherical(), rbd.Helical("y", pitch=0.3), rbd.Fixed()]
    wild = random_tree(seed, 14, joints, branching=0.7)
    model = reordered(wild, depth_first(wild))
    twin = twin_of(model)
    assert (twin.order == np.arange(model.nv)).all()
    q = model.random_q(seed)
    pin.crba(twin.other, twin.data, twin.q(q))
    pin.cholesky.decompose(twin.other, twin.data)
    lam = expanded_parent(model)
    assert lam == tuple(twin.data.parents_fromRow)
    factors = factorize(rbd.crba(model, q), lam, "ltdl")
    lost = 10 * EPS * np.linalg.cond(rbd.crba(model, q))
    assert off(factors.L.T, twin.data.U) < lost
    assert off(factors.D, twin.data.D) < lost


def test_a_leaf_without_mass_is_refused_by_sparse_factors_too():
    model = rbd.Model()
    model.add_body("arm", joint=rbd.Revolute("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_body("tip", "arm", rbd.Revolute("x"))
    zero = np.zeros(2)
    for method in ("ltl", "ltdl"):
        with pytest.raises(ModelError, match="not positive definite"):
            algorithms.forward_dynamics_crba(model, zero, zero, zero, factorization=method)
