"""Operations of the three methods against counts: plain loops that follow them, run on symbols, and on numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.algorithms.loops.solution_costs import solution_costs
from rbdkit.algorithms.sparse import expand_parents, ltl, solve_LT, solve_LTL, sparsity_pattern
from rbdkit.errors import ModelError
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.trace import Operations, trace


def dot(a, b):
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def eliminate(A, b):
    """Rows of A (m, N) and b, downwards, without pivots: these cost comparisons only."""
    A, b = A.copy(), b.copy()
    for i in range(len(A)):
        for other in range(i + 1, len(A)):
            factor = A[other, i] / A[i, i]
            for j in range(i + 1, A.shape[1]):
                A[other, j] = A[other, j] - factor * A[i, j]
            b[other] = b[other] - factor * b[i]
    return A, b


def back(A, b):
    x = b.copy()
    for i in reversed(range(len(x))):
        for j in range(i + 1, len(x)):
            x[i] = x[i] - A[i, j] * x[j]
        x[i] = x[i] / A[i, i]
    return x


def direct(H, K, tau, k, lam):
    n, r = len(H), len(K)
    A = np.zeros((n + r, n + r), dtype=object)
    A[:n, :n], A[:n, n:], A[n:, :n] = H, K.T, K
    return back(*eliminate(A, np.concatenate([tau, k])))[:n]


def forces(H, K, tau, k, lam):
    r = len(K)
    L = ltl(H, lam)
    Y, z = np.array([solve_LT(L, row, lam) for row in K]), solve_LT(L, tau, lam)
    A = np.zeros((r, r), dtype=object)
    for i in range(r):
        for j in range(i + 1):
            A[i, j] = A[j, i] = dot(Y[i], Y[j])
    b = np.array([k[i] - dot(Y[i], z) for i in range(r)])
    chain = range(-1, r - 1)
    lam_ = solve_LTL(ltl(A, chain), b, chain)
    return solve_LTL(L, np.array([tau[j] + dot(K[:, j], lam_) for j in range(len(tau))]), lam)


def independents(H, K, tau, k, lam):
    n, r = len(H), len(K)
    U, b = eliminate(K, k)
    G1 = -np.array([back(U[:, :r], U[:, j]) for j in range(r, n)]).T
    g1 = back(U[:, :r], b)
    s = n - r
    T = np.array([[H[i, r + j] + dot(H[i, :r], G1[:, j]) for j in range(s)] for i in range(r)])
    H_G = np.zeros((s, s), dtype=object)
    for i in range(s):
        for j in range(i + 1):
            H_G[i, j] = H_G[j, i] = H[r + i, r + j] + dot(G1[:, i], T[:, j]) + dot(H[:r, r + i], G1[:, j])
    w = np.array([tau[i] - dot(H[i, :r], g1) for i in range(n)])
    u = np.array([w[r + i] + dot(G1[:, i], w[:r]) for i in range(s)])
    chain = range(-1, s - 1)
    ydd = solve_LTL(ltl(H_G, chain), u, chain)
    return np.concatenate([[g1[i] + dot(G1[i], ydd) for i in range(r)], ydd])


METHODS = {"direct": direct, "forces": forces, "independents": independents}


@pytest.mark.source("F8.06", "F8.07", "F8.08")
@pytest.mark.parametrize("r", [1, 2, 4])
@pytest.mark.parametrize("parents", [chain_parents(6), branched_parents(7), random_parents(6, 3, 0.7)], ids=str)
def test_counts(parents, r):
    lam = expand_parents(parents)
    n = len(lam)
    expected = solution_costs(lam, r)
    rng = np.random.default_rng(0)
    H = np.where(sparsity_pattern(lam), rng.normal(size=(n, n)), 0.0)
    H = np.tril(H) + np.tril(H, -1).T + 10.0 * np.eye(n)
    K, tau, k = rng.normal(size=(r, n)), rng.normal(size=n), rng.normal(size=r)
    exact = np.linalg.solve(np.block([[H, K.T], [K, np.zeros((r, r))]]), np.concatenate([tau, k]))[:n]
    for name, method in METHODS.items():
        recorded = trace(lambda H, K, tau, k, f=method: f(H, K, tau, k, lam), (n, n), (r, n), n, r, simplify=False)
        assert_allclose(np.array(recorded(H, K, tau, k), dtype=float), exact, rtol=1e-9, atol=1e-9)
        counted = recorded.operations()
        assert (counted.mul, counted.add, counted.div, counted.sqrt) == (
            expected[name].mul, expected[name].add, expected[name].div,
            expected[name].sqrt,
        ), name  # fmt: skip


@pytest.mark.source("F8.06", "F8.07", "F8.08")
def test_when_each_is_best():
    """Method 1 never by its cost; method 3 on chains and where few freedoms are left, method 2 by sparsity."""

    def best(parents, r):
        costs = solution_costs(expand_parents(parents), r)
        return min(costs, key=lambda name: costs[name].total)

    for n in (6, 12, 30):
        for r in range(1, n):
            assert best(chain_parents(n), r) == "independents"
            assert best(branched_parents(n, 3), r) != "direct"
        assert best(branched_parents(n, 3), n // 3) == "forces"
        assert best(branched_parents(n, 3), n - 1) == "independents"


def test_numbers_that_make_no_sense():
    with pytest.raises(ModelError, match="r = 4 constraints on 3"):
        solution_costs(expand_parents((0, 1, 2)), 4)
    assert solution_costs((), 0)["direct"] == Operations()
