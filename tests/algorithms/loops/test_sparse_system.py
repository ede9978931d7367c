"""All bodies at once in sparse storage, against the dense equation and against the spanning tree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csc_array

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import constraints
from rbdkit.algorithms.loops import (
    Baumgarte,
    loop_equation,
    solve_directly,
    sparse_forward_dynamics,
    sparse_pattern,
)
from rbdkit.errors import ModelError
from rbdkit.library import planar_four_bar, random_state, random_tree, rectangular_bricard
from rbdkit.spatial import se3

pytestmark = pytest.mark.source("F8.21")


def ladder(cells, seed=0):
    """Two rails of balls and sockets from the ground, a rung from one to the other at every body: Fig 8.4, longer."""
    rng = np.random.default_rng(seed)
    model, order = rbd.Model("ladder"), []
    box = rbd.Inertia.box([0.3, 0.1, 0.1], mass=1.0)
    for k in range(cells):
        for rail in "ab":
            at = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
            model.add_body(f"{rail}{k}", f"{rail}{k - 1}" if k else "world", rbd.EulerSpherical(), at, box)
    poses = algorithms.forward_kinematics(model, model.neutral()).poses
    for k in range(cells):
        a, b = model.body(f"a{k}"), model.body(f"b{k}")
        at, kind = se3.random(rng), rbd.SphereInCylinder("z")
        end = se3.inverse(poses[b.index]) @ poses[a.index] @ at
        model.add_loop(f"rung{k}", a, b, kind, at, end)
        order += [f"a{k}_joint", f"b{k}_joint", f"a{k}", f"b{k}", f"rung{k}"]
    return model, order


def closed_motion(model, q, rng):
    K = algorithms.loops.loop_constraint(model, q, np.zeros(model.nv)).K
    v = rng.normal(size=model.nv)
    return v - np.linalg.pinv(K) @ (K @ v)


@pytest.mark.parametrize("storage", ["sparse", "banded"])
@pytest.mark.parametrize("seed", range(8))
def test_random_trees_with_loops(seed, storage, looped):
    """With rotors; one analysis for two states."""
    case = looped(seed)
    rng = np.random.default_rng(seed)
    rotors = {
        f"{joint.name}.armature": rng.uniform(0.1, 1.0, joint.nv) for joint in case.model.joints[1::2] if joint.nv
    }
    model = case.model.with_parameters(rotors)
    pattern = sparse_pattern(model)
    for tau in (case.tau, 2.0 * case.tau):
        at, how = (model, case.q, case.v, tau), {"f_ext": case.f_ext, "t": case.t}
        system = constraints.multibody_system(*at, **how)
        motion = system.solve()
        found = sparse_forward_dynamics(pattern, *at[1:], **how, storage=storage)
        allowed = 1e-13 * np.linalg.cond(system.matrix)
        assert_allclose(found.qdd, motion.qdd, atol=allowed * (1 + np.abs(motion.qdd).max()))
        assert_allclose(found.lam, motion.lam, atol=allowed * (1 + np.abs(motion.lam).max()))
        X_0 = algorithms.forward_kinematics(model, case.q, t=case.t).poses
        gravity = np.array([np.r_[np.zeros(3), -X[:3, :3].T @ model.gravity] for X in X_0])
        assert_allclose(found.a, motion.a + gravity, atol=allowed * (1 + np.abs(motion.a).max()))


def test_the_pattern_holds_every_number(looped):
    """The matrix of Eq 8.64, dense, is zero wherever the pattern says so: N_B blocks and up to 4 N_J more."""
    case = looped(3)
    pattern = sparse_pattern(case.model)
    dense = constraints.multibody_system(*case.args[:4], f_ext=case.f_ext, t=case.t).matrix
    permuted = np.zeros_like(dense)
    permuted[np.ix_(pattern.places, pattern.places)] = dense
    allowed = np.zeros(dense.shape, dtype=bool)
    allowed[tuple(pattern.entries)] = True
    assert not permuted[~allowed].any()
    N_B, N_J = len(case.model.bodies) - 1, len(case.model.joints) - 1 + len(case.model.loops)
    assert pattern.entries.shape[1] <= 36 * (N_B + 4 * N_J)
    assert sorted(pattern.places) == list(range(pattern.size)) == list(range(len(dense)))
    place, rows, ends = pattern.compact
    stored = csc_array((np.ones(len(place)), rows, ends), shape=dense.shape).toarray().astype(bool)
    np.testing.assert_array_equal(stored, allowed)


def test_trees():
    model = random_tree(5, 12)
    q, v, tau = random_state(model, 1)
    found = sparse_forward_dynamics(sparse_pattern(model), q, v, tau)
    assert_allclose(found.qdd, algorithms.aba(model, q, v, tau).qdd, rtol=1e-9, atol=1e-9)


def test_ladders_take_time_in_proportion_to_their_length():
    """Bandwidth stays, numbers in the factors grow like n; of H of the spanning tree like n^2."""
    fills, widths, of_H = [], [], []
    for cells in (10, 20, 40):
        model, order = ladder(cells)
        own, found = sparse_pattern(model, order), sparse_pattern(model)
        widths.append((own.bandwidth, found.bandwidth))
        q, still = model.neutral(), np.zeros(model.nv)
        runs = [
            sparse_forward_dynamics(pattern, q, still, still, storage=storage)
            for pattern in (own, found) for storage in ("sparse", "banded")
        ]  # fmt: skip
        for run in runs[1:]:
            assert_allclose(run.qdd, runs[0].qdd, atol=1e-7 * (1 + np.abs(run.qdd).max()))
        fills.append(runs[0].fill)
        of_H.append(np.count_nonzero(algorithms.crba(model, q).H))
    assert widths[0] == widths[1] == widths[2] or max(widths[2]) < 1.2 * max(widths[0])
    assert widths[2][0] == widths[0][0] < 50
    assert 1.9 < fills[1] / fills[0] < 2.1 and 1.9 < fills[2] / fills[1] < 2.1
    assert of_H[2] / of_H[1] > 3.8


def test_a_ladder_moves_as_its_spanning_tree_says():
    model, order = ladder(5, seed=1)
    rng = np.random.default_rng(2)
    q = model.neutral()
    v, tau = closed_motion(model, q, rng), rng.normal(size=model.nv)
    found = sparse_forward_dynamics(sparse_pattern(model, order), q, v, tau)
    expected = solve_directly(loop_equation(model, q, v, tau))
    assert_allclose(found.qdd, expected.qdd, atol=1e-9 * (1 + np.abs(expected.qdd).max()))


def test_stabilization():
    """Loops that are open, and opening: the same k_stab as on the spanning tree, since tree joints are never open."""
    model, order = ladder(4)
    rng = np.random.default_rng(3)
    q, v = model.neutral() + 1e-3 * rng.normal(size=model.nq), rng.normal(size=model.nv)
    how = Baumgarte.of_time(0.05)
    found = sparse_forward_dynamics(sparse_pattern(model, order), q, v, np.zeros(model.nv), stabilization=how)
    expected = solve_directly(loop_equation(model, q, v, np.zeros(model.nv), stabilization=how, tol=1e-9))
    assert_allclose(found.qdd, expected.qdd, atol=1e-8 * (1 + np.abs(expected.qdd).max()))
    bare = sparse_forward_dynamics(sparse_pattern(model, order), q, v, np.zeros(model.nv))
    assert np.abs(bare.qdd - found.qdd).max() > 1.0


@pytest.mark.parametrize("storage", ["sparse", "banded"])
def test_redundant_joints_are_named(storage):
    for model, name in (
        (planar_four_bar(), r"'pin' \(3 of 5 constraints\)"),
        (rectangular_bricard(), r"'hinge6' \(1 of 5"),
    ):
        with pytest.raises(ModelError, match=name):
            sparse_forward_dynamics(sparse_pattern(model), model.neutral(), *np.zeros((2, model.nv)), storage=storage)
    light = rbd.Model("light")
    light.add_body("a", joint=rbd.Revolute("z"))
    with pytest.raises(ModelError, match="moves nothing with inertia"):
        sparse_forward_dynamics(sparse_pattern(light), light.neutral(), *np.zeros((2, 1)), storage=storage)


def test_orders_of_ones_own():
    model = planar_four_bar(rbd.SphereInCylinder("y"))
    names = ["crank_joint", "crank", "coupler_joint", "coupler", "pin", "rocker", "rocker_joint"]
    assert sparse_pattern(model, names).order == tuple(names)
    with pytest.raises(ModelError, match="7 names, but 6"):
        sparse_pattern(model, names[:-1])
    mimic = rbd.Model("mimic")
    mimic.add_body("a", joint=rbd.Revolute("z"))
    mimic.add_body("b", "a", rbd.Revolute("z"), mimic=rbd.Mimic("a_joint"))
    with pytest.raises(ModelError, match="'b_joint' mimic"):
        sparse_pattern(mimic)
