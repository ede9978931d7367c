"""Forces at some joints, accelerations at the others: four steps, articulated bodies, and the full equation."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import hybrid
from rbdkit.algorithms.sparse import factorize, sparsity_pattern
from rbdkit.errors import ModelError
from rbdkit.library import chain_pendulum, joint_gallery, random_state, random_tree, uncommon_joints

SEEDS = range(6)
ROUND_OFF = 1e-10  # 26 bodies, chains of solves; the condition of H in these trees is below 1e5
BOTH = [algorithms.hybrid_dynamics, algorithms.hybrid_aba]


def geared_tree(seed: int) -> rbd.Model:
    """A random tree of all joint types, with a rotor in every freedom and one prescribed joint in its midst."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 24, [*joint_gallery(rng), *uncommon_joints(rng)])
    motion = lambda t: (0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t))  # noqa: E731
    model.add_body("driven", "b7", rbd.Prescribed(rbd.Revolute("x"), motion), inertia=rbd.Inertia.sphere(0.2, mass=1.0))
    model.add_body("carried", "driven", rbd.Universal(), [0.2, 0, 0.1], rbd.Inertia.box([0.1, 0.2, 0.3], mass=0.7))
    return model.with_parameters({f"{j.name}.armature": rng.uniform(0, 0.5, j.nv) for j in model.joints if j.nv})


def case(seed: int):
    """Model, state, forces, accelerations, half of its joints, external forces."""
    model = geared_tree(seed)
    rng = np.random.default_rng(100 + seed)
    q, v, tau = random_state(model, seed)
    forward = [joint.name for joint in model.joints[1:] if rng.uniform() < 0.5]
    return model, q, v, tau, rng.normal(size=model.nv), forward, rng.normal(size=(len(model.bodies), 6))


@pytest.mark.source("F9.01", "F9.04")
@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_of_the_result_gives_the_forces(algorithm, seed, off):
    model, q, v, tau, a, forward, f_ext = case(seed)
    found = algorithm(model, q, v, tau, a, forward, f_ext=f_ext, t=0.4)
    first, second = algorithms.split_variables(model, found.fd)
    assert 0 < len(first) < model.nv
    assert np.array_equal(found.tau[first], tau[first])
    assert np.array_equal(found.qdd[second], a[second])
    assert off(algorithms.rnea_base(model, q, v, found.qdd, f_ext=f_ext, t=0.4), found.tau) < ROUND_OFF


@pytest.mark.source("F9.01", "F9.04")
@pytest.mark.parametrize("algorithm", BOTH)
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_and_inverse_dynamics_are_its_extremes(algorithm, seed, off):
    model, q, v, tau, a, _, f_ext = case(seed)
    everything = range(1, len(model.bodies))
    free = algorithm(model, q, v, tau, np.full(model.nv, np.nan), everything, f_ext=f_ext, t=0.4)
    assert off(free.qdd, algorithms.forward_dynamics_crba(model, q, v, tau, f_ext=f_ext, t=0.4)) < ROUND_OFF
    driven = algorithm(model, q, v, np.full(model.nv, np.nan), a, [], f_ext=f_ext, t=0.4)
    assert off(driven.tau, algorithms.rnea_base(model, q, v, a, f_ext=f_ext, t=0.4)) < ROUND_OFF


@pytest.mark.source("F9.01")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_sorted_equation_of_motion(seed, off):
    """Example 9.1: with everything given on the right, and solved as Jain and Rodriguez write it."""
    model, q, v, tau, a, forward, f_ext = case(seed)
    found = algorithms.hybrid_aba(model, q, v, tau, a, forward, f_ext=f_ext, t=0.4)
    equation = algorithms.hybrid_equation(model, q, v, forward, f_ext=f_ext, t=0.4)
    n1 = equation.n1
    unknown = np.concatenate([(equation.Q @ found.qdd)[:n1], (equation.Q @ found.tau)[n1:]])
    given = np.concatenate([(equation.Q @ tau)[:n1], (equation.Q @ a)[n1:]])
    assert off(equation.left() @ unknown, equation.right() @ given - equation.C) < ROUND_OFF
    A, b = equation.solved()
    assert off(A @ given + b, unknown) < ROUND_OFF
    inverse = np.linalg.inv(equation.H[:n1, :n1])
    H12, H21 = equation.H[:n1, n1:], equation.H[n1:, :n1]
    blocks = np.block([[inverse, -inverse @ H12], [H21 @ inverse, equation.H[n1:, n1:] - H21 @ inverse @ H12]])
    assert off(A, blocks) < ROUND_OFF


@pytest.mark.source("F9.01")
def test_what_the_prescribed_motion_alone_needs(off):
    model, q, v, tau, a, forward, f_ext = case(3)
    found = algorithms.hybrid_dynamics(model, q, v, tau, a, forward, f_ext=f_ext)
    first, second = algorithms.split_variables(model, found.fd)
    a_2 = a.copy()
    a_2[first] = 0.0
    assert off(found.C_, algorithms.rnea_base(model, q, v, a_2, f_ext=f_ext)) < ROUND_OFF
    H = algorithms.crba_base(model, q)
    assert off(H[np.ix_(first, first)] @ found.qdd[first], tau[first] - found.C_[first]) < ROUND_OFF
    expected = found.C_[second] + H[np.ix_(second, first)] @ found.qdd[first]
    assert off(found.tau[second], expected) < ROUND_OFF


