"""Parent arrays of velocity variables, against the paths that the model itself knows."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.sparse import (
    coupled_parent,
    coupled_variables,
    expand_parents,
    expanded_parent,
    factorize,
    sparsity_pattern,
)
from rbdkit.library import random_state, random_tree


@pytest.mark.source("F6.10")
def test_the_example_of_table_6_4():
    lam = expand_parents((0, 1, 1, 2, 2, 3), (1, 3, 1, 1, 1, 1))
    assert tuple(k + 1 for k in lam) == (0, 1, 2, 3, 1, 4, 4, 5)  # the book counts from 1


def previous_variables(model):
    """For each variable the one before it on the path from the base, read off the joints that support its body."""
    before = {}
    for i in model.outward:
        path = [-1, *(k for j in model.support(i) for k in range(model.nv)[model.joints[j].v_slice])]
        before |= dict(zip(path[1:], path[:-1], strict=True))
    return tuple(before[k] for k in range(model.nv))


@pytest.mark.source("F6.10")
@pytest.mark.parametrize("branching", [0.0, 0.3, 0.7, 1.0])
def test_every_variable_follows_the_one_before_it(branching):
    """Joints of 0 to 6 freedoms; those without any pass on their parent's variable, which Table 6.4 leaves out."""
    for seed in range(6):
        model = random_tree(seed, 20, branching=branching)
        assert any(joint.nv == 0 for joint in model.joints[1:])
        assert expanded_parent(model) == previous_variables(model)


def test_a_welded_body_between_branches():
    model = rbd.Model()
    model.add_body("hip", joint=rbd.Revolute("x"))
    model.add_body("leg", "hip", rbd.Revolute("y"))
    model.add_body("mount", "hip")
    model.add_body("head", "mount", rbd.Revolute("z"))
    assert expanded_parent(model) == (-1, 0, 0)


def test_nothing_that_moves():
    model = rbd.Model()
    model.add_body("rock", inertia=rbd.Inertia.sphere(1.0, mass=1.0))
    assert expanded_parent(model) == ()
    assert expand_parents(()) == ()


@pytest.mark.source("F6.10")
@pytest.mark.parametrize("seed", range(5))
def test_without_followers_the_coupled_tree_is_the_same(seed):
    model = random_tree(seed)
    assert coupled_parent(model) == expanded_parent(model)


def follower_trees(seed):
    """A random tree of hinges in which four joints follow earlier ones, often on another branch."""
    rng = np.random.default_rng(seed)
    free = random_tree(seed, 14, [rbd.Revolute("z")], branching=0.8)
    model = rbd.Model(free.name)
    following = {int(i) for i in rng.choice(np.arange(3, 15), 4, replace=False)}
    for body in free.bodies[1:]:
        leaders = [j for j in range(1, body.index) if j not in following]
        leader = free.joints[leaders[rng.integers(len(leaders))]].name if body.index in following else None
        model.add_body(
            body.name,
            free.bodies[body.parent].name,
            body.joint.type,
            body.joint.placement,
            body.inertia,
            mimic=None if leader is None else rbd.Mimic(leader, float(rng.uniform(0.5, 2.0))),
        )
    return model


@pytest.mark.source("F6.10")
@pytest.mark.parametrize("seed", range(12))
def test_followers_couple_branches(seed, off):
    """H is filled only where the array says, and both factorizations are exact: the fill has its places too."""
    model = follower_trees(seed)
    q, v, tau = random_state(model, seed)
    H, lam = rbd.crba(model, q), expanded_parent(model)
    filled = np.eye(model.nv, dtype=bool)
    for k, others in enumerate(coupled_variables(model)):
        filled[k, list(others)] = filled[list(others), k] = True
    np.testing.assert_array_equal(H != 0.0, filled)  # generic placements: no zero by chance
    assert np.all(sparsity_pattern(lam) >= filled)
    for method in ("ltl", "ltdl"):
        factors = factorize(H, lam, method)
        assert off(factors.L.T @ np.diag(factors.D) @ factors.L, H) < 1e-14
        sparse = algorithms.forward_dynamics_crba(model, q, v, tau, factorization=method)
        assert off(sparse, algorithms.forward_dynamics_crba(model, q, v, tau)) < 1e-11  # cond(H) is about 1e3


def test_followers_have_a_smaller_tree_than_a_full_matrix():
    """At least one of these models still has zeros to find."""
    assert any(not sparsity_pattern(expanded_parent(follower_trees(seed))).all() for seed in range(12))
