"""Clusters of loops, their numbering, and G, A and G^T H G block by block."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.loops import (
    cluster_order,
    explicit_by_clusters,
    explicit_constraint,
    force_matrix_by_blocks,
    loop_clusters,
    loop_constraint,
    loop_path,
    projected_by_blocks,
    row_space,
)
from rbdkit.algorithms.sparse import expanded_parent, factorize
from rbdkit.library import random_tree
from rbdkit.model.graph import reordered
from rbdkit.spatial import se3

pytestmark = pytest.mark.source("F8.13")


def three_clusters(rng):
    """Twenty hinges with four loops in three clusters, as in Fig 8.1: 3 to 7 (two loops), 10 to 12, 19 and 20."""
    parents = [0, 1, 2, 3, 4, 2, 6, 1, 8, 9, 10, 9, 0, 13, 14, 13, 16, 17, 18, 18]
    model = rbd.Model("twenty hinges")
    names = ["world", *(f"B{i}" for i in range(1, 21))]
    for i, parent in enumerate(parents, start=1):
        axis = rng.normal(size=3)
        at, size = se3.random(rng), rng.uniform(0.1, 0.4, 3)
        model.add_body(
            names[i], names[parent], rbd.Revolute(axis / np.linalg.norm(axis)), at, rbd.Inertia.box(size, mass=1.0)
        )
    q = model.random_q(rng)
    poses = algorithms.forward_kinematics(model, q).poses
    for k, (p, s, kind) in enumerate(
        [(5, 7, rbd.Spherical()), (4, 6, rbd.SphereInCylinder("x")), (11, 12, rbd.SphereInCylinder("y")),
         (19, 20, rbd.Planar("z", translation="successor"))]
    ):  # fmt: skip
        at = se3.random(rng)
        kind = rbd.SphereInCylinder("z") if k == 3 else kind
        end = se3.inverse(poses[s]) @ poses[p] @ at @ kind.pose(kind.random(rng))
        model.add_loop(f"J{21 + k}", names[p], names[s], kind, at, end)
    return model, q


def shuffled(model, rng):
    """The same tree with its bodies in a random order, parents first."""
    order, left = [], list(model.outward)
    while left:
        ready = [i for i in left if model.parent[i] == 0 or model.parent[i] in order]
        order.append(ready[rng.integers(len(ready))])
        left.remove(order[-1])
    return reordered(model, order)


def test_the_clusters_of_figure_8_1():
    model, _ = three_clusters(np.random.default_rng(0))
    found = loop_clusters(model)
    assert [cluster.loops for cluster in found] == [(0, 1), (2,), (3,)]
    assert [cluster.joints for cluster in found] == [(3, 4, 5, 6, 7), (10, 11, 12), (19, 20)]
    assert [cluster.variables for cluster in found] == [(2, 3, 4, 5, 6), (9, 10, 11), (18, 19)]


@pytest.mark.parametrize("seed", range(5))
def test_a_numbering_in_which_clusters_stand_together(seed):
    rng = np.random.default_rng(seed)
    mixed = shuffled(three_clusters(rng)[0], rng)
    model = reordered(mixed, cluster_order(mixed))
    for cluster in loop_clusters(model):
        assert list(cluster.joints) == list(range(cluster.joints[0], cluster.joints[-1] + 1))
    names = [loop.joint.name for loop in model.loops]
    assert sorted(names) == ["J21", "J22", "J23", "J24"]


def test_clusters_by_brute_force():
    """Loops are in one cluster if a chain of loops with moving joints in common leads from one to the other."""
    several = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        model = random_tree(seed, 16, [rbd.Revolute("z"), rbd.Spherical(), rbd.joints.Fixed()], 1.0)
        for k in range(4):
            p, s = rng.choice(17, 2, replace=False)
            model.add_loop(f"loop {k}", model.bodies[p], model.bodies[s], rbd.Spherical())
        moved = []
        for loop in model.loops:
            J = [model.joints[j].v_slice for j in loop_path(model, loop)]
            moved.append({i for own in J for i in range(own.start, own.stop)})
        coupled = np.array([[bool(a & b) for b in moved] for a in moved]) | np.eye(len(moved), dtype=bool)
        reach = np.linalg.matrix_power(coupled.astype(int), 8) > 0
        expected = {tuple(np.flatnonzero(row)) for row in reach}
        found = loop_clusters(model)
        assert {cluster.loops for cluster in found} == expected
        several += len(found) > 1
        order = cluster_order(model)
        assert reordered(model, order).nv == model.nv  # parents come first
        assert sorted(order) == list(model.outward)
    assert several > 3


@pytest.mark.parametrize("seed", range(3))
def test_blocks_against_the_whole(seed):
    rng = np.random.default_rng(seed)
    model, q = three_clusters(rng)
    v = rng.normal(size=model.nv)
    constraint, clusters = loop_constraint(model, q, v), loop_clusters(model)
    block = explicit_by_clusters(constraint, clusters)
    whole = explicit_constraint(constraint.K, constraint.k)
    assert block.G.shape == whole.G.shape == (20, 20 - 9)
    assert_allclose(constraint.K @ block.G, 0.0, atol=1e-11)
    assert_allclose(constraint.K @ block.g, constraint.k, atol=1e-10)
    assert np.linalg.matrix_rank(np.hstack([block.G, whole.G])) == 11
    assert np.count_nonzero(block.G == 0.0) >= 11 * 10  # the zeros that Eq 8.51 promises
    for variables, columns in block.blocks:  # block-diagonal
        others = [i for i in range(20) if i not in variables]
        assert not block.G[np.ix_(others, columns)].any()
    H = algorithms.crba(model, q).H
    H_G, count = projected_by_blocks(H, block)
    assert_allclose(H_G, block.G.T @ H @ block.G, atol=1e-12 * np.abs(H_G).max())
    assert count < 0.15 * (20 * 20 * 11 + 11 * 12 // 2 * 20)
    L = factorize(H, expanded_parent(model)).L
    A, mults = force_matrix_by_blocks(constraint, clusters, L, expanded_parent(model))
    exact = constraint.K @ np.linalg.solve(H, constraint.K.T)
    assert_allclose(A, exact, atol=1e-11 * np.abs(exact).max())
    assert mults < 0.5 * (20 * 21 // 2 * 9 + 9 * 10 // 2 * 20)


def test_clusters_have_the_rank_of_the_whole():
    """A parallelogram that is nearly flat: at each angle blocks and row space agree on how many rows are left."""
    model, hinge, rod = rbd.Model("parallelogram"), rbd.Revolute("y"), rbd.Inertia.box([0.2, 0.2, 0.2], mass=1.0)
    model.add_body("left", joint=hinge, inertia=rod)
    model.add_body("coupler", "left", hinge, [0.5, 0.0, 0.0], rod)
    model.add_body("right", joint=hinge, placement=[1.0, 0.0, 0.0], inertia=rod)
    model.add_loop("pin", "coupler", "right", rbd.SphereInCylinder("y"), [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    ranks = []
    for angle in np.geomspace(1e-6, 1e-3, 60):
        constraint = loop_constraint(model, angle * np.array([1.0, -1.0, 1.0]), np.zeros(3))
        ranks.append(row_space(constraint).r)
        block = explicit_by_clusters(constraint, loop_clusters(model))
        assert block.G.shape == (3, 3 - ranks[-1]), angle
    assert set(ranks) == {1, 2}


def test_a_follower_couples_loops_of_its_leader():
    model = rbd.Model("followed")
    box, hinge = rbd.Inertia.box([0.2, 0.2, 0.2], mass=1.0), rbd.Revolute("z")
    for name, parent, mimic in (("a", "world", None), ("b", "a", None), ("c", "world", rbd.Mimic("a_joint")),
                                ("d", "c", None)):  # fmt: skip
        model.add_body(name, parent, hinge, [1.0, 0.0, 0.0], box, mimic=mimic)
    model.add_loop("one", "b", "world", rbd.SphereInCylinder("z"), None, [2.0, 0.0, 0.0])
    model.add_loop("two", "d", "world", rbd.SphereInCylinder("z"), None, [2.0, 0.0, 0.0])
    (cluster,) = loop_clusters(model)
    assert cluster.variables == (0, 1, 2)
