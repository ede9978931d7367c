import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbdkit.joints import Revolute
from rbdkit.library import random_tree
from rbdkit.model import Model, regular_order, structure_findings
from rbdkit.spatial.inertia import Inertia

exact = settings(max_examples=50, deadline=None, derandomize=True)


@st.composite
def shuffled_trees(draw):
    """(body, parent) pairs of a random tree, in any order."""
    n = draw(st.integers(1, 15))
    links = [(f"b{k}", "world" if (p := draw(st.integers(0, k))) == 0 else f"b{p - 1}") for k in range(n)]
    return draw(st.permutations(links))


@exact
@given(shuffled_trees())
def test_parents_come_first_from_any_order(links):
    order = regular_order(links)
    assert sorted(order) == list(range(len(links)))
    place = {links[position][0]: k for k, position in enumerate(order)} | {"world": -1}
    assert all(place[parent] < place[body] for body, parent in links)
    assert structure_findings(links) == []


def test_order_is_depth_first_in_the_order_given():
    links = [("tip", "mid"), ("b", "world"), ("a", "world"), ("mid", "a"), ("leaf", "b"), ("other", "a")]
    assert [links[k][0] for k in regular_order(links)] == ["b", "leaf", "a", "mid", "tip", "other"]


def test_a_long_chain_needs_no_recursion():
    links = [(f"b{k}", f"b{k - 1}" if k else "world") for k in range(5000)][::-1]
    assert regular_order(links) == list(range(4999, -1, -1))


def test_a_model_is_built_from_any_order():
    links = [("hand", "arm"), ("arm", "base"), ("base", "world")]
    model = Model()
    for k in regular_order(links):
        model.add_body(*links[k], Revolute(), inertia=Inertia.sphere(0.1, mass=1.0))
    assert [body.name for body in model.bodies] == ["world", "base", "arm", "hand"]


def findings(*links):
    return [(f.severity, f.where, f.what, f.message) for f in structure_findings(links)]


def test_duplicates():
    assert findings(("a", "world"), ("a", "world"), ("b", "a")) == [
        ("error", "a", "duplicate name", "2 bodies are called 'a'; give every body its own name")
    ]
    assert findings(("world", "world"), ("a", "world"))[0][:3] == ("error", "world", "duplicate name")


def test_an_unknown_parent_suggests_one():
    found = findings(("shoulder", "world"), ("elbow", "sholder"), ("hand", "elbow"))
    assert found[0] == (
        "error", "elbow", "unreachable body", "its parent 'sholder' does not exist; did you mean 'shoulder'?",
    )  # fmt: skip
    assert found[1][:3] == ("error", "hand", "unreachable body")
    assert "no chain of joints leads from 'world' to it (parent 'elbow')" in found[1][3]


@exact
@given(st.integers(1, 6), st.integers(0, 3))
def test_cycles(length, hanging):
    """Each body of the cycle and each that hangs on it is named; the rest is ordered."""
    links = [(f"c{k}", f"c{(k + 1) % length}") for k in range(length)]
    links += [(f"h{k}", f"h{k - 1}" if k else "c0") for k in range(hanging)]
    found = findings(("good", "world"), *links)
    assert [f[1] for f in found] == [body for body, _ in links]
    assert all("cycle" in f[3] for f in found)
    assert regular_order([("good", "world"), *links]) == [0]


@pytest.mark.source("F4.05")
def test_sets_of_figure_4_6():
    """The numbers that the text gives for the figure; it leaves open where in the subtree of 4 bodies 6 and 7 hang."""
    parents = {1: 0, 2: 1, 3: 1, 4: 0, 5: 3, 6: 4, 7: 6, 8: 4}
    model = Model()
    for i, p in parents.items():
        model.add_body(f"B{i}", f"B{p}" if p else "world", Revolute())
    assert [model.support(i) for i in (1, 2, 3, 8)] == [(1,), (1, 2), (1, 3), (4, 8)]
    assert [model.children(i) for i in (0, 1, 2, 8)] == [(1, 4), (2, 3), (), ()]
    assert [model.subtree(i) for i in (0, 1, 2, 8)] == [tuple(range(9)), (1, 2, 3, 5), (2,), (8,)]
    assert model.support(0) == ()


@pytest.mark.source("F4.05")
@pytest.mark.parametrize("seed", range(5))
def test_sets_of_random_trees(seed):
    """Supports by walking up; children and subtrees follow from them; Eq 4.3 swaps the order of a double sum."""
    model = random_tree(seed, 30)
    n = len(model.bodies)
    kappa = [set() for _ in range(n)]
    for i in model.outward:
        assert model.parent[i] < i
        kappa[i] = kappa[model.parent[i]] | {i}
    for i in range(n):
        assert set(model.support(i)) == kappa[i]
        assert list(model.support(i)) == sorted(model.support(i))
        assert model.children(i) == tuple(j for j in range(1, n) if kappa[j] == kappa[i] | {j} and j not in kappa[i])
        if i:
            assert model.subtree(i) == tuple(j for j in range(n) if i in kappa[j])
    f = np.random.default_rng(seed).integers(-99, 99, (n, n))
    over_supports = sum(f[i, j] for i in model.outward for j in model.support(i))
    assert over_supports == sum(f[i, j] for j in model.outward for i in model.subtree(j))
    assert list(model.inward) == list(model.outward)[::-1]
