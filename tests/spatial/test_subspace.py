"""Subspaces and their complements in the dual space, against sums, samples and coordinate changes."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import StateError
from rbdkit.spatial import plucker, subspace
from rbdkit.spatial.se3 import random as random_pose

SIZES = range(7)


@pytest.fixture
def rng():
    return np.random.default_rng(38)


@pytest.mark.source("F3.08")
@pytest.mark.parametrize("m", SIZES)
def test_dimension_and_equality_do_not_depend_on_the_basis(rng, m):
    S, A, other = rng.normal(size=(6, m)), rng.normal(size=(m, m)), rng.normal(size=(6, m))
    assert subspace.dimension(S) == m
    assert subspace.dimension(np.hstack([S, S @ rng.normal(size=(m, 3))])) == m
    assert subspace.same(S, S @ A)
    assert subspace.same(S, other) == (m in (0, 6))
    assert_allclose(subspace.basis(S).T @ subspace.basis(S), np.eye(m), atol=1e-14)


@pytest.mark.source("F3.08")
@pytest.mark.parametrize("m", SIZES)
def test_as_many_parameters_as_changes_move_the_subspace(rng, m):
    """Projectors change in m (n - m) independent directions when S is varied in all its 6 m entries."""
    S, h = rng.normal(size=(6, m)), 1e-6

    def projector(S):
        B = subspace.basis(S)
        return (B @ B.T).ravel()

    units = np.eye(6 * m).reshape(-1, 6, m) if m else np.zeros((0, 6, 0))
    slopes = np.array([(projector(S + h * e) - projector(S - h * e)) / (2 * h) for e in units]).reshape(-1, 36)
    rank = int(np.sum(np.linalg.svd(slopes, compute_uv=False) > 1e-5)) if len(units) else 0
    assert subspace.parameters(6, m) == rank


@pytest.mark.source("F3.08")
def test_a_vector_is_the_sum_of_its_parts(rng):
    for sizes in ((2, 4), (0, 6), (1, 2, 3), (6,)):
        spans = [rng.normal(size=(6, m)) for m in sizes]
        parts = [S @ rng.normal(size=S.shape[1]) for S in spans]
        found = subspace.decompose(sum(parts), *spans)
        assert subspace.is_direct_sum(*spans)
        assert_allclose(found, parts, atol=1e-12)  # condition numbers of some hundreds
        bases = [S @ rng.normal(size=(S.shape[1],) * 2) for S in spans]
        assert_allclose(subspace.decompose(sum(parts), *bases), parts, atol=1e-11)


@pytest.mark.source("F3.08")
def test_no_direct_sum_is_refused(rng):
    S = rng.normal(size=(6, 3))
    overlapping = np.column_stack([S[:, 0] + S[:, 1], rng.normal(size=(6, 2))])
    for spans in ((S, S), (S, overlapping), (S, S[:, :2]), (S, rng.normal(size=(6, 4)))):
        assert not subspace.is_direct_sum(*spans)
        with pytest.raises(StateError, match="of 6 dimensions"):
            subspace.decompose(np.ones(6), *spans)
    with pytest.raises(StateError, match="no part in"):
        subspace.decompose(np.ones(5), S, S)
    with pytest.raises(StateError, match=re.escape("not shape (6, 2, 2)")):
        subspace.dimension(np.ones((6, 2, 2)))
    assert subspace.is_direct_sum(1e-14 * S, rng.normal(size=(6, 3)))  # units are no reason


@pytest.mark.source("F3.08")
@pytest.mark.parametrize("m", SIZES)
def test_the_complement_holds_the_forces_without_power(rng, m):
    """Of all forces those in the complement, and only those, do no work on any motion in S."""
    S = rng.normal(size=(6, m))
    T = subspace.orthogonal_complement(S)
    assert T.shape == (6, 6 - m)
    motions, forces = S @ rng.normal(size=(m, 50)), T @ rng.normal(size=(6 - m, 50))
    assert_allclose(motions.T @ forces, 0, atol=1e-13)
    assert subspace.orthogonal(S, T)
    f = rng.normal(size=6)
    works = np.abs(S.T @ f).max(initial=0.0) > 1e-12
    assert works == (subspace.dimension(np.column_stack([T, f])) > 6 - m)


@pytest.mark.source("F3.08")
def test_the_complement_of_motions_changes_coordinates_as_forces_do(rng):
    S, X = rng.normal(size=(6, 2)), plucker.from_pose(random_pose(rng))
    T = subspace.orthogonal_complement(S)
    assert subspace.same(subspace.orthogonal_complement(X @ S), plucker.force(X) @ T)
    assert not subspace.same(subspace.orthogonal_complement(X @ S), X @ T)


@pytest.mark.source("F3.08")
@pytest.mark.parametrize("k, m", [(1, 1), (2, 3), (3, 2), (4, 4), (5, 1)])
def test_table_3_1(rng, k, m):
    perp, orthogonal, same = subspace.orthogonal_complement, subspace.orthogonal, subspace.same
    n = 6
    Y1 = rng.normal(size=(n, k))
    Y2 = perp(Y1)[:, :m] @ rng.normal(size=(min(m, n - k), 2))  # any two vectors orthogonal to Y1
    assert orthogonal(Y1, Y2)
    assert orthogonal(Y2, Y1)
    assert orthogonal(Y1 @ rng.normal(size=(k, 9)), Y2)  # the span
    assert orthogonal(Y1[:, :1], Y2)  # a subset
    assert subspace.dimension(np.hstack([perp(Y2), Y1])) == subspace.dimension(perp(Y2))  # Y1 is in the complement
    assert same(perp(np.hstack([Y1, Y1 @ rng.normal(size=(k, 4))])), perp(Y1))
    assert same(perp(perp(Y1)), Y1)
    assert subspace.dimension(Y1) + subspace.dimension(perp(Y1)) == n
    S1, S2 = rng.normal(size=(n, k)), rng.normal(size=(n, k))
    deficient = np.column_stack([S2[:, 1:], perp(S1)[:, 0]]) if k < n else S2
    for other in (S2, deficient):
        exists = np.linalg.svd(S1.T @ other, compute_uv=False)[-1] > 1e-10
        assert subspace.is_direct_sum(S1, perp(other)) == exists
        assert subspace.is_direct_sum(perp(S1), other) == exists
    assert subspace.is_direct_sum(S1, perp(S1))  # numbers taken as Euclidean
