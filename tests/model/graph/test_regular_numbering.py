"""Regular numberings and their arrays: Figures 4.4 to 4.6, and brute force over all orders."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdkit.errors import ModelError
from rbdkit.joints import Reversed, Revolute
from rbdkit.model import Model
from rbdkit.model.graph import (
    ConnectivityGraph,
    count_regular_numberings,
    graph_of,
    regular_numbering,
    regular_numberings,
    spanning_tree,
    spanning_trees,
)

exact = settings(max_examples=30, deadline=None, derandomize=True)
CRANK_SLIDER = ConnectivityGraph(
    [("J1", "B0", "B1"), ("J2", "B1", "B2"), ("J3", "B2", "B3"), ("J4", "B0", "B3")], base="B0"
)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 5))
    ends = [(draw(st.integers(0, k)), k + 1) for k in range(n)]
    ends += [tuple(draw(st.permutations(range(n + 1)))[:2]) for _ in range(draw(st.integers(0, 2)))]
    ends = [pair if draw(st.booleans()) else pair[::-1] for pair in ends]
    return ConnectivityGraph([(f"j{k}", f"b{p}", f"b{s}") for k, (p, s) in enumerate(ends)], base="b0")


def is_regular(numbering):
    """The six rules of section 4.1.2, one after the other, from the numbers alone."""
    graph, tree = numbering.tree.graph, numbering.tree
    bodies, arcs = numbering.bodies, numbering.joints
    assert bodies[0] == graph.base  # rule 2
    assert sorted(bodies[1:]) == sorted(graph.bodies)  # rule 6: each body has its number
    for i in range(1, graph.N_B + 1):
        ends = {arcs[i].predecessor, arcs[i].successor}
        assert bodies[i] in ends and arcs[i].name in tree.tree_joints  # rules 1 and 4
        (parent,) = ends - {bodies[i]}
        assert bodies.index(parent) < i  # rule 3
    assert sorted(arc.name for arc in arcs[graph.N_B + 1 :]) == sorted(arc.name for arc in tree.chords)  # rule 5
    return True


@pytest.mark.source("F4.03")
def test_every_numbering_of_the_crank_slider():
    """Figure 4.4: eight, of four trees; two unbranched with one each, two branched at the root with three each."""
    by_tree = [list(regular_numberings(tree)) for tree in spanning_trees(CRANK_SLIDER)]
    assert sorted(len(found) for found in by_tree) == [1, 1, 3, 3]
    found = [numbering for numberings in by_tree for numbering in numberings]
    assert len(found) == 8
    for tree, numberings in zip(spanning_trees(CRANK_SLIDER), by_tree, strict=True):
        branched = len(tree.children("B0")) == 2
        assert len(numberings) == (3 if branched else 1) == count_regular_numberings(tree)
    assert all(is_regular(numbering) for numbering in found)
    # by brute force: all ways to hand out 1, 2, 3 to bodies and 1 to 4 to joints, and the rules checked on each
    ways = set()
    for bodies, joints in product(permutations(["B1", "B2", "B3"]), permutations(CRANK_SLIDER.joints)):
        number = {"B0": 0} | {body: i for i, body in enumerate(bodies, 1)}
        ends = [sorted((number[arc.predecessor], number[arc.successor])) for arc in joints]
        if all(i == ends[i - 1][1] for i in (1, 2, 3)):  # joint i goes from body i to one with a lower number
            ways.add((bodies, tuple(arc.name for arc in joints)))
    assert ways == {(n.bodies[1:], tuple(arc.name for arc in n.joints[1:])) for n in found}


@pytest.mark.source("F4.04")
def test_figure_4_5():
    """lambda = [0, 1, 2] and [0, 0, 1] for two of these numberings, all tree joints forward."""
    chain = regular_numbering(spanning_tree(CRANK_SLIDER, ["J1", "J2", "J3"]))
    assert chain.parent[1:] == (0, 1, 2)
    assert (chain.p[1:], chain.s[1:]) == ((0, 1, 2, 0), (1, 2, 3, 3))
    assert chain.reverse_joints == () and chain.p[0] == chain.s[0] == chain.parent[0] == -1
    branched = regular_numbering(spanning_tree(CRANK_SLIDER, ["J1", "J2", "J4"]), ["B1", "B3", "B2"])
    assert branched.parent[1:] == (0, 0, 1)
    assert (branched.p[1:], branched.s[1:]) == ((0, 0, 1, 3), (1, 2, 3, 2))
    assert branched.reverse_joints == ()


@pytest.mark.source("F4.04", "F4.05")
def test_figure_4_6():
    """Joint 4 is a reverse joint; sets as printed. Where in the subtree of 4 bodies 6 and 7 hang is left open there."""
    parents = {1: 0, 2: 1, 3: 1, 4: 0, 5: 3, 6: 4, 7: 6, 8: 4}
    joints = [(f"J{i}", *((f"B{i}", f"B{p}") if i == 4 else (f"B{p}", f"B{i}"))) for i, p in parents.items()]
    graph = ConnectivityGraph(joints, base="B0")
    (tree,) = spanning_trees(graph)
    numbering = regular_numbering(tree, [f"B{i}" for i in parents])
    assert numbering.reverse_joints == (4,)
    assert (numbering.p[4], numbering.s[4]) == (4, 0)
    assert numbering.parent == (-1, *parents.values())
    assert [numbering.support(i) for i in (1, 2, 3, 8)] == [(1,), (1, 2), (1, 3), (4, 8)]
    assert [numbering.children(i) for i in (0, 1, 2, 8)] == [(1, 4), (2, 3), (), ()]
    assert [numbering.subtree(i) for i in (0, 1, 2, 8)] == [tuple(range(9)), (1, 2, 3, 5), (2,), (8,)]
    row = numbering.table()[8]
    assert (row["lambda"], row["kappa"], row["mu"], row["nu"], row["reversed"]) == (4, (4, 8), (), (8,), False)


@pytest.mark.source("F4.04", "F4.05")
@exact
@given(graphs(), st.randoms(use_true_random=False))
def test_arrays_of_any_numbering(graph, random):
    """From p and s alone: Eq 4.2, what carries what by matrix powers, and Eq 4.3 with any function of i and j."""
    trees = list(spanning_trees(graph))
    numberings = list(regular_numberings(trees[random.randrange(len(trees))]))
    numbering = numberings[random.randrange(len(numberings))]
    n, p, s, parent = graph.N_B, numbering.p, numbering.s, numbering.parent
    assert len(p) == len(s) == graph.N_J + 1
    for i in range(1, n + 1):
        assert {p[i], s[i]} == {i, parent[i]} and parent[i] < i
        assert (i in numbering.reverse_joints) == (p[i] == i)
    A = np.zeros((n + 1, n + 1), dtype=int)
    A[[parent[i] for i in range(1, n + 1)], range(1, n + 1)] = 1
    carries = sum(np.linalg.matrix_power(A, k) for k in range(n + 1)) > 0  # carries[i, j]: body i carries body j
    for i in range(n + 1):
        assert numbering.subtree(i) == tuple(np.flatnonzero(carries[i]))
        assert numbering.support(i) == tuple(j for j in np.flatnonzero(carries[:, i]) if j > 0)
        assert numbering.children(i) == tuple(np.flatnonzero(A[i]))
    f = np.array([[random.randint(-99, 99) for _ in range(n + 1)] for _ in range(n + 1)])
    left = sum(f[i, j] for i in range(1, n + 1) for j in numbering.support(i))
    right = sum(f[i, j] for j in range(1, n + 1) for i in numbering.subtree(j))
    assert left == right  # Eq 4.3


@pytest.mark.source("F4.03")
@exact
@given(graphs())
def test_all_numberings_of_any_graph(graph):
    for tree in list(spanning_trees(graph))[:3]:
        found = list(regular_numberings(tree))
        assert all(is_regular(numbering) for numbering in found)
        seen = {(n.bodies, tuple(arc.name for arc in n.joints[1:])) for n in found}
        orders = [
            order
            for order in permutations(graph.bodies)
            if all(tree.parent(b) == graph.base or order.index(tree.parent(b)) < order.index(b) for b in order)
        ]
        chords = len(list(permutations(tree.chords)))
        assert len(seen) == len(found) == len(orders) * chords == count_regular_numberings(tree)
        assert is_regular(regular_numbering(tree))


@pytest.mark.source("F4.03")
def test_orders_that_are_not_regular_are_refused():
    tree = spanning_tree(CRANK_SLIDER, ["J1", "J2", "J3"])
    with pytest.raises(ModelError, match="body 'B2' is numbered before its parent 'B1'; put the parent first"):
        regular_numbering(tree, ["B2", "B1", "B3"])
    with pytest.raises(ModelError, match=r"the order of bodies is .* it must name each of"):
        regular_numbering(tree, ["B1", "B2"])
    with pytest.raises(ModelError, match="the order of loop joints is"):
        regular_numbering(tree, chords=["J3"])


@pytest.mark.source("F4.04")
def test_a_reversed_joint_of_a_model_is_a_reverse_joint():
    model = Model()
    model.add_body("a", joint=Revolute("x"))
    model.add_body("b", "a", Reversed(Revolute("x")))
    graph = graph_of(model)
    assert graph.joints == (("a_joint", "world", "a"), ("b_joint", "b", "a"))
    (tree,) = spanning_trees(graph)
    assert regular_numbering(tree).reverse_joints == (2,)
