"""Eqs 10.2 to 10.12 by counting the algorithm as it runs, and its numbers against the readable form."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.costs import axial_screws, best, branching, counted_crba, dh_children, formulas, kernel_costs
from rbdkit.costs.counted_crba import inputs
from rbdkit.errors import ModelError
from rbdkit.library import branched_parents, chain_parents, general_unbranched, random_parents, revolute_tree
from rbdkit.spatial import se3
from rbdkit.trace import Operations

TREES = [(random_parents(n, seed, 0.6), seed) for seed, n in enumerate((2, 3, 5, 8, 12, 12))]
ROUND_OFF = 1e-13  # sums over a dozen bodies in another order


def assert_close(found, expected):
    assert np.abs(found - expected).max() < ROUND_OFF * np.abs(expected).max()


@pytest.mark.source("F10.07")
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 9, 14])
def test_composite_bodies_of_a_general_chain_cost_what_equation_10_3_says(n):
    chain = general_unbranched(n, seed=n)
    counted = counted_crba(chain)
    assert counted.operations == best("crba").operations(n)  # exactly
    pairs = n * (n - 1) // 2
    expected = {"ra": n - 1, "rx_dh": n - 1, "vx_dh": pairs} if n > 1 else {}
    assert dict(counted.lines) == expected  # Eq 10.2
    q = chain.random_q(n)
    assert_close(counted.H(q), algorithms.crba(chain, q).H)


@pytest.mark.source("F10.08")
@pytest.mark.parametrize(("parents", "seed"), TREES)
def test_lines_that_run_on_a_tree_are_those_of_the_parent_array(parents, seed):
    tree = revolute_tree(parents, seed)
    counted = counted_crba(tree)
    shape = branching(parents, counted.dh)
    lines = counted.lines
    assert lines["ra"] == shape.D0 == len(parents) - parents.count(0)  # Eq 10.4
    assert lines["vx_dh"] + lines["vx_g"] == shape.D1 == sum(len(tree.support(i)) - 1 for i in tree.outward)  # Eq 10.5
    assert (lines["rx_dh"], lines["rx_g"]) == (shape.D0_dh, shape.D0_g)  # Eq 10.11
    assert (lines["vx_dh"], lines["vx_g"]) == (shape.D1_dh, shape.D1_g)
    assert counted.operations == shape.crba  # Eq 10.12
    q = tree.random_q(seed)
    assert_close(counted.H(q), algorithms.crba(tree, q).H)


@pytest.mark.source("F10.08")
@pytest.mark.parametrize(("parents", "seed"), TREES)
def test_bounds_of_the_quantities(parents, seed):
    shape, n = branching(parents), len(parents)
    depth = max(len(rbd.library.rod_tree(parents).support(i)) for i in range(1, n + 1))
    assert 0 <= shape.D0 <= n - 1  # Eq 10.7
    assert 0 <= shape.D1 <= min(n * (n - 1) // 2, n * (depth - 1))  # Eqs 10.8, 10.9


@pytest.mark.source("F10.08")
def test_the_two_extremes():
    chain, star = branching(chain_parents(9)), branching((0,) * 9)
    assert (chain.D0, chain.D1, chain.D0_g, chain.D1_g) == (8, 36, 0, 0)
    assert chain.crba == best("crba").operations(9)
    assert chain.factor_and_solve == best("factor_and_solve").operations(9)
    assert star.crba == Operations() and star.factor_and_solve == Operations(mul=9)
    H = algorithms.crba(revolute_tree((0,) * 4), np.array([0.3, 1.0, -2.0, 0.5])).H
    at_rest = algorithms.crba(revolute_tree((0,) * 4), np.zeros(4)).H
    assert np.array_equal(H, np.diag(np.diag(H))) and np.array_equal(H, at_rest)  # diagonal and constant


@pytest.mark.source("F10.08")
@pytest.mark.parametrize(("n", "total", "aba"), [(7, 2005, 2496), (15, 5229, 5928), (31, 12477, 12792)])
def test_binary_trees_of_figure_10_5(n, total, aba):
    assert branching(branched_parents(n)).forward_dynamics.total == total
    assert best("aba").operations(n).total == aba


@pytest.mark.source("F10.08")
def test_the_curve_of_binary_trees_hugs_that_of_articulated_bodies():
    n = np.arange(3, 32)
    tree = np.array([branching(branched_parents(k)).forward_dynamics.total for k in n])
    chain = np.array([branching(chain_parents(k)).forward_dynamics.total for k in n])
    aba = best("aba").total(n)
    assert np.all(np.diff(tree / aba) > 0.0)  # from below: 20 % cheaper at 7 joints, 2 % at 31
    assert (tree[4] / aba[4], tree[-1] / aba[-1]) == pytest.approx((0.803, 0.975), abs=1e-3)
    assert chain[-1] == 34592 and chain[-1] > 2.7 * aba[-1]
    sizes = 2.0 ** np.arange(6, 12) - 1.0
    large = [branching(branched_parents(int(k))).forward_dynamics.total for k in sizes]
    growth = np.array(large) / (sizes * np.log2(sizes) ** 2)
    assert np.all(np.diff(growth) < 0.0)  # n log(n)^2 bounds it


def test_the_child_that_carries_most_gets_the_cheap_transform():
    parents = (0, 1, 1, 3, 4, 2)
    assert dh_children(parents) == {3, 4, 5, 6}
    ways = [branching(parents, dh).crba.total for dh in ({2, 4, 5, 6}, {3, 4, 5, 6})]
    assert branching(parents).crba.total == min(ways) < max(ways)


def test_impossible_choices_are_refused():
    with pytest.raises(ModelError, match=r"bodies \d and \d are both in dh, but only one child of body 1"):
        branching((0, 1, 1), {2, 3})
    with pytest.raises(ModelError, match="not a body with another body"):
        branching((0, 1, 1), {1})
    with pytest.raises(ModelError, match="number parents before"):
        branching((0, 3, 1))


def test_counting_knows_its_limits():
    for joint in (rbd.Revolute("x"), rbd.Prismatic("z"), rbd.Spherical()):
        model = rbd.Model("other")
        model.add_body("a", joint=joint, inertia=rbd.Inertia(1.0))
        with pytest.raises(ModelError, match=r"'a_joint'.*revolute_tree"):
            counted_crba(model)
    geared = rbd.Model("geared")
    geared.add_body("a", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0), armature=0.1)
    with pytest.raises(ModelError, match="no rotor"):
        counted_crba(geared)


@pytest.mark.source("F10.07")
def test_a_computer_simplifies_further_than_the_published_formula():
    """Section 10.3.1: only element 3 of the last F is needed. Dead code and known zeros are found by the simplifier."""
    chain = general_unbranched(6)
    counted = counted_crba(chain)
    assert counted.simplified.total < 0.75 * counted.operations.total
    q = chain.random_q(2)
    simple = counted.trace.simplified()
    assert_close(np.asarray(simple(*inputs(chain, q)), dtype=float), counted.H(q))


def test_any_placement_is_three_screws():
    rng = np.random.default_rng(0)
    for _ in range(50):
        placement = se3.random(rng)
        screws = axial_screws(placement)
        assert np.abs(screws.pose - placement).max() < 1e-13 * (1.0 + 1.0 / abs(np.sin(screws.alpha)))
        assert not screws.denavit_hartenberg


@pytest.mark.parametrize(
    ("rotation", "position", "dh"),
    [
        (np.eye(3), [0.0, 0.0, 0.4], True),
        (np.eye(3), [0.3, 0.0, 0.4], True),
        (np.eye(3), [0.3, 0.2, 0.4], False),
        (np.diag([1.0, -1.0, -1.0]), [0.3, 0.0, 0.4], True),
        (np.diag([1.0, -1.0, -1.0]), [0.0, 0.2, 0.4], False),
        (np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), [0.2, -0.5, 0.0], True),
        (np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), [0.2, -0.5, 0.3], False),
    ],
)
def test_two_screws_are_found_where_they_are_enough(rotation, position, dh):
    placement = se3.pose(rotation, position)
    screws = axial_screws(placement)
    assert screws.pose == pytest.approx(placement, abs=1e-15)
    assert screws.denavit_hartenberg == dh


@pytest.mark.source("F10.06", "F10.07")
def test_the_engines_kernels_lie_within_reach_of_the_published_counts():
    """The book's text in ordinary rotations and shifts: up to 40 % above the cheapest print, and about the dearest."""
    for row in kernel_costs([6, 10, 20]):
        assert 1.0 < row.ratio < 1.4
        assert row.engine.total < row.general.total
        assert row.engine.total < 1.02 * row.dearest.total  # ABA carries linear velocities, too
        if row.algorithm != "rnea":
            assert row.screws.total < row.engine.total  # what Denavit-Hartenberg frames and axial screws are worth


@pytest.mark.source("F10.06", "F10.07")
def test_with_axial_screws_the_simplifier_beats_the_table_where_it_has_them():
    """ABA and CRBA by screws cost less than the cheapest rows with Denavit-Hartenberg frames; RNEA does not: those of
    Balafoutis et al. use other tensors."""
    for row in kernel_costs([6, 10, 20]):
        screws = row.screws.total
        if row.algorithm == "rnea":
            assert row.cheapest.total < screws < formulas("rnea")[2].operations(row.n).total
        else:
            assert screws < best(row.algorithm).operations(row.n).total
