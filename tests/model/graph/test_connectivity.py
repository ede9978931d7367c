"""Connectivity graphs, their spanning trees and cycles, against brute force and Kirchhoff's theorem."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdkit.errors import ModelError
from rbdkit.library import crank_slider, random_tree, satellite
from rbdkit.model.graph import ConnectivityGraph, graph_of, shallowest_tree, spanning_tree, spanning_trees

exact = settings(max_examples=40, deadline=None, derandomize=True)
CRANK_SLIDER = [("J1", "B0", "B1"), ("J2", "B1", "B2"), ("J3", "B2", "B3"), ("J4", "B0", "B3")]


@st.composite
def graphs(draw, most=6):
    """Connected graphs of a few bodies with up to four loops, parallel joints among them, arrows either way."""
    n = draw(st.integers(1, most))
    ends = [(draw(st.integers(0, k)), k + 1) for k in range(n)]
    ends += [tuple(draw(st.permutations(range(n + 1)))[:2]) for _ in range(draw(st.integers(0, 4)))]
    ends = draw(st.permutations([pair if draw(st.booleans()) else pair[::-1] for pair in ends]))
    return ConnectivityGraph([(f"j{k}", f"b{p}", f"b{s}") for k, (p, s) in enumerate(ends)], base="b0")


def laplacian(graph):
    nodes = [graph.base, *graph.bodies]
    L = np.zeros((len(nodes), len(nodes)))
    for _, p, s in graph.joints:
        i, j = nodes.index(p), nodes.index(s)
        L[[i, j], [i, j]] += 1
        L[i, j] -= 1
        L[j, i] -= 1
    return L


def connects(graph, names):
    """Whether these joints reach every body, by merging sets."""
    group = {body: {body} for body in [graph.base, *graph.bodies]}
    for name, p, s in graph.joints:
        if name in names:
            merged = group[p] | group[s]
            for body in merged:
                group[body] = merged
    return len(group[graph.base]) == graph.N_B + 1


@pytest.mark.source("F4.01")
def test_the_graphs_of_figure_4_1():
    crank, dish = graph_of(crank_slider()), graph_of(satellite())
    assert (crank.N_B, crank.N_J, crank.N_L, crank.is_tree) == (3, 4, 1, False)  # Eq 4.1
    assert (dish.N_B, dish.N_J, dish.N_L, dish.is_tree) == (2, 2, 0, True)
    assert dish.joints == (("J1", "world", "hull"), ("J2", "hull", "dish"))
    assert {arc.name: {arc.predecessor, arc.successor} for arc in crank.joints} == {
        "J1": {"world", "B1"}, "J2": {"B1", "B2"}, "J3": {"B2", "B3"}, "J4": {"world", "B3"},
    }  # fmt: skip
    assert satellite().nv == 6 + 1


@pytest.mark.source("F4.01")
@pytest.mark.parametrize(("joints", "options", "message"), [
    ([("J1", "B0", "B1"), ("J1", "B1", "B2")], {}, "2 joints are called 'J1'"),
    ([("J1", "B0", "B1")], {"bodies": ["B1", "B1"]}, "2 bodies are called 'B1'"),
    ([("J1", "B0", "B1")], {"bodies": ["B0", "B1"]}, "'B0'; the base is one of them and fixed"),
    ([("J1", "B0", "B1"), ("J2", "B1", "C1")], {"bodies": ["B1"]}, "joint 'J2' connects 'C1', no body"),
    ([("J1", "B0", "B1"), ("J2", "B1", "B1")], {}, "joint 'J2' connects 'B1' with itself"),
    ([("J1", "B1", "B2")], {}, "no path of joints leads from the base 'B0' to 'B1', 'B2'; .*6-DoF joint"),
    ([("J1", "B0", "B1"), ("J2", "B2", "B3")], {}, "to 'B2', 'B3'"),
    ([("J1", "B0", "B1")], {"bodies": ["B1", "B2"]}, "to 'B2'"),
])  # fmt: skip
def test_what_is_no_connectivity_graph_is_refused(joints, options, message):
    with pytest.raises(ModelError, match=message):
        ConnectivityGraph(joints, base="B0", **options)


@pytest.mark.source("F4.01")
def test_a_fixed_base_alone_is_a_graph():
    graph = ConnectivityGraph([])
    assert (graph.N_B, graph.N_L, [tree.tree_joints for tree in spanning_trees(graph)]) == (0, 0, [()])


@pytest.mark.source("F4.02")
@exact
@given(graphs())
def test_all_spanning_trees(graph):
    """Every choice of N_B joints that connects all, tried one by one; Kirchhoff's determinant counts the same."""
    found = {frozenset(tree.tree_joints) for tree in spanning_trees(graph)}
    names = [arc.name for arc in graph.joints]
    assert found == {frozenset(c) for c in combinations(names, graph.N_B) if connects(graph, c)}
    assert len(found) == len(list(spanning_trees(graph))) == round(np.linalg.det(laplacian(graph)[1:, 1:]))
    for tree in spanning_trees(graph):
        assert len(tree.tree_joints) == graph.N_B
        assert len(tree.chords) == graph.N_L == graph.N_J - graph.N_B


