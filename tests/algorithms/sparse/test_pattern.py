"""Zeros of H from the parent array alone, against H computed."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.sparse import area_2, density, expand_parents, expanded_parent, renumbered, sparsity_pattern
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.library.revolute_trees import revolute_tree
from rbdkit.library.sparse_trees import FIG_6_2, FIG_6_3
from rbdkit.model.graph import depth_first, reordered


@pytest.mark.source("F6.07")
@pytest.mark.parametrize("seed", range(8))
def test_zeros_are_where_no_body_is_moved_by_both(seed):
    """Against Jacobians of the bodies: H = sum of J^T I J has an entry where two columns of one J are not zero."""
    model = random_tree(seed)
    q, _, _ = random_state(model, seed)
    together = np.eye(model.nv, dtype=bool)
    for body in model.bodies[1:]:
        moved = np.any(rbd.jacobian(model, q, body.name) != 0.0, axis=0)
        together |= np.outer(moved, moved)
    pattern = sparsity_pattern(expanded_parent(model))
    np.testing.assert_array_equal(pattern, together)
    assert not rbd.crba(model, q)[~pattern].any()


@pytest.mark.source("F6.07")
@pytest.mark.parametrize("parents", [*FIG_6_2.values(), FIG_6_3, random_parents(12, 1), random_parents(12, 2, 1.0)])
def test_trees_of_hinges_have_these_zeros_and_no_others(parents):
    model = revolute_tree(parents, seed=1)
    H = rbd.crba(model, random_state(model, 1)[0])
    pattern = sparsity_pattern(expand_parents(parents))
    np.testing.assert_array_equal(H != 0.0, pattern)
    assert density(expanded_parent(model)) == np.count_nonzero(H) / H.size


@pytest.mark.source("F6.07")
def test_the_extremes_of_figure_6_2():
    star, chain = (sparsity_pattern(expand_parents(FIG_6_2[key])) for key in "ab")
    np.testing.assert_array_equal(star, np.eye(len(star), dtype=bool))
    assert chain.all()
    assert density(expand_parents(FIG_6_2["c"])) == pytest.approx(0.5, abs=0.1)  # "around 0.5" is not unusual


@pytest.mark.source("F6.07")
def test_children_of_the_base_make_blocks():
    """Two trees on one base: H is block diagonal, here after bringing each tree's variables together."""
    lam = expand_parents((0, 0, 1, 2, 3, 4, 2))
    order = [0, 2, 4, 1, 3, 5, 6]  # first what hangs on 0, then what hangs on 1
    pattern = sparsity_pattern(lam)[np.ix_(order, order)]
    assert not pattern[:3, 3:].any() and pattern[:3, :3].all()


@pytest.mark.source("F6.07")
def test_two_numberings_of_figure_6_2_permute_the_matrix():
    d, e = (expand_parents(FIG_6_2[key]) for key in "de")
    order = (0, 1, 3, 4, 2, 5, 6)  # the order in which (e), depth first, comes by the bodies of (d)
    assert renumbered(d, order) == e
    np.testing.assert_array_equal(sparsity_pattern(d)[np.ix_(order, order)], sparsity_pattern(e))
    assert density(d) == density(e)


@pytest.mark.source("F6.07", "F6.04")
@pytest.mark.parametrize("seed", range(4))
def test_two_numberings_of_a_model_permute_h(seed, off):
    """The same bodies added depth first: another regular numbering of one tree with all joint types."""
    first = random_tree(seed, 14, branching=1.0)
    bodies = depth_first(first)
    second = reordered(first, bodies)
    q1, _, _ = random_state(first, seed)
    q2 = np.concatenate([q1[first.joints[i].q_slice] for i in bodies])
    order = np.concatenate([np.arange(first.nv)[first.joints[i].v_slice] for i in bodies])
    assert list(order) != list(range(first.nv))
    assert off(rbd.crba(second, q2), rbd.crba(first, q1)[np.ix_(order, order)]) < 1e-14
    assert renumbered(expanded_parent(first), order.tolist()) == expanded_parent(second)


@pytest.mark.source("F6.07")
@pytest.mark.parametrize("parents", [*FIG_6_2.values(), branched_parents(40), branched_parents(40, 5)])
def test_density_counts_the_entries_below_the_diagonal_twice(parents):
    lam = expand_parents(parents)
    n = len(lam)
    assert density(lam) * n**2 == pytest.approx(n + 2 * area_2(lam), abs=1e-9)  # text after Eq 6.27
    assert 0.0 < density(lam) <= density(expand_parents(chain_parents(n)))


@pytest.mark.parametrize(
    ("order", "words"),
    [((0, 1, 1), "each of 0 to 2 once"), ((1, 0, 2), "1 before its parent 0"), ((0, 1), "each of 0 to 2 once")],
)
def test_orders_that_are_none(order, words):
    with pytest.raises(ModelError, match=words):
        renumbered((-1, 0, 0), order)


@pytest.mark.parametrize("lam", [(0,), (-1, 1), (-1, 0, 5), (-2,)])
def test_arrays_that_are_no_trees(lam):
    with pytest.raises(ModelError, match=r"entry \d of the parent array is .* smaller"):
        sparsity_pattern(lam)