@pytest.mark.source("F9.02")
@pytest.mark.parametrize("seed", SEEDS)
def test_reduced_composite_bodies_give_the_submatrix(seed, off):
    model, q, *_, forward, _ = case(seed)
    result = algorithms.hybrid_crba(model, q, forward, t=0.4)
    first, _ = algorithms.split_variables(model, result.fd)
    assert off(result.H11, algorithms.crba_base(model, q, t=0.4)[np.ix_(first, first)]) < ROUND_OFF
    full = algorithms.crba(model, q, t=0.4)
    for i in range(len(model.bodies)):
        expected = full.Ic[i] if i in result.nu_fd else np.zeros((6, 6))
        assert off(result.Ic[i], expected) < ROUND_OFF


@pytest.mark.source("F9.02")
@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_that_forward_joints_support(seed):
    """nu(fd) by its definition, the union of subtrees (Eq 9.5)."""
    model, *_, forward, _ = case(seed)
    fd = algorithms.forward_joints(model, forward)
    assert algorithms.supported_bodies(model.parent, fd) == {k for i in fd for k in model.subtree(i)}
    assert all(model.joints[i].nv > 0 for i in fd)


@pytest.mark.source("F9.03")
def test_figure_9_1():
    """Seven bodies, joints 1 and 2 prescribed: nodes 1 and 2 fall into 0, nodes 3 to 7 become 1 to 5."""
    parent = (-1, 0, 1, 2, 2, 1, 5, 4)
    merged = algorithms.merged_parents(parent, {3, 4, 5, 6, 7})
    assert merged.map == (0, 0, 0, 1, 2, 3, 4, 5)
    assert merged.parent == (-1, 0, 0, 0, 3, 2)


@pytest.mark.source("F9.03")
@pytest.mark.parametrize("seed", SEEDS)
def test_merged_tree_has_every_nonzero_of_h11_and_no_other(seed):
    """Its support sets against H, where entries that are not zero by structure are not zero by chance."""
    model, q, *_, forward, _ = case(seed)
    fd = sorted(algorithms.forward_joints(model, forward))
    merged = algorithms.merged_parents(model.parent, fd)
    H = algorithms.crba_base(model, q, t=0.4)
    above = {0: {0}}
    for j in range(1, len(merged.parent)):
        assert merged.parent[j] < j
        above[j] = above[merged.parent[j]] | {j}
    for i in fd:
        for j in fd:
            block = H[model.joints[i].v_slice, model.joints[j].v_slice]
            a, b = merged.map[i], merged.map[j]
            assert bool(block.any()) == (a in above[b] or b in above[a])


@pytest.mark.source("F9.03")
@pytest.mark.parametrize("seed", SEEDS)
def test_merging_is_taking_the_prescribed_edges_out_of_the_path(seed):
    """Brute force: ancestors in the merged tree are the forward-dynamics ancestors in the tree."""
    model, *_, forward, _ = case(seed)
    fd = algorithms.forward_joints(model, forward)
    merged = algorithms.merged_parents(model.parent, fd)
    for i in model.outward:
        kept = [merged.map[k] for k in model.support(i) if k in fd]
        path, k = [], merged.map[i]
        while k > 0:
            path.append(k)
            k = merged.parent[k]
        assert path[::-1] == kept


@pytest.mark.source("F9.03")
@pytest.mark.parametrize("seed", SEEDS)
def test_sparse_factors_of_h11(seed, off):
    """Along the merged tree, expanded to single variables, L keeps every zero of H11, and L^T L is H11."""
    model, q, *_, forward, _ = case(seed)
    result = algorithms.hybrid_crba(model, q, forward, t=0.4)
    lam = algorithms.forward_parent(model, result.fd)
    pattern = sparsity_pattern(lam)
    assert not pattern.all()
    assert not result.H11[~pattern].any()
    L = factorize(result.H11, lam).L
    assert not L[~pattern].any()
    assert off(L.T @ L, result.H11) < ROUND_OFF


def test_joints_that_mimic_others(mimicking, off):
    coupled, independent, G, free = mimicking
    q, v, tau = random_state(coupled, 2)
    a = np.array([0.4, -1.3])
    found = algorithms.hybrid_dynamics(coupled, q, v, tau, a, ["a_joint"])
    assert found.fd == {1, 3}
    assert off(G.T @ rbd.rnea(independent, free(q), G @ v, G @ found.qdd), found.tau) < ROUND_OFF
    assert found.tau[0] == tau[0]
    assert found.qdd[1] == a[1]
    with pytest.raises(ModelError, match="name the joint that leads"):
        algorithms.forward_joints(coupled, ["c_joint"])
    with pytest.raises(ModelError, match=r"move independently, but 'c_joint', 'd_joint'.*use hybrid_dynamics"):
        algorithms.hybrid_aba(coupled, q, v, tau, a, ["a_joint"])


def test_names_and_numbers_of_joints_are_checked():
    model = chain_pendulum(3)
    assert algorithms.forward_joints(model, ["hinge3", 1]) == {1, 3}
    with pytest.raises(ModelError, match=r"did you mean 'hinge1'"):
        algorithms.forward_joints(model, ["hnge1"])
    with pytest.raises(ModelError, match="joints are 1 to 3"):
        algorithms.forward_joints(model, [0])
    with pytest.raises(ModelError, match=r"give \['hinge1'\]"):
        algorithms.forward_joints(model, "hinge1")


def test_a_massless_body_can_be_driven_but_not_free():
    model = rbd.Model()
    model.add_body("carriage", joint=rbd.Prismatic("z"))
    q = v = tau = np.zeros(1)
    for algorithm in BOTH:
        assert algorithm(model, q, v, tau, np.array([2.0]), []).tau == 0.0
        with pytest.raises(ModelError, match="inertia"):
            algorithm(model, q, v, tau, tau, ["carriage_joint"])


def test_the_package_offers_what_it_says():
    assert all(getattr(algorithms, name) is getattr(hybrid, name) for name in hybrid.__all__)