@pytest.mark.source("F4.02")
@exact
@given(graphs())
def test_one_cycle_for_each_chord(graph):
    """It has one chord, goes round, and the cycles are independent: their incidence matrix has rank N_L."""
    for tree in list(spanning_trees(graph))[:4]:
        rows = []
        for chord in tree.chords:
            cycle = tree.cycle(chord.name)
            assert [name for name in cycle if name not in tree.tree_joints] == [chord.name]
            at, row = chord.predecessor, np.zeros(graph.N_J)
            for name in cycle:
                arc = graph.joint(name)
                assert at in (arc.predecessor, arc.successor)
                row[graph.joints.index(arc)] = 1.0 if at == arc.predecessor else -1.0
                at = arc.other(at)
            assert at == chord.predecessor
            rows.append(row)
        cycles = np.array(rows).reshape(-1, graph.N_J)
        assert (np.linalg.matrix_rank(cycles) if len(cycles) else 0) == graph.N_L
        incidence = np.zeros((graph.N_B + 1, graph.N_J))
        for k, (_, p, s) in enumerate(graph.joints):
            nodes = [graph.base, *graph.bodies]
            incidence[nodes.index(p), k], incidence[nodes.index(s), k] = -1.0, 1.0
        assert not (incidence @ cycles.T).any()  # loops have no ends


@pytest.mark.source("F4.02")
def test_a_graph_with_two_chords_and_three_cycles():
    """As Figure 4.2 has it: for any spanning tree two cycles have one chord, the third has both."""
    graph = ConnectivityGraph(
        [("a", "0", "1"), ("b", "1", "2"), ("c", "2", "3"), ("d", "3", "0"), ("e", "1", "3")], base="0"
    )
    cycles = [frozenset("abcd"), frozenset("aed"), frozenset("bce")]
    assert graph.N_L == 2
    for tree in spanning_trees(graph):
        one_chord = {frozenset(tree.cycle(arc.name)) for arc in tree.chords}
        assert len(one_chord) == 2 and one_chord < set(cycles)
        (third,) = set(cycles) - one_chord
        assert {arc.name for arc in tree.chords} <= third


def distances(graph):
    """Of every body from the base, in joints: by relaxing all joints until nothing changes (Bellman and Ford)."""
    found = dict.fromkeys(graph.bodies, 99) | {graph.base: 0}
    for _ in graph.bodies:
        for _, p, s in graph.joints:
            found[s], found[p] = min(found[s], found[p] + 1), min(found[p], found[s] + 1)
    return {body: found[body] for body in graph.bodies}


@pytest.mark.source("F4.02")
@exact
@given(graphs())
def test_no_spanning_tree_is_shallower(graph):
    tree = shallowest_tree(graph)
    assert all(other.depth >= tree.depth for other in spanning_trees(graph))
    assert frozenset(tree.tree_joints) in {frozenset(t.tree_joints) for t in spanning_trees(graph)}


@pytest.mark.source("F4.02")
@pytest.mark.parametrize("seed", range(10))
def test_the_shallowest_tree_has_every_body_as_near_as_can_be(seed):
    """In large random graphs with long rings, where depth first goes astray."""
    rng = np.random.default_rng(seed)
    ends = [(max(0, k - int(rng.integers(1, 3)) + 1), k + 1) for k in range(14)] + [(0, 14), (3, 12)]
    ends += [tuple(int(x) for x in rng.choice(15, 2, replace=False)) for _ in range(3)]
    order = rng.permutation(len(ends))
    graph = ConnectivityGraph([(f"j{k}", f"b{ends[k][0]}", f"b{ends[k][1]}") for k in order], base="b0")
    tree = shallowest_tree(graph)
    assert tree.depths == distances(graph)
    assert spanning_tree(graph, tree.tree_joints) == tree


@pytest.mark.source("F4.02")
def test_a_ring_is_cut_opposite_to_the_base():
    ring = ConnectivityGraph([(f"J{k}", f"B{k}", f"B{(k + 1) % 9}") for k in range(9)], base="B0")
    tree = shallowest_tree(ring)
    assert tree.depth == 4 and [arc.name for arc in tree.chords] == ["J4"]


@pytest.mark.source("F4.02")
def test_a_chosen_tree_is_checked():
    graph = ConnectivityGraph(CRANK_SLIDER, base="B0")
    assert spanning_tree(graph, ["J4", "J1", "J2"]).tree_joints == ("J1", "J2", "J4")
    with pytest.raises(ModelError, match="the 2 joints J1, J2 leave B3 unconnected; a spanning tree has 3 joints"):
        spanning_tree(graph, ["J1", "J2"])
    with pytest.raises(ModelError, match="the 4 joints J1, J2, J3, J4 close a loop"):
        spanning_tree(graph, ["J1", "J2", "J3", "J4"])
    with pytest.raises(ModelError, match="joint 'J5' is not in the graph; known: 'J1'"):
        spanning_tree(graph, ["J1", "J5"])
    with pytest.raises(ModelError, match="joint 'J1' is in the tree; the chords are"):
        spanning_tree(graph, ["J1", "J2", "J3"]).cycle("J1")


def test_a_long_chain_has_one_tree():
    model = random_tree(1, 60, branching=0.0)
    graph = graph_of(model)
    (tree,) = spanning_trees(graph)
    assert tree == shallowest_tree(graph) and tree.depth == 60 and tree.chords == ()
